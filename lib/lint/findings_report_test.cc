#include "lib/lint/findings_report.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/base/testing/json_schema.h"

namespace fakeprop {
namespace {

using nlohmann::json;

GraphFindings Differing(std::string graph) {
  Finding finding;
  finding.diagnostic = {.code = {"FP4001", "RecordedDiffers"},
      .message = "shape of `neg` is [2, 3] but was recorded as [2, 4]",
      .file = "g.json",
      .place = "/graph_module/graph/nodes/1",
      .node = "neg",
      .node_text = "%neg = aten::neg(%x)",
      .frames = {{"m.py", 7, "Net.forward", "return -x"}},
      .module = "block",
      .operands = {{"%x", "f32[2, 3] on cpu", "input `x`"}},
      .notes = {"a note"}};
  finding.fields = {{"shape", "[2, 4]", "[2, 3]"}, {"dtype", "float64", "float32"}};
  finding.also_differ = {"a", "b", "c", "d", "e", "f"};
  finding.subgraph = "true_graph_0";
  return {std::move(graph), 12, {finding}};
}

TEST(LintReport, Text) {
  EXPECT_EQ(LintText({Differing("m/g.json")}, {}),
      "error[FP4001]: shape of `neg` is [2, 3] but was recorded as [2, 4]\n"
      " --> m.py:7, in Net.forward\n"
      "   |\n"
      " 7 |     return -x\n"
      "   |\n"
      "   = node     %neg = aten::neg(%x)     g.json: /graph_module/graph/nodes/1\n"
      "   = shape    expected [2, 4], found [2, 3]\n"
      "   = dtype    expected float64, found float32\n"
      "   = %x       f32[2, 3] on cpu, input `x`\n"
      "   = module   block\n"
      "   = a note\n"
      "   = in the subgraph `true_graph_0`\n"
      "   = 6 later nodes differ because of it: a, b, c, d, e, ...\n"
      "\n"
      "1 finding in 12 nodes of 1 graph\n");
}

TEST(LintReport, SeveralGraphs) {
  EXPECT_EQ(LintText({{"a.json", 3, {}}, {"b.json", 4, {}}}, {}), "no findings in 7 nodes of 2 graphs\n");
  EXPECT_EQ(LintText({{"a.json", 3, {}}, Differing("b.json")}, {}).find("b.json:\nerror[FP4001]"), 0u);
}

GraphFindings NotLinted() {
  return {.graph = "cut_off.pt2", .trouble = {{.code = {"FP1008", "CorruptArchive"}, .message = "it is cut off"}}};
}

GraphFindings OnACondition() {
  return {.graph = "skip.json",
      .nodes = 9,
      .conditions = {.hints = "len = 7", .guards = {{"Eq(Mod(len, 2), 1)", "node `add`, model.py:9"}}}};
}

TEST(LintReport, SaysWhatWasNotLinted) {
  EXPECT_EQ(
      LintText({{"a.json", 3, {}}, NotLinted()}, {}), "no findings in 3 nodes of 1 graph\nnot linted: cut_off.pt2\n");
  EXPECT_EQ(LintText({NotLinted()}, {}), "not linted: cut_off.pt2\n");
  const json report = json::parse(LintJson({{"a.json", 3, {}}, NotLinted()}));
  EXPECT_EQ(report.at("graphs").at(0).at("status"), "clean");
  EXPECT_EQ(report.at("graphs").at(1).at("status"), "not linted");
  EXPECT_EQ(report.at("graphs").at(1).at("trouble").at(0).at("message"), "it is cut off");
  EXPECT_EQ(report.at("summary"), json::parse(R"({"graphs": 1, "not_linted": 1, "nodes": 3, "findings": 0})"));
}

TEST(LintReport, SaysWhatItRestsOn) {
  EXPECT_EQ(LintText({OnACondition()}, {}),
      "no findings in 9 nodes of 1 graph\n"
      "this holds only where 1 guard does, as at len = 7\n"
      "  Eq(Mod(len, 2), 1)     node `add`, model.py:9\n");
  EXPECT_NE(
      LintText({OnACondition(), NotLinted()}, {}).find("skip.json holds only where 1 guard does"), std::string::npos);
  const json graph = json::parse(LintJson({OnACondition()})).at("graphs").at(0);
  EXPECT_EQ(graph.at("hints"), "len = 7");
  EXPECT_EQ(graph.at("guards").at(0).at("expr"), "Eq(Mod(len, 2), 1)");
}

TEST(LintReport, JsonIsAsItsSchemaSays) {
  std::ifstream file("docs/lint.schema.json");
  const json schema = json::parse(file);
  const std::vector<std::vector<GraphFindings>> reports = {{}, {{"a.json", 3, {}}}, {NotLinted(), OnACondition()},
      {Differing("a.json"), {"b.json", 1, {{.diagnostic = {.code = {"FP3001", "ShapeMismatch"}, .message = "m"}}}}}};
  for (const auto& report : reports) {
    const json got = json::parse(LintJson(report));
    EXPECT_EQ(testing::ValidateJson(got, schema), std::vector<std::string>());
    EXPECT_EQ(got.at("summary").at("findings"), CountFindings(report));
    EXPECT_EQ(got.at("findings").size(), CountFindings(report));
  }
  const json finding = json::parse(LintJson({Differing("m/g.json")})).at("findings").at(0);
  EXPECT_EQ(finding.at("graph"), "m/g.json");
  EXPECT_EQ(
      finding.at("fields").at(1), json::parse(R"({"field": "dtype", "expected": "float64", "found": "float32"})"));
  EXPECT_EQ(finding.at("also_differ").size(), 6u);
  EXPECT_EQ(finding.at("subgraph"), "true_graph_0");
}

}  // namespace
}  // namespace fakeprop
