// What specs make of the inputs of the graphs in testdata/inputs.
#include "lib/inputs/inputs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/base/testing/json_schema.h"
#include "lib/inputs/testing/resolve_text.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

using testing::ReadInputGraph;
using testing::Resolve;
using testing::ResolveAtHints;
using testing::Spec;

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What docs/inputs.schema.json does not allow in a spec.
std::vector<std::string> AgainstSchema(const std::string& spec) {
  static const nlohmann::json schema = nlohmann::json::parse(ReadText("docs/inputs.schema.json"));
  return testing::ValidateJson(nlohmann::json::parse(spec), schema);
}

struct Row {
  std::string inputs;    // of the spec
  std::string expected;  // the line of x
};

TEST(Inputs, AsRecorded) {
  EXPECT_EQ(Resolve(ReadInputGraph("static"), ""),
      "x: f32[4, 3] on cuda:1 strides [3, 1] requires_grad\n"
      "y: f32[4, 6] on cpu strides [1, 4] offset 2\n"
      "n: 3\n");
}

TEST(Inputs, Fields) {
  const Row kRows[] = {
      {R"({"x": {}})", "f32[4, 3] on cuda:1 strides [3, 1] requires_grad"},
      {R"({"x": {"shape": [2, 5]}})", "f32[2, 5] on cuda:1 strides [5, 1] requires_grad"},
      {R"({"x": {"shape": []}})", "f32[] on cuda:1 strides [] requires_grad"},
      {R"({"x": {"shape": [2, 0, 3]}})", "f32[2, 0, 3] on cuda:1 strides [3, 3, 1] requires_grad"},
      {R"({"x": {"dtype": "bfloat16"}})", "bf16[4, 3] on cuda:1 strides [3, 1] requires_grad"},
      {R"({"x": {"dtype": "torch.int8"}})", "i8[4, 3] on cuda:1 strides [3, 1]"},
      {R"({"x": {"device": "cpu"}})", "f32[4, 3] on cpu strides [3, 1] requires_grad"},
      {R"({"x": {"device": "cuda"}})", "f32[4, 3] on cuda:0 strides [3, 1] requires_grad"},
      {R"({"x": {"device": "cpu:0"}})", "f32[4, 3] on cpu strides [3, 1] requires_grad"},
      {R"({"x": {"device": "cuda:7"}})", "f32[4, 3] on cuda:7 strides [3, 1] requires_grad"},
      {R"({"x": {"stride": [1, 4]}})", "f32[4, 3] on cuda:1 strides [1, 4] requires_grad"},
      {R"({"x": {"shape": [2, 2], "stride": [0, 1]}})", "f32[2, 2] on cuda:1 strides [0, 1] requires_grad"},
      {R"({"x": {"storage_offset": 5}})", "f32[4, 3] on cuda:1 strides [3, 1] offset 5 requires_grad"},
      {R"({"x": {"requires_grad": false}})", "f32[4, 3] on cuda:1 strides [3, 1]"},
      {R"([{"shape": [1]}])", "f32[1] on cuda:1 strides [1] requires_grad"},
      {R"([])", "f32[4, 3] on cuda:1 strides [3, 1] requires_grad"},
      {R"({"x": {"shape": [2], "dtype": "int64", "value": [5, -6]}})", "i64[2] on cuda:1 strides [1] value [5, -6]"},
      {R"({"x": {"shape": [], "dtype": "int64", "value": 5}})", "i64[] on cuda:1 strides [] value [5]"},
      {R"({"x": {"shape": [2, 2], "dtype": "bool", "value": [[true, false], [false, true]]}})",
          "b8[2, 2] on cuda:1 strides [2, 1] value [True, False, False, True]"},
      {R"({"x": {"shape": [2, 2], "value": [1, 2.5, "NaN", "-Infinity"]}})",
          "f32[2, 2] on cuda:1 strides [2, 1] requires_grad value [1.0, 2.5, nan, -inf]"},
      {R"({"x": {"shape": [2], "dtype": "complex64", "value": [1, [0, 2.5]]}})",
          "c64[2] on cuda:1 strides [1] requires_grad value [(1.0 + 0.0j), (0.0 + 2.5j)]"},
      {R"({"x": {"shape": [0], "dtype": "int64", "value": []}})", "i64[0] on cuda:1 strides [1] value []"},
  };
  Graph graph = ReadInputGraph("static");
  for (const Row& row : kRows) {
    EXPECT_EQ(Resolve(graph, Spec(row.inputs), "x"), "x: " + row.expected + "\n") << row.inputs;
    EXPECT_EQ(AgainstSchema(Spec(row.inputs)), std::vector<std::string>()) << row.inputs;
  }
}

