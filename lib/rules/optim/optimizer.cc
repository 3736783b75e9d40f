// Fused optimizer steps and the gradient scaler's updates: they change their arguments, or return changed copies.
// Source: aten/src/ATen/native/FusedAdam.cpp, FusedSGD.cpp, FusedAdagrad.cpp, AmpKernels.cu; meta__fused_adam in
// torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

Output CopyOf(const Call& call, const Tensor& t) {
  Output copy;
  copy.kind = Output::Kind::kNew;
  copy.meta = LikeMeta(call, t.meta, t.meta.dtype);
  return copy;
}

// A functional form's results are copies of arguments: `grads_out` of `grads`, the first one of the first where it
// has no name.
void ReturnCopies(Call& call) {
  for (const SchemaReturn& result : call.schema().returns) {
    const std::string_view name = result.name.substr(0, result.name.rfind("_out"));
    const int from = result.name.empty() ? 0 : call.schema().FindArgument(name);
    FAKEPROP_CHECK(from >= 0);
    Output output;
    if (call.schema().arguments[from].type.is_list) {
      output.kind = Output::Kind::kList;
      for (const Tensor* t : call.Tensors(from)) output.items.push_back(CopyOf(call, *t));
    } else {
      output = CopyOf(call, call.TensorArg(from));
    }
    call.effects().outputs.push_back(std::move(output));
  }
}

void WriteArguments(Call& call) {
  for (size_t i = 0; i < call.size(); ++i) {
    if (!call.schema().arguments[i].is_write) continue;
    for (Tensor* t : call.Tensors(static_cast<int>(i))) call.Write(*t);
  }
}

// What every form ends in.
void Finish(Call& call) {
  const bool writes = call.schema().arguments[0].is_write;
  if (!writes) return ReturnCopies(call);
  WriteArguments(call);
  if (!call.schema().returns.empty()) call.ReturnArgument(call.TensorArg(0));
}

void RequireLength(const Call& call, int list, size_t length) {
  const size_t got = call.Tensors(list).size();
  if (got == length) return;
  FailValue(call, "takes " + std::to_string(length) + " tensors in `" +
                      std::string(call.schema().arguments[list].name) + "`, got " + std::to_string(got));
}

// A tensor that is read as a number.
void RequireOneElement(const Call& call, const TensorMeta& t, std::string_view name) {
  if (!HasNumel(t, 1)) FailShape(call, "takes one element as `" + std::string(name) + "`, not " + ToString(t));
}

// A learning rate that the overload takes as a number, or a tensor of one element.
void RequireRate(const Call& call) {
  const int rate = call.Index("lr");
  if (call.schema().arguments[rate].type.kind == TypeKind::kFloat) {
    call.Float(rate);
  } else {
    RequireOneElement(call, call.Meta(rate), "lr");
  }
}

void RequireDtypeOf(const Call& call, const Tensor& parameter, const Tensor& other) {
  if (other.meta.dtype == parameter.meta.dtype) return;
  FailDtype(call,
      "takes tensors of the parameter's dtype, but found " + ToString(parameter.meta) + " and " + ToString(other.meta));
}

// One number for each parameter.
void RequireSteps(const Call& call, int list) {
  RequireLength(call, list, call.Tensors(0).size());
  for (const Tensor* t : call.Tensors(list)) RequireOneElement(call, t->meta, "state_steps");
}

// Parameters of floating-point dtype; the first `count` lists have the same length and dtypes.
void RequireParallel(const Call& call, int count) {
  const std::vector<Tensor*> parameters = call.Tensors(0);
  for (const Tensor* t : parameters) RequireFloat(call, t->meta.dtype);
  for (int list = 1; list < count; ++list) {
    RequireLength(call, list, parameters.size());
    const std::vector<Tensor*> others = call.Tensors(list);
    for (size_t i = 0; i < others.size(); ++i) RequireDtypeOf(call, *parameters[i], *others[i]);
  }
}

// A list that is there only in one mode of the optimizer.
void RequireOnlyWith(const Call& call, int list, bool used) {
  RequireLength(call, list, used ? call.Tensors(0).size() : 0);
}

