#include "lib/cost/cost_json.h"

#include "lib/memory/memory_json.h"

namespace fakeprop {
namespace {

class CostWriter {
 public:
  CostWriter(const GraphCost& cost, const DeviceRates* device, const SymbolValues& point, JsonWriter& json)
      : cost_(cost), device_(device), point_(point), json_(json) {}

  void Write() {
    json_.NewLine(2);
    WriteCost(cost_.total);
    if (device_) WriteSeconds();
    json_.KeyOnLine("nodes").Array(cost_.nodes, [&](const NodeCost& node) { WriteNode(node); });
    WriteGroups("modules", cost_.modules);
    WriteGroups("operators", cost_.operators);
    json_.KeyOnLine("uncounted").Array(cost_.Uncounted(), [&](const NodeCost* node) {
      json_.String(node->node->name);
    });
  }

 private:
  void WriteCost(const Cost& cost) {
    WriteDim(cost.flops, json_.Key("flops"));
    WriteDim(cost.bytes_read, json_.Key("bytes_read"));
    WriteDim(cost.bytes_written, json_.Key("bytes_written"));
  }

  void WriteSeconds() {
    double seconds = 0;
    for (const NodeCost& node : cost_.nodes) seconds += SecondsOf(node, *device_, point_);
    json_.KeyOnLine("roofline").BeginObject();
    json_.Key("device").String(device_->name);
    json_.Key("seconds").Float(seconds);
    json_.EndObject();
  }

  void WriteNode(const NodeCost& node) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("name").String(node.node->name);
    json_.Key("op").String(node.op);
    if (!node.subgraph.empty()) json_.Key("subgraph").String(node.subgraph);
    if (!node.module.empty()) json_.Key("module").String(node.module);
    if (!node.is_counted) json_.Key("uncounted").String(node.why);
    if (node.is_counted) WriteDim(node.cost.flops, json_.Key("flops"));
    WriteDim(node.cost.bytes_read, json_.Key("bytes_read"));
    WriteDim(node.cost.bytes_written, json_.Key("bytes_written"));
    if (node.in_flop_counter) json_.Key("in_flop_counter").Bool(true);
    if (device_ && node.is_counted) json_.Key("seconds").Float(SecondsOf(node, *device_, point_));
    json_.EndObject();
  }

  void WriteGroups(JsonKey key, const std::vector<CostGroup>& groups) {
    json_.KeyOnLine(key).Array(groups, [&](const CostGroup& group) {
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("name").String(group.name);
      json_.Key("nodes").Int(static_cast<int64_t>(group.nodes));
      WriteCost(group.cost);
      json_.EndObject();
    });
  }

  const GraphCost& cost_;
  const DeviceRates* device_;
  const SymbolValues& point_;
  JsonWriter& json_;
};

}  // namespace

void WriteCostMembers(const GraphCost& cost, const DeviceRates* device, const SymbolValues& point, JsonWriter& json) {
  CostWriter(cost, device, point, json).Write();
}

}  // namespace fakeprop
