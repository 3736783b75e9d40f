// Specs against the graphs of testdata/inputs: what the inputs become, or what is said to be wrong.
#include "lib/inputs/inputs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lib/base/testing/json_schema.h"
#include "lib/meta/dtype.h"
#include "lib/readers/reader.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

Graph Read(const std::string& name) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph("testdata/inputs/" + name + ".json", sink);
  EXPECT_TRUE(graph) << testing::DiagnosticsText(sink);
  return std::move(*graph);
}

std::string ValueText(const InputValue& value, const Graph& graph) {
  if (!value.is_tensor) return ToString(value.value);
  const TensorMeta& meta = value.meta;
  std::string text = std::string(ShortDtypeName(meta.dtype)) + ToString(meta.size_span()) + " on " + meta.device.str() +
                     " strides " + ToString(meta.stride_span());
  if (*meta.storage_offset.TryNumber() != 0) text += " offset " + meta.storage_offset.ToString();
  if (value.requires_grad) text += " requires_grad";
  if (value.view_of >= 0) text += " on the storage of " + graph.nodes[graph.inputs[value.view_of].node].name;
  if (!value.constant) return text;
  List elements;
  elements.items = *value.constant;
  return text + " value " + ToString(Value(elements));
}

// One line for each input, or for each diagnostic.
std::string Resolve(const Graph& graph, const std::string& spec) {
  DiagnosticSink sink;
  auto values = ResolveInputs(graph, spec, spec.empty() ? "" : "spec.json", sink);
  EXPECT_EQ(values.has_value(), sink.diagnostics().empty());
  if (!values) return testing::DiagnosticsText(sink);
  std::string text;
  for (size_t i = 0; i < values->size(); ++i)
    text += graph.nodes[graph.inputs[i].node].name + ": " + ValueText((*values)[i], graph) + "\n";
  return text;
}

std::string Spec(const std::string& inputs) { return R"({"format": "fakeprop.inputs/1", "inputs": )" + inputs + "}"; }

// The lines of these inputs alone.
std::string Only(const std::string& text, std::string_view names) {
  std::istringstream lines(text);
  std::string kept, line;
  while (std::getline(lines, line)) {
    std::string name = line.substr(0, line.find(':'));
    if (line.starts_with("FP") || (" " + std::string(names) + " ").find(" " + name + " ") != std::string::npos)
      kept += line + "\n";
  }
  return kept;
}

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
  std::string expected;  // the line of x, or the diagnostic
};

TEST(Inputs, AsRecorded) {
  EXPECT_EQ(Resolve(Read("static"), ""),
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
  Graph graph = Read("static");
  for (const Row& row : kRows) {
    EXPECT_EQ(Only(Resolve(graph, Spec(row.inputs)), "x"), "x: " + row.expected + "\n") << row.inputs;
    EXPECT_EQ(AgainstSchema(Spec(row.inputs)), std::vector<std::string>()) << row.inputs;
  }
}

TEST(Inputs, Numbers) {
  Graph graph = Read("dynamic");
  const std::string shapes = R"("x": {"shape": [6, 3]}, "mask": {"shape": [6, 9]}, )";
  EXPECT_EQ(Only(Resolve(graph, Spec("{" + shapes + R"("n": {"value": -5}})")), "n f b flag"),
            "n: -5\nf: 0.5\nb: True\nflag: True\n");
  EXPECT_EQ(Only(Resolve(graph, Spec("{" + shapes + R"("n": {"value": 0}, "f": {"value": 2}, "b": {"value": false}, "flag": {}})")),
                 "n f b flag"),
            "n: 0\nf: 2.0\nb: False\nflag: True\n");
}

TEST(Inputs, SymbolsTakeTheValuesThatShapesGive) {
  Graph graph = Read("dynamic");
  // mask's own strides, y and x follow from s77 = 6, s53 = 9.
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"mask": {"shape": [6, 9]}, "n": {"value": 1}})")), "x mask y z"),
            "x: f32[6, 3] on cpu strides [3, 1]\n"
            "mask: b8[6, 9] on cpu strides [9, 1]\n"
            "y: f32[12] on cpu strides [1]\n"
            "z: f32[4, 6] on cpu strides [1, 4] offset 2\n");
  // 2*s77 = 10 gives s77; mask follows where its dtype alone is given.
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"y": {"shape": [10]}, "mask": {"shape": [5, 4]}, "n": {"value": 1}})")), "x"),
            "x: f32[5, 3] on cpu strides [3, 1]\n");
  // Another rank says nothing about symbols.
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"y": {"shape": [10, 1]}, "mask": {"shape": [6, 4]}, "n": {"value": 1}})")), "x y"),
            "x: f32[6, 3] on cpu strides [3, 1]\ny: f32[10, 1] on cpu strides [1, 1]\n");
}

