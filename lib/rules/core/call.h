// One operator call for its rule, which reads typed arguments by their names in the schema and states the effects.
// docs/adding_an_operator.md has examples.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "lib/base/version.h"
#include "lib/error/error.h"
#include "lib/rules/core/effects.h"
#include "lib/rules/core/operand.h"
#include "lib/schema/schema.h"

namespace fakeprop {

// The state of the interpreter that results depend on.
struct ExecutionState {
  int torch = kNewestTorch;  // the version whose answers are given: 13 is torch 2.13
  TorchBuild build = TorchBuild::kCuda;
  bool grad_enabled = true;
  ScalarType default_dtype = ScalarType::Float;
  struct Autocast {
    bool enabled = false;
    ScalarType dtype = ScalarType::BFloat16;
  };
  Autocast cpu_autocast;
  Autocast cuda_autocast{false, ScalarType::Half};
  // LibTorch's CPU kernel may run on zeros if nothing else serves an operator.
  bool allow_fallback_kernels = false;
};

class Call {
 public:
  // `arguments` has one value for each argument of the schema, including defaults. They must outlive the call.
  Call(const Schema& schema, std::span<const Value* const> arguments, const ExecutionState& state, Device device,
      Effects& effects)
      : schema_(schema), arguments_(arguments), state_(state), device_(device), effects_(effects) {}
  // A call of the functional operator whose result an in-place or out= form writes.
  Call(const Schema& functional, std::span<const Value* const> arguments, const Call& form, Effects& effects)
      : Call(functional, arguments, form.state(), form.device(), effects) {
    form_ = &form;
  }

  const Schema& schema() const { return schema_; }
  const ExecutionState& state() const { return state_; }
  // The common device of the tensors. 0-dim cpu tensors give way to other devices. The cpu if there is no tensor. A
  // `device` argument is ignored.
  Device device() const { return device_; }
  bool OnCpu() const { return device_.is_cpu(); }
  // The in-place or out= form for which this call is made; null if the operator is called itself.
  const Call* form() const { return form_; }
  Effects& effects() { return effects_; }
  const Effects& effects() const { return effects_; }

  // ---- arguments by name: `call.In("self")`. A name that the schema lacks is an InternalError; an argument of another
  // type is an OpError of class TypeError that names the argument. To be removed when no rule reads arguments by
  // position any more: ArgumentName(int), size(), TensorArg, Meta and OptionalTensor.
  size_t size() const { return arguments_.size(); }
  std::span<const Value* const> arguments() const { return arguments_; }
  int Index(ArgumentName name) const {
    const int i = schema_.IndexOf(name);
    return i >= 0 ? i : FailName();
  }
  const Value& Arg(ArgumentName name) const { return *arguments_[Index(name)]; }
  bool IsNone(ArgumentName name) const { return Arg(name).IsNone(); }
  // For rules of several operators: the argument, or null if the schema does not have it or it is None.
  const Value* TryArg(ArgumentName name) const {
    const int i = schema_.IndexOf(name);
    return i >= 0 && !arguments_[i]->IsNone() ? arguments_[i] : nullptr;
  }
  bool Has(ArgumentName name) const { return TryArg(name) != nullptr; }
  // For rules of several operators: returns true if the schema has it.
  bool Declares(ArgumentName name) const { return schema_.IndexOf(name) >= 0; }
  // The name as the schema writes it, for messages.
  std::string_view NameOf(ArgumentName name) const { return schema_.arguments[Index(name)].name; }
  // For rules of several operators: returns true if there is a bool of this name and it is true.
  bool Flag(ArgumentName name) const {
    const int i = schema_.IndexOf(name);
    return i >= 0 && !IsNone(i) && Bool(i);
  }

