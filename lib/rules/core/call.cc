#include "lib/rules/core/call.h"

#include <charconv>

#include "lib/base/check.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// A bool is an int to Python, and to the operators that take one.
std::optional<Dim> TryDim(const Value& value) {
  if (auto d = value.TryGet<Dim>()) return *d;
  if (auto b = value.TryGet<bool>()) return Dim(*b ? 1 : 0);
  return std::nullopt;
}

std::optional<double> TryFloat(const Value& value) {
  if (auto s = value.TryGet<Symbolic>()) return s->expression->env->Specialize(s->expression).AsReal();
  if (auto d = value.TryGet<double>()) return *d;
  if (auto i = TryDim(value)) return static_cast<double>(i->Specialize());
  return std::nullopt;
}

std::optional<Device> TryDevice(const std::string& name) {
  const std::optional<Device> device = DeviceFromName(name);
  return device ? std::optional(WithIndex(*device)) : std::nullopt;
}

// The items of a list argument; a bare item stands for a list of one.
std::span<const Value> Items(const Value& value) {
  if (auto list = value.TryList()) return list->items;
  return {&value, 1};
}

// The N of a `bool[N]` type.
std::optional<size_t> FixedSize(const Type& type) {
  const size_t open = type.text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  size_t size = 0;
  const char* digits = type.text.data() + open + 1;
  if (std::from_chars(digits, type.text.data() + type.text.size(), size).ec != std::errc()) return std::nullopt;
  return size;
}

}  // namespace

void Call::FailType(int i) const {
  const SchemaArgument& argument = schema_.arguments[i];
  Fail(ErrorClass::kTypeError, Format("argument `{}` of {} takes {}, not {}", argument.name, schema_.full_name,
                                   argument.type.text, *arguments_[i]));
}

int Call::FailName() const {
  std::string names;
  for (const SchemaArgument& argument : schema_.arguments) names += " " + std::string(argument.name);
  throw InternalError(
      "the rule of " + std::string(schema_.full_name) + " reads an argument by a name that is none of:" + names);
}

Operand Call::TryIn(ArgumentName name) const {
  const int i = schema_.IndexOf(name);
  return Operand(*this, i, i < 0 ? nullptr : arguments_[i]->TryTensor());
}

Operands Call::Each(std::initializer_list<ArgumentName> names) const {
  Operands operands;
  for (ArgumentName name : names) operands.push_back(In(name));
  return operands;
}

Operands Call::Given(std::initializer_list<ArgumentName> names) const {
  Operands given;
  for (ArgumentName name : names)
    if (const Operand t = TryIn(name)) given.push_back(t);
  return given;
}

std::vector<Tensor*> Call::Tensors(ArgumentName name) const {
  const int i = Index(name);
  const Type& type = schema_.arguments[i].type;
  std::vector<Tensor*> tensors;
  for (const Value& item : Items(Arg(i))) {
    const bool may_be_none = type.is_element_optional || type.is_optional;
    if (!item.TryTensor() && !(may_be_none && item.IsNone())) FailType(i);
    tensors.push_back(item.TryTensor());
  }
  return tensors;
}

Operands Call::ListIn(ArgumentName name) const {
  const int i = Index(name);
  Operands operands;
  for (Tensor* t : Tensors(i)) operands.push_back(Operand(*this, i, t));
  return operands;
}

Operands Call::ListIn(ArgumentName name, size_t count, const Text& text) const {
  Operands operands = ListIn(name);
  const size_t got = operands.size();
  if (got == count) return operands;
  if (!text.IsEmpty()) FailValue(*this, text.ToString(Shown(got)));
  FailValue(*this, {"takes {} tensors in `{}`, got {}", count, NameOf(name), got});
}

Dim Call::DimArg(ArgumentName name) const {
  if (auto d = TryDim(Arg(name))) return *d;
  FailType(Index(name));
}

int64_t Call::Int(ArgumentName name) const { return DimArg(name).Specialize(); }

Dim Call::SizeAtLeast(ArgumentName name, Dim least, const Text& text) const {
  const Dim size = DimArg(name);
  if (Expect(Ge(size, least))) return size;
  if (!text.IsEmpty()) FailValue(*this, text.ToString(Shown(size)));
  FailValue(*this, {"takes a {} of at least {}, not {}", NameOf(name), least, size});
}

int64_t Call::IntBetween(ArgumentName name, int64_t least, int64_t most, const Text& text) const {
  const int64_t number = Int(name);
  if (least <= number && number <= most) return number;
  if (!text.IsEmpty()) FailValue(*this, text.ToString(Shown(number)));
  FailValue(*this, {"takes a {} from {} to {}, not {}", NameOf(name), least, most, number});
}

int64_t Call::WrappedDim(ArgumentName name, const TensorMeta& of) const { return WrapDim(Int(name), of.rank()); }

std::optional<Dim> Call::OptionalDim(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return DimArg(i);
}

std::optional<int64_t> Call::OptionalInt(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return Int(i);
}

Dims Call::DimList(ArgumentName name) const {
  const int i = Index(name);
  // One number stands for a list of it where the schema says the length (int[1], int[2]), not elsewhere (int[]).
  const Type& type = schema_.arguments[i].type;
  if (type.is_list && !Arg(i).TryList() && !FixedSize(type)) FailType(i);
  Dims dims;
  for (const Value& item : Items(Arg(i))) {
    auto d = TryDim(item);
    if (!d) FailType(i);
    dims.push_back(*d);
  }
  return dims;
}

Dims Call::DimList(ArgumentName name, size_t count, const Text& text) const {
  const Dims dims = DimList(name);
  if (dims.size() == count) return dims;
  if (!text.IsEmpty()) FailValue(*this, text.ToString(Shown(dims)));
  FailValue(*this, {"takes {} numbers for {}, not {}", count, NameOf(name), dims});
}

