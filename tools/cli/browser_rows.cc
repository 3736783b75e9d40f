#include "tools/cli/browser_rows.h"

#include <algorithm>
#include <functional>

namespace fakeprop::cli {
namespace {

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Nodes of one graph stand in one vector.
bool IsBefore(const NodeAnnotation* a, const NodeAnnotation* b) { return std::less<>()(a, b); }

}  // namespace

BrowserRows::BrowserRows(const ModuleTree& tree)
    : tree_(tree), children_(tree.modules.size()), is_open_(tree.modules.size()) {
  Collect(0);
  std::sort(all_nodes_.begin(), all_nodes_.end(),
      [](const BrowserRow& a, const BrowserRow& b) { return IsBefore(a.node, b.node); });
  is_open_[0] = true;
  AddRows(0, 0);
}

// Returns the first node in the module.
const NodeAnnotation* BrowserRows::Collect(int module) {
  const TreeModule& of = tree_.modules[static_cast<size_t>(module)];
  std::vector<Child> children;
  for (const NodeAnnotation* node : of.nodes) {
    children.push_back({node, -1});
    all_nodes_.push_back({module, node});
  }
  for (int child : of.children) children.push_back({Collect(child), child});
  std::stable_sort(
      children.begin(), children.end(), [](const Child& a, const Child& b) { return IsBefore(a.first, b.first); });
  const NodeAnnotation* first = children.empty() ? nullptr : children[0].first;
  children_[static_cast<size_t>(module)] = std::move(children);
  return first;
}

void BrowserRows::AddRows(int module, size_t depth) {
  rows_.push_back({module, nullptr, depth});
  if (!IsOpen(module)) return;
  for (const Child& child : children_[static_cast<size_t>(module)]) {
    if (child.module >= 0) AddRows(child.module, depth + 1);
    else rows_.push_back({module, child.first, depth + 1});
  }
}

// The choice stays where it was.
void BrowserRows::Rebuild(const BrowserRow& chosen) {
  rows_.clear();
  AddRows(0, 0);
  const auto at = std::find_if(rows_.begin(), rows_.end(),
      [&](const BrowserRow& row) { return row.module == chosen.module && row.node == chosen.node; });
  chosen_ = at == rows_.end() ? 0 : static_cast<size_t>(at - rows_.begin());
}

void BrowserRows::Move(ptrdiff_t rows) {
  const ptrdiff_t last = static_cast<ptrdiff_t>(rows_.size()) - 1;
  chosen_ = static_cast<size_t>(std::clamp<ptrdiff_t>(static_cast<ptrdiff_t>(chosen_) + rows, 0, last));
}

void BrowserRows::Toggle() {
  const BrowserRow row = Chosen();
  if (row.node) return;
  is_open_[static_cast<size_t>(row.module)] = !IsOpen(row.module);
  Rebuild(row);
}

void BrowserRows::Open() {
  if (!Chosen().node && !IsOpen(Chosen().module)) Toggle();
}

void BrowserRows::CloseOrLeave() {
  const BrowserRow row = Chosen();
  if (!row.node && IsOpen(row.module)) return Toggle();
  const int around = row.node ? row.module : tree_.modules[static_cast<size_t>(row.module)].parent;
  if (around >= 0) Rebuild({around, nullptr});
}

bool BrowserRows::Matches(size_t node, const std::string& text) const {
  const BrowserRow& row = all_nodes_[node];
  const std::string module = tree_.modules[static_cast<size_t>(row.module)].path;
  return Lower(row.node->node->name + "\n" + row.node->node->target + "\n" + module).find(text) != std::string::npos;
}

void BrowserRows::Reveal(size_t node) {
  for (int module = all_nodes_[node].module; module >= 0; module = tree_.modules[static_cast<size_t>(module)].parent)
    is_open_[static_cast<size_t>(module)] = true;
  Rebuild(all_nodes_[node]);
}

bool BrowserRows::Find(const std::string& text, int step) {
  const std::string wanted = Lower(text);
  const size_t count = all_nodes_.size();
  const BrowserRow row = Chosen();
  const NodeAnnotation* from = row.node;
  if (!from && !children_[static_cast<size_t>(row.module)].empty())
    from = children_[static_cast<size_t>(row.module)][0].first;
  size_t at = static_cast<size_t>(std::find_if(all_nodes_.begin(), all_nodes_.end(), [&](const BrowserRow& each) {
    return each.node == from;
  }) - all_nodes_.begin());
  // A module's first node may be what is looked for.
  if (!row.node && step > 0 && at < count && Matches(at, wanted)) return Reveal(at), true;
  for (size_t i = 1; i <= count; ++i) {
    at = (at + (step > 0 ? 1 : count - 1)) % count;
    if (Matches(at, wanted)) return Reveal(at), true;
  }
  return false;
}

}  // namespace fakeprop::cli