TEST(Inputs, SymbolErrors) {
  Graph graph = Read("dynamic");
  const std::pair<std::string, std::string> kRows[] = {
      {"", "FP2006 /graph_module/signature/input_specs/1: input `x`: dimension 0 is `s77`, and nothing gives `s77` a value: "
           "give `\"x\": {\"shape\": [...]}` in the input spec\n"
           "FP2006 /graph_module/signature/input_specs/2: input `mask`: dimension 1 is `s53`, and nothing gives `s53` a "
           "value: give `\"mask\": {\"shape\": [...]}` in the input spec\n"
           "FP2006 /graph_module/signature/input_specs/6: input `n`: its value is `s86`, and nothing gives `s86` a value: "
           "give `\"n\": {\"value\": ...}` in the input spec\n"},
      {Spec(R"({"x": {"shape": [6, 3]}, "mask": {"dtype": "float32"}, "n": {"value": 1}})"),
       "FP2006 /inputs/mask: input `mask`: dimension 1 is `s53`, and nothing gives `s53` a value: give `\"mask\": "
       "{\"shape\": [...]}` in the input spec\n"},
      {Spec(R"({"x": {"shape": [6, 3]}, "mask": {"shape": [7, 9]}})"),
       "FP2007 /inputs/mask/shape/0: dimension 0 of `mask` is 7 but the graph recorded `s77`, and `s77` is 6 by dimension 0 "
       "of `x`\n"},
      {Spec(R"({"x": {"shape": [6, 3]}, "y": {"shape": [11]}})"),
       "FP2007 /inputs/y/shape/0: dimension 0 of `y` is 11 but the graph recorded `2*s77`, and `s77` is 6 by dimension 0 of "
       "`x`\n"},
      {Spec(R"({"y": {"shape": [11]}})"),
       "FP2007 /inputs/y/shape/0: dimension 0 of `y` is 11 but the graph recorded `2*s77`, which no `s77` makes that\n"},
      {Spec(R"({"x": {"shape": [65, 3]}})"),
       "FP2007 /inputs/x/shape/0: `s77` is 65 by dimension 0 of `x`, which makes `2*s77` 130; the graph wants it from "
       "4 to 100\n"},
      {Spec(R"({"mask": {"shape": [6, 3]}})"),
       "FP2007 /inputs/mask/shape/1: `s53` is 3 by dimension 1 of `mask`, which makes `s53` 3; the graph wants it at least "
       "4\n"},
  };
  for (const auto& [spec, expected] : kRows) EXPECT_EQ(Resolve(graph, spec), expected) << spec;
  // Export's own lower bound of 2 holds nobody.
  graph.ranges.erase("2*s77");
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"x": {"shape": [1, 3]}, "mask": {"shape": [1, 4]}, "n": {"value": 1}})")), "y"),
            "y: f32[2] on cpu strides [1]\n");
}

TEST(Inputs, Views) {
  Graph graph = Read("static");
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"y": {"view_of": "x", "shape": [2, 6], "storage_offset": 1}})")), "x y"),
            "x: f32[4, 3] on cuda:1 strides [3, 1] requires_grad\n"
            "y: f32[2, 6] on cuda:1 strides [6, 1] offset 1 on the storage of x\n");
  // The first input has the storage, whichever is the view.
  EXPECT_EQ(Only(Resolve(graph, Spec(R"({"x": {"view_of": "y", "device": "cpu"}})")), "x y"),
            "x: f32[4, 3] on cpu strides [3, 1] requires_grad\n"
            "y: f32[4, 6] on cpu strides [1, 4] offset 2 on the storage of x\n");
  const Graph dynamic = Read("dynamic");
  EXPECT_EQ(Only(Resolve(dynamic, Spec(R"({"mask": {"shape": [4, 5]}, "n": {"value": 1}, "p_w": {"view_of": "z"},
                                           "z": {"view_of": "y", "stride": [0, 1]}, "x": {"view_of": "y"}})")), "p_w x y z"),
            "p_w: f32[2, 2] on cpu strides [2, 1] requires_grad\n"
            "x: f32[4, 3] on cpu strides [3, 1] on the storage of p_w\n"
            "y: f32[8] on cpu strides [1] on the storage of p_w\n"
            "z: f32[4, 6] on cpu strides [0, 1] offset 2 on the storage of p_w\n");
}

