#include "lib/graph/move_device.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

const Device kCpu(DeviceType::CPU), kCuda(DeviceType::CUDA, 0), kMeta(DeviceType::Meta);

Node CallOf(std::string target, std::vector<Argument> arguments) {
  return {.name = "n", .op = NodeOp::kCallFunction, .target = std::move(target), .arguments = std::move(arguments)};
}

Device DeviceAt(const Node& node, size_t argument) { return *node.arguments[argument].value.TryGet<Device>(); }

TEST(MoveToDevice, ArgumentsOfOperators) {
  Graph graph;
  graph.nodes = {CallOf("torch.ops.aten.zeros.default", {{"size", List{{2}, false}}, {"device", kCpu}}),
      CallOf("torch.ops.aten.to.device", {{"self", NodeRef{0}}, {"device", kMeta}, {"dtype", ScalarType::Half}}),
      CallOf("torch.ops.aten.arange.default", {{"end", 3}, {"device", Value()}}),
      CallOf("torch.ops.aten.arange.default", {{"end", 3}})};
  MoveToDevice(graph, kCuda);
  EXPECT_EQ(DeviceAt(graph.nodes[0], 1), kCuda);
  EXPECT_EQ(DeviceAt(graph.nodes[1], 1), kCuda);
  EXPECT_EQ(*graph.nodes[1].arguments[2].value.TryGet<ScalarType>(), ScalarType::Half);
  EXPECT_EQ(DeviceAt(graph.nodes[2], 1), kCuda);
  EXPECT_EQ(graph.nodes[3].arguments.size(), 1u);
}

TEST(MoveToDevice, RecordsAutocastAndSubgraphs) {
  Graph graph;
  graph.recorded["x"] = RecordedTensor{.device = kCpu};
  graph.recorded["n"] = RecordedNumber();
  graph.nodes = {
      CallOf("torch.ops.higher_order.wrap_with_autocast", {{"", "cpu"}, {"", ScalarType::BFloat16}, {"", true}})};
  graph.subgraphs.push_back({"submod_0", std::make_unique<Graph>()});
  graph.subgraphs[0].graph->nodes = {CallOf("torch.ops.mine.op.default", {{"where", kCpu}})};
  MoveToDevice(graph, kCuda);
  EXPECT_EQ(std::get<RecordedTensor>(graph.recorded["x"]).device, kCuda);
  EXPECT_EQ(*graph.nodes[0].arguments[0].value.TryGet<std::string>(), "cuda");
  EXPECT_EQ(DeviceAt(graph.subgraphs[0].graph->nodes[0], 0), kCuda);
}

}  // namespace
}  // namespace fakeprop
