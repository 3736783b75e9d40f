// Symbols that are known to be equal to an expression, and the substitution of one by the other.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "lib/symbolic/node.h"

namespace fakeprop {

// Where an expression takes the place of a symbol. Each has the replacements of those before it.
enum class Reach {
  kResults,    // in results and in questions
  kQuestions,  // in questions, as PyTorch answers them
  kErrors,     // only in questions that would be errors otherwise
};

class Equalities {
 public:
  // From now on `by` takes the place of the symbol, wherever `first` to `last` say. `by` must not
  // lead to the symbol there.
  void Replace(Sym symbol, Sym by, Reach first, Reach last = Reach::kErrors);

  // Returns true if the node has the symbol in it once all replacements are made that reach to `where`.
  bool LeadsTo(Sym node, Sym symbol, Reach where) const;

  // The expression with all replacements made that reach to `where`. Throws an OpError of class Overflow if the new
  // expression leaves 64 bits or is too large.
  Sym Substitute(Sym node, Reach where) { return node->symbols & replaced_ ? SubstituteAll(node, where) : node; }

 private:
  static constexpr int kReaches = 3;
  using Replacements = std::unordered_map<Sym, Sym>;

  Sym SubstituteAll(Sym node, Reach where);

  Replacements equals_[kReaches];
  Replacements substituted_[kReaches];  // memos of Substitute
  uint64_t replaced_ = 0;               // of which symbols there are replacements, as SymNode::symbols
};

}  // namespace fakeprop