TEST(Inputs, MistakesInASpec) {
  const Row kRows[] = {
      {R"({"z": {}})", "FP2002 /inputs/z: the graph has no input `z`: its inputs are `x`, `y`, `n`"},
      {R"([{}, {}, {}, {}])", "FP2003 /inputs/3: the graph has 3 inputs: `x`, `y`, `n`"},
      {R"("x")", "FP2001 /inputs: expected inputs by name or a list of them but found the string `x`"},
      {R"({"x": [2, 3]})", "FP2001 /inputs/x: expected an object but found an array"},
      {R"({"x": {"shap": [2]}})",
       "FP2002 /inputs/x/shap: unknown field `shap`: an input has shape, dtype, device, stride, storage_offset, "
       "requires_grad, view_of or value"},
      {R"({"x": {"shape": null}})", "FP2001 /inputs/x/shape: null says nothing: leave `shape` out for what the graph recorded"},
      {R"({"x": {"shape": 3}})", "FP2001 /inputs/x/shape: expected an array but found 3"},
      {R"({"x": {"shape": [2.5]}})", "FP2001 /inputs/x/shape/0: expected an integer but found 2.5"},
      {R"({"x": {"shape": [2, -1]}})", "FP2004 /inputs/x/shape/1: a size is 0 or more but is -1"},
      {R"({"x": {"shape": ["batch", 3]}})", "FP2009 /inputs/x/shape/0: symbolic dimension `batch`: give a number"},
      {R"({"x": {"shape": [99999999999999999999]}})",
       "FP2001 /inputs/x/shape/0: expected an integer of 64 bits but found the integer 1e+20"},
      {R"({"x": {"dtype": "float"}})", "FP2002 /inputs/x/dtype: unknown dtype `float`"},
      {R"({"x": {"dtype": 6}})", "FP2001 /inputs/x/dtype: expected a string but found 6"},
      {R"({"x": {"device": "gpu"}})", "FP2002 /inputs/x/device: unknown device `gpu`"},
      {R"({"x": {"device": "cuda:x"}})", "FP2002 /inputs/x/device: unknown device `cuda:x`"},
      {R"({"x": {"device": "cpu:1"}})", "FP2002 /inputs/x/device: unknown device `cpu:1`"},
      {R"({"x": {"device": "cuda:128"}})", "FP2002 /inputs/x/device: unknown device `cuda:128`"},
      {R"({"x": {"device": "cuda:"}})", "FP2002 /inputs/x/device: unknown device `cuda:`"},
      {R"({"x": {"device": "cuda:999999999999"}})", "FP2002 /inputs/x/device: unknown device `cuda:999999999999`"},
      {R"({"x": {"stride": [1]}})", "FP2004 /inputs/x/stride: 1 strides for 2 dimensions"},
      {R"({"x": {"stride": [-1, 1]}})", "FP2004 /inputs/x/stride/0: a stride is 0 or more but is -1"},
      {R"({"x": {"storage_offset": -1}})", "FP2004 /inputs/x/storage_offset: a storage offset is 0 or more but is -1"},
      {R"({"x": {"requires_grad": 1}})", "FP2001 /inputs/x/requires_grad: expected true or false but found 1"},
      {R"({"x": {"dtype": "int64", "requires_grad": true}})",
       "FP2004 /inputs/x/requires_grad: only floating and complex tensors require grad, not int64"},
      {R"({"x": {"view_of": "z"}})", "FP2002 /inputs/x/view_of: the graph has no input `z`: its inputs are `x`, `y`, `n`"},
      {R"({"x": {"view_of": "n"}})", "FP2005 /inputs/x/view_of: `n` is no tensor and has no storage"},
      {R"({"x": {"view_of": "x"}})", "FP2005 /inputs/x/view_of: `x` is a view of itself"},
      {R"({"x": {"view_of": "y", "device": "cuda:0"}})",
       "FP2005 /inputs/x/view_of: `x` and `y` share one storage but are on cuda:0 and cpu"},
      {R"({"x": {"view_of": "y", "dtype": "int32"}})",
       "FP2005 /inputs/x/view_of: `x` and `y` share one storage but are int32 and float32"},
      {R"({"x": {"view_of": "y", "shape": [1], "value": [0.5]}})",
       "FP2005 /inputs/x/value: an input with `view_of` has the data of another, no value"},
      {R"({"x": {"shape": [2], "value": [1, 2, 3]}})",
       "FP2004 /inputs/x/value: expected 2 elements for shape [2] but found 3"},
      {R"({"x": {"shape": [2, 2], "value": [[1, 2], [3]]}})",
       "FP2004 /inputs/x/value/1: expected 2 elements for shape [2, 2] but found 1"},
      {R"({"x": {"shape": [2, 2], "value": [1, 2, 3]}})",
       "FP2004 /inputs/x/value: expected 4 elements for shape [2, 2] but found 3"},
      {R"({"x": {"shape": [1], "dtype": "int64", "value": [1.5]}})",
       "FP2001 /inputs/x/value/0: expected an integer but found 1.5"},
      {R"({"x": {"shape": [1], "dtype": "uint8", "value": [256]}})", "FP2004 /inputs/x/value/0: 256 does not fit in uint8"},
      {R"({"x": {"shape": [1], "dtype": "bool", "value": [1]}})",
       "FP2001 /inputs/x/value/0: expected true or false but found 1"},
      {R"({"x": {"shape": [4611686018427387904, 4]}})", "FP2004 /inputs/x: input `x`: too large: "},
      {R"({"n": {"shape": [1]}})", "FP2003 /inputs/n/shape: `n` is no tensor: it has a `value` and no `shape`"},
      {R"({"n": {"value": 1.5}})", "FP2001 /inputs/n/value: expected an integer but found 1.5"},
      {R"({"n": {"value": true}})", "FP2001 /inputs/n/value: expected an integer but found true"},
  };
  Graph graph = Read("static");
  for (const Row& row : kRows) {
    std::string found = Resolve(graph, Spec(row.inputs));
    EXPECT_EQ(found.substr(0, row.expected.size()), row.expected) << row.inputs;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
  EXPECT_EQ(Only(Resolve(Read("dynamic"), Spec(R"({"flag": {"value": false}, "mask": {"shape": [4, 4]}, "n": {"value": 1}})")), ""),
            "FP2003 /inputs/flag: `flag` is True in this graph and cannot be changed\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"view_of": "y"}, "y": {"view_of": "x"}})")),
            "FP2005 /inputs/x/view_of: `x` is a view of itself\nFP2005 /inputs/y/view_of: `y` is a view of itself\n");
}

