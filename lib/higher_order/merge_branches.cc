#include "lib/higher_order/merge_branches.h"

#include <algorithm>
#include <numeric>

#include "lib/diag/python_trace.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

bool Counts(const TensorMeta& t, size_t dim) { return !Known(Eq(t.sizes[dim], 1)); }

bool SameStrides(const TensorMeta& a, const TensorMeta& b) {
  if (IsKnownEmpty(a)) return true;
  for (size_t i = 0; i < a.strides.size(); ++i)
    if (Counts(a, i) && !Known(Eq(a.strides[i], b.strides[i]))) return false;
  return true;
}

enum class Compare { kAll, kWithoutOffset };

bool SameMeta(const TensorMeta& a, const TensorMeta& b, Compare compare) {
  return a.dtype == b.dtype && a.device == b.device && a.layout == b.layout && a.is_conj == b.is_conj &&
         a.rank() == b.rank() && GuardSame(a.size_span(), b.size_span()) && SameStrides(a, b) &&
         (compare == Compare::kWithoutOffset || Known(Eq(a.storage_offset, b.storage_offset)));
}

bool SameNumber(const Value& a, const Value& b) {
  const Dim *x = a.TryGet<Dim>(), *y = b.TryGet<Dim>();
  return x && y ? Known(Eq(*x, *y)) : ToString(a) == ToString(b);
}

// The offset stands in the text only where two tensors differ in nothing that it shows.
std::string TextOf(const Value& value, bool with_offset) {
  const Tensor* t = value.TryTensor();
  if (!t) return ToString(value);
  std::string text = ToString(t->meta);
  if (with_offset) text += " at offset " + t->meta.storage_offset.ToString() + (t->meta.is_conj ? ", conjugated" : "");
  return text;
}

// The node of the graph's output that stands at `path`; null where there is none.
const Node* OutputNode(const Graph& graph, const std::vector<size_t>& path) {
  if (graph.nodes.empty() || graph.nodes.back().arguments.empty()) return nullptr;
  const GraphValue* at = &graph.nodes.back().arguments[0].value;
  for (size_t i : path) {
    if (at->Is<NodeRef>()) break;
    const GraphValue::Container* container = at->TryContainer();
    if (!container || i >= container->items.size()) return nullptr;
    at = &container->items[i];
  }
  const NodeRef* ref = at->TryGet<NodeRef>();
  return ref ? &graph.nodes[ref->index] : nullptr;
}

