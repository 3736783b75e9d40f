// Findings that go through a file and come back, and the baseline.
#include <gtest/gtest.h>

#include <fstream>

#include "lib/base/testing/json_schema.h"
#include "lib/lint/formats/baseline.h"
#include "lib/lint/report_reader.h"

namespace fakeprop {
namespace {

using nlohmann::json;

Finding FindingOn(const std::string& source, int line, const std::string& node = "mm") {
  Finding finding;
  finding.diagnostic = {.code = {"FP3001", "ShapeMismatch"},
      .message = "2x7 and 8x3",
      .file = "g.json",
      .place = "/nodes/2",
      .node = node,
      .node_text = "%" + node + " = aten::mm(%x, %y)",
      .frames = {{"main.py", 3, "main", "run()"}, {"m.py", line, "Net.forward", source}},
      .module = "block",
      .operands = {{"%x", "f32[2, 3] on cpu", "input `x`"}},
      .notes = {"a note"}};
  return finding;
}

GraphFindings Rich() {
  Finding differs = FindingOn("return -x", 7);
  differs.diagnostic.severity = Severity::kWarning;
  differs.subgraph = "true_graph_0";
  differs.fields = {{"shape", "[2, 4]", "[2, 3]"}};
  differs.also_differ = {"a", "b"};
  Crossref crossref{.was_asked = true, .compared = 5, .differ = 1, .deviate = 2};
  crossref.not_compared[{"aten::relu", "no kernel"}] = 3;
  return {.graph = "m/g.json",
      .nodes = 12,
      .findings = {FindingOn("return x @ y", 8), differs},
      .conditions = {"n = 7", {{"Eq(n, 7)", "node `mul`"}}},
      .crossref = crossref};
}

GraphFindings NotLinted() {
  return {.graph = "cut_off.pt2", .trouble = {{.code = {"FP1008", "CorruptArchive"}, .message = "it is cut off"}}};
}

TEST(LintReportReader, ReadsAllThatIsWritten) {
  const std::string text = LintJson({Rich(), NotLinted(), {.graph = "clean.json", .nodes = 3}});
  EXPECT_EQ(LintJson(ReadLintReport(text)), text);
}

TEST(LintReportReader, TextIsTheSame) {
  EXPECT_EQ(LintText(ReadLintReport(LintJson({Rich()})), {}), LintText({Rich()}, {}));
}

Baseline Read(const std::string& text) {
  DiagnosticSink sink;
  std::optional<Baseline> baseline = Baseline::Read(text, "base.json", sink);
  EXPECT_TRUE(baseline) << sink.diagnostics().at(0).message;
  return std::move(*baseline);
}

TEST(Baseline, FollowsItsSchema) {
  std::ifstream file("docs/baseline.schema.json");
  EXPECT_EQ(testing::ValidateJson(json::parse(WriteBaseline({Rich(), NotLinted()})), json::parse(file)),
      std::vector<std::string>());
}

TEST(Baseline, KnowsAFindingWhoseLineAndNodeMoved) {
  Baseline baseline = Read(WriteBaseline({{.graph = "g.json", .findings = {FindingOn("x @ y", 8, "mm")}}}));
  GraphFindings now{.graph = "./g.json", .findings = {FindingOn("x @ y", 80, "mm_1"), FindingOn("x @ z", 81)}};
  baseline.TakeKnown(now);
  ASSERT_EQ(now.findings.size(), 1u);
  EXPECT_EQ(now.findings[0].diagnostic.frames[1].source, "x @ z");
  EXPECT_EQ(now.in_baseline, 1u);
  EXPECT_EQ(baseline.CountGone(), 0u);
}

TEST(Baseline, CountsFindingsOfOneLine) {
  const Finding same = FindingOn("x @ y", 8);
  Baseline baseline = Read(WriteBaseline({{.graph = "g.json", .findings = {same, same}}}));
  GraphFindings more{.graph = "g.json", .findings = {same, same, same}};
  baseline.TakeKnown(more);
  EXPECT_EQ(more.findings.size(), 1u);
  GraphFindings fewer{.graph = "g.json", .findings = {same}};
  baseline.TakeKnown(fewer);
  EXPECT_EQ(fewer.findings.size(), 0u);
  EXPECT_EQ(baseline.CountGone(), 1u);
}

TEST(Baseline, OfAnotherGraphKnowsNothing) {
  Baseline baseline = Read(WriteBaseline({{.graph = "g.json", .findings = {FindingOn("x @ y", 8)}}}));
  GraphFindings other{.graph = "h.json", .findings = {FindingOn("x @ y", 8)}};
  baseline.TakeKnown(other);
  EXPECT_EQ(other.findings.size(), 1u);
  EXPECT_EQ(baseline.CountGone(), 0u);
}

TEST(Baseline, RefusesOtherFiles) {
  for (const char* text : {"", "[]", "{}", R"({"format": "fakeprop.lint/1", "findings": []})",
           R"({"format": "fakeprop.baseline/2", "findings": []})", R"({"format": "fakeprop.baseline/1"})",
           R"({"format": "fakeprop.baseline/1", "findings": [{"graph": "g"}]})"}) {
    DiagnosticSink sink;
    EXPECT_FALSE(Baseline::Read(text, "base.json", sink)) << text;
    ASSERT_EQ(sink.diagnostics().size(), 1u);
    EXPECT_EQ(sink.diagnostics()[0].code.id, "FP5007");
  }
  EXPECT_TRUE(IsBaseline(R"({"format": "fakeprop.baseline/2"})"));
  EXPECT_FALSE(IsBaseline(R"({"format": "fakeprop.lint/1"})"));
}

}  // namespace
}  // namespace fakeprop