TEST(Inputs, EveryMistakeIsReported) {
  EXPECT_EQ(Resolve(Read("static"), Spec(R"({"x": {"dtype": "f"}, "y": {"shape": [-1]}, "z": {}})")),
            "FP2002 /inputs/x/dtype: unknown dtype `f`\n"
            "FP2004 /inputs/y/shape/0: a size is 0 or more but is -1\n"
            "FP2002 /inputs/z: the graph has no input `z`: its inputs are `x`, `y`, `n`\n");
}

TEST(Inputs, Documents) {
  Graph graph = Read("static");
  const std::pair<std::string, std::string> kRows[] = {
      {"[]", "FP2001 expected an object but found an empty array\n"},
      {"{}", "FP2001 the field `format` is missing\n"},
      {R"({"format": "fakeprop.inputs/1"})", "FP2001 the field `inputs` is missing\n"},
      {R"({"format": "fakeprop.inputs/2", "inputs": {}})",
       "FP2001 /format: expected the format `fakeprop.inputs/1` but found `fakeprop.inputs/2`\n"},
      {R"({"format": 1, "inputs": {}})", "FP2001 /format: expected a string but found 1\n"},
      {R"({"format": "fakeprop.inputs/1", "inputs": {}, "more": 1})",
       "FP2002 /more: unknown field `more`: a spec has format, symbols and inputs\n"},
      {R"({"format": "fakeprop.inputs/1", "symbols": {"batch": {"min": 1}}, "inputs": {}})",
       "FP2009 /symbols: symbols are not available yet in this version: give numbers as sizes\n"},
      {R"({"format": "fakeprop.inputs/1", "inputs": {"x": {}, "x": {}}})",
       "FP2001 byte 59: an object has the name `x` twice\n"},
      {"{\n\"format\": \"fakeprop", "FP2001 byte 20 (line 2): the JSON ends too early: is the file cut off?\n"},
      {" ", "FP2001 the input spec is empty\n"},
  };
  for (const auto& [spec, expected] : kRows) {
    EXPECT_EQ(Resolve(graph, spec), expected) << spec;
  }
}

