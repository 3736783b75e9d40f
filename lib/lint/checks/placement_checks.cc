// Devices and memory formats that change on the way.
#include <set>

#include "lib/lint/checks/checks.h"

namespace fakeprop {
namespace {

bool IsHostScalar(const CheckedTensor& tensor) {
  return tensor.meta.device.is_cpu() && tensor.meta.rank() == 0 && !tensor.tensor->KnownValue();
}

// Laid out in channels last, and not at the same time in the usual order.
bool IsChannelsLast(const CheckedTensor& tensor) {
  if (!tensor.is_known || tensor.numel == 0) return false;
  const int64_t rank = tensor.meta.rank();
  const bool is_last = (rank == 4 && IsContiguousIn(tensor.meta, MemoryFormat::ChannelsLast)) ||
                       (rank == 5 && IsContiguousIn(tensor.meta, MemoryFormat::ChannelsLast3d));
  return is_last && !IsContiguous(tensor.meta);
}

bool IsPlain(const CheckedTensor& tensor, int64_t rank) {
  if (!tensor.is_known || tensor.numel == 0 || tensor.meta.rank() != rank || !IsContiguous(tensor.meta)) return false;
  const MemoryFormat last = rank == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  return !IsContiguousIn(tensor.meta, last);
}

bool IsConvolution(const CheckedNode& node) {
  return node.op.starts_with("conv") || node.op == "_convolution" || node.op.starts_with("max_pool") ||
         node.op.starts_with("avg_pool") || node.op.ends_with("batch_norm");
}

// Whether a convolution, pooling or batch norm takes what the node gives, directly or through other nodes.
bool ReachesConvolution(const CheckedGraph& graph, int32_t from) {
  std::vector<int32_t> open{from};
  std::set<int32_t> seen{from};
  while (!open.empty()) {
    const int32_t next = open.back();
    open.pop_back();
    for (const int32_t user : graph.at(next).users) {
      if (IsConvolution(graph.at(user))) return true;
      if (seen.insert(user).second) open.push_back(user);
    }
  }
  return false;
}

}  // namespace

void CheckMixedDevices(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  std::set<int32_t> reported;  // scalars
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || node.results.empty() || node.results[0].meta.device.is_cpu()) continue;
    for (const int32_t input : node.inputs) {
      const auto& results = graph.at(input).results;
      const bool is_mixed = results.size() == 1 && IsHostScalar(results[0]) && node.inputs.size() > 1 &&
                            !node.Is({"to", "_to_copy", "copy_", "cuda"});
      if (!is_mixed || !reported.insert(input).second) continue;
      out.push_back({i,
          "`" + graph.at(input).node->name + "` is a tensor on cpu, and the other operands are on " +
              node.results[0].meta.device.str() + ": each call copies it and waits",
          {"help: make `" + graph.at(input).node->name + "` on that device, or keep it as a number"}, {}});
    }
  }
}

void CheckLostLayout(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const CheckedNode& node = graph.at(i);
    if (!node.IsCall() || node.results.size() != 1 || node.Is({"contiguous", "to", "_to_copy", "clone"})) continue;
    for (const CheckedTensor* input : graph.InputTensors(node)) {
      if (!IsChannelsLast(*input) || !IsPlain(node.results[0], input->meta.rank())) continue;
      if (!ReachesConvolution(graph, i)) continue;
      out.push_back({i,
          "`" + node.op + "` takes " + ShapeText(*input) + " in channels last and gives " + ShapeText(node.results[0]) +
              " in the usual layout, which a later convolution has to convert",
          {"help: `.to(memory_format=torch.channels_last)` after it, or an operator that keeps the layout"}, {}});
      break;
    }
  }
}

}  // namespace fakeprop
