#include "lib/value_ranges/range_call.h"

#include <algorithm>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

std::optional<int64_t> AsInteger(const Value& value) {
  if (const bool* truth = value.TryGet<bool>()) return *truth;
  const Dim* number = value.TryGet<Dim>();
  return number ? number->TryNumber() : std::nullopt;
}

}  // namespace

RangeCall::RangeCall(int32_t index, const OperatorArguments& arguments, const Schema& schema, const Value& result,
    const RangeSource& source, const RangeMath& math)
    : index_(index), arguments_(arguments), schema_(schema), source_(source), math_(math) {
  ForEachTensor(result, [&](const Tensor& tensor) { results_.push_back(&tensor); });
}

void RangeCall::ForgetResults() {
  ranges_.clear();
  ranges_.reserve(results_.size());
  for (const Tensor* result : results_) ranges_.push_back(math_.Any(result->meta.dtype));
}

OperatorArguments::Given OperatorArguments::Find(const Schema& schema, ArgumentName name) const {
  const int position = schema.IndexOf(name);
  if (position < 0) return {};
  const auto at = static_cast<size_t>(position);
  if (at < values_.size()) return {nullptr, &values_[at]};
  for (size_t i = 0; i < written_.size(); ++i) {
    const auto& [given, value] = written_[i];
    if (given.empty() ? i == at : given == schema.arguments[at].name) return {&value, value.TryPlain()};
  }
  return {};
}

Value RangeCall::ValueOf(ArgumentName name) const {
  const auto [written, value] = Find(name);
  if (value) return *value;
  if (written)
    return Fill(*written, Overloaded{[&](NodeRef ref) { return source_.ValueOf(ref.index); },
                              [&](const InlineSize& size) { return Value(source_.SizeOf(size)); }});
  const int position = schema_.IndexOf(name);
  const bool has_default = position >= 0 && schema_.arguments[position].default_value;
  return has_default ? *schema_.arguments[position].default_value : Value();
}

std::optional<Dim> RangeCall::SizeOf(ArgumentName name) const {
  const Value value = ValueOf(name);
  const Dim* size = value.TryGet<Dim>();
  return size ? std::optional(*size) : std::nullopt;
}

std::optional<int64_t> RangeCall::NumberOf(ArgumentName name) const { return AsInteger(ValueOf(name)); }

ValueRange RangeCall::PointOf(const Value& number) const {
  if (const Dim* size = number.TryGet<Dim>()) return math_.Point(math_.Of(*size));
  const std::optional<int64_t> integer = AsInteger(number);
  return integer ? math_.Point(math_.Number(*integer)) : ValueRange();
}

RangeOperand RangeCall::OperandFrom(const GraphValue& written) const {
  if (const NodeRef* ref = written.TryGet<NodeRef>()) {
    const Value& value = source_.ValueOf(ref->index);
    const Tensor* tensor = value.TryTensor();
    return {tensor, ref->index, tensor ? source_.RangeOf(ref->index, 0) : PointOf(value)};
  }
  if (const InlineSize* size = written.TryGet<InlineSize>()) return {nullptr, -1, PointOf(source_.SizeOf(*size))};
  const Value* plain = written.TryPlain();
  return plain ? OperandFrom(*plain) : RangeOperand();
}

RangeOperand RangeCall::OperandFrom(const Value& value) const {
  if (const Tensor* tensor = value.TryTensor()) return source_.OperandOf(*tensor);
  return {nullptr, -1, PointOf(value)};
}

RangeOperand RangeCall::OperandOf(ArgumentName name) const {
  const auto [written, value] = Find(name);
  if (value) return OperandFrom(*value);
  return written ? OperandFrom(*written) : OperandFrom(ValueOf(name));
}

std::vector<RangeOperand> RangeCall::OperandsOf(ArgumentName name) const {
  std::vector<RangeOperand> operands;
  const auto [written, plain] = Find(name);
  if (const List* list = plain ? plain->TryList() : nullptr)
    for (const Value& item : list->items) operands.push_back(OperandFrom(item));
  if (!written) return operands;
  if (const auto* container = written->TryContainer()) {
    for (const GraphValue& item : container->items) operands.push_back(OperandFrom(item));
    return operands;
  }
  const NodeRef* ref = written->TryGet<NodeRef>();
  if (!ref) return operands;
  size_t position = 0;
  const auto add = [&](const Tensor& tensor) {
    operands.push_back({&tensor, ref->index, source_.RangeOf(ref->index, position++)});
  };
  const Value& value = source_.ValueOf(ref->index);
  const List* items = value.TryList();
  if (!items) ForEachTensor(value, add);
  for (const Value& item : items ? items->items : std::vector<Value>())
    if (const Tensor* tensor = item.TryTensor()) add(*tensor);
    else operands.emplace_back();
  return operands;
}

std::optional<size_t> RangeCall::DimensionOf(ArgumentName name, const Tensor& of) const {
  const std::optional<int64_t> written = NumberOf(name);
  if (!written) return std::nullopt;
  const int64_t rank = of.meta.rank(), at = *written < 0 ? *written + rank : *written;
  return at >= 0 && at < rank ? std::optional(static_cast<size_t>(at)) : std::nullopt;
}

void RangeCall::Give(ValueRange range, size_t i) {
  if (i >= results_.size()) return;
  const ScalarType dtype = results_[i]->meta.dtype;
  if (!IsIntegral(dtype)) return;
  if (range.origin < 0) range.origin = index_;
  ranges_[i] = math_.Fit(range, dtype);
}

std::optional<ValueRange> RangeOfElements(const std::vector<Value>& elements, const RangeMath& math) {
  if (elements.empty()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Value& element : elements) {
    const std::optional<int64_t> number = AsInteger(element);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  const Met met{true, *least == *greatest, Met::kInAllRuns};
  return ValueRange{{math.Number(*least), met}, {math.Number(*greatest), met}};
}

bool IsOuter(const RangeOperand& a, const RangeOperand& b) {
  if (!a.tensor || !b.tensor) return false;
  const Dims &x = a.tensor->meta.sizes, &y = b.tensor->meta.sizes;
  const auto is_one = [](Dim size) { return size.TryNumber() == 1; };
  for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i)
    if (!is_one(x[x.size() - i]) && !is_one(y[y.size() - i])) return false;
  return true;
}

ValueRange Broadcast(ValueRange range, const Tensor& from, const Tensor& to) {
  const int64_t more = to.meta.rank() - from.meta.rank();
  range.is_permutation = range.is_permutation && more == 0 && from.meta.sizes[0].raw() == to.meta.sizes[0].raw();
  if (range.counts_along < 0) return range;
  const Dim was = from.meta.sizes[range.counts_along];
  range.counts_along += static_cast<int32_t>(more);
  if (more < 0 || to.meta.sizes[range.counts_along].raw() != was.raw()) range.counts_along = -1;
  return range;
}

Sym CountOf(const Tensor& tensor, const RangeMath& math) { return math.Of(Numel(tensor.meta.size_span())); }

}  // namespace fakeprop
