// Mistakes in specs, each told with its place.
#include "lib/inputs/spec.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/inputs/testing/resolve_text.h"

namespace fakeprop {
namespace {

using testing::ReadInputGraph;
using testing::Resolve;
using testing::Spec;

struct Row {
  std::string inputs;    // of the spec
  std::string expected;  // the diagnostic
};

TEST(Spec, Documents) {
  Graph graph = ReadInputGraph("static");
  const std::pair<std::string, std::string> kRows[] = {
      {"[]", "FP2001 expected an object but found an empty array\n"},
      {"{}", "FP2001 the field `format` is missing: write `\"format\": \"fakeprop.inputs/1\"`\n"},
      {R"({"format": "fakeprop.inputs/1"})", "FP2001 the field `inputs` is missing\n"},
      {R"({"format": "fakeprop.inputs/2", "inputs": {}})",
          "FP2001 /format: the format is `fakeprop.inputs/2`, and this fakeprop reads `fakeprop.inputs/1`\n"},
      {R"({"format": 1, "inputs": {}})", "FP2001 /format: expected a string but found 1\n"},
      {R"({"format": "fakeprop.inputs/1", "inputs": {}, "more": 1})",
          "FP2002 /more: unknown field `more`: a spec has format, symbols, assume, duck_shape, "
          "specialize_zero_one and inputs\n"},
      {R"({"format": "fakeprop.inputs/1", "symbols": {"batch": {"min": 9, "max": 3}}, "inputs": {}})",
          "FP2004 /symbols/batch: the range of `batch`, from 9 to 3, has no size in it\n"},
      {R"({"format": "fakeprop.inputs/1", "symbols": {"batch": {"min": 3, "hint": 2}}, "inputs": {}})",
          "FP2004 /symbols/batch/hint: the hint of `batch` is outside of its range, from 3 on\n"},
      {R"({"format": "fakeprop.inputs/1", "symbols": {"batch": {"step": 3}}, "inputs": {}})",
          "FP2002 /symbols/batch/step: unknown field `step`: a symbol has min, max, multiple_of and hint\n"},
      {R"({"format": "fakeprop.inputs/1", "symbols": {"2*b": {}}, "inputs": {}})",
          "FP2004 /symbols/2*b: `2*b` is no name of a symbol\n"},
      {R"({"format": "fakeprop.inputs/1", "inputs": {"x": {}, "x": {}}})",
          "FP2001 byte 59: an object has the name `x` twice\n"},
      {"{\n\"format\": \"fakeprop", "FP2001 byte 20 (line 2): the JSON ends too early: is the file cut off?\n"},
      {" ", "FP2001 the file holds nothing but spaces\n"},
  };
  for (const auto& [spec, expected] : kRows) EXPECT_EQ(Resolve(graph, spec), expected) << spec;
}

TEST(Spec, NamesOfABuffer) {
  Graph graph = ReadInputGraph("static");
  graph.inputs[1].kind = InputKind::kBuffer;
  graph.inputs[1].qualified_name = "net.y";
  EXPECT_EQ(FindInput(graph, "y"), 1);
  EXPECT_EQ(FindInput(graph, "net.y"), 1);
  EXPECT_EQ(FindInput(graph, ""), -1);
}

const Row kMistakes[] = {
    {R"({"z": {}})", "FP2002 /inputs/z: the graph has no input `z`: its inputs are `x`, `y`, `n`"},
    {R"([{}, {}, {}, {}])", "FP2003 /inputs/3: the graph has 3 inputs: `x`, `y`, `n`"},
    {R"("x")", "FP2001 /inputs: expected inputs by name or a list of them but found the string `x`"},
    {R"({"x": [2, 3]})", "FP2001 /inputs/x: expected an object but found an array"},
    {R"({"x": {"shap": [2]}})",
        "FP2002 /inputs/x/shap: unknown field `shap`: an input has shape, dtype, device, stride, storage_offset, "
        "layout, nnz, dense_dim, blocksize, is_coalesced, requires_grad, view_of, value, values, items or argument"},
    {R"({"x": {"shape": null}})",
        "FP2001 /inputs/x/shape: null says nothing: leave `shape` out for what the graph recorded"},
    {R"({"x": {"shape": 3}})", "FP2001 /inputs/x/shape: expected an array but found 3"},
    {R"({"x": {"shape": [2.5]}})", "FP2001 /inputs/x/shape/0: expected an integer but found 2.5"},
    {R"({"x": {"shape": [2, -1]}})", "FP2004 /inputs/x/shape/1: a size is 0 or more but is -1"},
    {R"({"x": {"shape": ["batch", 3]}})", "FP2009 /inputs/x/shape/0: `batch` is symbolic: numbers are needed here"},
    {R"({"x": {"shape": [99999999999999999999]}})",
        "FP2001 /inputs/x/shape/0: expected an integer but found an integer beyond 64 bits"},
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
    {R"({"x": {"layout": "sparse_crs"}})", "FP2002 /inputs/x/layout: unknown layout `sparse_crs`"},
    {R"({"x": {"layout": 7}})", "FP2001 /inputs/x/layout: expected a string but found 7"},
    {R"({"x": {"nnz": 3}})", "FP2004 /inputs/x/nnz: `nnz` is of sparse layouts, not of strided"},
    {R"({"x": {"layout": "_mkldnn", "dense_dim": 1}})",
        "FP2004 /inputs/x/dense_dim: `dense_dim` is of sparse layouts, not of _mkldnn"},
    {R"({"x": {"layout": "sparse_csr", "is_coalesced": true}})",
        "FP2004 /inputs/x/is_coalesced: `is_coalesced` is of sparse_coo, not of sparse_csr"},
    {R"({"x": {"layout": "sparse_csr", "stride": [3, 1]}})",
        "FP2004 /inputs/x/stride: a tensor of layout sparse_csr has no `stride`"},
    {R"({"x": {"layout": "_mkldnn", "storage_offset": 1}})",
        "FP2004 /inputs/x/storage_offset: a tensor of layout _mkldnn has no `storage_offset`"},
    {R"({"x": {"layout": "sparse_coo", "view_of": "y"}})",
        "FP2004 /inputs/x/view_of: a tensor of layout sparse_coo has no `view_of`"},
    {R"({"x": {"layout": "sparse_coo", "shape": [1], "value": [0.5]}})",
        "FP2004 /inputs/x/value: a tensor of layout sparse_coo has no `value`"},
    {R"({"x": {"layout": "sparse_csr", "shape": [4]}})",
        "FP2004 /inputs/x: a tensor of layout sparse_csr has at least two dimensions"},
    {R"({"x": {"layout": "sparse_csr", "shape": [4, 4, 4], "dense_dim": 2}})",
        "FP2004 /inputs/x/dense_dim: from 0 to 1 dimensions are dense, not 2"},
    {R"({"x": {"layout": "sparse_coo", "dense_dim": -1}})",
        "FP2004 /inputs/x/dense_dim: from 0 to 2 dimensions are dense, not -1"},
    {R"({"x": {"layout": "sparse_csr", "blocksize": [2, 2]}})",
        "FP2004 /inputs/x/blocksize: `blocksize` is of sparse_bsr and sparse_bsc, not of sparse_csr"},
    {R"({"x": {"layout": "sparse_bsr"}})", "FP2004 /inputs/x: a layout of blocks needs `blocksize`, such as [2, 2]"},
    {R"({"x": {"layout": "sparse_bsr", "shape": [4, 6], "blocksize": [2]}})",
        "FP2004 /inputs/x/blocksize: `blocksize` is a pair, not 1 sizes"},
    {R"({"x": {"layout": "sparse_bsr", "shape": [4, 6], "blocksize": [2, 4]}})",
        "FP2004 /inputs/x/blocksize: blocks of 4 do not divide a size of 6"},
    {R"({"x": {"layout": "sparse_bsc", "shape": [4, 6], "blocksize": [0, 2]}})",
        "FP2004 /inputs/x/blocksize: blocks of 0 do not divide a size of 4"},
    {R"({"x": {"layout": "sparse_coo", "nnz": -1}})",
        "FP2004 /inputs/x/nnz: a number of elements is 0 or more but is -1"},
    {R"({"x": {"layout": "sparse_csr", "shape": [4, 6], "nnz": 25}})",
        "FP2004 /inputs/x/nnz: at most 24 elements can be specified, not 25"},
    {R"({"x": {"layout": "sparse_coo", "shape": [4, 6, 9], "dense_dim": 1, "nnz": 25, "is_coalesced": true}})",
        "FP2004 /inputs/x/nnz: at most 24 elements can be specified, not 25"},
    {R"({"x": {"layout": "sparse_bsr", "shape": [4, 6], "blocksize": [2, 3], "nnz": 5}})",
        "FP2004 /inputs/x/nnz: at most 4 elements can be specified, not 5"},
    {R"({"x": {"requires_grad": 1}})", "FP2001 /inputs/x/requires_grad: expected true or false but found 1"},
    {R"({"x": {"dtype": "int64", "requires_grad": true}})",
        "FP2004 /inputs/x/requires_grad: only floating and complex tensors require grad, not int64"},
    {R"({"x": {"view_of": "z"}})",
        "FP2002 /inputs/x/view_of: the graph has no input `z`: its inputs are `x`, `y`, `n`"},
    {R"({"x": {"view_of": "n"}})", "FP2005 /inputs/x/view_of: `n` is no tensor and has no storage"},
    {R"({"x": {"view_of": "x"}})", "FP2005 /inputs/x/view_of: `x` is a view of itself"},
    {R"({"x": {"view_of": "y", "device": "cuda:0"}})",
        "FP2005 /inputs/x/view_of: `x` and `y` share one storage but are on cuda:0 and cpu"},
    {R"({"x": {"view_of": "y", "dtype": "int32"}})",
        "FP2005 /inputs/x/view_of: `x` and `y` share one storage but are int32 and float32"},
    {R"({"x": {"dtype": "int32"}, "y": {"view_of": "x"}})",
        "FP2005 /inputs/y/view_of: `y` and `x` share one storage but are float32 and int32"},
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
    {R"({"x": {"shape": [1], "dtype": "uint8", "value": [256]}})",
        "FP2004 /inputs/x/value/0: 256 does not fit in uint8"},
    {R"({"x": {"shape": [1], "dtype": "bool", "value": [1]}})",
        "FP2001 /inputs/x/value/0: expected true or false but found 1"},
    {R"({"x": {"shape": [4611686018427387904, 4]}})", "FP2004 /inputs/x: input `x`: too large: "},
    {R"({"n": {"shape": [1]}})", "FP2003 /inputs/n/shape: `n` is no tensor: it has a `value` and no `shape`"},
    {R"({"n": {"value": 1.5}})", "FP2001 /inputs/n/value: expected an integer but found 1.5"},
    {R"({"n": {"value": true}})", "FP2001 /inputs/n/value: expected an integer but found true"},
};

TEST(Spec, Mistakes) {
  Graph graph = ReadInputGraph("static");
  for (const Row& row : kMistakes) {
    std::string found = Resolve(graph, Spec(row.inputs));
    EXPECT_EQ(found.substr(0, row.expected.size()), row.expected) << row.inputs;
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 1) << found;
  }
  const std::string constant = R"({"flag": {"value": false}, "mask": {"shape": [4, 4]}, "n": {"value": 1}})";
  EXPECT_EQ(Resolve(ReadInputGraph("dynamic"), Spec(constant)),
      "FP2003 /inputs/flag: `flag` is True in this graph and cannot be changed\n");
  EXPECT_EQ(Resolve(graph, Spec(R"({"x": {"view_of": "y"}, "y": {"view_of": "x"}})")),
      "FP2005 /inputs/x/view_of: `x` is a view of itself\nFP2005 /inputs/y/view_of: `y` is a view of itself\n");
}

TEST(Spec, EveryMistakeIsReported) {
  EXPECT_EQ(Resolve(ReadInputGraph("static"), Spec(R"({"x": {"dtype": "f"}, "y": {"shape": [-1]}, "z": {}})")),
      "FP2002 /inputs/x/dtype: unknown dtype `f`\n"
      "FP2004 /inputs/y/shape/0: a size is 0 or more but is -1\n"
      "FP2002 /inputs/z: the graph has no input `z`: its inputs are `x`, `y`, `n`\n");
}

}  // namespace
}  // namespace fakeprop
