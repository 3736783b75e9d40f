#include "lib/memory/greatest.h"

#include <algorithm>
#include <map>
#include <set>

#include "lib/refine/fixed_symbols.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Wide = __int128;
// Exponents of atoms that are shifted by their least values; the coefficients of one monomial of the basis.
using Shifted = std::map<Factors, Wide>;

// Multiplies by (low + t) ** exponent, where t is the atom above its least value.
Shifted MultiplyPower(Shifted by, Sym atom, int64_t exponent, int64_t low) {
  for (int64_t i = 0; i < exponent; ++i) {
    Shifted next;
    for (const auto& [factors, coefficient] : by) {
      if (low != 0) next[factors] += coefficient * low;
      Factors more = factors;
      if (!more.empty() && more.back().first == atom) ++more.back().second;
      else more.emplace_back(atom, 1);
      next[more] += coefficient;
    }
    by = std::move(next);
  }
  return by;
}

// Sums over t = atom - least value of the atom, which is at least 0: if no coefficient of a difference is negative, the
// difference is not.
class ShiftedBasis {
 public:
  ShiftedBasis(const ByteBasis& basis, ShapeEnv& env) {
    for (Sym monomial : basis.monomials()) rows_.push_back(Row(monomial, env));
  }

  // Returns true if a >= b for all values of the symbols.
  bool Bounds(const ByteSum& a, const ByteSum& b) const {
    std::vector<Wide> difference(columns_.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const Wide coefficient = static_cast<Wide>(a[i]) - b[i];
      if (coefficient == 0) continue;
      if (rows_[i].empty()) return false;
      for (const auto& [column, factor] : rows_[i]) difference[column] += coefficient * factor;
    }
    return std::all_of(difference.begin(), difference.end(), [](Wide c) { return c >= 0; });
  }

 private:
  // The monomial in shifted atoms. Empty if an atom may be negative: then nothing is known of it.
  std::vector<std::pair<size_t, Wide>> Row(Sym monomial, ShapeEnv& env) {
    constexpr int64_t kMostShifted = int64_t{1} << 20;  // products of larger values would leave 128 bits
    Shifted shifted = {{Factors(), 1}};
    if (monomial) {
      for (const auto& [atom, exponent] : FactorsOf(monomial)) {
        const int64_t low = env.RangeOf(atom).low;
        if (low < 0 || exponent < 0 || exponent > 8) return {};
        shifted = MultiplyPower(std::move(shifted), atom, exponent, low > kMostShifted ? 0 : low);
      }
    }
    std::vector<std::pair<size_t, Wide>> row;
    for (const auto& [factors, coefficient] : shifted)
      row.emplace_back(columns_.emplace(factors, columns_.size()).first->second, coefficient);
    return row;
  }

  std::map<Factors, size_t> columns_;
  std::vector<std::vector<std::pair<size_t, Wide>>> rows_;
};

// Points that differ in which symbols are small and large.
std::vector<SymbolValues> TryPoints(ShapeEnv& env) {
  const SymbolValues hints = FixedSymbols(env).Point();
  std::vector<SymbolValues> points = {hints};
  for (int64_t factor : {0, 8, 512}) {
    SymbolValues all = hints;
    for (auto& [name, value] : all) value = std::max<int64_t>(1, value * factor);
    points.push_back(std::move(all));
  }
  for (const auto& [name, value] : hints) {
    SymbolValues one = hints;
    one[name] = std::max<int64_t>(1, value) * 512;
    points.push_back(std::move(one));
  }
  return points;
}

// Sums that are the greatest at some point. They most likely bound the others.
std::set<size_t> LikelyGreatest(const std::vector<ByteSum>& sums, const ByteBasis& basis, ShapeEnv& env) {
  std::set<size_t> likely;
  for (const SymbolValues& point : TryPoints(env)) {
    std::vector<double> monomials;
    for (Sym monomial : basis.monomials()) monomials.push_back(monomial ? 0 : 1);
    try {
      const std::vector<int64_t> values = basis.At(point);
      monomials.assign(values.begin(), values.end());
    } catch (const std::exception&) {
      continue;  // beyond 64 bits there: another point will do
    }
    size_t best = 0;
    double greatest = -1;
    for (size_t i = 0; i < sums.size(); ++i) {
      double value = 0;
      for (size_t m = 0; m < monomials.size(); ++m) value += monomials[m] * static_cast<double>(sums[i][m]);
      if (value > greatest) greatest = value, best = i;
    }
    likely.insert(best);
  }
  return likely;
}

}  // namespace

std::vector<ByteSum> GreatestSums(std::vector<ByteSum> sums, const ByteBasis& basis, ShapeEnv& env) {
  std::sort(sums.begin(), sums.end(), std::greater<>());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
  if (basis.size() == 1 && !sums.empty()) sums.resize(1);
  if (sums.size() <= 1) return sums;
  const ShiftedBasis shifted(basis, env);
  std::vector<ByteSum> kept;
  const auto keep = [&](const ByteSum& sum) {
    const auto bounds = [&](const ByteSum& other) { return shifted.Bounds(other, sum); };
    if (std::any_of(kept.begin(), kept.end(), bounds)) return;
    std::erase_if(kept, [&](const ByteSum& other) { return shifted.Bounds(sum, other); });
    kept.push_back(sum);
  };
  for (size_t likely : LikelyGreatest(sums, basis, env)) keep(sums[likely]);
  for (const ByteSum& sum : sums) keep(sum);
  std::sort(kept.begin(), kept.end(), std::greater<>());
  return kept;
}

}  // namespace fakeprop
