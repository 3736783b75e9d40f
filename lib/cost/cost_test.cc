#include <gtest/gtest.h>

#include "lib/cost/graph_cost.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"

namespace fakeprop {
namespace {

// "aten.mm 256 FLOPs, reads 96, writes 64" for each node that does something.
std::string CostOf(std::string_view text) {
  const testing::WrittenGraph written = testing::ReadWrittenGraph(text);
  const Annotations annotations = RunGraph(written.graph, written.inputs, {});
  std::string costs;
  for (const NodeCost& node : CountCost(written.graph, annotations, FixedSymbols(*annotations.shape_env)).nodes)
    costs += (costs.empty() ? "" : "; ") + node.op + " " +
             (node.is_counted ? node.cost.flops.ToString() + " FLOPs" : "uncounted") + ", reads " +
             node.cost.bytes_read.ToString() + ", writes " + node.cost.bytes_written.ToString();
  return costs;
}

TEST(Cost, CountsFlopsAndBytes) {
  EXPECT_EQ(CostOf("x: f32[4,2]\ny: f32[2,8]\nz = mm(x, y)\nreturn z"), "aten.mm 128 FLOPs, reads 96, writes 128");
  EXPECT_EQ(CostOf("x: f32[4,2]\nz = t(x)\nreturn z"), "");
}

TEST(Cost, QuestionsAboutMetadataCostNothing) {
  for (const char* call : {"sym_size.int(x, 0)", "size.int(x, 0)", "stride.int(x, 0)", "numel(x)", "dim(x)",
           "dense_dim(x)", "is_floating_point(x)", "is_same_size(x, x)", "result_type.Tensor(x, x)"})
    EXPECT_EQ(CostOf("x: f32[4,2]\nn = " + std::string(call) + "\nreturn n"), "") << call;
  EXPECT_EQ(
      CostOf("x: f32[4,2]\nn = _shape_as_tensor(x)\nreturn n"), "aten._shape_as_tensor 0 FLOPs, reads 0, writes 16");
}

TEST(Cost, SelectionsReadAsMuchAsTheyWrite) {
  const std::string operands = "x: f32[100,4]\ni: i64[3]\n";
  EXPECT_EQ(CostOf(operands + "z = embedding(x, i)\nreturn z"), "aten.embedding 0 FLOPs, reads 72, writes 48");
  EXPECT_EQ(CostOf(operands + "z = index_select(x, 0, i)\nreturn z"), "aten.index_select 0 FLOPs, reads 72, writes 48");
  EXPECT_EQ(CostOf(operands + "z = index.Tensor(x, [i])\nreturn z"), "aten.index.Tensor 0 FLOPs, reads 72, writes 48");
  EXPECT_EQ(CostOf(operands + "z = _unsafe_index.Tensor(x, [i])\nreturn z"),
      "aten._unsafe_index.Tensor 0 FLOPs, reads 72, writes 48");
}

TEST(Cost, OverwrittenElementsAreNotRead) {
  EXPECT_EQ(CostOf("x: f32[4,2]\nz = fill_.Scalar(x, 1)\nreturn z"), "aten.fill_.Scalar 0 FLOPs, reads 0, writes 32");
  EXPECT_EQ(CostOf("x: f32[4,2]\nz = uniform_(x)\nreturn z"), "aten.uniform_ 0 FLOPs, reads 0, writes 32");
  EXPECT_EQ(CostOf("x: f32[4,2]\ny: f32[4,2]\nz = copy_(x, y)\nreturn z"), "aten.copy_ 0 FLOPs, reads 32, writes 32");
  const std::string pair = "x: f32[4,2]\ny: f32[4,2]\n";
  EXPECT_EQ(CostOf(pair + "z = neg.out(x, y)\nreturn z"), "aten.neg.out 8 FLOPs, reads 32, writes 32");
  EXPECT_EQ(CostOf(pair + "z = add.out(x, y, 1, x)\nreturn z"), "aten.add.out 8 FLOPs, reads 64, writes 32");
  EXPECT_EQ(CostOf("x: f32[2,4]\na: f32[4]\nb: f32[4]\nz = unbind_copy.int_out(x, 0, [a, b])\nreturn a"),
      "aten.unbind_copy.int_out uncounted, reads 32, writes 32");
}

}  // namespace
}  // namespace fakeprop
