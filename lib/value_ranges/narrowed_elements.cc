#include "lib/value_ranges/narrowed_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/meta/dtype.h"
#include "lib/meta/identical_dims.h"
#include "lib/value_ranges/called_operator.h"
#include "lib/value_ranges/real_interval.h"

namespace fakeprop {
namespace {

// What a mask says: elements of a tensor from `low` to `high`.
struct ElementCondition {
  const Tensor* tensor = nullptr;
  RealInterval elements;
};

// An operator with results of its own, called at a node; null for other nodes.
const CalledOperator* PureOperator(const NodeAnnotation& node) {
  const CalledOperator* called = OperatorOf(node);
  return called && !called->writes && !called->schema->IsOut() ? called : nullptr;
}

RangeCall CallAt(int32_t node, const CalledOperator& called, const RangeCall& within) {
  const RangeSource& source = within.source();
  const NodeAnnotation& annotation = source.AnnotationAt(node);
  return {node, annotation.node->arguments, *called.schema, annotation.value, source, within.math()};
}

// The tensor of an operand, if nobody wrote to it since its node returned it.
const Tensor* UnwrittenTensor(const RangeOperand& operand, const RangeSource& source) {
  const bool is_result =
      operand.tensor && operand.node >= 0 && source.ValueOf(operand.node).TryTensor() == operand.tensor;
  return is_result && !source.IsWritten(*operand.tensor) ? operand.tensor : nullptr;
}

RealInterval WholeOf(ScalarType dtype) {
  return dtype == ScalarType::Int ? RealInterval{-0x1p31, 0x1p31 - 1} : RealInterval{-0x1p63, 0x1p63};
}

double EndOr(Sym end, double other) { return end && end->IsInteger() ? static_cast<double>(end->integer) : other; }

// The numbers of an integral range, as far as its ends are numbers.
RealInterval NumbersOf(const ValueRange& range, ScalarType dtype) {
  const RealInterval whole = WholeOf(dtype);
  return {EndOr(range.low.at, whole.low), EndOr(range.high.at, whole.high)};
}

// What holds for elements that the comparison named `word` with a number finds true. Nothing for another operator.
std::optional<RealInterval> ElementsWhere(std::string_view word, double number, bool is_true, RealInterval of) {
  const bool is_strict = word == "lt" || word == "gt", is_upper = word == "lt" || word == "le";
  if (!is_strict && !is_upper && word != "ge") return std::nullopt;
  const double beyond = is_strict == is_true ? 1 : 0;  // the number itself is out
  if (is_upper == is_true) of.high = std::min(of.high, number - beyond);
  else of.low = std::max(of.low, number + beyond);
  return of;
}

std::optional<ElementCondition> ConditionOf(const RangeCall& call, const RangeOperand& mask, bool is_true) {
  const RangeSource& source = call.source();
  if (!UnwrittenTensor(mask, source)) return std::nullopt;
  const CalledOperator* called = PureOperator(source.AnnotationAt(mask.node));
  if (!called) return std::nullopt;
  const RangeCall compared = CallAt(mask.node, *called, call);
  const RangeOperand self = compared.OperandOf("self"), other = compared.OperandOf("other");
  const Tensor* tensor = UnwrittenTensor(self, source);
  if (!tensor || !HaveSameSizes(*tensor, *mask.tensor) || !other.range.IsPoint() || !other.range.low.at->IsInteger())
    return std::nullopt;
  const ScalarType dtype = tensor->meta.dtype;
  const auto number = static_cast<double>(other.range.low.at->integer);
  // Numbers that no double or no element can be are compared after a cast.
  if ((dtype != ScalarType::Long && dtype != ScalarType::Int) || std::abs(number) > 0x1p30) return std::nullopt;
  const auto elements = ElementsWhere(called->word, number, is_true, NumbersOf(self.range, dtype));
  return elements ? std::optional(ElementCondition{tensor, *elements}) : std::nullopt;
}

// Follows the operators that made a tensor, element by element, back to the tensor of the condition.
class Chain {
 public:
  Chain(const ElementCondition& condition, const RangeCall& within) : condition_(condition), within_(within) {}

