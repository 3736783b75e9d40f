// What assertions in the graph say of elements, and numbers that the graph takes from them: after
// `torch._assert_async((x < 10).all())` no element of x is above 9, after `x.max().item()` none is above that number.
//
// What follows for other tensors that were made of x before is lost, but for copies and views on the way to the
// assertion.
#include <unordered_map>

#include "lib/meta/identical_dims.h"
#include "lib/value_ranges/graph_analyzer.h"
#include "lib/value_ranges/transfers.h"

namespace fakeprop {
namespace {

// How the elements of a tensor compare with a number.
enum class Relation { kLess, kAtMost, kGreater, kAtLeast, kEqual, kUnequal };

constexpr Relation Opposite(Relation relation) {
  switch (relation) {
    case Relation::kLess: return Relation::kAtLeast;
    case Relation::kAtMost: return Relation::kGreater;
    case Relation::kGreater: return Relation::kAtMost;
    case Relation::kAtLeast: return Relation::kLess;
    case Relation::kEqual: return Relation::kUnequal;
    default: return Relation::kEqual;
  }
}

const Relation* FindRelation(std::string_view op) {
  static const std::unordered_map<std::string_view, Relation> table = {
      {"lt", Relation::kLess},
      {"le", Relation::kAtMost},
      {"gt", Relation::kGreater},
      {"ge", Relation::kAtLeast},
      {"eq", Relation::kEqual},
      {"ne", Relation::kUnequal},
  };
  const auto it = table.find(op);
  return it == table.end() ? nullptr : &it->second;
}

// Copies and views that have all elements of their argument.
bool KeepsElements(std::string_view op) {
  for (const std::string_view name : {"alias", "clone", "contiguous", "detach", "flatten", "lift_fresh_copy", "permute",
           "reshape", "squeeze", "t", "to", "_to_copy", "transpose", "unsqueeze", "_unsafe_view", "view"})
    if (op == name) return true;
  return false;
}

class Narrower {
 public:
  explicit Narrower(GraphAnalyzer& graph) : graph_(graph), math_(graph.run().math) {}

  // Every element of the node's tensor is true, or every one false.
  void LearnTruth(int32_t index, bool truth) {
    if (steps_-- <= 0 || IsWritten(index)) return;
    const Node& node = NodeAt(index);
    const std::string_view op = AtenWord(node.target);
    if (op == "all" || op == "any") {
      if (truth == (op == "all") && IsOfAll(node)) LearnTruth(Argument(node, 0), truth);
    } else if (op == "logical_not" || op == "bitwise_not") {
      if (IsBool(index) && IsBool(Argument(node, 0))) LearnTruth(Argument(node, 0), !truth);
    } else if (op == "logical_and" || op == "bitwise_and" || op == "__and__") {
      if (truth) LearnBoth(node, truth);
    } else if (op == "logical_or" || op == "bitwise_or" || op == "__or__") {
      if (!truth) LearnBoth(node, truth);
    } else if (const Relation* relation = FindRelation(op)) {
      LearnRelation(node, truth ? *relation : Opposite(*relation));
    }
  }

  // The tensor's one element is this number.
  void LearnNumber(int32_t index, Sym number) {
    if (IsWritten(index)) return;
    const Node& node = NodeAt(index);
    const std::string_view op = AtenWord(node.target);
    fills_gaps_alone_ = true;
    if ((op == "max" || op == "amax") && IsOfAll(node)) NarrowFrom(Argument(node, 0), nullptr, number);
    if ((op == "min" || op == "amin") && IsOfAll(node)) NarrowFrom(Argument(node, 0), number, nullptr);
  }

 private:
  const Node& NodeAt(int32_t index) const { return graph_.ranges().graph->nodes[index]; }

  // Returns true if the node's tensor may hold something else than what the node returned: then the operator says
  // nothing.
  bool IsWritten(int32_t index) const {
    const Tensor* tensor = TensorAt(index);
    return !tensor || graph_.IsWritten(*tensor);
  }

  // The node that an argument is, or -1.
  static int32_t Argument(const Node& node, size_t i) {
    const NodeRef* ref = i < node.arguments.size() ? node.arguments[i].value.TryGet<NodeRef>() : nullptr;
    return ref ? ref->index : -1;
  }
  // Without dimensions a reduction is of all elements.
  static bool IsOfAll(const Node& node) { return node.arguments.size() == 1 && Argument(node, 0) >= 0; }

  const Tensor* TensorAt(int32_t index) const { return index < 0 ? nullptr : graph_.ValueOf(index).TryTensor(); }
  bool IsBool(int32_t index) const {
    const Tensor* tensor = TensorAt(index);
    return tensor && tensor->meta.dtype == ScalarType::Bool;
  }