std::optional<Dims> Call::OptionalDimList(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return DimList(i);
}

std::vector<int64_t> Call::Ints(ArgumentName name) const {
  std::vector<int64_t> ints;
  for (Dim d : DimList(name)) ints.push_back(d.Specialize());
  return ints;
}

bool Call::Bool(ArgumentName name) const {
  const int i = Index(name);
  if (auto b = Arg(i).TryGet<bool>()) return *b;
  if (auto d = Arg(i).TryGet<Dim>()) return Guard(Ne(*d, 0));
  if (Arg(i).IsSymbolicBool()) return Guard(Cond::Of(Arg(i).Get<Symbolic>().expression));
  FailType(i);
}

std::optional<bool> Call::OptionalBool(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return Bool(i);
}

std::vector<bool> Call::Bools(ArgumentName name) const {
  const int i = Index(name);
  std::vector<bool> bools;
  for (const Value& item : Items(Arg(i))) {
    if (!item.Is<bool>()) FailType(i);
    bools.push_back(item.Get<bool>());
  }
  if (const auto size = FixedSize(schema_.arguments[i].type); size && bools.size() != *size) FailType(i);
  return bools;
}

double Call::Float(ArgumentName name) const {
  if (auto d = TryFloat(Arg(name))) return *d;
  FailType(Index(name));
}

std::optional<double> Call::OptionalFloat(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return Float(i);
}

std::vector<double> Call::Floats(ArgumentName name) const {
  std::vector<double> floats;
  for (const Value& item : Items(Arg(name))) {
    auto d = TryFloat(item);
    if (!d) FailType(Index(name));
    floats.push_back(*d);
  }
  return floats;
}

std::string_view Call::String(ArgumentName name) const {
  if (auto s = Arg(name).TryGet<std::string>()) return *s;
  FailType(Index(name));
}

std::optional<std::string_view> Call::OptionalString(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  return String(i);
}

const Value& Call::Number(ArgumentName name) const {
  const int i = Index(name);
  if (Arg(i).IsNumber()) return Arg(i);
  FailType(i);
}

std::optional<ScalarType> Call::OptionalDtype(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  if (auto d = Arg(i).TryGet<ScalarType>()) return *d;
  FailType(i);
}

std::optional<Device> Call::OptionalDevice(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  if (auto d = Arg(i).TryGet<Device>()) {
    // A device without an index is the type's first one.
    if (!d->is_cpu() && !d->is_meta() && !d->has_index()) return Device(d->type(), 0);
    return *d;
  }
  // torch.export writes some devices as text.
  if (auto text = Arg(i).TryGet<std::string>()) {
    if (auto device = TryDevice(*text)) return device;
  }
  FailType(i);
}

std::optional<Layout> Call::OptionalLayout(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  if (auto l = Arg(i).TryGet<Layout>()) return *l;
  FailType(i);
}

std::optional<MemoryFormat> Call::OptionalMemoryFormat(ArgumentName name) const {
  const int i = Index(name);
  if (IsNone(i)) return std::nullopt;
  if (auto m = Arg(i).TryGet<MemoryFormat>()) return *m;
  FailType(i);
}

Output& Call::ReturnNew(TensorMeta meta) {
  for (Dim size : meta.sizes) {
    if (!Expect(Ge(size, 0)))
      Fail(ErrorClass::kValueError,
          std::string(schema_.full_name) + ": negative size in the result's shape " + ToString(meta.size_span()));
  }
  Output& out = effects_.outputs.emplace_back();
  out.kind = Output::Kind::kNew;
  out.meta = std::move(meta);
  return out;
}

Output& Call::ReturnView(Tensor& of, TensorMeta meta) {
  Output& out = ReturnNew(std::move(meta));
  out.kind = Output::Kind::kView;
  out.source = &of;
  return out;
}

Output& Call::ReturnAlias(Tensor& of, TensorMeta meta) {
  Output& out = ReturnView(of, std::move(meta));
  out.kind = Output::Kind::kAlias;
  return out;
}

Output& Call::ReturnArgument(Tensor& argument) {
  Output& out = effects_.outputs.emplace_back();
  out.kind = Output::Kind::kArgument;
  out.source = &argument;
  return out;
}

Output& Call::ReturnNumber(Value value) {
  Output& out = effects_.outputs.emplace_back();
  out.kind = Output::Kind::kValue;
  out.value = std::move(value);
  return out;
}

void Call::ReturnNewList(std::vector<TensorMeta> metas) {
  Output& list = effects_.outputs.emplace_back();
  list.kind = Output::Kind::kList;
  for (TensorMeta& meta : metas) {
    Output& out = list.items.emplace_back();
    out.kind = Output::Kind::kNew;
    out.meta = std::move(meta);
  }
}

void Call::ReturnViewList(Tensor& of, std::vector<TensorMeta> metas) {
  ReturnNewList(std::move(metas));
  for (Output& out : effects_.outputs.back().items) {
    out.kind = Output::Kind::kView;
    out.source = &of;
  }
}

void Call::Write(Tensor& target) {
  Mutation& mutation = effects_.mutations.emplace_back();
  mutation.target = &target;
  mutation.writes = true;
}

void Call::WriteUnfollowed(Tensor& target) {
  Write(target);
  effects_.mutations.back().differentiable = false;
}

void Call::SetMeta(Tensor& target, TensorMeta meta) {
  Mutation& mutation = effects_.mutations.emplace_back();
  mutation.target = &target;
  mutation.meta = std::move(meta);
}

}  // namespace fakeprop