  // The elements of the operand where the condition holds.
  std::optional<RealInterval> Of(const RangeOperand& operand, int depth = 0) const {
    if (operand.tensor && operand.tensor == condition_.tensor) return condition_.elements;
    if (operand.tensor && IsIntegral(operand.tensor->meta.dtype)) {
      const RealInterval known = NumbersOf(operand.range, operand.tensor->meta.dtype);
      if (known.low == known.high) return known;
    }
    const Tensor* tensor = UnwrittenTensor(operand, within_.source());
    if (!tensor || depth == kLongest || !HaveSameSizes(*tensor, *condition_.tensor)) return std::nullopt;
    const CalledOperator* called = PureOperator(within_.source().AnnotationAt(operand.node));
    if (!called) return std::nullopt;
    const std::optional<RealInterval> exact = Computed(CallAt(operand.node, *called, within_), called->word, depth + 1);
    return exact ? RoundedTo(*exact, tensor->meta.dtype) : std::nullopt;
  }

 private:
  static constexpr int kLongest = 16;

  // As the operator takes it: operators that return floats make floats of their arguments first.
  std::optional<RealInterval> Argument(const RangeCall& call, ArgumentName name, int depth) const {
    const RangeOperand operand = call.OperandOf(name);
    const std::optional<RealInterval> exact = operand.tensor ? Of(operand, depth) : NumberAt(call, name);
    const ScalarType dtype = call.result().meta.dtype;
    return exact && !IsIntegral(dtype) ? RoundedTo(*exact, dtype) : exact;
  }

  static std::optional<RealInterval> NumberAt(const RangeCall& call, ArgumentName name) {
    const Value value = call.ValueOf(name);
    if (const double* real = value.TryGet<double>()) return RealInterval{*real, *real};
    const std::optional<int64_t> integer = call.NumberOf(name);
    if (!integer) return std::nullopt;
    return RealInterval{static_cast<double>(*integer), static_cast<double>(*integer)};
  }

  // What the operator computes, before it is rounded.
  std::optional<RealInterval> Computed(const RangeCall& call, std::string_view word, int depth) const {
    const std::optional<RealInterval> self = Argument(call, "self", depth);
    if (!self) return std::nullopt;
    if (const RealFunction function = FindRealFunction(word)) return function(*self);
    if (word == "clamp" || word == "clamp_min" || word == "clamp_max") return Clamped(call, *self, depth);
    const RealOperation operation = FindRealOperation(word);
    if (!operation || !call.Has("other") || (call.Has("alpha") && call.NumberOf("alpha") != 1)) return std::nullopt;
    if (call.Has("rounding_mode") && !call.IsNone("rounding_mode")) return std::nullopt;
    const std::optional<RealInterval> other = Argument(call, "other", depth);
    return other ? operation(*self, *other) : std::nullopt;
  }

  std::optional<RealInterval> Clamped(const RangeCall& call, RealInterval self, int depth) const {
    for (const ArgumentName name : ArgumentNames{"min", "max"}) {
      if (!call.Has(name) || call.IsNone(name)) continue;
      const std::optional<RealInterval> limit = Argument(call, name, depth);
      if (!limit) return std::nullopt;
      self = name == ArgumentName("min") ? LargerOf(self, *limit) : SmallerOf(self, *limit);
    }
    return self;
  }

  const ElementCondition& condition_;
  const RangeCall& within_;
};

// The ends that are narrower than those of the range.
ValueRange Narrowed(ValueRange range, const RealInterval& elements, const RangeMath& math) {
  constexpr double kExact = 0x1p53;  // beyond, doubles are no longer next to each other
  if (std::abs(elements.low) < kExact) {
    const Sym low = math.Number(static_cast<int64_t>(std::floor(elements.low)));
    if (!math.IsAtMost(low, range.low.at)) range.low = {low, {}};
  }
  if (std::abs(elements.high) < kExact) {
    const Sym high = math.Number(static_cast<int64_t>(std::ceil(elements.high)));
    if (!math.IsAtMost(range.high.at, high)) range.high = {high, {}};
  }
  return range;
}

}  // namespace

ValueRange RangeWhere(const RangeCall& call, ArgumentName argument, ArgumentName mask, bool is_true) {
  const RangeOperand operand = call.OperandOf(argument);
  if (!operand.IsIntegral() || !HaveSameSizes(*operand.tensor, call.result())) return operand.range;
  const std::optional<ElementCondition> condition = ConditionOf(call, call.OperandOf(mask), is_true);
  if (!condition || !HaveSameSizes(*condition->tensor, call.result())) return operand.range;
  const std::optional<RealInterval> elements = Chain(*condition, call).Of(operand);
  // An interval without numbers: the mask is never so, and what is said of no element does not matter.
  if (!elements || elements->low > elements->high) return operand.range;
  return Narrowed(operand.range, *elements, call.math());
}

}  // namespace fakeprop