TEST(Inputs, Numbers) {
  Graph graph = ReadInputGraph("dynamic");
  const std::string shapes = R"("x": {"shape": [6, 3]}, "mask": {"shape": [6, 9]}, )";
  EXPECT_EQ(Resolve(graph, Spec("{" + shapes + R"("n": {"value": -5}})"), "n f b flag"),
      "n: -5\nf: 0.5\nb: True\nflag: True\n");
  const std::string others = R"("n": {"value": 0}, "f": {"value": 2}, "b": {"value": false}, "flag": {}})";
  EXPECT_EQ(Resolve(graph, Spec("{" + shapes + others), "n f b flag"), "n: 0\nf: 2.0\nb: False\nflag: True\n");
}

TEST(Inputs, Views) {
  Graph graph = ReadInputGraph("static");
  EXPECT_EQ(Resolve(graph, Spec(R"({"y": {"view_of": "x", "shape": [2, 6], "storage_offset": 1}})"), "x y"),
      "x: f32[4, 3] on cuda:1 strides [3, 1] requires_grad\n"
      "y: f32[2, 6] on cuda:1 strides [6, 1] offset 1 on the storage of x\n");
  // The first input has the storage, whichever is the view.
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"view_of": "y", "device": "cpu"}})"), "x y"),
      "x: f32[4, 3] on cpu strides [3, 1] requires_grad\n"
      "y: f32[4, 6] on cpu strides [1, 4] offset 2 on the storage of x\n");
  const Graph dynamic = ReadInputGraph("dynamic");
  const std::string chain = R"({"mask": {"shape": [4, 5]}, "n": {"value": 1}, "p_w": {"view_of": "z"},
                                "z": {"view_of": "y", "stride": [0, 1]}, "x": {"view_of": "y"}})";
  EXPECT_EQ(Resolve(dynamic, Spec(chain), "p_w x y z"),
      "p_w: f32[2, 2] on cpu strides [2, 1] requires_grad\n"
      "x: f32[4, 3] on cpu strides [3, 1] on the storage of p_w\n"
      "y: f32[8] on cpu strides [1] on the storage of p_w\n"
      "z: f32[4, 6] on cpu strides [0, 1] offset 2 on the storage of p_w\n");
}

