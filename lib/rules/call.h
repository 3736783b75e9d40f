// One operator call as a rule sees it: typed arguments by position in the schema, and the effects to state.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "lib/graph/schema.h"
#include "lib/meta/error.h"
#include "lib/rules/effects.h"

namespace fakeprop {

// The walk's state that results depend on.
struct WalkState {
  bool grad_enabled = true;
  ScalarType default_dtype = ScalarType::Float;
  struct Autocast {
    bool enabled = false;
    ScalarType dtype = ScalarType::BFloat16;
  };
  Autocast cpu_autocast;
  Autocast cuda_autocast{false, ScalarType::Half};
  // Whether LibTorch's CPU kernel may run on zeros where nothing else serves an operator.
  bool allow_fallback_kernels = false;
};

class Call {
 public:
  // `arguments`: one for each of the schema's, defaults filled in; they outlive the call.
  Call(const Schema& schema, std::span<const Value* const> arguments, const WalkState& state, Device device,
      Effects& effects)
      : schema_(schema), arguments_(arguments), state_(state), device_(device), effects_(effects) {}

  const Schema& schema() const { return schema_; }
  const WalkState& state() const { return state_; }
  // The device that the call runs on: an explicit device argument's is not looked at here, but that of the tensors
  // (a 0-dim cpu tensor gives way to others); cpu where there is none.
  Device device() const { return device_; }
  Effects& effects() { return effects_; }

  // ---- arguments. One of another type than asked for is an OpError of class TypeError that names it.
  size_t size() const { return arguments_.size(); }
  const Value& Arg(int i) const { return *arguments_[i]; }
  bool IsNone(int i) const { return Arg(i).IsNone(); }
  // The index of an argument by its schema name, which the schema must have.
  int Index(std::string_view name) const;

  Tensor& TensorArg(int i) const;
  const TensorMeta& Meta(int i) const { return TensorArg(i).meta; }
  Tensor* OptionalTensor(int i) const;
  // Tensor[] and Tensor?[]; null for None.
  std::vector<Tensor*> Tensors(int i) const;
  Dim DimArg(int i) const;   // int or SymInt
  int64_t Int(int i) const;  // an int that must be a number (dim, kernel counts)
  std::optional<Dim> OptionalDim(int i) const;
  std::optional<int64_t> OptionalInt(int i) const;
  Dims DimList(int i) const;  // int[] or SymInt[]; a single int counts as a list of one
  std::optional<Dims> OptionalDimList(int i) const;
  std::vector<int64_t> Ints(int i) const;  // int[] of numbers (dims)
  bool Bool(int i) const;
  std::optional<bool> OptionalBool(int i) const;
  std::vector<bool> Bools(int i) const;
  double Float(int i) const;
  std::optional<double> OptionalFloat(int i) const;
  std::vector<double> Floats(int i) const;
  std::string_view String(int i) const;
  std::optional<std::string_view> OptionalString(int i) const;
  const Value& Number(int i) const;  // Scalar: int, float, bool or complex
  std::optional<ScalarType> OptionalDtype(int i) const;
  std::optional<Device> OptionalDevice(int i) const;
  std::optional<Layout> OptionalLayout(int i) const;
  std::optional<MemoryFormat> OptionalMemoryFormat(int i) const;

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
  void SetMeta(Tensor& target, TensorMeta meta);  // its sizes, strides, offset

 private:
  const Schema& schema_;
  std::span<const Value* const> arguments_;
  const WalkState& state_;
  Device device_;
  Effects& effects_;
};

using Rule = void (*)(Call&);

}  // namespace fakeprop
