#include "lib/rules/call.h"

#include <charconv>

#include "lib/base/check.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

[[noreturn]] void FailType(const Call& call, int i) {
  const SchemaArgument& argument = call.schema().arguments[i];
  Fail(ErrorClass::kTypeError, "argument `" + std::string(argument.name) + "` of " +
                                   std::string(call.schema().full_name) + " takes " + std::string(argument.type.text) +
                                   ", not " + ToString(call.Arg(i)));
}

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
  try {
    const Device d(name);
    return d.is_cpu() || d.is_meta() || d.has_index() ? d : Device(d.type(), 0);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
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

int Call::Index(std::string_view name) const {
  const int i = schema_.FindArgument(name);
  FAKEPROP_CHECK(i >= 0);
  return i;
}

Tensor& Call::TensorArg(int i) const {
  if (Tensor* t = Arg(i).TryTensor()) return *t;
  FailType(*this, i);
}

Tensor* Call::OptionalTensor(int i) const {
  if (IsNone(i)) return nullptr;
  return &TensorArg(i);
}

std::vector<Tensor*> Call::Tensors(int i) const {
  const Type& type = schema_.arguments[i].type;
  std::vector<Tensor*> tensors;
  for (const Value& item : Items(Arg(i))) {
    const bool may_be_none = type.is_element_optional || type.is_optional;
    if (!item.TryTensor() && !(may_be_none && item.IsNone())) FailType(*this, i);
    tensors.push_back(item.TryTensor());
  }
  return tensors;
}

Dim Call::DimArg(int i) const {
  if (auto d = TryDim(Arg(i))) return *d;
  FailType(*this, i);
}

int64_t Call::Int(int i) const { return DimArg(i).Specialize(); }

std::optional<Dim> Call::OptionalDim(int i) const {
  if (IsNone(i)) return std::nullopt;
  return DimArg(i);
}

std::optional<int64_t> Call::OptionalInt(int i) const {
  if (IsNone(i)) return std::nullopt;
  return Int(i);
}

Dims Call::DimList(int i) const {
  // One number stands for a list of it where the schema says the length (int[1], int[2]), not elsewhere (int[]).
  const Type& type = schema_.arguments[i].type;
  if (type.is_list && !Arg(i).TryList() && !FixedSize(type)) FailType(*this, i);
  Dims dims;
  for (const Value& item : Items(Arg(i))) {
    auto d = TryDim(item);
    if (!d) FailType(*this, i);
    dims.push_back(*d);
  }
  return dims;
}

std::optional<Dims> Call::OptionalDimList(int i) const {
  if (IsNone(i)) return std::nullopt;
  return DimList(i);
}

std::vector<int64_t> Call::Ints(int i) const {
  std::vector<int64_t> ints;
  for (Dim d : DimList(i)) ints.push_back(d.Specialize());
  return ints;
}

bool Call::Bool(int i) const {
  if (auto b = Arg(i).TryGet<bool>()) return *b;
  if (auto d = Arg(i).TryGet<Dim>()) return Guard(Ne(*d, 0));
  if (Arg(i).IsSymbolicBool()) return Guard(Cond::Of(Arg(i).Get<Symbolic>().expression));
  FailType(*this, i);
}

std::optional<bool> Call::OptionalBool(int i) const {
  if (IsNone(i)) return std::nullopt;
  return Bool(i);
}

std::vector<bool> Call::Bools(int i) const {
  std::vector<bool> bools;
  for (const Value& item : Items(Arg(i))) {
    if (!item.Is<bool>()) FailType(*this, i);
    bools.push_back(item.Get<bool>());
  }
  if (const auto size = FixedSize(schema_.arguments[i].type); size && bools.size() != *size) FailType(*this, i);
  return bools;
}

double Call::Float(int i) const {
  if (auto d = TryFloat(Arg(i))) return *d;
  FailType(*this, i);
}

std::optional<double> Call::OptionalFloat(int i) const {
  if (IsNone(i)) return std::nullopt;
  return Float(i);
}

std::vector<double> Call::Floats(int i) const {
  std::vector<double> floats;
  for (const Value& item : Items(Arg(i))) {
    auto d = TryFloat(item);
    if (!d) FailType(*this, i);
    floats.push_back(*d);
  }
  return floats;
}

std::string_view Call::String(int i) const {
  if (auto s = Arg(i).TryGet<std::string>()) return *s;
  FailType(*this, i);
}

std::optional<std::string_view> Call::OptionalString(int i) const {
  if (IsNone(i)) return std::nullopt;
  return String(i);
}

const Value& Call::Number(int i) const {
  if (Arg(i).IsNumber()) return Arg(i);
  FailType(*this, i);
}

std::optional<ScalarType> Call::OptionalDtype(int i) const {
  if (IsNone(i)) return std::nullopt;
  if (auto d = Arg(i).TryGet<ScalarType>()) return *d;
  FailType(*this, i);
}

std::optional<Device> Call::OptionalDevice(int i) const {
  if (IsNone(i)) return std::nullopt;
  if (auto d = Arg(i).TryGet<Device>()) {
    // A device without an index is the type's first one.
    if (!d->is_cpu() && !d->is_meta() && !d->has_index()) return Device(d->type(), 0);
    return *d;
  }
  // torch.export writes some devices as text.
  if (auto name = Arg(i).TryGet<std::string>()) {
    if (auto device = TryDevice(*name)) return device;
  }
  FailType(*this, i);
}

std::optional<Layout> Call::OptionalLayout(int i) const {
  if (IsNone(i)) return std::nullopt;
  if (auto l = Arg(i).TryGet<Layout>()) return *l;
  FailType(*this, i);
}

std::optional<MemoryFormat> Call::OptionalMemoryFormat(int i) const {
  if (IsNone(i)) return std::nullopt;
  if (auto m = Arg(i).TryGet<MemoryFormat>()) return *m;
  FailType(*this, i);
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

void Call::SetMeta(Tensor& target, TensorMeta meta) {
  Mutation& mutation = effects_.mutations.emplace_back();
  mutation.target = &target;
  mutation.meta = std::move(meta);
}

}  // namespace fakeprop
