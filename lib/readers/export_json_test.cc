// What is wrong with a graph is said once, with its place. Each row changes one place of a small graph that is fine.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/readers/read_graph.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kGraph = R"json({
  "graph_module": {
    "graph": {
      "inputs": [{"as_tensor": {"name": "x"}}, {"as_sym_int": {"as_name": "n"}}],
      "outputs": [{"as_tensor": {"name": "add"}}],
      "nodes": [
        {"target": "torch.ops.aten.relu.default",
         "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
         "outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}, "name": "relu"},
        {"target": "torch.ops.aten.add.Tensor",
         "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "relu"}}, "kind": 1},
                    {"name": "other", "arg": {"as_int": 1}, "kind": 1}],
         "outputs": [{"as_tensor": {"name": "add"}}], "metadata": {}, "name": "add"}],
      "tensor_values": {
        "x": {"dtype": 7, "sizes": [{"as_int": 2}], "requires_grad": false, "device": {"type": "cpu", "index": null},
              "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}},
      "sym_int_values": {"n": {"as_expr": {"expr_str": "Symbol('s0')", "hint": {"as_int": 4}}}},
      "sym_bool_values": {}},
    "signature": {
      "input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}},
                      {"user_input": {"arg": {"as_sym_int": {"as_name": "n"}}}}],
      "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "add"}}}}]}},
  "range_constraints": {"s0": {"min_val": 2, "max_val": null}},
  "schema_version": {"major": 8, "minor": 20}})json";

std::string Read(const std::string& text) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadExportJson(text, "g.json", sink);
  EXPECT_EQ(graph.has_value(), sink.diagnostics().empty());
  return testing::DiagnosticsText(sink);
}

struct Row {
  std::string pointer;  // what to change
  std::string value;    // into what; removed where this is empty
  std::string error;    // of the changed graph, without the newline
};

std::string ReadChanged(const Row& row) {
  ordered_json graph = ordered_json::parse(kGraph);
  ordered_json::json_pointer pointer(row.pointer);
  ordered_json& parent = graph.at(pointer.parent_pointer());
  if (!row.value.empty()) graph[pointer] = ordered_json::parse(row.value);
  else if (parent.is_array()) parent.erase(std::stoul(pointer.back()));
  else parent.erase(pointer.back());
  std::string text = Read(graph.dump());
  return text.empty() ? text : text.substr(0, text.size() - 1);
}

void Expect(std::initializer_list<Row> rows) {
  for (const Row& row : rows) EXPECT_EQ(ReadChanged(row), row.error) << row.pointer << " = " << row.value;
}

const std::string kG = "/graph_module/graph";
const std::string kSpecs = "/graph_module/signature/input_specs";
const std::string kArg = kG + "/nodes/1/inputs/1/arg";
const std::string kMeta = kG + "/tensor_values/x";

TEST(ExportJson, IsFineUnchanged) { EXPECT_EQ(Read(std::string(kGraph)), ""); }

TEST(ExportJson, OtherDocuments) {
  EXPECT_EQ(Read("[]"), "FP1002 expected the JSON of torch.export but found an empty array\n");
  EXPECT_EQ(Read("{}"), "FP1002 this JSON is no graph of torch.export: it has no `graph_module`\n");
  EXPECT_EQ(Read(R"({"format": "fakeprop.inputs/1", "inputs": {}})"),
      "FP1002 /format: this is an input spec, not a graph: give it with `--inputs`\n");
  EXPECT_EQ(Read(R"({"format": "fakeprop.annotations/1"})"),
      "FP1002 /format: these are annotations, which fakeprop writes, not a graph\n");
  EXPECT_EQ(Read(R"({"format": "fakeprop.fx/1"})"), "FP1005 the field `nodes` is missing\n");
  EXPECT_EQ(
      Read(R"({"format": "other"})"), "FP1002 /format: expected the JSON of torch.export but the format is `other`\n");
  EXPECT_EQ(
      Read("{\"a\": [}"), "FP1003 byte 7: the JSON is malformed: unexpected '}'; expected '[', '{', or a literal\n");
}

