#include "lib/fake/symbolize.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "lib/error/error.h"
#include "lib/fake/sym_nodes.h"
#include "lib/meta/identical_dims.h"

namespace fakeprop::fake {
namespace {

using Ducks = std::map<int64_t, Sym>;

// The duck-shaped symbols of an environment, by their hints; modes that share it share them. Source:
// ShapeEnv.val_to_var.
Ducks& DucksOf(const std::shared_ptr<ShapeEnv>& env) {
  static auto* const all = new std::map<std::weak_ptr<ShapeEnv>, Ducks, std::owner_less<>>;
  std::erase_if(*all, [](const auto& entry) { return entry.first.expired(); });
  return (*all)[env];
}

class Symbolizer {
 public:
  Symbolizer(TensorMeta& meta, const std::shared_ptr<ShapeEnv>& env, const FromRealOptions& options)
      : meta_(meta), env_(*env), ducks_(DucksOf(env)), options_(options) {}

  void Run() {
    const TensorMeta real = meta_;
    for (size_t d = 0; d < meta_.sizes.size(); ++d)
      meta_.sizes[d] = SymbolFor(real.sizes[d], PolicyOf(d), "size(" + std::to_string(d) + ")");
    if (AreIdentical(real.size_span(), meta_.size_span())) return;
    SymbolizeStrides(real);
    meta_.storage_offset = SymbolFor(real.storage_offset, DimDynamic::kDuck, "storage_offset()");
  }

 private:
  DimDynamic PolicyOf(size_t d) const {
    if (options_.static_shapes) return DimDynamic::kStatic;
    return d < options_.dims.size() ? options_.dims[d] : DimDynamic::kDuck;
  }

  // 0 and 1 stay numbers, because a program that broadcasts is another program.
  Dim SymbolFor(Dim value, DimDynamic policy, const std::string& what) {
    const auto number = value.TryNumber();
    if (!number || *number < 2 || policy == DimDynamic::kStatic) return value;
    if (policy == DimDynamic::kDynamic) return Dim::Of(NewSymbol(*number, what));
    auto [it, is_new] = ducks_.try_emplace(*number, nullptr);
    if (is_new) it->second = NewSymbol(*number, what);
    return Dim::Of(it->second);
  }

  Sym NewSymbol(int64_t hint, const std::string& what) {
    size_t number = env_.symbols().size();
    while (env_.FindSymbol("s" + std::to_string(number))) ++number;
    return env_.NewSymbol("s" + std::to_string(number), {2, Range::kNoHigh}, hint, options_.source + "." + what);
  }

  // Goes from the innermost dimension outwards. A stride that is equal to the extent (size times stride) of a dimension
  // before it becomes that expression.
  void SymbolizeStrides(const TensorMeta& real) {
    std::vector<size_t> order(real.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
        [&](size_t a, size_t b) { return std::pair(real.strides[a].raw(), b) < std::pair(real.strides[b].raw(), a); });
    std::map<int64_t, Dim> extents;
    for (size_t d : order) {
      const int64_t stride = real.strides[d].raw();
      if (auto it = extents.find(stride); stride > 1 && it != extents.end()) meta_.strides[d] = it->second;
      else meta_.strides[d] = SymbolFor(stride, DimDynamic::kDuck, "stride(" + std::to_string(d) + ")");
      extents.try_emplace(stride * real.sizes[d].raw(), meta_.strides[d] * meta_.sizes[d]);
    }
  }

  TensorMeta& meta_;
  ShapeEnv& env_;
  Ducks& ducks_;
  const FromRealOptions& options_;
};

}  // namespace

void Symbolize(TensorMeta& meta, const std::shared_ptr<ShapeEnv>& env, const FromRealOptions& options) {
  const std::lock_guard lock(SymbolsMutex());
  Symbolizer(meta, env, options).Run();
}

}  // namespace fakeprop::fake
