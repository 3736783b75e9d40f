#include "lib/base/torch_version.h"

#include <algorithm>
#include <charconv>

namespace fakeprop {
namespace {

// Takes a number off the front.
std::optional<int> TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

}  // namespace

std::string TorchVersionText(int torch) { return "2." + std::to_string(torch); }

std::optional<int> ReadTorchVersion(std::string_view text) {
  const std::optional<int> major = TakeNumber(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> minor = TakeNumber(text);
  if (!minor || !(text.empty() || text.starts_with('.') || text.starts_with('+'))) return std::nullopt;
  return *major == 2 ? *minor : *major < 2 ? 0 : kNewestTorch;
}

std::optional<TorchBuild> ReadTorchBuild(std::string_view text) {
  const size_t plus = text.find('+');
  const std::string_view local = plus == text.npos ? "" : text.substr(plus + 1);
  if (local.starts_with("cpu")) return TorchBuild::kCpu;
  return local.starts_with("cu") ? std::optional(TorchBuild::kCuda) : std::nullopt;
}

std::string KnownTorchVersions() {
  std::string versions;
  for (int torch = kOldestTorch; torch <= kNewestTorch; ++torch)
    versions += (versions.empty() ? "" : "|") + TorchVersionText(torch);
  return versions;
}

int NearestKnownTorch(int torch) { return std::clamp<int>(torch, kOldestTorch, kNewestTorch); }

}  // namespace fakeprop