  // An operand that is broadcast to nothing would be asserted of nothing.
  bool HasAllOf(const Node& node, int32_t operand) const {
    const Tensor *result = TensorAt(static_cast<int32_t>(&node - graph_.ranges().graph->nodes.data())),
                 *given = TensorAt(operand);
    return result && given && HaveSameSizes(*result, *given);
  }

  void LearnBoth(const Node& node, bool truth) {
    for (const size_t i : {0, 1})
      if (const int32_t operand = Argument(node, i); IsBool(operand) && HasAllOf(node, operand))
        LearnTruth(operand, truth);
  }

  void LearnRelation(const Node& node, Relation relation) {
    const int32_t self = Argument(node, 0);
    if (self < 0 || node.arguments.size() != 2 || !HasAllOf(node, self)) return;
    const std::optional<ValueRange> other = NumberAt(node.arguments[1].value, TensorAt(self)->meta.dtype);
    if (!other) return;
    const Sym low = other->low.at, high = other->high.at, one = math_.Number(1);
    switch (relation) {
      case Relation::kLess: return NarrowFrom(self, nullptr, high ? Subtract(high, one) : nullptr);
      case Relation::kAtMost: return NarrowFrom(self, nullptr, high);
      case Relation::kGreater: return NarrowFrom(self, low ? Add(low, one) : nullptr, nullptr);
      case Relation::kAtLeast: return NarrowFrom(self, low, nullptr);
      case Relation::kEqual: return NarrowFrom(self, low, high);
      case Relation::kUnequal: return;
    }
  }

  // The range of what a tensor of this dtype is compared with, if it is a number, which becomes one of the dtype, or a
  // tensor of the same dtype.
  std::optional<ValueRange> NumberAt(const GraphValue& written, ScalarType dtype) const {
    const NodeRef* ref = written.TryGet<NodeRef>();
    const Tensor* tensor = ref ? graph_.ValueOf(ref->index).TryTensor() : nullptr;
    if (tensor) {
      const bool is_same = tensor->meta.dtype == dtype && !IsWritten(ref->index);
      return is_same ? std::optional(graph_.RangeOf(ref->index, 0)) : std::nullopt;
    }
    const Dim* number = ref ? graph_.ValueOf(ref->index).TryGet<Dim>() : written.TryGet<Dim>();
    if (!number) return std::nullopt;
    return math_.Cast(math_.Point(math_.Of(*number)), ScalarType::Long, dtype);
  }

  // Narrows the tensor, and what it is a copy, a view, or an extreme of.
  void NarrowFrom(int32_t index, Sym low, Sym high) {
    for (; index >= 0 && (low || high) && steps_-- > 0; index = Argument(NodeAt(index), 0)) {
      const Tensor* tensor = TensorAt(index);
      if (!tensor || !IsIntegral(tensor->meta.dtype) || tensor->meta.dtype == ScalarType::Bool) return;
      if (IsWritten(index)) return;
      Narrow(index, low, high);
      const Node& node = NodeAt(index);
      const std::string_view op = AtenWord(node.target);
      if (op == "max" || op == "amax" || op == "min" || op == "amin") {
        if (!IsOfAll(node)) return;
        (op.ends_with("max") ? low : high) = nullptr;
      } else if (!KeepsElements(op) || !IsAsWide(index, Argument(node, 0))) {
        return;
      }
    }
  }

  void Narrow(int32_t index, Sym low, Sym high) {
    if (!fills_gaps_alone_) return graph_.Narrow(index, low, high);
    const ValueRange known = graph_.RangeOf(index, 0);
    graph_.Narrow(index, known.low.at ? nullptr : low, known.high.at ? nullptr : high);
  }

  // A cast to a dtype that does not hold all of the argument's wraps around.
  bool IsAsWide(int32_t index, int32_t argument) const {
    const Tensor *from = TensorAt(argument), *to = TensorAt(index);
    if (!from || !IsIntegral(from->meta.dtype)) return false;
    return from->meta.dtype == to->meta.dtype || to->meta.dtype == ScalarType::Long;
  }

  GraphAnalyzer& graph_;
  const RangeMath& math_;
  bool fills_gaps_alone_ = false;  // ends that the spec states make better messages than numbers from data
  int steps_ = 64;                 // an assertion costs no more, however long the way to it is
};

}  // namespace

void NarrowByNode(GraphAnalyzer& graph, int32_t index) {
  const Node& node = graph.ranges().graph->nodes[index];
  const NodeRef* ref = node.arguments.empty() ? nullptr : node.arguments[0].value.TryGet<NodeRef>();
  if (!ref) return;
  Narrower narrower(graph);
  if (AtenWord(node.target).ends_with("assert_async")) return narrower.LearnTruth(ref->index, true);
  const Dim* number = graph.ValueOf(index).TryGet<Dim>();
  if (number && number->IsSymbolic()) narrower.LearnNumber(ref->index, number->Expression());
}

}  // namespace fakeprop
