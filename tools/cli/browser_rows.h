// What a browser of a graph shows: modules that fold, with their nodes, as rows; and the one that is chosen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/module_tree.h"

namespace fakeprop::cli {

// A module, or a node of one.
struct BrowserRow {
  int module = 0;                        // the module itself, or the node's
  const NodeAnnotation* node = nullptr;  // null for a module
  size_t depth = 0;

  bool operator==(const BrowserRow&) const = default;
};

class BrowserRows {
 public:
  explicit BrowserRows(const ModuleTree& tree);

  // In the order of the graph; what is in a folded module is left out.
  const std::vector<BrowserRow>& rows() const { return rows_; }
  size_t chosen() const { return chosen_; }
  const BrowserRow& Chosen() const { return rows_[chosen_]; }
  bool IsOpen(int module) const { return is_open_[static_cast<size_t>(module)]; }

  // Moves the choice by so many rows, as far as there are any.
  void Move(ptrdiff_t rows);
  // Unfolds the chosen module; folds it if it is unfolded.
  void Toggle();
  void Open();
  // Folds the chosen module, or goes to the module around.
  void CloseOrLeave();
  // Goes to the next node, in the order of the graph, with this text in its name, operator or module. Step -1: to the
  // one before. Returns false if there is none.
  bool Find(const std::string& text, int step);

 private:
  struct Child {
    const NodeAnnotation* first = nullptr;  // the node, or the first in the module
    int module = -1;                        // -1 for a node
  };

  const NodeAnnotation* Collect(int module);
  void AddRows(int module, size_t depth);
  void Rebuild(const BrowserRow& chosen);
  void Reveal(size_t node);
  bool Matches(size_t node, const std::string& text) const;

  const ModuleTree& tree_;
  std::vector<std::vector<Child>> children_;  // by module
  std::vector<bool> is_open_;                 // by module
  std::vector<BrowserRow> all_nodes_;         // in the order of the graph; depth is not set
  std::vector<BrowserRow> rows_;
  size_t chosen_ = 0;
};

}  // namespace fakeprop::cli
