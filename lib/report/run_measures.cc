#include "lib/report/run_measures.h"

#include <unordered_map>

#include "lib/annotations/subgraphs.h"
#include "lib/memory/liveness.h"
#include "lib/memory/memory_json.h"

namespace fakeprop {
namespace {

class MeasuresWriter {
 public:
  MeasuresWriter(const RunMeasures& measures, const Graph& graph, const Annotations& annotations, JsonWriter& json)
      : measures_(measures), json_(json) {
    for (const GraphAnnotations& run : annotations.graphs) {
      const auto number = static_cast<int>(graphs_.size());
      if (run.call.empty()) graphs_.emplace(run.path, GraphRow{number, &GraphAt(graph, run.path)});
    }
  }

  void Write() {
    json_.KeyOnLine("point").BeginObject();
    for (const auto& [name, value] : measures_.point) json_.KeyOf(name).Int(value);
    json_.EndObject();
    WriteMemory();
    WriteCost();
  }

 private:
  struct GraphRow {
    int number;
    const Graph* graph;
  };

  void WriteMemory() {
    const Timeline& memory = measures_.memory;
    std::vector<int32_t> storages(memory.blocks.size(), -1);
    for (size_t storage = 0; storage < memory.block_of.size(); ++storage)
      if (const int32_t block = memory.block_of[storage]; block >= 0)
        storages[static_cast<size_t>(block)] = static_cast<int32_t>(storage);
    json_.KeyOnLine("memory").BeginObject();
    json_.Key("blocks").BeginArray();
    for (size_t i = 0; i < memory.blocks.size(); ++i) WriteBlock(memory.blocks[i], storages[i]);
    json_.EndArray();
    json_.Key("uncounted").BeginArray();
    for (size_t step = 0; step < memory.steps.size(); ++step)
      if (!memory.steps[step].is_counted) json_.Int(static_cast<int64_t>(step));
    json_.EndArray();
    json_.EndObject();
  }

  void WriteBlock(const MemoryBlock& block, int32_t storage) {
    json_.BeginArray();
    WriteDim(block.bytes, json_);
    json_.Int(block.first);
    json_.Int(block.last);
    json_.String(SingularName(block.category));
    json_.Int(block.maker ? IndexOf(*block.maker, *graphs_.at("").graph) : -1);
    json_.String(block.device.str());
    json_.Int(storage);
    json_.EndArray();
  }

  void WriteCost() {
    json_.KeyOnLine("cost").BeginObject();
    json_.Key("nodes").Array(measures_.cost.nodes, [&](const NodeCost& node) {
      BeginRow(node);
      WriteDim(node.cost.flops, json_);
      WriteDim(node.cost.bytes_read, json_);
      WriteDim(node.cost.bytes_written, json_);
      json_.EndArray();
    });
    json_.Key("uncounted").Array(measures_.cost.Uncounted(), [&](const NodeCost* node) {
      BeginRow(*node);
      json_.String(node->why);
      json_.EndArray();
    });
    json_.EndObject();
  }

  void BeginRow(const NodeCost& node) {
    const GraphRow& row = graphs_.at(node.subgraph);
    json_.BeginArray();
    json_.Int(row.number);
    json_.Int(IndexOf(*node.node, *row.graph));
  }

  static int64_t IndexOf(const Node& node, const Graph& graph) { return &node - graph.nodes.data(); }

  const RunMeasures& measures_;
  JsonWriter& json_;
  std::unordered_map<std::string, GraphRow> graphs_;  // by path
};

}  // namespace

RunMeasures MeasureRun(const Graph& graph, const Annotations& annotations) {
  const FixedSymbols fixed(*annotations.shape_env);
  return {FindLifetimes(graph, annotations), CountCost(graph, annotations, fixed), fixed.Point()};
}

void WriteMeasures(const RunMeasures& measures, const Graph& graph, const Annotations& annotations, JsonWriter& json) {
  MeasuresWriter(measures, graph, annotations, json).Write();
}

}  // namespace fakeprop
