#include "lib/symbolic/equalities.h"

#include <unordered_set>

#include "lib/symbolic/rebuild.h"

namespace fakeprop {

void Equalities::Replace(Sym symbol, Sym by, Reach first, Reach last) {
  for (int reach = static_cast<int>(first); reach <= static_cast<int>(last); ++reach) equals_[reach][symbol] = by;
  replaced_ |= symbol->symbols;
  for (Replacements& memo : substituted_) memo.clear();
}

bool Equalities::LeadsTo(Sym node, Sym symbol, Reach where) const {
  const Replacements& replacements = equals_[static_cast<int>(where)];
  std::unordered_set<Sym> seen{node};
  std::vector<Sym> open{node};
  const auto visit = [&](Sym next) {
    if (seen.insert(next).second) open.push_back(next);
  };
  while (!open.empty()) {
    Sym next = open.back();
    open.pop_back();
    if (next == symbol) return true;
    for (Sym argument : next->arguments) visit(argument);
    if (auto it = replacements.find(next); it != replacements.end()) visit(it->second);
  }
  return false;
}

// Without recursion: chains of replacements are as long as a graph has equalities.
Sym Equalities::SubstituteAll(Sym node, Reach where) {
  Replacements& memo = substituted_[static_cast<int>(where)];
  Replacements& replacements = equals_[static_cast<int>(where)];
  const auto done = [&](Sym n) -> Sym {
    if (!(n->symbols & replaced_)) return n;
    auto it = memo.find(n);
    return it == memo.end() ? nullptr : it->second;
  };
  std::vector<Sym> open{node};
  while (!open.empty()) {
    Sym next = open.back();
    const size_t before = open.size();
    if (done(next)) {
      open.pop_back();
    } else if (next->op == SymOp::kSymbol) {
      auto it = replacements.find(next);
      Sym by = it == replacements.end() ? next : it->second == next ? next : done(it->second);
      if (!by) open.push_back(it->second);
      else memo[next] = it == replacements.end() ? by : it->second = by;
    } else {
      std::vector<Sym> arguments;
      for (Sym argument : next->arguments) {
        arguments.push_back(done(argument));
        if (!arguments.back()) open.push_back(argument);
      }
      if (open.size() == before) memo[next] = arguments == next->arguments ? next : Rebuild(next, arguments);
    }
  }
  return done(node);
}

}  // namespace fakeprop
