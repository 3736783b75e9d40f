// What an assumption that cannot hold contradicts.
#include "lib/error/error.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// So many of the latest guards are tried.
constexpr size_t kMaxTried = 200;
constexpr size_t kMaxText = 1000;

}  // namespace

Sym ShapeEnv::CopyOf(Sym node, const ShapeEnv& from) {
  if (node->IsConstant()) return Constant(*node->hint);
  if (node->op == SymOp::kSymbol) {
    if (Sym known = FindSymbol(node->name)) return known;
    return NewSymbol(node->name, from.symbols_[static_cast<size_t>(node->integer)].range, std::nullopt, "", node->type);
  }
  std::vector<Sym> arguments;
  for (Sym argument : node->arguments) arguments.push_back(CopyOf(argument, from));
  return Rebuild(node, arguments);
}

// By the guard and the declared ranges alone; by the ranges where there is no guard.
bool ShapeEnv::IsRefutedBy(const GuardRecord* guard, Sym condition) const try {
  ShapeEnv alone;
  if (guard) alone.Learn(alone.CopyOf(guard->expression, *this));
  return alone.Static(alone.CopyOf(condition, *this)) == false;
} catch (const OpError&) {
  return false;
}

// Where no guard does it alone, the last that has something to do with the condition.
const GuardRecord* ShapeEnv::FindRefuting(Sym condition) const {
  const GuardRecord* last = nullptr;
  size_t tried = 0;
  for (size_t i = guards_.size(); i-- > 0 && tried < kMaxTried;) {
    const GuardRecord& guard = guards_[i];
    if (guard.expression == condition || !(guard.expression->symbols & condition->symbols)) continue;
    ++tried;
    if (IsRefutedBy(&guard, condition)) return &guard;
    if (!last) last = &guard;
  }
  return last;
}

// "`u0` is at least 0 (node `item`)"
std::string ShapeEnv::RangesText(Sym condition) const {
  std::string text;
  for (const SymbolInfo& info : symbols_) {
    if (text.size() > kMaxText || !Contains(condition, info.node)) continue;
    const std::string origin = info.is_unbacked || info.source.empty() ? PlaceText(info.place) : info.source;
    text += (text.empty() ? "`" : ", `") + info.node->name + "` is " + InWords(info.range) + " (" + origin + ")";
  }
  return text;
}

std::string ShapeEnv::DescribeContradiction(Sym condition) {
  const std::string text = "`" + ToString(condition) + "` cannot hold here: ";
  const GuardRecord* guard = IsRefutedBy(nullptr, condition) ? nullptr : FindRefuting(condition);
  if (!guard) return text + RangesText(condition);
  return text + "it contradicts `" + ToString(guard->expression) + "` at " + PlaceText(guard->place);
}

}  // namespace fakeprop