std::string OriginOf(const Node& node) {
  const auto frames = ParseStackTrace(node.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  if (!frame) return node.op == NodeOp::kPlaceholder ? "an input of the subgraph" : "made by node `" + node.name + "`";
  return "made at " + LineText(*frame);
}

// Walks two results side by side.
class Pairs {
 public:
  // A side and what a message says of a value that stands on it.
  struct Spoken : Side {
    std::string phrase;
  };

  Pairs(std::string message, Spoken a, Spoken b) : message_(std::move(message)), a_(std::move(a)), b_(std::move(b)) {}

  // Gives `merge(x, y)` for each pair of leaves, in the structure of the first.
  template <typename Merge>
  Value Map(const Value& a, const Value& b, const Merge& merge) {
    const List *x = a.TryList(), *y = b.TryList();
    if (!x && !y) return merge(*this, a, b);
    if (!x || !y || x->items.size() != y->items.size()) Disagree(a, b);
    List merged;
    merged.is_tuple = x->is_tuple;
    for (size_t i = 0; i < x->items.size(); ++i) {
      path_.push_back(i);
      merged.items.push_back(Map(x->items[i], y->items[i], merge));
      path_.pop_back();
    }
    return merged;
  }

  [[noreturn]] void Disagree(const Value& a, const Value& b) const {
    const bool same_text = TextOf(a, false) == TextOf(b, false);
    const std::string x = TextOf(a, same_text), y = TextOf(b, same_text);
    Throw(ErrorClass::kMetadataMismatch, Where() + ": " + x + a_.phrase + ", " + y + b_.phrase, a, b);
  }

  [[noreturn]] void Throw(ErrorClass error_class, const std::string& why, const Value& a, const Value& b) const {
    throw DescribedError{OpError(error_class, message_ + " " + why), {Describe(a_, a), Describe(b_, b)}};
  }

  std::string Where() const {
    if (path_.empty()) return "what they return";
    std::string where = "output " + std::to_string(path_[0]);
    for (size_t i = 1; i < path_.size(); ++i) where += "[" + std::to_string(path_[i]) + "]";
    return where;
  }

 private:
  OperandOrigin Describe(const Side& side, const Value& value) const {
    const Node* node = side.graph ? OutputNode(*side.graph, path_) : nullptr;
    return {side.name + (node ? " %" + node->name : ""), TextOf(value, false), node ? OriginOf(*node) : ""};
  }

  const std::string message_;
  const Spoken a_;
  const Spoken b_;
  std::vector<size_t> path_;
};

// Dimensions by rising strides, of equal ones the last first.
std::vector<size_t> StrideOrder(const TensorMeta& t) {
  std::vector<size_t> order(t.strides.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(
      order.begin(), order.end(), [&](size_t i, size_t j) { return GuardOrFalse(Lt(t.strides[i], t.strides[j])); });
  return order;
}

// Each stride, by rising strides, is the product of the sizes below: the order that a new tensor could be made in.
bool IsPacked(const TensorMeta& t) {
  if (IsKnownEmpty(t)) return true;
  Dim expected = 1;
  for (size_t i : StrideOrder(t)) {
    if (!Counts(t, i) || Known(Eq(t.strides[i], 0))) continue;
    if (!Known(Eq(t.strides[i], expected))) return false;
    expected = expected * t.sizes[i];
  }
  return true;
}

// ---- sizes that differ. Source: _merge_output in torch/_higher_order_ops/cond.py (torch 2.13).

bool IsEqualExpression(Dim a, Dim b) { return a.raw() == b.raw() || Known(Eq(a, b)); }

Range RangeOf(Dim d) {
  if (auto number = d.TryNumber()) return Range::Of(*number);
  return d.Expression()->env->RangeOf(d.Expression());
}

// The size of whichever branch runs: a symbol between the two where they differ, or where data of a branch decides it.
Dim MergeNumbers(Dim a, Dim b) {
  if (IsEqualExpression(a, b) && a.Hint()) return a;
  const Range x = RangeOf(a), y = RangeOf(b);
  return rules::UnbackedInteger(Union(x, y).low, Union(x, y).high);
}

bool HasMergedSizes(const TensorMeta& a, const TensorMeta& b) {
  for (size_t d = 0; d < a.sizes.size(); ++d)
    if (!a.sizes[d].Hint() || !b.sizes[d].Hint() || !IsEqualExpression(a.sizes[d], b.sizes[d])) return true;
  return false;
}

// Strides of the merged sizes: products of them where a branch's are products of its own. Nothing where they are not,
// or where the branches order their dimensions in two ways.
std::optional<Dims> MergeStrides(const TensorMeta& a, const TensorMeta& b, const Dims& sizes) {
  const std::vector<size_t> order = StrideOrder(a);
  if (order != StrideOrder(b)) return std::nullopt;
  struct Step {
    Dim of_a, of_b, merged;
  };
  std::vector<Step> steps = {{1, 1, 1}};
  Dims strides(sizes.size());
  for (size_t d : order) {
    if (Known(Eq(a.strides[d], 0)) && Known(Eq(b.strides[d], 0))) continue;
    const auto step = std::find_if(
        steps.rbegin(), steps.rend(), [&](const Step& s) { return IsEqualExpression(s.of_a, a.strides[d]); });
    if (step == steps.rend() || !IsEqualExpression(step->of_b, b.strides[d])) return std::nullopt;
    strides[d] = step->merged;
    steps.push_back({a.strides[d] * a.sizes[d], b.strides[d] * b.sizes[d], strides[d] * sizes[d]});
  }
  return strides;
}

// What is the same of both whatever their sizes are.
bool SameKind(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype && a.device == b.device && a.layout == b.layout && a.is_conj == b.is_conj &&
         a.rank() == b.rank() && Known(Eq(a.storage_offset, b.storage_offset));
}

bool NeedsMergedSizes(const TensorMeta& a, const TensorMeta& b) {
  return rules::MakesUnbacked() && a.layout == Layout::Strided && SameKind(a, b) && HasMergedSizes(a, b);
}

Value MergeTensors(const Pairs& pairs, const Value& a, const Value& b, ObjectTable& objects) {
  TensorMeta meta = a.TryTensor()->meta;
  const TensorMeta& other = b.TryTensor()->meta;
  if (NeedsMergedSizes(meta, other)) {
    std::optional<TensorMeta> merged = MergeSizes(meta, other);
    if (!merged) pairs.Disagree(a, b);
    meta = std::move(*merged);
  } else if (!SameMeta(meta, other, Compare::kAll)) {
    pairs.Disagree(a, b);
  }
  if (meta.layout != Layout::Strided || meta.is_conj)
    pairs.Throw(
        ErrorClass::kUnsupportedOperator, pairs.Where() + ": sparse and conjugated tensors cannot be merged", a, b);
  if (!IsPacked(meta))
    pairs.Throw(ErrorClass::kMetadataMismatch,
        pairs.Where() + ": both are not dense in memory (contiguous() makes them so)", a, b);
  TensorMeta merged = std::move(meta);
  merged.storage_offset = 0;
  merged.is_neg = false;
  const Dim nbytes = StorageNbytes(merged);
  const Device device = merged.device;
  return objects.NewTensor(std::move(merged), objects.NewStorage(nbytes, device));
}

Value MergeOthers(const Pairs& pairs, const Value& a, const Value& b) {
  const Dim *x = a.TryGet<Dim>(), *y = b.TryGet<Dim>();
  if (rules::MakesUnbacked() && x && y) return MergeNumbers(*x, *y);
  if (a.TryTensor() || b.TryTensor() || a.variant().index() != b.variant().index() || !SameNumber(a, b))
    pairs.Disagree(a, b);
  return a;
}

}  // namespace

std::optional<TensorMeta> MergeSizes(const TensorMeta& a, const TensorMeta& b) {
  // No strides, no symbols that nothing has.
  if (!NeedsMergedSizes(a, b) || !MergeStrides(a, b, a.sizes)) return std::nullopt;
  TensorMeta merged = a;
  for (size_t d = 0; d < a.sizes.size(); ++d) merged.sizes[d] = MergeNumbers(a.sizes[d], b.sizes[d]);
  merged.strides = *MergeStrides(a, b, merged.sizes);
  return merged;
}

Value MergeBranches(const std::string& what, const Side& a, const Side& b, ObjectTable& objects) {
  Pairs pairs("the branches of " + what + " disagree in", {a, " in " + a.name}, {b, " in " + b.name});
  return pairs.Map(a.value, b.value, [&](const Pairs& at, const Value& x, const Value& y) -> Value {
    if (x.TryTensor() && y.TryTensor()) return MergeTensors(at, x, y, objects);
    return MergeOthers(at, x, y);
  });
}

void CheckCarried(const std::string& what, const Side& given, const Side& returned) {
  Pairs pairs(
      "the values that " + what + " change in", {given, " goes in"}, {returned, " comes out of " + returned.name});
  pairs.Map(given.value, returned.value, [](const Pairs& at, const Value& x, const Value& y) -> Value {
    const Tensor *a = x.TryTensor(), *b = y.TryTensor();
    const bool same = a && b ? SameMeta(a->meta, b->meta, Compare::kWithoutOffset)
                             : !a && !b && x.variant().index() == y.variant().index();
    if (!same) at.Disagree(x, y);
    return {};
  });
}

}  // namespace fakeprop
