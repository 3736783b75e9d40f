// The call of an operator as transfer functions see it: its arguments with the ranges of their elements, and the
// results that get ranges.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/small_vector.h"
#include "lib/graph/graph.h"
#include "lib/interpreter/annotations.h"
#include "lib/schema/schema.h"
#include "lib/value_ranges/value_range.h"

namespace fakeprop {

// The ranges of the tensors in the result of one node, in their order.
using NodeRanges = std::vector<ValueRange>;

struct RangeOperand {
  const Tensor* tensor = nullptr;  // null for a number or None
  int32_t node = -1;               // that returned it
  ValueRange range;

  bool IsIntegral() const { return tensor && fakeprop::IsIntegral(tensor->meta.dtype); }
};

// What a call may ask about other nodes of its graph.
class RangeSource {
 public:
  virtual ~RangeSource() = default;
  virtual const NodeAnnotation& AnnotationAt(int32_t node) const = 0;
  const Value& ValueOf(int32_t node) const { return AnnotationAt(node).value; }
  // The range of a tensor in the result of a node, by its position there.
  virtual ValueRange RangeOf(int32_t node, size_t position) const = 0;
  virtual Dim SizeOf(const InlineSize& size) const = 0;
  // A tensor that an argument holds itself, not by the node that returned it.
  virtual RangeOperand OperandOf(const Tensor& tensor) const = 0;
  // Returns true if the tensor may hold something else than when its node returned it.
  virtual bool IsWritten(const Tensor& tensor) const = 0;
};

// The arguments of a call: as a node has them, or the values of a call inside of a node, one for each of the schema.
class OperatorArguments {
 public:
  // One argument; both are null if the call does not give it. A value is there unless it comes from other nodes.
  struct Given {
    const GraphValue* written = nullptr;
    const Value* value = nullptr;
  };

  OperatorArguments(std::span<const Argument> written) : written_(written) {}
  OperatorArguments(const std::vector<Argument>& written) : written_(written) {}
  OperatorArguments(std::span<const Value> values) : values_(values) {}

  Given Find(const Schema& schema, ArgumentName name) const;

 private:
  std::span<const Argument> written_;
  std::span<const Value> values_;
};

class RangeCall {
 public:
  RangeCall(int32_t index, const OperatorArguments& arguments, const Schema& schema, const Value& result,
      const RangeSource& source, const RangeMath& math);

  int32_t index() const { return index_; }
  const RangeMath& math() const { return math_; }
  const RangeSource& source() const { return source_; }

  // ---- arguments, by their names in the schema
  bool Has(ArgumentName name) const { return schema_.IndexOf(name) >= 0; }
  // The name that the operator has an argument of, where some operators call it so and some so.
  ArgumentName EitherOf(ArgumentName one, ArgumentName other) const { return Has(one) ? one : other; }
  Value ValueOf(ArgumentName name) const;
  bool IsNone(ArgumentName name) const { return ValueOf(name).IsNone(); }
  std::optional<Dim> SizeOf(ArgumentName name) const;
  std::optional<int64_t> NumberOf(ArgumentName name) const;
  // A tensor, or a number as a point.
  RangeOperand OperandOf(ArgumentName name) const;
  ValueRange RangeOf(ArgumentName name) const { return OperandOf(name).range; }
  // The items of a list of tensors; None is an operand without a tensor.
  std::vector<RangeOperand> OperandsOf(ArgumentName name) const;
  // The elements of a tensor, if they are known and nobody wrote to them since; else null.
  const std::vector<Value>* ElementsOf(const Tensor& tensor) const {
    return tensor.constant && !source_.IsWritten(tensor) ? tensor.constant.get() : nullptr;
  }
  // The dimension that an argument names, of so many; nothing if it is none or unknown.
  std::optional<size_t> DimensionOf(ArgumentName name, const Tensor& of) const;

  // ---- results
  size_t result_count() const { return results_.size(); }
  const Tensor& result(size_t i = 0) const { return *results_[i]; }
  std::span<const Tensor* const> results() const { return results_; }
  // Fits the range to the dtype of the result. A result that does not exist or is not integral gets none.
  void Give(ValueRange range, size_t i = 0);
  std::span<const ValueRange> ranges() const { return ranges_; }
  // The results are any number, as they are before anything is known of them.
  void ForgetResults();

 private:
  OperatorArguments::Given Find(ArgumentName name) const { return arguments_.Find(schema_, name); }
  RangeOperand OperandFrom(const GraphValue& written) const;
  RangeOperand OperandFrom(const Value& value) const;
  ValueRange PointOf(const Value& number) const;

  const int32_t index_;
  const OperatorArguments arguments_;
  const Schema& schema_;
  const RangeSource& source_;
  const RangeMath& math_;
  SmallVector<const Tensor*, 2> results_;
  SmallVector<ValueRange, 1> ranges_;
};

// The range of a tensor with these elements; nothing if they are no integers or bools, or if there are none.
std::optional<ValueRange> RangeOfElements(const std::vector<Value>& elements, const RangeMath& math);

// Returns true if each element of the one meets each of the other when they are broadcast together.
bool IsOuter(const RangeOperand& a, const RangeOperand& b);

// The range of a tensor that is broadcast to the sizes of another.
ValueRange Broadcast(ValueRange range, const Tensor& from, const Tensor& to);

// How many elements the tensor has.
Sym CountOf(const Tensor& tensor, const RangeMath& math);

}  // namespace fakeprop
