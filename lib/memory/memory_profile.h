// The bytes that are alive after each step of a timeline, their peak, and the blocks that are alive at a step.
#pragma once

#include <optional>
#include <vector>

#include "lib/memory/byte_basis.h"
#include "lib/memory/timeline.h"

namespace fakeprop {

class ShapeEnv;

// The most bytes that are alive at one time, for one value of each symbol.
struct MemoryPeak {
  int64_t bytes = 0;
  int32_t step = -1;  // the first step that reaches it; -1 if nothing is ever alive
};

class MemoryProfile {
 public:
  // `env` has the symbols of the blocks' bytes. It must outlive the profile.
  MemoryProfile(Timeline timeline, ShapeEnv& env);

  const Timeline& timeline() const { return timeline_; }
  ShapeEnv& env() const { return env_; }
  // The devices that blocks are on, sorted by name.
  const std::vector<Device>& devices() const { return devices_; }
  bool IsSymbolic() const { return basis_.size() > 1; }

  // All of these count the blocks on one device, or on all of them. They throw an OpError of class Overflow if bytes
  // leave 64 bits.
  // The bytes after each step where symbols have these values; all symbols need one.
  std::vector<int64_t> CurveAt(const SymbolValues& point, std::optional<Device> device = std::nullopt) const;
  MemoryPeak PeakAt(const SymbolValues& point, std::optional<Device> device = std::nullopt) const;
  // The bytes after each step, as numbers or expressions.
  std::vector<Dim> Curve(std::optional<Device> device = std::nullopt) const;
  // For every value of the symbols within their ranges, the peak is the greatest of these. Expressions that another
  // one bounds everywhere are left out.
  std::vector<Dim> PeakPieces(std::optional<Device> device = std::nullopt) const;

  // The blocks that are alive after a step.
  std::vector<const MemoryBlock*> AliveAfter(int32_t step, std::optional<Device> device = std::nullopt) const;
  // The bytes of each block where symbols have these values.
  std::vector<int64_t> BlocksAt(const SymbolValues& point) const;

 private:
  // Calls `visit(step, sum)` with the bytes after each step.
  template <typename Visit>
  void ForEachSum(std::optional<Device> device, const Visit& visit) const;

  Timeline timeline_;
  ShapeEnv& env_;
  ByteBasis basis_;
  std::vector<std::vector<ByteBasis::Term>> terms_;  // by block
  std::vector<std::vector<int32_t>> births_;         // by step: the blocks that are new
  std::vector<std::vector<int32_t>> deaths_;         // by step: the blocks that are dropped after it
  std::vector<Device> devices_;
};

// "Max(4*batch + 8, 12*batch)", or the only piece; as SymPy reads it.
std::string MaxText(const std::vector<Dim>& pieces);
// The greatest piece where symbols have these values.
int64_t MaxAt(const std::vector<Dim>& pieces, const SymbolValues& point);

}  // namespace fakeprop
