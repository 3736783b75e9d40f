#include "lib/report/memory_trace.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/diag/python_trace.h"
#include "lib/json/json_writer.h"
#include "lib/memory/liveness.h"
#include "lib/memory/memory_json.h"
#include "lib/memory/memory_profile.h"
#include "lib/refine/fixed_symbols.h"

namespace fakeprop {
namespace {

constexpr int64_t kStep = 1000;  // microseconds
constexpr int kNodeTrack = 1;    // the modules and nodes
constexpr int kPeakTrack = 2;    // of its own: the first place where one looks
constexpr int kFirstLane = 3;    // a lane shows blocks one after the other

struct TraceSlice {
  std::string name;
  std::string_view category;
  int track = 0;
  int64_t first = 0, end = 0;  // steps
};

// The modules around a node, as texts from the outside: "layers.0".
std::vector<std::string> ModulesOf(const Node& node) {
  std::vector<std::string> modules;
  for (const ModuleFrame& frame : ParseModuleStack(node.nn_module_stack))
    if (!frame.path.empty()) modules.emplace_back(frame.path);
  return modules;
}

class TraceWriter {
 public:
  TraceWriter(const Graph& graph, const Annotations& annotations)
      : graph_(graph),
        annotations_(annotations),
        point_(FixedSymbols(*annotations.shape_env).Point()),
        profile_(FindLifetimes(graph, annotations), *annotations.shape_env),
        bytes_(profile_.BlocksAt(point_)) {}

  std::string Write() {
    json_.BeginObject();
    json_.KeyOnLine("displayTimeUnit").String("ms");
    json_.KeyOnLine("otherData").BeginObject();
    json_.Key("graph").String(graph_.source);
    for (const auto& [name, value] : point_) json_.KeyOf("size " + name).String(std::to_string(value));
    json_.EndObject();
    json_.KeyOnLine("traceEvents").BeginArray();
    NameTrack("process_name", 0, "memory of " + graph_.source);
    WriteModules();
    WriteNodes();
    WriteCounters();
    WritePeak();
    WriteBlocks();
    json_.EndArray();
    json_.NewLine(0);
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  size_t StepCount() const { return profile_.timeline().steps.size(); }
  const Node& NodeAt(size_t step) const { return *profile_.timeline().steps[step].node; }

  void Begin(std::string_view phase, std::string_view name, int track, int64_t step) {
    json_.NewLine(4);
    json_.BeginObject();
    json_.Key("ph").String(phase);
    json_.Key("name").String(name);
    json_.Key("pid").Int(1);
    json_.Key("tid").Int(track);
    json_.Key("ts").Int(step * kStep);
  }

  void NameTrack(std::string_view what, int track, std::string_view name) {
    Begin("M", what, track, 0);
    json_.Key("args").BeginObject();
    json_.Key("name").String(name);
    json_.EndObject();
    json_.EndObject();
  }

  // Ends with open arguments.
  void BeginSlice(const TraceSlice& slice) {
    Begin("X", slice.name, slice.track, slice.first);
    json_.Key("cat").String(slice.category);
    json_.Key("dur").Int((slice.end - slice.first) * kStep);
    json_.Key("args").BeginObject();
  }

  void EndSlice() {
    json_.EndObject();
    json_.EndObject();
  }

  // A slice for each stretch of nodes in one module; slices of modules in it lie within.
  void WriteModules() {
    NameTrack("thread_name", kNodeTrack, "nodes");
    struct Open {
      std::string module;
      int64_t first;
    };
    std::vector<Open> open;
    for (size_t step = 0; step <= StepCount(); ++step) {
      std::vector<std::string> modules;
      if (step < StepCount()) modules = ModulesOf(NodeAt(step));
      size_t same = 0;
      while (same < open.size() && same < modules.size() && open[same].module == modules[same]) ++same;
      for (; open.size() > same; open.pop_back()) {
        BeginSlice({open.back().module, "module", kNodeTrack, open.back().first, static_cast<int64_t>(step)});
        EndSlice();
      }
      for (size_t i = same; i < modules.size(); ++i) open.push_back({modules[i], static_cast<int64_t>(step)});
    }
  }

  void WriteNodes() {
    for (size_t step = 0; step < StepCount(); ++step) {
      const Node& node = NodeAt(step);
      const auto first = static_cast<int64_t>(step);
      BeginSlice({node.name, "node", kNodeTrack, first, first + 1});
      json_.Key("target").String(node.target);
      json_.Key("value").String(ToString(annotations_.graphs[0].nodes[step].value));
      if (const std::string line = LineOf(node); !line.empty()) json_.Key("line").String(line);
      EndSlice();
    }
  }

  // The bytes of each category after each step, where they change.
  void WriteCounters() {
    std::vector<std::array<int64_t, kMemoryCategories>> changes(StepCount() + 1);
    std::array<bool, kMemoryCategories> is_used{};
    const std::vector<MemoryBlock>& blocks = profile_.timeline().blocks;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const auto category = static_cast<size_t>(blocks[i].category);
      is_used[category] = true;
      changes[static_cast<size_t>(blocks[i].first)][category] += bytes_[i];
      changes[static_cast<size_t>(blocks[i].last) + 1][category] -= bytes_[i];
    }
    std::array<int64_t, kMemoryCategories> alive{};
    for (size_t step = 0; step < changes.size(); ++step) {
      if (step > 0 && changes[step] == std::array<int64_t, kMemoryCategories>{}) continue;
      for (size_t i = 0; i < alive.size(); ++i) alive[i] += changes[step][i];
      WriteCounter(step, alive, is_used);
    }
  }

