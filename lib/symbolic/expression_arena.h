// Makes and owns the nodes of expressions. Equal expressions are one node, so a comparison of expressions is one of
// pointers.
//
// Functions that combine nodes (node.h) make the result in the arena of their arguments. What they simplify holds for
// all integers: the arena knows neither ranges nor facts.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>

#include "lib/symbolic/node.h"

namespace fakeprop {

class ExpressionArena {
 public:
  // Nodes name `env` as the environment that answers questions about them (SymNode::env).
  explicit ExpressionArena(ShapeEnv* env = nullptr) : env_(env) {}
  ExpressionArena(const ExpressionArena&) = delete;
  ExpressionArena& operator=(const ExpressionArena&) = delete;

  // The node of a constant.
  Sym Integer(int64_t value);
  Sym Truth(bool value);
  Sym Constant(SymNumber value);

  // The node of a symbol. The index tells apart symbols of one name; `bits` is SymNode::symbols. A symbol without a
  // hint is unbacked.
  Sym Symbol(std::string name, SymType type, std::optional<int64_t> hint, int64_t index, uint64_t bits);

  // The one node that is equal to `node`, which has its operation and arguments. The arena fills in the other fields.
  // Throws an OpError of class Overflow if the expression is too large: over 400 levels or 32768 parts.
  Sym Intern(SymNode node);

 private:
  struct NodeHash {
    size_t operator()(Sym node) const;
  };
  struct NodeEqual {
    bool operator()(Sym a, Sym b) const;
  };

  void Finish(SymNode& node);

  ShapeEnv* env_;
  std::deque<SymNode> nodes_;
  std::unordered_set<Sym, NodeHash, NodeEqual> interned_;
};

}  // namespace fakeprop
