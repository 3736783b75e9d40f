// Which name means which symbol, and names for new unbacked symbols.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/symbolic/node.h"

namespace fakeprop {

class SymbolNames {
 public:
  // Of two symbols with one name, the first is found.
  void Add(std::string name, Sym symbol) { by_name_.emplace(std::move(name), symbol); }
  // The symbol of this name, or null.
  Sym Find(std::string_view name) const;

  // A name for an unbacked symbol: the first of the wishes that is free and is for this type, else u0, u1 ... and for
  // floats zuf0, zuf1 ... Source: create_unbacked_symint and create_unbacked_symfloat in
  // torch/fx/experimental/symbolic_shapes.py (torch 2.13).
  std::string Fresh(SymType type, const std::vector<std::string>& wishes);

 private:
  std::map<std::string, Sym, std::less<>> by_name_;
  int next_unbacked_ = 0, next_unbacked_float_ = 0;
};

}  // namespace fakeprop