TEST(Inputs, NothingRecorded) {
  Graph graph = ReadInputGraph("unrecorded");
  const std::string spec_to_start_from =
      "{\n"
      "  \"format\": \"fakeprop.inputs/1\",\n"
      "  \"inputs\": {\n"
      "    \"x\": {\"shape\": [1], \"dtype\": \"float32\", \"device\": \"cpu\"},\n"
      "    \"y\": {\"shape\": [1], \"dtype\": \"float32\", \"device\": \"cpu\"},\n"
      "    \"n\": {\"value\": 1},\n"
      "    \"f\": {\"value\": 1.0}\n"
      "  }\n"
      "}\n";
  DiagnosticSink sink;
  EXPECT_FALSE(ResolveInputs(graph, "", "", sink));
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(testing::DiagnosticsText(sink),
      "FP2008 the graph recorded nothing for `x`, `y`, `n`, `f`: an input spec has to give the shape and dtype "
      "of a tensor, the value of a number\n");
  ASSERT_EQ(sink.diagnostics()[0].notes.size(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].notes[0], "a spec to start from, for `--inputs`:\n" + spec_to_start_from);
  EXPECT_EQ(InputSpecTemplate(graph), spec_to_start_from);
  EXPECT_EQ(
      Resolve(graph, spec_to_start_from), "x: f32[1] on cpu strides [1]\ny: f32[1] on cpu strides [1]\nn: 1\nf: 1.0\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [2], "dtype": "int8"}, "y": {"view_of": "x", "shape": [1]},
                                    "n": {"value": 2}, "f": {"value": 0.5}})")),
      "x: i8[2] on cpu strides [1]\ny: i8[1] on cpu strides [1] on the storage of x\nn: 2\nf: 0.5\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [2]}, "y": {"dtype": "int8"}, "n": {}, "f": {"value": 1}})")),
      "FP2008 the graph recorded nothing for `x`, `y`, `n`: an input spec has to give the shape and dtype of a "
      "tensor, the value of a number\n");
}

TEST(Inputs, Template) {
  EXPECT_EQ(InputSpecTemplate(ReadInputGraph("static")),
      "{\n"
      "  \"format\": \"fakeprop.inputs/1\",\n"
      "  \"inputs\": {\n"
      "    \"x\": {\"shape\": [4, 3], \"dtype\": \"float32\", \"device\": \"cuda:1\", \"requires_grad\": true},\n"
      "    \"y\": {\"shape\": [4, 6], \"dtype\": \"float32\", \"device\": \"cpu\", \"stride\": [1, 4], "
      "\"storage_offset\": 2},\n"
      "    \"n\": {\"value\": 3}\n"
      "  }\n"
      "}\n");
  Graph dynamic = ReadInputGraph("dynamic");
  EXPECT_EQ(ResolveAtHints(dynamic, InputSpecTemplate(dynamic)),
      "p_w: f32[2, 2] on cpu strides [2, 1] requires_grad\n"
      "x: f32[4, 3] on cpu strides [3, 1]\n"
      "mask: b8[4, 5] on cpu strides [5, 1]\n"
      "y: f32[8] on cpu strides [1]\n"
      "z: f32[4, 6] on cpu strides [1, 4] offset 2\n"
      "ids: i64[4] on cpu strides [1]\n"
      "n: 5\nf: 0.5\nb: True\nflag: True\n");
}

TEST(Inputs, SchemaAllowsWhatTheDocumentationShows) {
  std::string page = ReadText("docs/formats.md");
  size_t examples = 0;
  for (size_t at = page.find("```json\n", page.find("\n## Input specs\n")); at != std::string::npos;
       at = page.find("```json\n", at + 1), ++examples)
    EXPECT_EQ(AgainstSchema(page.substr(at + 8, page.find("```\n", at + 8) - at - 8)), std::vector<std::string>());
  EXPECT_GE(examples, 3u);
  for (const char* graph : {"static", "dynamic", "unrecorded"})
    EXPECT_EQ(AgainstSchema(InputSpecTemplate(ReadInputGraph(graph))), std::vector<std::string>());
  EXPECT_FALSE(AgainstSchema(Spec(R"({"x": {"shap": [1]}})")).empty());
}

TEST(Inputs, Origins) {
  Graph graph = ReadInputGraph("dynamic");
  DiagnosticSink sink;
  auto values = ResolveInputs(graph, Spec(R"({"mask": {"shape": [4, 4]}, "n": {"value": 1}})"), "spec.json", sink);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0].origin, "parameter `net.w`");
  EXPECT_EQ((*values)[1].origin, "input `x`");
  EXPECT_EQ((*values)[2].origin, "input `mask` of spec.json");
}

}  // namespace
}  // namespace fakeprop
