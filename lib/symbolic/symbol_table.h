// The symbols of an environment, in the order in which they were made: where each comes from, its declared range, its
// hint.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "lib/symbolic/graph_place.h"
#include "lib/symbolic/node.h"
#include "lib/symbolic/range.h"

namespace fakeprop {

struct SymbolInfo {
  Sym node = nullptr;
  Range range;                  // as declared; ShapeEnv::RangeOf has what is known now
  std::optional<int64_t> hint;  // its value in the recorded example; none if it is unbacked
  std::string source;           // "x.size(0)", or the node that made it
  bool is_unbacked = false;
  GraphPlace place;         // of the node that made it
  int64_t multiple = 1;     // declared: the symbol is a multiple of this
  bool keeps_name = false;  // the symbol stays in results, even if it is known to be equal to something else
};

class SymbolTable {
 public:
  // The index of the next symbol (SymNode::integer).
  int64_t NextIndex() const { return static_cast<int64_t>(symbols_.size()); }
  // The symbol's node must have NextIndex().
  SymbolInfo& Add(SymbolInfo info) { return symbols_.emplace_back(std::move(info)); }

  // Of a symbol of this table.
  SymbolInfo& InfoOf(Sym symbol) { return symbols_[static_cast<size_t>(symbol->integer)]; }
  const SymbolInfo& InfoOf(Sym symbol) const { return symbols_[static_cast<size_t>(symbol->integer)]; }

  const std::deque<SymbolInfo>& all() const { return symbols_; }

 private:
  std::deque<SymbolInfo> symbols_;
};

}  // namespace fakeprop
