#include "lib/prove/point.h"

#include <algorithm>

namespace fakeprop {
namespace {

class Evaluator {
 public:
  explicit Evaluator(const SymbolValues& point) : point_(point) {}

  std::optional<SymNumber> Value(Sym node) {
    if (node->IsConstant()) return node->hint;
    if (auto it = values_.find(node); it != values_.end()) return it->second;
    return values_[node] = Compute(node);
  }

 private:
  std::optional<SymNumber> Compute(Sym node) {
    if (node->op == SymOp::kSymbol) {
      auto it = point_.find(node->name);
      return it == point_.end() ? std::nullopt : std::optional(SymNumber::Of(it->second));
    }
    std::vector<SymNumber> arguments;
    for (Sym argument : node->arguments) {
      const std::optional<SymNumber> value = Value(argument);
      if (!value) return std::nullopt;
      arguments.push_back(*value);
    }
    return ApplyOperation(*node, arguments);
  }

  const SymbolValues& point_;
  std::unordered_map<Sym, std::optional<SymNumber>> values_;
};

}  // namespace

std::optional<SymNumber> ValueAt(Sym node, const SymbolValues& point) { return Evaluator(point).Value(node); }

bool AllHoldAt(std::span<const Sym> conditions, const SymbolValues& point) {
  Evaluator evaluator(point);
  return std::all_of(conditions.begin(), conditions.end(), [&](Sym condition) {
    const std::optional<SymNumber> value = evaluator.Value(condition);
    return value && value->Truth();
  });
}

bool Domain::Has(const SymbolValues& point) const {
  for (const SymbolDomain& symbol : symbols) {
    auto it = point.find(symbol.name);
    if (it == point.end() || !symbol.range.Has(it->second) || it->second % symbol.multiple != 0) return false;
  }
  return AllHoldAt(conditions, point);
}

Domain DomainOf(const ShapeEnv& env) {
  Domain domain;
  for (const SymbolInfo& symbol : env.symbols())
    if (!symbol.is_unbacked) domain.symbols.push_back({symbol.node->name, symbol.range, symbol.multiple, *symbol.hint});
  for (const GuardRecord& guard : env.guards())
    if (guard.is_declared) domain.conditions.push_back(guard.expression);
  return domain;
}

// Knuth's generator; only its upper bits are random enough.
uint64_t PointSource::Random(uint64_t below) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return (state_ >> 33) % below;
}

int64_t PointSource::Draw(const SymbolDomain& symbol) {
  constexpr int64_t kReach = 1000;  // beyond the least size, if there is no greatest
  const int64_t low = symbol.range.low == Range::kNoLow ? 0 : symbol.range.low;
  const int64_t high = std::min(symbol.range.high, low + kReach);
  const int64_t from[] = {low, low + static_cast<int64_t>(Random(4)), high, symbol.hint,
      low + static_cast<int64_t>(Random(static_cast<uint64_t>(high - low) + 1)),
      low + static_cast<int64_t>(Random(17))};
  int64_t value = std::min(from[Random(std::size(from))], high);
  value -= value % symbol.multiple;
  return value < low ? value + symbol.multiple : value;
}

std::optional<SymbolValues> PointSource::Next() {
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    SymbolValues point;
    for (const SymbolDomain& symbol : domain_.symbols) point[symbol.name] = Draw(symbol);
    if (domain_.symbols.size() > 1 && Random(3) == 0) {
      const size_t a = Random(domain_.symbols.size()), b = Random(domain_.symbols.size());
      point[domain_.symbols[a].name] = point[domain_.symbols[b].name] + static_cast<int64_t>(Random(3)) - 1;
    }
    if (domain_.Has(point)) return point;
  }
  return std::nullopt;
}

}  // namespace fakeprop