TEST(ExportJson, Versions) {
  const std::string at = "FP1004 /schema_version: the file has schema version ";
  Expect({
      {"/schema_version/major", "9", at + "9.20, supported are 5 to 8 with any minor version"},
      {"/schema_version/major", "4", at + "4.20, supported are 5 to 8 with any minor version"},
      {"/schema_version/minor", "999", ""},
      {"/schema_version/major", "\"8\"", "FP1005 /schema_version/major: expected an integer but found the string `8`"},
      {"/schema_version/minor", "", "FP1005 /schema_version: the field `minor` is missing"},
      {"/schema_version", "", "FP1002 this JSON is no graph of torch.export: it has no `schema_version`"},
  });
}

TEST(ExportJson, MissingFields) {
  Expect({
      {"/graph_module/graph", "", "FP1005 /graph_module: the field `graph` is missing"},
      {"/graph_module/signature", "", "FP1005 /graph_module: the field `signature` is missing"},
      {kG + "/inputs", "", "FP1005 " + kG + ": the field `inputs` is missing"},
      {kG + "/outputs", "", "FP1005 " + kG + ": the field `outputs` is missing"},
      {kG + "/nodes", "", "FP1005 " + kG + ": the field `nodes` is missing"},
      {kG + "/nodes/0/target", "", "FP1005 " + kG + "/nodes/0: the field `target` is missing"},
      {kG + "/nodes/0/inputs", "", "FP1005 " + kG + "/nodes/0: the field `inputs` is missing"},
      {kG + "/nodes/0/outputs", "", "FP1005 " + kG + "/nodes/0: the field `outputs` is missing"},
      {kG + "/nodes/0/inputs/0/arg", "", "FP1005 " + kG + "/nodes/0/inputs/0: the field `arg` is missing"},
      {kG + "/nodes/0/inputs/0/name", "", "FP1005 " + kG + "/nodes/0/inputs/0: the field `name` is missing"},
      {kMeta + "/dtype", "", "FP1005 " + kMeta + ": the field `dtype` is missing"},
      {kMeta + "/device/type", "", "FP1005 " + kMeta + "/device: the field `type` is missing"},
      {kSpecs + "/0/user_input/arg", "", "FP1005 " + kSpecs + "/0/user_input: the field `arg` is missing"},
      // What older files lack, and what propagation does not look at.
      {kG + "/nodes/0/name", "", ""},
      {kG + "/nodes/0/inputs/0/kind", "", ""},
      {kG + "/nodes/0/metadata", "", ""},
      {kG + "/tensor_values", "", ""},
      {kG + "/sym_int_values", "", ""},
      {"/range_constraints", "", ""},
  });
}

TEST(ExportJson, WrongTypes) {
  Expect({
      {"/graph_module", "3", "FP1005 /graph_module: expected an object but found 3"},
      {kG + "/nodes", "{}", "FP1005 " + kG + "/nodes: expected an array but found an empty object"},
      {kG + "/nodes/0", "[]", "FP1005 " + kG + "/nodes/0: expected an object but found an empty array"},
      {kG + "/nodes/0/target", "7", "FP1005 " + kG + "/nodes/0/target: expected a string but found 7"},
      {kG + "/nodes/0/target", "\"\"",
          "FP1005 " + kG + "/nodes/0/target: expected an operator but found the string ``"},
      {kG + "/nodes/0/name", "false", "FP1005 " + kG + "/nodes/0/name: expected a string but found false"},
      {kG + "/nodes/0/inputs/0/kind", "3",
          "FP1005 " + kG +
              "/nodes/0/inputs/0/kind: expected the kind of an argument (1 positional, 2 keyword) but "
              "found 3"},
      {kG + "/inputs/0", R"({"as_tensor": {"name": ""}})",
          "FP1005 " + kG + "/inputs/0: expected the name of an input but found an object"},
      {kG + "/is_single_tensor_return", "1",
          "FP1005 " + kG + "/is_single_tensor_return: expected true or false but found 1"},
      {kG + "/nodes/0/outputs/0", R"({"as_int": 3})",
          "FP1005 " + kG + "/nodes/0/outputs/0: a result needs a name but is an object"},
  });
}