// Where the gradient scaler says so, by data, the kernels return before they look at more than the learning rate.
bool MayBeSkipped(const Call& call) {
  for (const Operand& t : call.Given({"grad_scale", "found_inf"}))
    t.Takes(ScalarType::Float, {"takes float32 as {}, not {}", t.QuotedName(), *t});
  return call.OptionalTensor("found_inf");
}

// (self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, ...)
void Adam(Call& call) {
  RequireRate(call);
  if (MayBeSkipped(call)) return Finish(call);
  RequireParallel(call, 4);
  RequireOnlyWith(call, 4, call.Bool("amsgrad"));
  RequireSteps(call, 5);
  Finish(call);
}

// (self, grads, momentum_buffer_list, ...)
void Sgd(Call& call) {
  RequireRate(call);
  if (MayBeSkipped(call)) return Finish(call);
  RequireParallel(call, 2);
  RequireOnlyWith(call, 2, call.Float("momentum") != 0);
  const std::vector<Tensor*> parameters = call.Tensors(0), buffers = call.Tensors(2);
  for (size_t i = 0; i < buffers.size(); ++i) RequireDtypeOf(call, *parameters[i], *buffers[i]);
  Finish(call);
}

// (self, grads, state_sums, state_steps, ...)
void Adagrad(Call& call) {
  RequireRate(call);
  if (MayBeSkipped(call)) return Finish(call);
  RequireParallel(call, 3);
  RequireSteps(call, 3);
  Finish(call);
}

// One element of this dtype.
void RequireElement(const Call& call, int argument, ScalarType dtype) {
  const TensorMeta& t = call.Meta(argument);
  const std::string name(call.schema().arguments[argument].name);
  RequireOneElement(call, t, name);
  if (t.dtype != dtype)
    FailDtype(call, "takes " + std::string(DtypeName(dtype)) + " as `" + name + "`, not " + ToString(t));
}

// (self, found_inf, inv_scale)
void Unscale(Call& call) {
  if (call.Tensors(0).empty()) return Finish(call);
  RequireElement(call, 1, ScalarType::Float);
  RequireElement(call, 2, ScalarType::Float);
  for (const Tensor* t : call.Tensors(0)) RequireFloat(call, t->meta.dtype);
  Finish(call);
}

// (self, growth_tracker, found_inf, ...)
void UpdateScale(Call& call) {
  RequireElement(call, 0, ScalarType::Float);
  RequireElement(call, 1, ScalarType::Int);
  RequireElement(call, 2, ScalarType::Float);
  Finish(call);
}

constexpr RuleRow kRows[] = {
    {"aten::_fused_adam", Adam},
    {"aten::_fused_adam.tensor_lr", Adam},
    {"aten::_fused_adam_", Adam},
    {"aten::_fused_adam_.tensor_lr", Adam},
    {"aten::_fused_adamw", Adam},
    {"aten::_fused_adamw.tensor_lr", Adam},
    {"aten::_fused_adamw_", Adam},
    {"aten::_fused_adamw_.tensor_lr", Adam},
    {"aten::_fused_sgd", Sgd},
    {"aten::_fused_sgd.tensor_lr", Sgd},
    {"aten::_fused_sgd_", Sgd},
    {"aten::_fused_sgd_.tensor_lr", Sgd},
    {"aten::_fused_adagrad", Adagrad},
    {"aten::_fused_adagrad.tensor_lr", Adagrad},
    {"aten::_fused_adagrad_", Adagrad},
    {"aten::_fused_adagrad_.tensor_lr", Adagrad},
    {"aten::_amp_foreach_non_finite_check_and_unscale", Unscale, Devices::kAny},
    {"aten::_amp_foreach_non_finite_check_and_unscale_", Unscale, Devices::kAny},
    {"aten::_amp_update_scale", UpdateScale},
    {"aten::_amp_update_scale_", UpdateScale},
};

}  // namespace

RuleRows OptimizerRules() { return kRows; }

}  // namespace fakeprop::rules
