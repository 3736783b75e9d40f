#include "lib/memory/memory_profile.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/memory/greatest.h"
#include "lib/prove/point.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

bool IsOn(const MemoryBlock& block, std::optional<Device> device) { return !device || block.device == *device; }

int64_t Evaluate(const std::vector<ByteBasis::Term>& terms, const std::vector<int64_t>& monomials) {
  int64_t bytes = 0;
  for (const auto& [index, coefficient] : terms)
    bytes = CheckedAdd(bytes, CheckedMultiply(coefficient, monomials[index]));
  return bytes;
}

}  // namespace

MemoryProfile::MemoryProfile(Timeline timeline, ShapeEnv& env)
    : timeline_(std::move(timeline)), env_(env), births_(timeline_.steps.size()), deaths_(timeline_.steps.size()) {
  for (size_t i = 0; i < timeline_.blocks.size(); ++i) {
    const MemoryBlock& block = timeline_.blocks[i];
    terms_.push_back(basis_.TermsOf(block.bytes));
    births_[block.first].push_back(static_cast<int32_t>(i));
    deaths_[block.last].push_back(static_cast<int32_t>(i));
    if (std::find(devices_.begin(), devices_.end(), block.device) == devices_.end()) devices_.push_back(block.device);
  }
  std::sort(devices_.begin(), devices_.end(), [](Device a, Device b) { return a.str() < b.str(); });
}

std::vector<int64_t> MemoryProfile::CurveAt(const SymbolValues& point, std::optional<Device> device) const {
  const std::vector<int64_t> monomials = basis_.At(point);
  std::vector<int64_t> curve;
  curve.reserve(timeline_.steps.size());
  int64_t alive = 0;
  const auto add = [&](int32_t block, int64_t sign) {
    if (IsOn(timeline_.blocks[block], device))
      alive = CheckedAdd(alive, CheckedMultiply(sign, Evaluate(terms_[block], monomials)));
  };
  for (size_t step = 0; step < timeline_.steps.size(); ++step) {
    for (int32_t block : births_[step]) add(block, 1);
    curve.push_back(alive);
    for (int32_t block : deaths_[step]) add(block, -1);
  }
  return curve;
}

MemoryPeak MemoryProfile::PeakAt(const SymbolValues& point, std::optional<Device> device) const {
  const std::vector<int64_t> curve = CurveAt(point, device);
  MemoryPeak peak;
  for (size_t step = 0; step < curve.size(); ++step)
    if (timeline_.steps[step].is_counted && curve[step] > peak.bytes) peak = {curve[step], static_cast<int32_t>(step)};
  return peak;
}

template <typename Visit>
void MemoryProfile::ForEachSum(std::optional<Device> device, const Visit& visit) const {
  ByteSum alive(basis_.size());
  const auto add = [&](int32_t block, int64_t sign) {
    if (!IsOn(timeline_.blocks[block], device)) return;
    for (const auto& [index, coefficient] : terms_[block])
      alive[index] = CheckedAdd(alive[index], CheckedMultiply(sign, coefficient));
  };
  for (size_t step = 0; step < timeline_.steps.size(); ++step) {
    for (int32_t block : births_[step]) add(block, 1);
    visit(step, alive);
    for (int32_t block : deaths_[step]) add(block, -1);
  }
}

std::vector<Dim> MemoryProfile::Curve(std::optional<Device> device) const {
  std::vector<Dim> curve;
  ForEachSum(device, [&](size_t, const ByteSum& sum) { curve.push_back(basis_.ToDim(sum)); });
  return curve;
}

std::vector<Dim> MemoryProfile::PeakPieces(std::optional<Device> device) const {
  std::vector<ByteSum> sums;
  ForEachSum(device, [&](size_t step, const ByteSum& sum) {
    if (timeline_.steps[step].is_counted) sums.push_back(sum);
  });
  std::vector<Dim> pieces;
  for (const ByteSum& sum : GreatestSums(std::move(sums), basis_, env_)) pieces.push_back(basis_.ToDim(sum));
  return pieces;
}

std::vector<const MemoryBlock*> MemoryProfile::AliveAfter(int32_t step, std::optional<Device> device) const {
  std::vector<const MemoryBlock*> alive;
  for (const MemoryBlock& block : timeline_.blocks)
    if (block.first <= step && step <= block.last && IsOn(block, device)) alive.push_back(&block);
  return alive;
}

std::vector<int64_t> MemoryProfile::BlocksAt(const SymbolValues& point) const {
  const std::vector<int64_t> monomials = basis_.At(point);
  std::vector<int64_t> bytes;
  for (const auto& terms : terms_) bytes.push_back(Evaluate(terms, monomials));
  return bytes;
}

std::string MaxText(const std::vector<Dim>& pieces) {
  if (pieces.empty()) return "0";
  if (pieces.size() == 1) return pieces[0].ToString();
  std::string text;
  for (Dim piece : pieces) text += (text.empty() ? "Max(" : ", ") + piece.ToString();
  return text + ")";
}

int64_t MaxAt(const std::vector<Dim>& pieces, const SymbolValues& point) {
  int64_t greatest = 0;
  for (Dim piece : pieces) {
    const auto number = piece.TryNumber();
    const std::optional<SymNumber> value = number ? SymNumber::Of(*number) : ValueAt(piece.Expression(), point);
    if (!value) Fail(ErrorClass::kOverflow, "`" + piece.ToString() + "` has no value within 64 bits at these sizes");
    greatest = std::max(greatest, value->integer);
  }
  return greatest;
}

}  // namespace fakeprop
