#include "lib/memory/memory_json.h"

#include <algorithm>

#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

class MemoryWriter {
 public:
  MemoryWriter(const MemoryProfile& profile, const SymbolValues& point, JsonWriter& json)
      : profile_(profile), point_(point), json_(json) {}

  void Write() {
    json_.KeyOnLine("peak");
    WritePeak(std::nullopt);
    json_.KeyOnLine("devices").BeginObject();
    for (Device device : profile_.devices()) {
      json_.NewLine(4);
      json_.KeyOf(device.str()).BeginObject();
      json_.Key("peak");
      WritePeak(device);
      json_.EndObject();
    }
    json_.EndObject();
    WriteCategories();
    WriteCurve();
  }

 private:
  // What is alive is listed once, for all devices together.
  void WritePeak(std::optional<Device> device) {
    const std::vector<Dim> pieces = profile_.PeakPieces(device);
    const MemoryPeak peak = profile_.PeakAt(point_, device);
    json_.BeginObject();
    json_.Key("bytes");
    if (pieces.size() > 1) json_.String(MaxText(pieces));
    else WriteDim(pieces.empty() ? Dim(0) : pieces[0], json_);
    if (pieces.size() > 1 || (!pieces.empty() && pieces[0].IsSymbolic())) json_.Key("at_point").Int(peak.bytes);
    if (peak.step < 0) json_.Key("node").Null();
    else json_.Key("node").String(StepName(profile_.timeline(), peak.step));
    if (!device) WriteAlive(peak.step);
    json_.EndObject();
  }

  void WriteAlive(int32_t step) {
    json_.Key("alive").Array(LargestAlive(profile_, step, point_), [&](const AliveBlock& alive) {
      const MemoryBlock& block = *alive.block;
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("value").String(ValueName(block));
      WriteDim(block.bytes, json_.Key("bytes"));
      if (block.bytes.IsSymbolic()) json_.Key("at_point").Int(alive.bytes);
      json_.Key("category").String(Name(block.category));
      json_.Key("device").String(block.device.str());
      if (block.maker) WritePlace(*block.maker);
      json_.EndObject();
    });
  }

  void WritePlace(const Node& node) {
    if (const std::string module = InnermostModule(node.nn_module_stack); !module.empty())
      json_.Key("module").String(module);
    if (const std::string line = LineOf(node); !line.empty()) json_.Key("line").String(line);
  }

  void WriteCategories() {
    const MemoryPeak peak = profile_.PeakAt(point_);
    const std::vector<int64_t> bytes = BytesByCategory(profile_, peak.step, point_);
    json_.KeyOnLine("categories").BeginObject();
    for (int i = 0; i < kMemoryCategories; ++i)
      if (bytes[i]) json_.KeyOf(Name(static_cast<MemoryCategory>(i))).Int(bytes[i]);
    json_.EndObject();
  }

  void WriteCurve() {
    const std::vector<Dim> curve = profile_.Curve();
    int32_t step = 0;
    json_.KeyOnLine("curve").Array(curve, [&](Dim bytes) {
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("node").String(StepName(profile_.timeline(), step++));
      WriteDim(bytes, json_.Key("bytes"));
      json_.EndObject();
    });
  }

  const MemoryProfile& profile_;
  const SymbolValues& point_;
  JsonWriter& json_;
};

// "gradient of mul", "all-gather of layers.0"
std::string WithRole(std::string_view role, const Node* node, std::string_view module) {
  const std::string name = module.empty() && node ? node->name : std::string(module);
  return role.empty() ? name : std::string(role) + (name.empty() ? "" : " " + name);
}

}  // namespace

void WriteDim(Dim dim, JsonWriter& json) {
  if (const auto number = dim.TryNumber()) json.Int(*number);
  else json.String(dim.ToString());
}

void WriteMemoryMembers(const MemoryProfile& profile, const SymbolValues& point, JsonWriter& json) {
  MemoryWriter(profile, point, json).Write();
}

std::vector<int64_t> BytesByCategory(const MemoryProfile& profile, int32_t step, const SymbolValues& point) {
  std::vector<int64_t> bytes(kMemoryCategories);
  for (const AliveBlock& alive : LargestAlive(profile, step, point))
    bytes[static_cast<size_t>(alive.block->category)] += alive.bytes;
  return bytes;
}

std::vector<AliveBlock> LargestAlive(
    const MemoryProfile& profile, int32_t step, const SymbolValues& point, std::optional<Device> device) {
  std::vector<AliveBlock> alive;
  const std::vector<int64_t> bytes = profile.BlocksAt(point);
  for (const MemoryBlock* block : profile.AliveAfter(step, device))
    alive.push_back({block, bytes[block - profile.timeline().blocks.data()]});
  std::stable_sort(alive.begin(), alive.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return alive;
}

std::string ValueName(const MemoryBlock& block) { return WithRole(block.role, block.maker, block.module); }

std::string StepName(const Timeline& timeline, int32_t step) {
  if (step < 0) return "";
  const MemoryStep& at = timeline.steps[step];
  return WithRole(at.role, at.node, at.module);
}

std::string LineOf(const Node& node) {
  const std::vector<PythonFrame> frames = ParseStackTrace(node.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? frame->file + ":" + std::to_string(frame->line) : "";
}

}  // namespace fakeprop
