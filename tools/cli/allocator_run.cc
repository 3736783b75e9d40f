#include "tools/cli/allocator_run.h"

#include <algorithm>

#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/memory/memory_json.h"

namespace fakeprop::cli {
namespace {

bool CallsCublas(const Node& node) {
  constexpr std::string_view kProducts[] = {"aten.mm", "aten.bmm", "aten.addmm", "aten.addbmm", "aten.baddbmm",
      "aten.linear", "aten.matmul", "aten.einsum", "aten.addmv", "aten.mv"};
  const size_t start = node.target.find("aten.");
  if (start == std::string::npos) return false;
  const std::string_view op = std::string_view(node.target).substr(start, node.target.rfind('.') - start);
  return std::find(std::begin(kProducts), std::end(kProducts), op) != std::end(kProducts);
}

// One for each thread: autograd's engine has its own.
std::vector<int64_t> WorkspacesOf(const Timeline& timeline, const MemoryOptions& memory) {
  bool is_forward = false, is_backward = false;
  for (const MemoryStep& step : timeline.steps) {
    if (!step.node || !CallsCublas(*step.node)) continue;
    (step.role.empty() ? is_forward : is_backward) = true;
  }
  const int64_t each = memory.workspace.value_or(kCublasWorkspace);
  return std::vector<int64_t>(each == 0 ? 0 : is_forward + is_backward, each);
}

}  // namespace

int64_t AllocatorRun::Need() const {
  int64_t need = 0;
  for (const AllocatorPeak& peak : devices) need = std::max(need, peak.reserved + context);
  return need;
}

AllocatorRun RunAllocator(const MemoryProfile& profile, const SymbolValues& point, const MemoryOptions& memory) {
  const auto is_cuda = [](Device device) { return device.type() == DeviceType::CUDA; };
  const std::vector<Device>& devices = profile.devices();
  const bool has_cuda = std::any_of(devices.begin(), devices.end(), is_cuda);
  const std::vector<int64_t> bytes = profile.BlocksAt(point);
  AllocatorRun run{{}, WorkspacesOf(profile.timeline(), memory), memory.context};
  for (Device device : devices)
    if (!has_cuda || is_cuda(device))
      run.devices.push_back(ReplayInAllocator(profile.timeline(), bytes, device, run.workspaces));
  return run;
}

std::string AllocatorText(const AllocatorRun& run, const Timeline& timeline) {
  std::string text;
  for (const AllocatorPeak& peak : run.devices) {
    text += "cuda's allocator on " + peak.device.str() + ": " + BytesText(peak.reserved) + " reserved (" +
            WithCommas(peak.reserved) + " bytes), " + BytesText(peak.allocated) + " allocated";
    if (peak.step >= 0) text += ", after " + Printable(StepName(timeline, peak.step));
    text += "\n";
  }
  if (!run.workspaces.empty())
    text += "with " + std::to_string(run.workspaces.size()) + " x " + BytesText(run.workspaces[0]) + " for cuBLAS\n";
  if (run.context) text += "and " + BytesText(run.context) + " for the context: " + BytesText(run.Need()) + "\n";
  return text;
}

void WriteAllocator(const AllocatorRun& run, const Timeline& timeline, JsonWriter& json) {
  json.KeyOnLine("allocator").BeginObject();
  json.Key("name").String("cuda");
  json.Key("workspaces").Array(run.workspaces, [&](int64_t bytes) { json.Int(bytes); });
  json.Key("context").Int(run.context);
  json.Key("devices").BeginObject();
  for (const AllocatorPeak& peak : run.devices) {
    json.KeyOf(peak.device.str()).BeginObject();
    json.Key("allocated").Int(peak.allocated);
    json.Key("reserved").Int(peak.reserved);
    json.Key("node").String(StepName(timeline, peak.step));
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace fakeprop::cli