  void WriteCounter(size_t step, const std::array<int64_t, kMemoryCategories>& alive,
      const std::array<bool, kMemoryCategories>& is_used) {
    Begin("C", "bytes alive", kNodeTrack, static_cast<int64_t>(step));
    json_.Key("args").BeginObject();
    for (int i = 0; i < kMemoryCategories; ++i)
      if (is_used[static_cast<size_t>(i)])
        json_.KeyOf(Name(static_cast<MemoryCategory>(i))).Int(alive[static_cast<size_t>(i)]);
    json_.EndObject();
    json_.EndObject();
  }

  void WritePeak() {
    const MemoryPeak peak = profile_.PeakAt(point_);
    if (peak.step < 0) return;
    NameTrack("thread_name", kPeakTrack, "peak");
    Begin("i", "peak of " + BytesText(peak.bytes), kPeakTrack, peak.step);
    json_.Key("s").String("t");
    json_.Key("args").BeginObject();
    json_.Key("bytes").Int(peak.bytes);
    json_.Key("node").String(NodeAt(static_cast<size_t>(peak.step)).name);
    json_.EndObject();
    json_.EndObject();
  }

  // Blocks of one category share lanes; in a lane no two are alive at the same time. Those that are held all the time
  // are one slice.
  void WriteBlocks() {
    int next_lane = kFirstLane;
    for (int i = 0; i < kMemoryCategories; ++i) {
      WriteHeld(static_cast<MemoryCategory>(i), next_lane);
      next_lane = WriteCategory(static_cast<MemoryCategory>(i), next_lane);
    }
  }

  bool IsHeld(const MemoryBlock& block) const {
    return block.first == 0 && block.last + 1 == static_cast<int32_t>(StepCount());
  }

  void WriteHeld(MemoryCategory category, int& next_lane) {
    size_t count = 0;
    int64_t sum = 0;
    const std::vector<MemoryBlock>& blocks = profile_.timeline().blocks;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].category != category || !IsHeld(blocks[i])) continue;
      ++count;
      sum += bytes_[i];
    }
    if (count == 0) return;
    NameTrack("thread_name", next_lane, std::string(Name(category)) + ", held");
    const std::string name = Counted(count, SingularName(category)) + ", " + BytesText(sum);
    BeginSlice({name, Name(category), next_lane++, 0, static_cast<int64_t>(StepCount())});
    json_.Key("bytes").Int(sum);
    EndSlice();
  }

  int WriteCategory(MemoryCategory category, int next_lane) {
    using Lane = std::pair<int32_t, int>;  // the first step that is free again, the track
    std::priority_queue<Lane, std::vector<Lane>, std::greater<>> lanes;
    for (size_t i : BlocksOf(category)) {
      const MemoryBlock& block = profile_.timeline().blocks[i];
      int track = next_lane;
      if (!lanes.empty() && lanes.top().first <= block.first) {
        track = lanes.top().second;
        lanes.pop();
      } else {
        NameTrack("thread_name", next_lane++, Name(category));
      }
      lanes.emplace(block.last + 1, track);
      WriteBlock(block, bytes_[i], track);
    }
    return next_lane;
  }

  // In the order of their first steps.
  std::vector<size_t> BlocksOf(MemoryCategory category) const {
    const std::vector<MemoryBlock>& blocks = profile_.timeline().blocks;
    std::vector<size_t> chosen;
    for (size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i].category == category && bytes_[i] > 0 && !IsHeld(blocks[i])) chosen.push_back(i);
    std::stable_sort(
        chosen.begin(), chosen.end(), [&](size_t a, size_t b) { return blocks[a].first < blocks[b].first; });
    return chosen;
  }

  void WriteBlock(const MemoryBlock& block, int64_t bytes, int track) {
    BeginSlice({ValueName(block) + " " + BytesText(bytes), Name(block.category), track, block.first, block.last + 1});
    json_.Key("bytes").Int(bytes);
    json_.Key("device").String(block.device.str());
    if (block.bytes.IsSymbolic()) json_.Key("expression").String(block.bytes.ToString());
    json_.Key("until after").String(NodeAt(static_cast<size_t>(block.last)).name);
    EndSlice();
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const SymbolValues point_;
  const MemoryProfile profile_;
  const std::vector<int64_t> bytes_;  // by block
  JsonWriter json_;
};

}  // namespace

std::string MemoryTrace(const Graph& graph, const Annotations& annotations) {
  return TraceWriter(graph, annotations).Write();
}

}  // namespace fakeprop
