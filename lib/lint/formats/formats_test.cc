// Findings for other programs, and what these take at most. tools/cli/formats_test.py reads them with real parsers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/lint/formats/fingerprints.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

using nlohmann::json;

Finding FindingAt(const std::string& file, int line, Severity severity = Severity::kError) {
  Finding finding;
  finding.diagnostic = {.code = {"FP3001", "ShapeMismatch"},
      .severity = severity,
      .message = "100% wrong: a, b\nand <c>",
      .file = "g.json",
      .node = "mm",
      .node_text = "%mm = aten::mm(%x, %y)",
      .frames = {{file, line, "Net.forward", "return x @ y"}},
      .notes = {"help: transpose `%y`"}};
  return finding;
}

SourcePlaces Places() {
  return SourcePlaces([](const std::string& path) { return path == "src/m.py" || path == "m.py"; });
}

std::vector<GraphFindings> Many(size_t count) {
  GraphFindings graph{.graph = "./g.json", .nodes = count};
  graph.findings.assign(count, FindingAt("m.py", 7, Severity::kWarning));
  graph.findings.back().diagnostic.severity = Severity::kError;
  return {graph};
}

std::vector<GraphFindings> NotLinted() {
  return {{.graph = "a b.pt2", .trouble = {{.code = {"FP1008", "CorruptArchive"}, .message = "it is cut off"}}}};
}

size_t Occurrences(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(SourcePlaces, AnAbsolutePathIsFoundByItsEnd) {
  SourcePlaces places = Places();
  EXPECT_EQ(places.Of("g.json", FindingAt("/home/other/repo/src/m.py", 7).diagnostic).file, "src/m.py");
  EXPECT_EQ(places.Of("g.json", FindingAt("./src/../m.py", 7).diagnostic).file, "m.py");
}

TEST(SourcePlaces, OtherwiseTheGraphIsThePlace) {
  SourcePlaces places = Places();
  for (const char* file : {"/usr/lib/python3/other.py", "<string>", ""}) {
    const SourcePlace place = places.Of("./g.json", FindingAt(file, 7).diagnostic);
    EXPECT_EQ(place.file, "g.json") << file;
    EXPECT_EQ(place.line, 1);
    EXPECT_FALSE(place.is_python);
  }
}

TEST(Fingerprints, SurviveMovedLinesAndCountRepeats) {
  Finding moved = FindingAt("m.py", 99), other = FindingAt("m.py", 7);
  moved.diagnostic.node = "mm_1";
  moved.diagnostic.node_text = "%mm_1 = aten::mm(%a, %b)";
  other.diagnostic.frames[0].source = "return y @ x";
  const auto names = Fingerprints({.graph = "g.json", .findings = {FindingAt("m.py", 7), moved, other}});
  EXPECT_EQ(names[0].substr(16), ":1");
  EXPECT_EQ(names[0].substr(0, 16) + ":2", names[1]);
  EXPECT_NE(names[0].substr(0, 16), names[2].substr(0, 16));
  EXPECT_NE(Fingerprints({.graph = "h.json", .findings = {other}})[0], names[2]);
}

TEST(Sarif, HasAtMostWhatGithubShows) {
  SourcePlaces places = Places();
  const json run = json::parse(LintSarif(Many(30'000), places))["runs"][0];
  EXPECT_EQ(run["results"].size(), 5000u);
  EXPECT_EQ(run["results"][0]["level"], "error");  // the last one: errors come first
  EXPECT_EQ(run["results"][1]["level"], "warning");
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 1u);
  const std::string told = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
  EXPECT_EQ(told, "these are 5000 results of 30000 findings, the most that GitHub shows: `--format json` has all");
}

TEST(Sarif, TellsWhatWasNotLinted) {
  SourcePlaces places = Places();
  const json invocation = json::parse(LintSarif(NotLinted(), places))["runs"][0]["invocations"][0];
  EXPECT_FALSE(invocation["executionSuccessful"].get<bool>());
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["message"]["text"], "FP1008: it is cut off");
  EXPECT_EQ(invocation["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "a%20b.pt2");
}

TEST(Junit, OneCaseForEachFinding) {
  SourcePlaces places = Places();
  const std::string xml = LintJunit({{.graph = "clean.json"}, Many(2)[0], NotLinted()[0]}, places);
  EXPECT_NE(xml.find("<testsuites name=\"fakeprop lint\" tests=\"4\" failures=\"2\" errors=\"1\">"), std::string::npos);
  EXPECT_NE(xml.find("<testcase classname=\"clean.json\" name=\"no findings\"/>"), std::string::npos);
  EXPECT_NE(xml.find("message=\"100% wrong: a, b&#10;and &lt;c&gt;\""), std::string::npos);
}

TEST(Junit, LeavesOutWhatIsTooMuch) {
  SourcePlaces places = Places();
  const std::string xml = LintJunit(Many(30'000), places);
  EXPECT_EQ(Occurrences(xml, "<testcase "), 20'001u);
  EXPECT_NE(xml.find("10000 more findings, which `--format json` lists"), std::string::npos);
}

TEST(Github, WritesCommands) {
  SourcePlaces places = Places();
  EXPECT_EQ(LintGithub({{.graph = "g.json", .findings = {FindingAt("m.py", 7)}}}, places),
      "::error file=m.py,line=7,title=FP3001 ShapeMismatch::100%25 wrong: a, b%0Aand <c>%0Anode %25mm = "
      "aten::mm(%25x, %25y)%0Ahelp: transpose `%25y`\n");
}

TEST(Github, HasAtMostTenOfAKind) {
  SourcePlaces places = Places();
  const std::string text = LintGithub(Many(30'000), places);
  EXPECT_EQ(Occurrences(text, "::warning file"), 10u);
  EXPECT_EQ(Occurrences(text, "::error file"), 1u);
  EXPECT_NE(text.find("::notice title=fakeprop::29989 more messages: "), std::string::npos);
}

TEST(Gitlab, AllFindingsWithNamesOfTheirOwn) {
  SourcePlaces places = Places();
  const json issues = json::parse(LintGitlab(Many(30'000), places));
  ASSERT_EQ(issues.size(), 30'000u);
  std::set<std::string> names;
  for (const json& issue : issues) names.insert(issue["fingerprint"].get<std::string>());
  EXPECT_EQ(names.size(), 30'000u);
  EXPECT_EQ(issues[0]["severity"], "minor");
  EXPECT_EQ(issues.back()["severity"], "major");
  EXPECT_EQ(issues[0]["location"]["path"], "m.py");
  EXPECT_EQ(json::parse(LintGitlab(NotLinted(), places))[0]["severity"], "blocker");
}

TEST(Markdown, FitsIntoASummary) {
  SourcePlaces places = Places();
  const std::string page = LintMarkdown(Many(30'000), places);
  EXPECT_LT(page.size(), size_t{1} << 20);
  EXPECT_TRUE(page.starts_with("## fakeprop lint: 30000 findings in 1 graph\n"));
  EXPECT_NE(page.find(" more findings, which `--format json` lists\n"), std::string::npos);
  EXPECT_NE(page.find("<details><summary>FP3001 ShapeMismatch in m.py:7</summary>"), std::string::npos);
}

}  // namespace
}  // namespace fakeprop