TEST(ExportJson, Arguments) {
  const std::string tags =
      "expected an object with one of the tags as_none, as_tensor, as_tensors, as_int, as_ints, as_float, as_floats, "
      "as_string, as_strings, as_sym_int, as_sym_ints, as_scalar_type, as_memory_format, as_layout, as_device, "
      "as_bool, as_bools, as_sym_bool, as_sym_bools, as_graph, as_optional_tensors, as_custom_obj, as_operator, "
      "as_sym_float, as_sym_floats, as_optional_tensor, as_complex, as_nested_tensors, as_int_lists, "
      "as_string_to_argument, as_float_lists but found ";
  Expect({
      {kArg, R"({"as_foo": 1})", "FP1005 " + kArg + ": " + tags + "`as_foo`"},
      {kArg, R"({"as_int": 1, "as_float": 1.5})", "FP1005 " + kArg + ": " + tags + "`as_int` and `as_float`"},
      {kArg, "{}", "FP1005 " + kArg + ": " + tags + "an empty object"},
      {kArg, "1", "FP1005 " + kArg + ": " + tags + "1"},
      {kArg, R"({"as_int": 9223372036854775807})", ""},
      {kArg, R"({"as_int": 9223372036854775808})",
          "FP1005 " + kArg + "/as_int: expected an integer but found an integer beyond 64 bits"},
      {kArg, R"({"as_int": 1.0})", "FP1005 " + kArg + "/as_int: expected an integer but found 1.0"},
      {kArg, R"({"as_int": true})", "FP1005 " + kArg + "/as_int: expected an integer but found true"},
      {kArg, R"({"as_ints": [1, "2"]})", "FP1005 " + kArg + "/as_ints/1: expected an integer but found the string `2`"},
      {kArg, R"({"as_float": "inf"})",
          "FP1005 " + kArg +
              "/as_float: expected a number, \"Infinity\", \"-Infinity\" or \"NaN\" but found the string "
              "`inf`"},
      {kArg, R"({"as_float": "Infinity"})", ""},
      {kArg, R"({"as_bool": 1})", "FP1005 " + kArg + "/as_bool: expected true or false but found 1"},
      {kArg, R"({"as_string": null})", "FP1005 " + kArg + "/as_string: expected a string but found null"},
      {kArg, R"({"as_scalar_type": 14})",
          "FP1005 " + kArg + "/as_scalar_type: expected the number of a dtype (1 to 13 or 28 to 35) but found 14"},
      {kArg, R"({"as_layout": 0})",
          "FP1005 " + kArg + "/as_layout: expected the number of a layout (1 to 7) but found 0"},
      {kArg, R"({"as_memory_format": 5})",
          "FP1005 " + kArg + "/as_memory_format: expected the number of a memory format (1 to 4) but found 5"},
      {kArg, R"({"as_device": {"type": "gpu", "index": null}})",
          "FP1005 " + kArg +
              "/as_device/type: expected the type of a device, such as cpu or cuda, but found the "
              "string `gpu`"},
      {kArg, R"({"as_device": {"type": "cuda", "index": 128}})",
          "FP1005 " + kArg + "/as_device/index: expected the index of a cuda device but found 128"},
      {kArg, R"({"as_device": {"type": "cuda", "index": -1}})",
          "FP1005 " + kArg + "/as_device/index: expected the index of a cuda device but found -1"},
      {kArg, R"({"as_device": {"type": "cpu", "index": 1}})",
          "FP1005 " + kArg + "/as_device/index: expected the index of a cpu device but found 1"},
      {kArg, R"({"as_device": {"type": "cpu", "index": 0}})", ""},
      {kArg, R"({"as_sym_int": {"as_float": 1.5}})",
          "FP1005 " + kArg +
              "/as_sym_int: expected an object with one of the tags as_name, as_int but found `as_float`"},
      {kArg, R"({"as_complex": {"real": 1}})", "FP1005 " + kArg + "/as_complex: the field `imag` is missing"},
      {kArg, R"({"as_string_to_argument": {"k": {"as_foo": 1}}})",
          "FP1005 " + kArg + "/as_string_to_argument/k: " + tags + "`as_foo`"},
      {kArg, R"({"as_graph": {"name": "g", "graph": {"inputs": [], "outputs": []}}})",
          "FP1005 " + kArg + "/as_graph/graph: the field `nodes` is missing"},
  });
}

