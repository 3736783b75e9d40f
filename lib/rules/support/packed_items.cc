#include "lib/rules/support/packed_items.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {

PackedItems::PackedItems(const Call& call, ArgumentName name) : PackedItems(call, name, call.Arg(name)) {}

PackedItems::PackedItems(const Call& call, ArgumentName name, const Value& value)
    : call_(&call), position_(call.Index(name)) {
  const List* list = value.TryList();
  if (!list || list->items.empty()) FailType();
  items_ = &list->items;
}

void PackedItems::FailType() const {
  const SchemaArgument& argument = call_->schema().arguments[position_];
  Fail(ErrorClass::kTypeError, Format("{} takes packed weights as `{}`, of which only what was packed is known here",
                                   OpName(*call_), argument.name));
}

Operand PackedItems::Tensor(size_t i) const {
  if (i >= size() || (!(*items_)[i].IsNone() && !(*items_)[i].TryTensor())) FailType();
  return Operand(*call_, position_, (*items_)[i].TryTensor());
}

Dims PackedItems::Numbers(size_t i) const {
  const List* list = i < size() ? (*items_)[i].TryList() : nullptr;
  if (!list) FailType();
  Dims numbers;
  for (const Value& item : list->items) {
    if (!item.Is<Dim>()) FailType();
    numbers.push_back(item.Get<Dim>());
  }
  return numbers;
}

PackedItems PackedItems::Inner(size_t i) const {
  if (i >= size() || !(*items_)[i].TryList()) FailType();
  PackedItems inner = *this;
  inner.items_ = &(*items_)[i].TryList()->items;
  return inner;
}

void RequireColumns(const Operand& input, const TensorMeta& weight) {
  input.Size(input->rank() - 1, weight.sizes[1],
      {"takes rows of {} elements, as its packed weight has them, not {tensor}", weight.sizes[1]});
}

Output& ReturnPacked(Call& call, std::vector<Value> items) { return call.ReturnNumber(List{std::move(items), true}); }

void ReturnPacked(Call& call) {
  std::vector<Value> items;
  for (size_t i = 0; i < call.size(); ++i) items.push_back(call.Arg(static_cast<int>(i)));
  ReturnPacked(call, std::move(items));
}

}  // namespace fakeprop::rules
