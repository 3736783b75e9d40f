#include "lib/symbolic/explain.h"

#include <set>

#include "lib/error/error.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/rebuild.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// The number of latest guards that are tried.
constexpr size_t kMaxTried = 200;
// The number of bytes after which lists of symbols in messages end.
constexpr size_t kMaxText = 1000;

// The same expression over symbols of the same names and declared ranges in another environment.
Sym CopyTo(ShapeEnv& to, Sym node, const SymbolTable& symbols) {
  if (node->IsConstant()) return to.Constant(*node->hint);
  if (node->op == SymOp::kSymbol) {
    if (Sym known = to.FindSymbol(node->name)) return known;
    return to.NewSymbol(node->name, symbols.InfoOf(node).range, std::nullopt, "", node->type);
  }
  std::vector<Sym> arguments;
  for (Sym argument : node->arguments) arguments.push_back(CopyTo(to, argument, symbols));
  return Rebuild(node, arguments);
}

void CollectSymbols(Sym node, std::set<Sym>& symbols) {
  if (node->op == SymOp::kSymbol) symbols.insert(node);
  for (Sym argument : node->arguments) CollectSymbols(argument, symbols);
}

// As Python has it: Eq(a, b) is a == b.
std::string PythonText(Sym condition) {
  const bool is_negated = condition->op == SymOp::kNot;
  const Sym inner = is_negated ? condition->arguments[0] : condition;
  std::string text = ToString(inner);
  if (inner->op != SymOp::kEqualZero && inner->op != SymOp::kFloatEqual) return ToString(condition);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ',' && depth == 1)
      return text.substr(3, i - 3) + (is_negated ? " != " : " == ") + text.substr(i + 2, text.size() - i - 3);
  }
  return ToString(condition);
}

}  // namespace

std::string Explainer::Contradiction(Sym condition) const {
  const std::string text = "`" + ToString(condition) + "` cannot hold here: ";
  const GuardRecord* guard = IsRefutedBy(nullptr, condition) ? nullptr : FindRefuting(condition);
  if (!guard) return text + RangesText(condition);
  return text + "it contradicts `" + ToString(guard->expression) + "` at " + PlaceText(guard->place, describer_);
}

// Returns true if the guard and the declared ranges alone make the condition false; without a guard, if the ranges do.
bool Explainer::IsRefutedBy(const GuardRecord* guard, Sym condition) const try {
  ShapeEnv alone;
  if (guard) alone.Learn(CopyTo(alone, guard->expression, symbols_));
  return alone.Static(CopyTo(alone, condition, symbols_)) == false;
} catch (const OpError&) {
  return false;
}

// If no guard does it alone, the last one that has a symbol in common with the condition.
const GuardRecord* Explainer::FindRefuting(Sym condition) const {
  const std::vector<GuardRecord>& guards = guards_.records();
  const GuardRecord* last = nullptr;
  size_t tried = 0;
  for (size_t i = guards.size(); i-- > 0 && tried < kMaxTried;) {
    const GuardRecord& guard = guards[i];
    if (guard.expression == condition || !(guard.expression->symbols & condition->symbols)) continue;
    ++tried;
    if (IsRefutedBy(&guard, condition)) return &guard;
    if (!last) last = &guard;
  }
  return last;
}

// "`u0` is at least 0 (node `item`)"
std::string Explainer::RangesText(Sym condition) const {
  std::string text;
  for (const SymbolInfo& info : symbols_.all()) {
    if (text.size() > kMaxText || !Contains(condition, info.node)) continue;
    const std::string origin =
        info.is_unbacked || info.source.empty() ? PlaceText(info.place, describer_) : info.source;
    text += (text.empty() ? "`" : ", `") + info.node->name + "` is " + InWords(info.range) + " (" + origin + ")";
  }
  return text;
}

std::string Explainer::DataDependence(Sym condition) const {
  std::string origins;
  std::set<Sym> symbols;
  CollectSymbols(condition, symbols);
  for (const SymbolInfo& info : symbols_.all())
    if (info.is_unbacked && symbols.contains(info.node) && origins.size() < kMaxText)
      origins += "; `" + info.node->name + "` comes from " + PlaceText(info.place, describer_);
  return "whether `" + ToString(condition) + "` holds depends on data" + origins + "; torch._check(" +
         PythonText(condition) + ") or torch._check(" + PythonText(Not(condition)) +
         ") before this node would settle it";
}

}  // namespace fakeprop