TEST(ExportJson, Metadata) {
  Expect({
      {kMeta + "/dtype", "0",
          "FP1005 " + kMeta + "/dtype: expected the number of a dtype (1 to 13 or 28 to 35) but found 0"},
      {kMeta + "/sizes/0", R"({"as_int": -2})",
          "FP1005 " + kMeta + "/sizes/0: expected a size of 0 or more but found -2"},
      {kMeta + "/sizes", "[]", "FP1005 " + kMeta + ": 0 sizes but 1 strides"},
      {kMeta + "/sizes/0", R"({"as_expr": {"expr_str": "", "hint": null}})",
          "FP1005 " + kMeta + "/sizes/0/as_expr/expr_str: expected an expression but found the string ``"},
      {kMeta + "/sizes/0", R"({"as_expr": {"expr_str": "s0", "hint": {"as_int": "x"}}})",
          "FP1005 " + kMeta + "/sizes/0/as_expr/hint/as_int: expected an integer but found the string `x`"},
      {"/range_constraints/s0/max_val", "1.5",
          "FP1005 /range_constraints/s0/max_val: expected an integer but found 1.5"},
      {"/range_constraints/s0/max_val", "18446744073709551615", ""},
  });
}

TEST(ExportJson, References) {
  Expect({
      {kG + "/nodes/1/inputs/0/arg/as_tensor/name", "\"nothing\"",
          "FP1006 " + kG +
              "/nodes/1/inputs/0/arg/as_tensor: no input and no node before this makes the value `nothing`"},
      {kG + "/nodes/0/inputs/0/arg/as_tensor/name", "\"add\"",
          "FP1006 " + kG + "/nodes/0/inputs/0/arg/as_tensor: the value `add` is used before node 1 makes it"},
      {kG + "/nodes/0/inputs/0/arg/as_tensor/name", "\"relu\"",
          "FP1006 " + kG + "/nodes/0/inputs/0/arg/as_tensor: the value `relu` is used before node 0 makes it"},
      {kArg, R"({"as_sym_int": {"as_name": "m"}})",
          "FP1006 " + kArg + "/as_sym_int/as_name: no input and no node before this makes the value `m`"},
      {kG + "/outputs/0/as_tensor/name", "\"gone\"",
          "FP1006 " + kG + "/outputs/0/as_tensor: no input and no node before this makes the value `gone`"},
      {"/graph_module/signature/output_specs/0/user_output/arg/as_tensor/name", "\"gone\"",
          "FP1006 /graph_module/signature/output_specs/0/user_output/arg: no input and no node makes the value `gone`"},
      // A subgraph sees no values of the graph around it.
      {kArg,
          R"({"as_graph": {"name": "g",
                        "graph": {"inputs": [], "nodes": [], "outputs": [{"as_tensor": {"name": "x"}}]}}})",
          "FP1006 " + kArg +
              "/as_graph/graph/outputs/0/as_tensor: no input and no node before this makes the value `x`"},
  });
}

