// The call of an operator as transfer functions see it: its arguments with the ranges of their elements, and the
// results that get ranges.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/small_vector.h"
#include "lib/graph/graph.h"
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
  virtual const Value& ValueOf(int32_t node) const = 0;
  virtual const Node& NodeAt(int32_t node) const = 0;
  // The range of a tensor in the result of a node, by its position there.
  virtual ValueRange RangeOf(int32_t node, size_t position) const = 0;
  virtual Dim SizeOf(const InlineSize& size) const = 0;
  // A tensor that an argument holds itself, not by the node that returned it.
  virtual RangeOperand OperandOf(const Tensor& tensor) const = 0;
  // Returns true if the tensor may hold something else than when its node returned it.
  virtual bool IsWritten(const Tensor& tensor) const = 0;
};

class RangeCall {
 public:
  // The arguments are as a node has them.
  RangeCall(int32_t index, std::span<const Argument> arguments, const Schema& schema, const Value& result,
      const RangeSource& source, const RangeMath& math);

  int32_t index() const { return index_; }
  const RangeMath& math() const { return math_; }
  const RangeSource& source() const { return source_; }

  // ---- arguments, by their names in the schema
  bool Has(std::string_view name) const { return schema_.FindArgument(name) >= 0; }
  Value ValueOf(std::string_view name) const;
  bool IsNone(std::string_view name) const { return ValueOf(name).IsNone(); }
  std::optional<Dim> SizeOf(std::string_view name) const;
  std::optional<int64_t> NumberOf(std::string_view name) const;
  // A tensor, or a number as a point.
  RangeOperand OperandOf(std::string_view name) const;
  ValueRange RangeOf(std::string_view name) const { return OperandOf(name).range; }
  // The items of a list of tensors; None is an operand without a tensor.
  std::vector<RangeOperand> OperandsOf(std::string_view name) const;
  // The elements of a tensor, if they are known and nobody wrote to them since; else null.
  const std::vector<Value>* ElementsOf(const Tensor& tensor) const {
    return tensor.constant && !source_.IsWritten(tensor) ? tensor.constant.get() : nullptr;
  }
  // The dimension that an argument names, of so many; nothing if it is none or unknown.
  std::optional<size_t> DimensionOf(std::string_view name, const Tensor& of) const;

  // ---- results
  size_t result_count() const { return results_.size(); }
  const Tensor& result(size_t i = 0) const { return *results_[i]; }
  std::span<const Tensor* const> results() const { return results_; }
  // Fits the range to the dtype of the result. A result that does not exist or is not integral gets none.
  void Give(ValueRange range, size_t i = 0);
  NodeRanges TakeRanges() { return std::move(ranges_); }
  // The results are any number, as they are before anything is known of them.
  void ForgetResults();

 private:
  const GraphValue* WrittenFor(std::string_view name) const;
  RangeOperand OperandFrom(const GraphValue& written) const;
  ValueRange PointOf(const Value& number) const;

  const int32_t index_;
  const std::span<const Argument> arguments_;
  const Schema& schema_;
  const RangeSource& source_;
  const RangeMath& math_;
  SmallVector<const Tensor*, 2> results_;
  NodeRanges ranges_;
};

// The range of a tensor with these elements; nothing if they are no integers or bools, or if there are none.
std::optional<ValueRange> RangeOfElements(const std::vector<Value>& elements, const RangeMath& math);

// Returns true if both have the same sizes, expression by expression.
bool HaveSameSizes(const Tensor& a, const Tensor& b);

// Returns true if each element of the one meets each of the other when they are broadcast together.
bool IsOuter(const RangeOperand& a, const RangeOperand& b);

// The range of a tensor that is broadcast to the sizes of another.
ValueRange Broadcast(ValueRange range, const Tensor& from, const Tensor& to);

// How many elements the tensor has.
Sym CountOf(const Tensor& tensor, const RangeMath& math);

}  // namespace fakeprop
