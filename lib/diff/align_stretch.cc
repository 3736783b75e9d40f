#include "lib/diff/align_stretch.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace fakeprop {
namespace {

constexpr size_t kMostSteps = size_t{1} << 26;
constexpr size_t kMargin = 256;

// A node alone costs more than a match with a few differences. A match with nearly all differences costs more than two
// nodes alone.
constexpr int32_t kAlone = 6;
constexpr int32_t kImpossible = 1 << 28;

// A node's traits as numbers, which are quick to compare. 0 is unknown.
struct CodedNode {
  uint32_t operation = 0, name = 0, target = 0, value = 0, layout = 0, line = 0, module = 0, last_of_module = 0;
  bool is_source = false;
};

class Coder {
 public:
  std::vector<CodedNode> Code(const std::vector<const NodeTraits*>& nodes) {
    std::vector<CodedNode> coded;
    coded.reserve(nodes.size());
    for (const NodeTraits* node : nodes) coded.push_back(Code(*node));
    return coded;
  }

 private:
  CodedNode Code(const NodeTraits& node) {
    return {NumberOf(OperatorOf(node)), NumberOf(node.name), NumberOf(node.target), NumberOf(node.value),
        NumberOf(node.layout), NumberOf(node.line), NumberOf(node.module),
        NumberOf(node.module.substr(node.module.rfind('.') + 1)), IsSource(node)};
  }

  uint32_t NumberOf(std::string_view text) {
    return text.empty() ? 0 : numbers_.emplace(text, static_cast<uint32_t>(numbers_.size() + 1)).first->second;
  }

  std::unordered_map<std::string_view, uint32_t> numbers_;
};

int32_t ModuleCost(const CodedNode& a, const CodedNode& b) {
  if (!a.module || !b.module || a.module == b.module) return 0;
  return a.last_of_module == b.last_of_module ? 2 : 4;
}

int32_t MatchCost(const CodedNode& a, const CodedNode& b) {
  if (a.operation != b.operation || (a.is_source && a.value != b.value)) return kImpossible;
  const bool other_line = a.line && b.line && a.line != b.line;
  const int32_t value = a.value != b.value ? 4 : a.layout != b.layout ? 3 : 0;
  return 2 * (a.name != b.name) + ModuleCost(a, b) + 2 * other_line + value + 2 * (a.target != b.target);
}

// Needleman and Wunsch's alignment. Of the table only a band around the diagonal from corner to corner is computed: it
// holds the best alignment, unless nodes moved farther than the band is wide.
class Band {
 public:
  Band(std::vector<CodedNode> a, std::vector<CodedNode> b) : a_(std::move(a)), b_(std::move(b)) {
    const size_t difference = a_.size() > b_.size() ? a_.size() - b_.size() : b_.size() - a_.size();
    // At least as wide as one row's step along the diagonal, so that rows overlap.
    const size_t least = b_.size() / std::max<size_t>(a_.size(), 1) + 2;
    half_ = std::max(least, std::min(difference + kMargin, kMostSteps / (a_.size() + 1) / 2));
    half_ = std::min(half_, b_.size() + 1);
    width_ = 2 * half_ + 1;
    steps_.resize((a_.size() + 1) * width_);
  }

  std::vector<std::pair<size_t, size_t>> Align() {
    Fill();
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = a_.size(), j = b_.size(); i > 0 || j > 0;) {
      const Step step = steps_[i * width_ + (j - First(i))];
      if (step == Step::kMatch) pairs.emplace_back(--i, --j);
      else if (step == Step::kOnlyA) --i;
      else --j;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  enum class Step : uint8_t { kOnlyB, kOnlyA, kMatch };

  // The first column of the band in a row.
  size_t First(size_t i) const {
    const size_t center = a_.empty() ? 0 : i * b_.size() / a_.size();
    return center > half_ ? center - half_ : 0;
  }
  size_t Last(size_t i) const { return std::min(First(i) + width_ - 1, b_.size()); }

  void Fill() {
    std::vector<int32_t> above(width_, kImpossible), row(width_, kImpossible);
    for (size_t i = 0; i <= a_.size(); ++i) {
      std::fill(row.begin(), row.end(), kImpossible);
      for (size_t j = First(i); j <= Last(i); ++j) row[j - First(i)] = Cost(i, j, above, row);
      above.swap(row);
    }
  }

  int32_t Cost(size_t i, size_t j, const std::vector<int32_t>& above, const std::vector<int32_t>& row) {
    Step& step = steps_[i * width_ + (j - First(i))];
    step = Step::kOnlyB;
    if (i == 0) return static_cast<int32_t>(j) * kAlone;
    const auto at_above = [&](size_t column) {
      return column >= First(i - 1) && column <= Last(i - 1) ? above[column - First(i - 1)] : kImpossible;
    };
    int32_t best = kImpossible;
    if (j > 0) {
      const int32_t match = MatchCost(a_[i - 1], b_[j - 1]);
      if (match < kImpossible) best = at_above(j - 1) + match, step = Step::kMatch;
    }
    if (const int32_t cost = at_above(j) + kAlone; cost < best) best = cost, step = Step::kOnlyA;
    if (j > First(i))
      if (const int32_t cost = row[j - 1 - First(i)] + kAlone; cost < best) best = cost, step = Step::kOnlyB;
    return std::min(best, kImpossible);
  }

  std::vector<CodedNode> a_, b_;
  size_t half_ = 0, width_ = 0;
  std::vector<Step> steps_;
};

}  // namespace

std::string_view OperatorOf(const NodeTraits& node) {
  if (!node.op.starts_with("call_")) return node.op;
  std::string_view name = node.target;
  // "torch.ops.higher_order.cond" has no overload.
  if (name.starts_with("torch.ops.") && std::count(name.begin(), name.end(), '.') == 4)
    name = name.substr(0, name.rfind('.'));
  if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  return name;
}

bool IsSource(const NodeTraits& node) { return node.op == "placeholder" || node.op == "get_attr"; }

std::vector<std::pair<size_t, size_t>> AlignStretch(
    const std::vector<const NodeTraits*>& a, const std::vector<const NodeTraits*>& b) {
  Coder coder;
  std::vector<CodedNode> coded_a = coder.Code(a), coded_b = coder.Code(b);
  return Band(std::move(coded_a), std::move(coded_b)).Align();
}

}  // namespace fakeprop
