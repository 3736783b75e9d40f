// What is wrong with FX JSON, and where. Well-formed files are in testdata/readers.
#include <gtest/gtest.h>

#include "lib/readers/read_graph.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

std::string Read(const std::string& text) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadExportJson(text, "graph.json", sink);
  return graph ? "read\n" : testing::DiagnosticsText(sink);
}

// A document of these nodes, and more.
std::string Document(const std::string& nodes, const std::string& rest = "") {
  return R"({"format": "fakeprop.fx/1", "nodes": [)" + nodes + "]" + rest + "}";
}

struct Case {
  const char* name;
  std::string text;
  const char* expected;
};

const Case kCases[] = {
    {"Version", R"({"format": "fakeprop.fx/2", "nodes": []})",
        "FP1004 /format: the file has the format `fakeprop.fx/2`, supported is `fakeprop.fx/1`\n"},
    {"NoNodes", R"({"format": "fakeprop.fx/1"})", "FP1005 the field `nodes` is missing\n"},
    {"Opcode", Document(R"({"name": "x", "op": "input", "target": "x"})"),
        "FP1005 /nodes/0/op: expected an opcode of FX (placeholder, get_attr, call_function, call_method, call_module "
        "or output) "
        "but found the string `input`\n"},
    {"Name", Document(R"({"op": "placeholder", "target": "x"})"), "FP1005 /nodes/0: the field `name` is missing\n"},
    {"Twice",
        Document(
            R"({"name": "x", "op": "placeholder", "target": "x"}, {"name": "x", "op": "placeholder", "target": "x"})"),
        "FP1006 /nodes/1/name: there are two nodes `x`\n"},
    {"Later", Document(R"({"name": "a", "op": "call_method", "target": "t", "args": [{"node": "b"}]},
                          {"name": "b", "op": "placeholder", "target": "b"})"),
        "FP1006 /nodes/0/args/0/node: the node `b` is used before it runs\n"},
    {"Nowhere", Document(R"({"name": "a", "op": "call_method", "target": "t", "args": [[1, {"node": "b"}]]})"),
        "FP1006 /nodes/0/args/0/1/node: there is no node `b`\n"},
    {"NoGraph", Document(R"({"name": "a", "op": "call_function", "target": "f", "kwargs": {"g": {"graph": "g"}}})"),
        "FP1006 /nodes/0/kwargs/g/graph: there is no graph `g`\n"},
    {"Attribute", Document(R"({"name": "w", "op": "get_attr", "target": "w"})"),
        "FP1006 /nodes/0/target: there is no attribute and no graph `w`\n"},
    {"Module", Document(R"({"name": "m", "op": "call_module", "target": "m"})"),
        "FP1006 /nodes/0/target: there is no module and no graph `m`\n"},
    {"Tag", Document(R"({"name": "a", "op": "call_function", "target": "f", "args": [{"nod": "b"}]})"),
        "FP1005 /nodes/0/args/0: expected an object with one of the tags node, tuple, dict, slice, dtype, device, "
        "layout, "
        "memory_format, complex, float, ellipsis, symint, graph, operator, object, module but found `nod`\n"},
    {"Dtype", Document(R"({"name": "a", "op": "call_function", "target": "f", "args": [{"dtype": "float"}]})"),
        "FP1005 /nodes/0/args/0/dtype: expected the name of a dtype, such as float32, but found the string `float`\n"},
    {"Slice", Document(R"({"name": "a", "op": "call_function", "target": "f", "args": [{"slice": [1]}]})"),
        "FP1005 /nodes/0/args/0/slice: expected [start, stop, step] but found an array\n"},
    {"InlineSize", Document(R"({"name": "a", "op": "call_function", "target": "f", "args": [{"symint": "2*"}]})"),
        "FP1005 /nodes/0/args/0/symint: expected a size such as `2*s0 + 1` but found the string `2*`\n"},
    {"DefaultOfNode", Document(R"({"name": "x", "op": "placeholder", "target": "x"},
                                  {"name": "n", "op": "placeholder", "target": "n", "args": [{"node": "x"}]})"),
        "FP1005 /nodes/1/args/0/node: expected a plain value but found the string `x`\n"},
    {"DefaultOfNodeInAList", Document(R"({"name": "x", "op": "placeholder", "target": "x"},
                                         {"name": "n", "op": "placeholder", "target": "n", "args": [[1, {"node": "x"}]]})"),
        "FP1005 /nodes/1/args/0/1/node: expected a plain value but found the string `x`\n"},
    {"DefaultOfSize",
        Document(R"({"name": "n", "op": "placeholder", "target": "n", "args": [{"slice": [0, {"symint": "s0"}, 1]}]})"),
        "FP1005 /nodes/0/args/0/slice/1/symint: expected a plain value but found the string `s0`\n"},
    {"DefaultOfNumber", Document(R"({"name": "n", "op": "placeholder", "target": "n", "args": [{"symint": "3"}]})"),
        "read\n"},
    {"ModuleOfSize", Document("", R"(, "modules": {"m": {"class": "M", "arguments": {"n": {"symint": "s0"}}}})"),
        "FP1005 /modules/m/arguments/n/symint: expected a plain value but found the string `s0`\n"},
    {"AttributeOfNode", Document("", R"(, "attributes": {"a": {"value": [{"node": "x"}]}})"),
        "FP1005 /attributes/a/value/0/node: expected a plain value but found the string `x`\n"},
    {"AttributeOfSize", Document("", R"(, "attributes": {"a": {"value": [{"symint": "2*s0"}]}})"), "read\n"},
    {"Outputs", Document(R"({"name": "o", "op": "output", "target": "output"})"),
        "FP1006 /nodes/0: an output has one argument, not 0\n"},
    {"AfterOutput", Document(R"({"name": "o", "op": "output", "target": "output", "args": [null]},
                                {"name": "x", "op": "placeholder", "target": "x"})"),
        "FP1006 /nodes/1: a node after the output\n"},
    {"Strides", Document("", R"(, "attributes": {"w": {"shape": [2, 3], "dtype": "float32", "stride": [1]}})"),
        "FP1005 /attributes/w/stride: 1 strides for 2 sizes\n"},
    {"Size", Document("", R"(, "attributes": {"w": {"shape": [-2], "dtype": "float32"}})"),
        "FP1005 /attributes/w/shape/0: expected a size of 0 or more but found -2\n"},
    {"Elements", Document("", R"(, "attributes": {"w": {"shape": [2], "dtype": "int64", "value": [1, 2, 3]}})"),
        "FP1005 /attributes/w/value: expected 2 items, as the shape says, but found 3\n"},
    {"Shares", Document("", R"(, "attributes": {"w": {"shape": [2], "dtype": "int64", "shares_storage_with": "v"}})"),
        "FP1006 /attributes/w/shares_storage_with: there is no tensor `v`\n"},
    {"SharesItself",
        Document("", R"(, "attributes": {"w": {"shape": [2], "dtype": "int64", "shares_storage_with": "w"}})"),
        "FP1006 /attributes/w/shares_storage_with: `w` shares storage with itself\n"},
    {"NoDim", Document(R"({"name": "a", "op": "call_function", "target": "f", "args": [-9223090561878065152]})"),
        "FP1005 a size near -2**63 is beyond what sizes can be\n"},
    {"SharesWithoutStorage", Document("", R"(, "attributes": {"w": {"shape": [2], "dtype": "int64"},
        "n": {"value": 3, "shares_storage_with": "w"}})"),
        "FP1006 /attributes/n/shares_storage_with: `n` shares storage, but is no tensor\n"},
    {"BaseIsANumber", Document("", R"(, "modules": {"m": {"class": "M", "bases": [1]}})"),
        "FP1005 /modules/m/bases/0: expected a string but found 1\n"},
    {"NoClass", Document("", R"(, "modules": {"m": {"arguments": {}}})"),
        "FP1005 /modules/m: the field `class` is missing\n"},
    {"Nested", Document("", R"(, "graphs": {"g": {"nodes": [{"name": "x"}]}})"),
        "FP1005 /graphs/g/nodes/0: the field `op` is missing\n"},
    {"SymbolOfAString", Document("", R"(, "symbols": {"s0": {"min": "2"}})"),
        "FP1005 /symbols/s0/min: expected an integer but found the string `2`\n"},
    {"SymbolWithMore", Document("", R"(, "symbols": {"s0": {"hint": 4, "low": 2}})"),
        "FP1005 /symbols/s0/low: a symbol has min, max and hint\n"},
    {"Symbols", Document("", R"(, "symbols": {"s0": {"min": 2, "max": null, "hint": 4}, "u0": {}})"), "read\n"},
    {"Empty", Document(""), "read\n"},
};

class FxJson : public ::testing::TestWithParam<Case> {};

TEST_P(FxJson, SaysWhatIsWrong) { EXPECT_EQ(Read(GetParam().text), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Documents, FxJson, ::testing::ValuesIn(kCases), [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fakeprop
