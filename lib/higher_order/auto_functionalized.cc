// Operators that change their arguments, run on copies. Source: auto_functionalize.py and triton_kernel_wrap.py in
// torch/_higher_order_ops (torch 2.13).
#include <algorithm>
#include <array>

#include "lib/higher_order/higher_order_tables.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

using Values = std::vector<Value>;

Tensor* NewTensor(HigherOrderCall& call, const Tensor* like, TensorMeta meta) {
  const Dim nbytes = StorageNbytes(meta);
  const Device device = meta.device;
  Tensor* t = call.objects().NewTensor(std::move(meta), call.objects().NewStorage(nbytes, device));
  if (like && like->RequiresGrad() && call.state().grad_enabled && !call.host().below_autograd()) {
    t->own_requires_grad = true;
    t->is_leaf = false;
  }
  return t;
}

// clone_preserve_strides in torch/_prims_common: the same sizes, strides and offset on as much storage as they need.
Value CloneKeepingStrides(HigherOrderCall& call, const Value& value) {
  return MapTensors(value, [&](const Tensor& t) { return NewTensor(call, &t, t.meta); });
}

const Schema& SchemaOf(const HigherOrderCall& call, std::string& target) {
  const Operator* op = call.At(0, "an operator").TryGet<Operator>();
  if (!op)
    Fail(ErrorClass::kTypeError, call.Name() + " takes an operator first, not " + ToString(call.Positional()[0]));
  target = op->target;
  const Schema* schema = FindSchema(OperatorName(target));
  if (!schema)
    Fail(ErrorClass::kUnsupportedOperator,
        call.Name() + " of " + target + ": no rule, kernel or decomposition serves it");
  return *schema;
}

Value* Find(Keywords& keywords, std::string_view name) {
  for (auto& [key, value] : keywords)
    if (key == name) return &value;
  return nullptr;
}

// Takes an entry out of the keywords.
Value Take(const HigherOrderCall& call, Keywords& keywords, const std::string& name) {
  Value* found = Find(keywords, name);
  if (!found) Fail(ErrorClass::kTypeError, call.Name() + " has no argument `" + name + "`");
  Value value = std::move(*found);
  keywords.erase(keywords.begin() + (std::find_if(keywords.begin(), keywords.end(), [&](const auto& keyword) {
    return keyword.first == name;
  }) - keywords.begin()));
  return value;
}

// (*results, *copies); one result that is None stands for none.
Value Results(Value result, const Values& copies) {
  List all;
  all.is_tuple = true;
  const List* list = result.TryList();
  if (list && list->is_tuple) all.items = list->items;
  else all.items.push_back(std::move(result));
  all.items.insert(all.items.end(), copies.begin(), copies.end());
  return all;
}

// auto_functionalized(operator, **keywords): copies of all that it changes, its results and the copies.
Value RunAutoFunctionalized(HigherOrderCall& call) {
  std::string target;
  const Schema& schema = SchemaOf(call, target);
  Keywords keywords = call.keywords();
  Values copies;
  for (const SchemaArgument& argument : schema.arguments) {
    if (!argument.is_write) continue;
    Value* given = Find(keywords, argument.name);
    if (!given) Fail(ErrorClass::kTypeError, call.Name() + " has no argument `" + std::string(argument.name) + "`");
    *given = CloneKeepingStrides(call, *given);
    copies.push_back(*given);
  }
  return Results(call.CallTarget(target, {}, keywords), copies);
}

// How a changed argument is made of the copied bases: the keywords `_x_base_index`, `_x_size` ...
class ViewReader {
 public:
  ViewReader(HigherOrderCall& call, Keywords& keywords, const Values& bases)
      : call_(call), keywords_(keywords), bases_(bases) {}

  Value Read(const std::string& prefix) {
    const Value base_index = Take(call_, keywords_, prefix + "_base_index");
    if (base_index.IsNone()) return {};
    const Dim* index = base_index.TryGet<Dim>();
    if (!index || !Known(Ge(*index, 0)) || !Known(Lt(*index, static_cast<int64_t>(bases_.size()))))
      Fail(ErrorClass::kIndexOutOfRange, call_.Name() + ": `" + prefix + "_base_index` is " + ToString(base_index) +
                                             " of " + std::to_string(bases_.size()) + " bases");
    return Make(prefix, bases_[*index->TryNumber()]);
  }

  Value ReadList(const std::string& prefix) {
    const Value length = Take(call_, keywords_, prefix + "_length");
    if (length.IsNone()) return {};
    List list;
    const int64_t count = length.Is<Dim>() ? length.Get<Dim>().Specialize() : 0;
    for (int64_t i = 0; i < count; ++i) list.items.push_back(Read(prefix + "_" + std::to_string(i)));
    return list;
  }

