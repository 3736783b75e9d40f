#include "lib/lint/recorded_size.h"

#include <cctype>

#include "lib/error/error.h"
#include "lib/prove/point.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

constexpr int kPoints = 64;

// Of all symbols: those that depend on data are within their ranges as well.
Domain DomainOfAll(const ShapeEnv& env) {
  Domain domain;
  for (const SymbolInfo& symbol : env.symbols())
    domain.symbols.push_back({symbol.node->name, symbol.range, symbol.multiple, symbol.hint.value_or(2)});
  domain.conditions = env.facts();
  return domain;
}

// Whether `differ(point)` holds at one of some points that satisfy what is known.
template <typename Differ>
bool DifferAtAPoint(const ShapeEnv& env, const Differ& differ) {
  const Domain domain = DomainOfAll(env);
  PointSource points(domain);
  for (int i = 0; i < kPoints; ++i) {
    const std::optional<SymbolValues> point = points.Next();
    if (!point) return false;
    if (differ(*point)) return true;
  }
  return false;
}

// Whether the text has a symbol such as `u0`, which depends on data.
bool HasUnbacked(std::string_view text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool starts = i == 0 || (!std::isalnum(static_cast<unsigned char>(text[i - 1])) && text[i - 1] != '_');
    if (starts && text[i] == 'u' && std::isdigit(static_cast<unsigned char>(text[i + 1]))) return true;
  }
  return false;
}

}  // namespace

bool DiffersFromRecorded(std::string_view recorded, Dim found, ShapeEnv& env) {
  try {
    Sym want = ParseSym(recorded, env);
    if (!want) return !found.IsSymbolic() && HasUnbacked(recorded);
    Sym got = found.IsSymbolic() ? found.Expression() : env.Integer(*found.TryNumber());
    if (const std::optional<bool> same = env.Static(Equal(want, got))) return !*same;
    return DifferAtAPoint(env, [&](const SymbolValues& point) {
      const auto x = ValueAt(want, point), y = ValueAt(got, point);
      return x && y && x->integer != y->integer;
    });
  } catch (const OpError&) {  // an expression that is undefined or leaves 64 bits
    return false;
  }
}

bool DiffersFromRecorded(bool recorded, Sym found, ShapeEnv& env) {
  try {
    if (const std::optional<bool> known = env.Static(found)) return *known != recorded;
    return DifferAtAPoint(env, [&](const SymbolValues& point) {
      const auto truth = ValueAt(found, point);
      return truth && (truth->integer != 0) != recorded;
    });
  } catch (const OpError&) {
    return false;
  }
}

}  // namespace fakeprop