TEST(Inputs, NothingRecorded) {
  Graph graph = Read("unrecorded");
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
            "FP2008 the graph recorded nothing for `x`, `y`, `n`, `f`: an input spec has to give the shape and dtype of a "
            "tensor, the value of a number\n");
  ASSERT_EQ(sink.diagnostics()[0].notes.size(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].notes[0], "a spec to start from, for `--inputs`:\n" + spec_to_start_from);
  EXPECT_EQ(InputSpecTemplate(graph), spec_to_start_from);
  EXPECT_EQ(Resolve(graph, spec_to_start_from),
            "x: f32[1] on cpu strides [1]\ny: f32[1] on cpu strides [1]\nn: 1\nf: 1.0\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [2], "dtype": "int8"}, "y": {"view_of": "x", "shape": [1]},
                                    "n": {"value": 2}, "f": {"value": 0.5}})")),
            "x: i8[2] on cpu strides [1]\ny: i8[1] on cpu strides [1] on the storage of x\nn: 2\nf: 0.5\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"shape": [2]}, "y": {"dtype": "int8"}, "n": {}, "f": {"value": 1}})")),
            "FP2008 the graph recorded nothing for `x`, `y`, `n`: an input spec has to give the shape and dtype of a "
            "tensor, the value of a number\n");
}

TEST(Inputs, Template) {
  EXPECT_EQ(InputSpecTemplate(Read("static")),
            "{\n"
            "  \"format\": \"fakeprop.inputs/1\",\n"
            "  \"inputs\": {\n"
            "    \"x\": {\"shape\": [4, 3], \"dtype\": \"float32\", \"device\": \"cuda:1\", \"requires_grad\": true},\n"
            "    \"y\": {\"shape\": [4, 6], \"dtype\": \"float32\", \"device\": \"cpu\", \"stride\": [1, 4], \"storage_offset\": 2},\n"
            "    \"n\": {\"value\": 3}\n"
            "  }\n"
            "}\n");
  Graph dynamic = Read("dynamic");
  EXPECT_EQ(Resolve(dynamic, InputSpecTemplate(dynamic)),
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
  for (size_t at = page.find("```json\n"); at != std::string::npos; at = page.find("```json\n", at + 1), ++examples)
    EXPECT_EQ(AgainstSchema(page.substr(at + 8, page.find("```\n", at + 8) - at - 8)), std::vector<std::string>());
  EXPECT_GE(examples, 3u);
  for (const char* graph : {"static", "dynamic", "unrecorded"})
    EXPECT_EQ(AgainstSchema(InputSpecTemplate(Read(graph))), std::vector<std::string>());
  EXPECT_FALSE(AgainstSchema(Spec(R"({"x": {"shap": [1]}})")).empty());
}

TEST(Inputs, Origins) {
  Graph graph = Read("dynamic");
  DiagnosticSink sink;
  auto values = ResolveInputs(graph, Spec(R"({"mask": {"shape": [4, 4]}, "n": {"value": 1}})"), "spec.json", sink);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0].origin, "parameter `net.w`");
  EXPECT_EQ((*values)[1].origin, "input `x`");
  EXPECT_EQ((*values)[2].origin, "input `mask` of spec.json");
}

}  // namespace
}  // namespace fakeprop