 private:
  Value Make(const std::string& prefix, const Value& base) {
    if (Find(keywords_, prefix + "_alias")) {
      Take(call_, keywords_, prefix + "_alias");
      return call_.CallOperator("aten::alias", std::array<Value, 1>{base});
    }
    if (Find(keywords_, prefix + "_storage_offset")) {
      Value size = Take(call_, keywords_, prefix + "_size"), stride = Take(call_, keywords_, prefix + "_stride");
      return call_.CallOperator("aten::as_strided",
          std::array<Value, 4>{base, size, stride, Take(call_, keywords_, prefix + "_storage_offset")});
    }
    if (!Find(keywords_, prefix + "_slice_dim")) return base;
    Value dim = Take(call_, keywords_, prefix + "_slice_dim"), start = Take(call_, keywords_, prefix + "_slice_start");
    return call_.CallOperator(
        "aten::slice.Tensor", std::array<Value, 4>{base, dim, start, Take(call_, keywords_, prefix + "_slice_end")});
  }

  HigherOrderCall& call_;
  Keywords& keywords_;
  const Values& bases_;
};

// The tensor that an operator with out= writes to, as `_out_size`, `_out_stride`, `_out_dtype`, `_out_device` have it.
Value MakeOut(HigherOrderCall& call, Keywords& keywords, const std::string& prefix) {
  const Value size = Take(call, keywords, prefix + "_size"), stride = Take(call, keywords, prefix + "_stride");
  const Value dtype = Take(call, keywords, prefix + "_dtype"), device = Take(call, keywords, prefix + "_device");
  return call.CallOperator(
      "aten::empty_strided", std::array<Value, 2>{size, stride}, {{"dtype", dtype}, {"device", device}});
}

bool IsList(const SchemaArgument& argument) { return argument.type.is_list; }

// auto_functionalized_v2(operator, _all_bases=[..], **keywords): copies of the bases, changed through views of them.
Value RunAutoFunctionalizedV2(HigherOrderCall& call) {
  std::string target;
  const Schema& schema = SchemaOf(call, target);
  Keywords keywords = call.keywords();
  const bool is_out = schema.IsOut();
  Values bases;
  if (Find(keywords, "_all_bases")) {
    const Value given = Take(call, keywords, "_all_bases");
    if (const List* list = given.TryList())
      for (const Value& base : list->items) bases.push_back(CloneKeepingStrides(call, base));
  }
  ViewReader views(call, keywords, bases);
  for (const SchemaArgument& argument : schema.arguments) {
    if (!argument.is_write) continue;
    const std::string prefix = "_" + std::string(argument.name);
    Value made = is_out             ? MakeOut(call, keywords, prefix)
                 : IsList(argument) ? views.ReadList(prefix)
                                    : views.Read(prefix);
    keywords.emplace_back(argument.name, std::move(made));
  }
  Value result = call.CallTarget(target, {}, keywords);
  return is_out ? result : Results(std::move(result), bases);
}

bool Names(const Value* list, std::string_view name) {
  const List* names = list ? list->TryList() : nullptr;
  return names && std::any_of(names->items.begin(), names->items.end(), [&](const Value& item) {
    const auto* text = item.TryGet<std::string>();
    return text && *text == name;
  });
}

// triton_kernel_wrapper_functional(kwargs={..}, tensors_to_clone=[..]): copies by name. In an export's file the
// kernel's arguments stand by position, and `output_indices` says which are copied.
Value RunTritonFunctional(HigherOrderCall& call) {
  if (const Value* indices = call.Keyword("output_indices")) {
    List copies;
    if (const List* list = indices->TryList())
      for (const Value& index : list->items) {
        const int64_t at = index.Is<Dim>() ? index.Get<Dim>().Specialize() : -1;
        copies.items.push_back(
            CloneKeepingStrides(call, &call.TensorAt(at < 0 ? call.size() : at, "what the kernel writes")));
      }
    return copies;
  }
  const Value* arguments = call.Keyword("kwargs");
  const Dict* dict = arguments ? arguments->TryGet<Dict>() : nullptr;
  if (!dict) Fail(ErrorClass::kTypeError, call.Name() + " takes the kernel's arguments as a dict `kwargs`");
  Dict copies;
  for (const auto& [name, value] : dict->items) {
    const auto* text = name.TryGet<std::string>();
    if (text && Names(call.Keyword("tensors_to_clone"), *text))
      copies.items.emplace_back(name, CloneKeepingStrides(call, value));
  }
  return copies;
}

// triton_kernel_wrapper_mutation(kwargs={..}) returns nothing. Any tensor may be written to.
Value RunTritonMutation(HigherOrderCall& call) {
  const Value* arguments = call.Keyword("kwargs");
  const Dict* dict = arguments ? arguments->TryGet<Dict>() : nullptr;
  if (!dict) Fail(ErrorClass::kTypeError, call.Name() + " takes the kernel's arguments as a dict `kwargs`");
  for (const auto& [name, value] : dict->items)
    if (Tensor* t = value.TryTensor()) t->CountWrite();
  return {};
}

constexpr HigherOrderRow kRows[] = {
    {"auto_functionalized", RunAutoFunctionalized},
    {"auto_functionalized_v2", RunAutoFunctionalizedV2},
    {"triton_kernel_wrapper_functional", RunTritonFunctional},
    {"triton_kernel_wrapper_mutation", RunTritonMutation},
};

}  // namespace

std::span<const HigherOrderRow> FunctionalizedRows() { return kRows; }

}  // namespace fakeprop
