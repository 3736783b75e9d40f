#include "lib/diff/align_nodes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "lib/diff/align_stretch.h"

namespace fakeprop {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "add" for "add_12": the name without the tracer's number.
std::string_view StemOf(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  return end > 1 && end < name.size() && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

using Pair = std::pair<int32_t, int32_t>;

// The most pairs, in the order of their first, whose seconds ascend too.
std::vector<Pair> LongestAscending(const std::vector<Pair>& pairs) {
  std::vector<size_t> tails;
  std::vector<size_t> before(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto less = [&](size_t tail, int32_t second) { return pairs[tail].second < second; };
    const auto at = std::lower_bound(tails.begin(), tails.end(), pairs[i].second, less);
    before[i] = at == tails.begin() ? pairs.size() : *(at - 1);
    if (at == tails.end()) tails.push_back(i);
    else *at = i;
  }
  std::vector<Pair> longest;
  for (size_t i = tails.empty() ? pairs.size() : tails.back(); i < pairs.size(); i = before[i])
    longest.push_back(pairs[i]);
  std::reverse(longest.begin(), longest.end());
  return longest;
}

class Aligner {
 public:
  Aligner(const std::vector<NodeTraits>& a, const std::vector<NodeTraits>& b)
      : a_(a), b_(b), of_a_(a.size(), kNoNode), of_b_(b.size(), kNoNode) {}

  std::vector<int32_t> Align() {
    MatchNames(ReliableStems());
    EachStretch([&](const Stretch& nodes) { MatchOnlyOnes(nodes); });
    EachStretch([&](const Stretch& nodes) { MatchInOrder(nodes); });
    MatchNames({});  // those that moved past others
    return std::move(of_a_);
  }

 private:
  // Nodes without a match between two nodes with one.
  struct Stretch {
    std::vector<int32_t> a, b;
  };

  void Match(int32_t a, int32_t b) {
    of_a_[static_cast<size_t>(a)] = b;
    of_b_[static_cast<size_t>(b)] = a;
  }

  static std::map<std::string_view, std::vector<std::string_view>> NamesByStem(const std::vector<NodeTraits>& nodes) {
    std::map<std::string_view, std::vector<std::string_view>> names;
    for (const NodeTraits& node : nodes) names[StemOf(node.name)].push_back(node.name);
    for (auto& [stem, of_stem] : names) std::sort(of_stem.begin(), of_stem.end());
    return names;
  }

  // The names of these stems are the same in both graphs.
  std::map<std::string_view, bool> ReliableStems() const {
    const auto in_a = NamesByStem(a_), in_b = NamesByStem(b_);
    std::map<std::string_view, bool> reliable;
    for (const auto& [stem, names] : in_a) {
      const auto other = in_b.find(stem);
      reliable[stem] = other != in_b.end() && other->second == names;
    }
    return reliable;
  }

  // Matches nodes of one name, in one module. Without `reliable` their values have to be alike as well. The name of an
  // input or of an attribute is never a number that a tracer chose.
  void MatchNames(const std::map<std::string_view, bool>& reliable) {
    std::unordered_map<std::string_view, int32_t> by_name;
    for (size_t j = 0; j < b_.size(); ++j)
      if (of_b_[j] == kNoNode) by_name.emplace(b_[j].name, static_cast<int32_t>(j));
    for (size_t i = 0; i < a_.size(); ++i) {
      const auto found = of_a_[i] == kNoNode ? by_name.find(a_[i].name) : by_name.end();
      if (found == by_name.end()) continue;
      const NodeTraits& other = b_[static_cast<size_t>(found->second)];
      const bool counts = reliable.empty() ? a_[i].value == other.value : reliable.at(StemOf(a_[i].name));
      if ((counts || IsSource(a_[i])) && OperatorOf(a_[i]) == OperatorOf(other) && HaveOneModule(a_[i], other))
        Match(static_cast<int32_t>(i), found->second);
    }
  }

  static bool HaveOneModule(const NodeTraits& a, const NodeTraits& b) {
    return a.module.empty() || b.module.empty() || a.module == b.module;
  }

  // In the order of both graphs. A match that crosses others is no end of a stretch.
  template <typename Visit>
  void EachStretch(const Visit& visit) {
    std::vector<Pair> matches;
    for (size_t i = 0; i < a_.size(); ++i)
      if (of_a_[i] != kNoNode) matches.emplace_back(static_cast<int32_t>(i), of_a_[i]);
    matches = LongestAscending(matches);
    matches.emplace_back(static_cast<int32_t>(a_.size()), static_cast<int32_t>(b_.size()));
    Pair from{0, 0};
    for (const Pair& to : matches) {
      const Stretch nodes{Unmatched(of_a_, from.first, to.first), Unmatched(of_b_, from.second, to.second)};
      if (!nodes.a.empty() && !nodes.b.empty()) visit(nodes);
      from = {to.first + 1, to.second + 1};
    }
  }

  static std::vector<int32_t> Unmatched(const std::vector<int32_t>& matches, int32_t from, int32_t to) {
    std::vector<int32_t> nodes;
    for (int32_t i = from; i < to; ++i)
      if (matches[static_cast<size_t>(i)] == kNoNode) nodes.push_back(i);
    return nodes;
  }

  // Matches nodes whose operator occurs in their module once, in both graphs.
  void MatchOnlyOnes(const Stretch& nodes) {
    using Key = std::pair<std::string_view, std::string_view>;
    struct Found {
      int32_t a = kNoNode, b = kNoNode;
      int count_a = 0, count_b = 0;
    };
    std::map<Key, Found> found;
    for (int32_t i : nodes.a)
      if (const NodeTraits& node = a_[static_cast<size_t>(i)]; !node.module.empty()) {
        Found& f = found[{node.module, OperatorOf(node)}];
        f.a = i, ++f.count_a;
      }
    for (int32_t j : nodes.b)
      if (const NodeTraits& node = b_[static_cast<size_t>(j)]; !node.module.empty()) {
        Found& f = found[{node.module, OperatorOf(node)}];
        f.b = j, ++f.count_b;
      }
    std::vector<Pair> pairs;
    for (const auto& [key, f] : found)
      if (f.count_a == 1 && f.count_b == 1) pairs.emplace_back(f.a, f.b);
    std::sort(pairs.begin(), pairs.end());
    for (const Pair& pair : LongestAscending(pairs)) Match(pair.first, pair.second);
  }

  void MatchInOrder(const Stretch& nodes) {
    std::vector<const NodeTraits*> a, b;
    for (int32_t i : nodes.a) a.push_back(&a_[static_cast<size_t>(i)]);
    for (int32_t j : nodes.b) b.push_back(&b_[static_cast<size_t>(j)]);
    for (const auto& [i, j] : AlignStretch(a, b)) Match(nodes.a[i], nodes.b[j]);
  }

  const std::vector<NodeTraits>& a_;
  const std::vector<NodeTraits>& b_;
  std::vector<int32_t> of_a_, of_b_;
};

}  // namespace

std::vector<int32_t> AlignNodes(const std::vector<NodeTraits>& a, const std::vector<NodeTraits>& b) {
  return Aligner(a, b).Align();
}

}  // namespace fakeprop