  // Tensors.
  Operand In(ArgumentName name) const {
    const int i = Index(name);
    return Operand(*this, i, &TensorArg(i));
  }
  Operand OptionalIn(ArgumentName name) const {
    const int i = Index(name);
    return Operand(*this, i, OptionalTensor(i));
  }
  // For rules of several operators: the tensor of this name. Not given if the schema does not have it, or if it is a
  // number.
  Operand TryIn(ArgumentName name) const;
  // The tensors of these names, all of which must be given, and those that are given: in rules of several operators,
  // those that the schema has and that are no numbers.
  Operands Each(std::initializer_list<ArgumentName> names) const;
  Operands Given(std::initializer_list<ArgumentName> names) const;
  // Tensor[] and Tensor?[]. None becomes an operand that is not given.
  Operands ListIn(ArgumentName name) const;
  // ListIn of so many tensors, else an OpError of class ValueError: "takes 2 tensors in `hx`, got {}".
  Operands ListIn(ArgumentName name, size_t count, const Text& text = {}) const;
  std::vector<Tensor*> Tensors(ArgumentName name) const;  // the same; null for None
  Tensor& TensorArg(ArgumentName name) const {
    const int i = Index(name);
    if (Tensor* t = arguments_[i]->TryTensor()) return *t;
    FailType(i);
  }
  const TensorMeta& Meta(ArgumentName name) const { return TensorArg(name).meta; }
  Tensor* OptionalTensor(ArgumentName name) const {
    const int i = Index(name);
    return IsNone(i) ? nullptr : &TensorArg(i);
  }

  // Numbers.
  Dim DimArg(ArgumentName name) const;   // int or SymInt
  int64_t Int(ArgumentName name) const;  // an int that must be a number, not a symbol (dim, kernel counts)
  // DimArg. Throws an OpError of class ValueError if it is less than `least`: "takes a minlength of at least 0, not
  // {}".
  Dim SizeAtLeast(ArgumentName name, Dim least, const Text& text = {}) const;
  // Int. Throws an OpError of class ValueError if it is outside of [least, most]: "takes a mode from 0 to 2, not {}".
  int64_t IntBetween(ArgumentName name, int64_t least, int64_t most, const Text& text = {}) const;
  // A dimension of `of`, which the argument counts from either end, as an index.
  int64_t WrappedDim(ArgumentName name, const TensorMeta& of) const;
  std::optional<Dim> OptionalDim(ArgumentName name) const;
  std::optional<int64_t> OptionalInt(ArgumentName name) const;
  Dims DimList(ArgumentName name) const;  // int[] or SymInt[]; a single int counts as a list of one
  // DimList of so many numbers, else an OpError of class ValueError: "takes 2 numbers for stride, not {}".
  Dims DimList(ArgumentName name, size_t count, const Text& text = {}) const;
  std::optional<Dims> OptionalDimList(ArgumentName name) const;
  std::vector<int64_t> Ints(ArgumentName name) const;  // int[] of numbers, without symbols (dims)
  bool Bool(ArgumentName name) const;
  std::optional<bool> OptionalBool(ArgumentName name) const;
  std::vector<bool> Bools(ArgumentName name) const;
  double Float(ArgumentName name) const;
  std::optional<double> OptionalFloat(ArgumentName name) const;
  std::vector<double> Floats(ArgumentName name) const;
  const Value& Number(ArgumentName name) const;  // Scalar: int, float, bool or complex

  // Other types.
  std::string_view String(ArgumentName name) const;
  std::optional<std::string_view> OptionalString(ArgumentName name) const;
  std::optional<ScalarType> OptionalDtype(ArgumentName name) const;
  std::optional<Device> OptionalDevice(ArgumentName name) const;
  std::optional<Layout> OptionalLayout(ArgumentName name) const;
  std::optional<MemoryFormat> OptionalMemoryFormat(ArgumentName name) const;

  // ---- results, in the order of the schema's returns
  Output& ReturnNew(TensorMeta meta);  // dtype, device and strides as given
  Output& ReturnView(Tensor& of, TensorMeta meta);
  Output& ReturnAlias(Tensor& of, TensorMeta meta);  // not followed by autograd
  Output& ReturnArgument(Tensor& argument);          // the argument itself
  Output& ReturnNumber(Value value);
  void ReturnNone() { ReturnNumber(Value()); }
  void ReturnNewList(std::vector<TensorMeta> metas);
  void ReturnViewList(Tensor& of, std::vector<TensorMeta> metas);

  // ---- changes of arguments
  void Write(Tensor& target);                     // its data
  void WriteUnfollowed(Tensor& target);           // its data; autograd does not see it
  void SetMeta(Tensor& target, TensorMeta meta);  // its sizes, strides, offset

 private:
  [[noreturn]] int FailName() const;
  [[noreturn]] void FailType(int i) const;

  const Schema& schema_;
  std::span<const Value* const> arguments_;
  const ExecutionState& state_;
  Device device_;
  Effects& effects_;
  const Call* form_ = nullptr;
};

using Rule = void (*)(Call&);

}  // namespace fakeprop
