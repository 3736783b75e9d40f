#include "lib/value_ranges/graph_writes.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

using Places = std::vector<size_t>;

Node Call(NodeOp op, std::string target, std::vector<std::string_view> names) {
  Node node;
  node.op = op;
  node.target = std::move(target);
  for (const std::string_view name : names) node.arguments.push_back({name, Value()});
  return node;
}

Places Written(const Node& node) {
  const std::string op = OperatorName(node.target);
  return WrittenArguments(node, op.empty() ? nullptr : FindSchema(op));
}

Places OfFunction(std::string target, std::vector<std::string_view> names) {
  return Written(Call(NodeOp::kCallFunction, std::move(target), std::move(names)));
}

TEST(GraphWrites, SchemaTells) {
  EXPECT_EQ(OfFunction("torch.ops.aten.add_.Tensor", {"", ""}), Places{0});
  EXPECT_EQ(OfFunction("torch.ops.aten.add_.Tensor", {"other", "self"}), Places{1});
  EXPECT_EQ(OfFunction("torch.ops.aten.add.out", {"", "", "out"}), Places{2});
  EXPECT_EQ(OfFunction("torch.ops.aten.add.Tensor", {"", ""}), Places{});
  EXPECT_EQ(OfFunction("torch.ops.aten.relu_.default", {"", "unknown", ""}), Places{0});
}

TEST(GraphWrites, PythonNamesTell) {
  EXPECT_EQ(OfFunction("_operator.iadd", {"", ""}), Places{0});
  EXPECT_EQ(OfFunction("_operator.setitem", {"", "", ""}), Places{0});
  EXPECT_EQ(OfFunction("torch.relu_", {""}), Places{0});
  EXPECT_EQ(OfFunction("torch.add", {"", "", "out"}), Places{2});
  EXPECT_EQ(Written(Call(NodeOp::kCallMethod, "add_", {"", ""})), Places{0});
  EXPECT_EQ(Written(Call(NodeOp::kCallMethod, "__and__", {"", ""})), Places{});
}

TEST(GraphWrites, OthersWriteNothing) {
  for (const char* target : {"_operator.invert", "_operator.inv", "_operator.index", "_operator.indexOf",
           "_operator.is_", "_operator.is_not", "_operator.itemgetter", "_operator.add", "aten::add_.t", "torch.add"})
    EXPECT_EQ(OfFunction(target, {"", ""}), Places{}) << target;
}

}  // namespace
}  // namespace fakeprop