TEST(ExportJson, Contradictions) {
  Expect({
      {kG + "/nodes/1/outputs/0/as_tensor/name", "\"relu\"",
          "FP1006 " + kG + "/nodes/1/outputs/0: the value `relu` is made twice: here and at `" + kG + "/nodes/0`"},
      {kG + "/nodes/0/outputs/0/as_tensor/name", "\"x\"",
          "FP1006 " + kG + "/nodes/0/outputs/0: the value `x` is made twice: here and at `" + kG + "/inputs/0`"},
      {kSpecs + "/1", "", "FP1006 " + kSpecs + ": the signature has 1 inputs, the graph 2"},
      {kSpecs + "/0/user_input/arg/as_tensor/name", "\"y\"",
          "FP1006 " + kSpecs + "/0: the signature calls this input `y`, the graph `x`"},
      {kSpecs + "/0", R"({"stranger": {}})",
          "FP1005 " + kSpecs +
              "/0: expected an object with one of the tags user_input, parameter, buffer, "
              "tensor_constant, custom_obj, token, constant_input but found `stranger`"},
      {kSpecs + "/0", R"({"parameter": {"arg": {"name": "x"}}})",
          "FP1005 " + kSpecs + "/0/parameter: the field `parameter_name` is missing"},
      {kArg,
          R"({"as_graph": {"name": "g",
                        "graph": {"inputs": [], "outputs": [], "nodes": [], "is_single_tensor_return": true}}})",
          "FP1006 " + kArg + "/as_graph/graph/outputs: is_single_tensor_return is true but there are 0 outputs"},
  });
}

// Source: OutputSpec in torch/_export/serde/schema.py.
TEST(ExportJson, EveryKindOfOutput) {
  const std::string at = "/graph_module/signature/output_specs/0", arg = R"("arg": {"name": "add"})";
  const std::string gone = R"({"gradient_to_parameter": {"arg": {"name": "gone"}, "parameter_name": "w"}})";
  Expect({
      {at, R"({"loss_output": {)" + arg + "}}", ""},
      {at, R"({"buffer_mutation": {)" + arg + R"(, "buffer_name": "b"}})", ""},
      {at, R"({"parameter_mutation": {)" + arg + R"(, "parameter_name": "w"}})", ""},
      {at, R"({"gradient_to_parameter": {)" + arg + R"(, "parameter_name": "w"}})", ""},
      {at, R"({"gradient_to_user_input": {)" + arg + R"(, "user_input_name": "x"}})", ""},
      {at, R"({"user_input_mutation": {)" + arg + R"(, "user_input_name": "x"}})", ""},
      {at, R"({"token": {)" + arg + "}}", ""},
      {at, R"({"user_output": {"arg": {"as_none": true}}})", ""},
      {at, R"({"user_output": {"arg": {"as_float": 0.5}}})", ""},
      {at, R"({"user_output": {"arg": {"as_sym_int": {"as_name": "n"}}}})", ""},
      {at, gone, "FP1006 " + at + "/gradient_to_parameter/arg: no input and no node makes the value `gone`"},
      {at, R"({"loss_output": {}})", "FP1005 " + at + "/loss_output: the field `arg` is missing"},
      {at, R"({"stranger": {}})",
          "FP1005 " + at +
              ": expected an object with one of the tags user_output, loss_output, buffer_mutation, "
              "gradient_to_parameter, gradient_to_user_input, user_input_mutation, token, parameter_mutation but found "
              "`stranger`"},
  });
}

TEST(ExportJson, UnknownOperatorsAndFieldsAreRead) {
  Expect({
      {kG + "/nodes/0/target", "\"torch.ops.custom.thing.default\"", ""},
      {kG + "/nodes/0/target", "\"#my:thing\"", ""},
      {kG + "/nodes/0/new_field", "[1, 2]", ""},
      {"/new_field", "{}", ""},
  });
}

TEST(ExportJson, EveryTruncationIsAnError) {
  for (size_t size = 0; size < kGraph.size(); size += 7) {
    std::string error = Read(std::string(kGraph.substr(0, size)));
    EXPECT_TRUE(error.starts_with("FP1003 byte ")) << size << ": " << error;
  }
}

}  // namespace
}  // namespace fakeprop
