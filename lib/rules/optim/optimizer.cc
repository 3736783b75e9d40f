// Fused optimizer steps and the gradient scaler's updates: they change their arguments, or return changed copies.
// Source: aten/src/ATen/native/FusedAdam.cpp, FusedSGD.cpp, FusedAdagrad.cpp, AmpKernels.cu; meta__fused_adam in
// torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/outputs.h"

namespace fakeprop::rules {
namespace {

// A functional form's results are copies of arguments: `grads_out` of `grads`. A result without a name is one of self.
void ReturnCopies(Call& call) {
  const auto copy = [&](const TensorMeta& t) { return LikeMeta(call, t, t.dtype); };
  for (const SchemaReturn& result : call.schema().returns) {
    const std::string_view name = result.name.empty() ? "self" : result.name.substr(0, result.name.rfind("_out"));
    const int from = call.schema().FindArgument(name);
    FAKEPROP_CHECK(from >= 0);
    std::vector<TensorMeta> copies;
    for (const Operand& t : call.ListIn(from)) copies.push_back(copy(t));
    const bool is_list = call.schema().arguments[from].type.is_list;
    is_list ? call.ReturnNewList(std::move(copies)) : void(Return(call, NewOutput(copies[0])));
  }
}

void WriteArguments(Call& call) {
  const std::vector<SchemaArgument>& arguments = call.schema().arguments;
  for (int i = 0; i < static_cast<int>(arguments.size()); ++i) {
    if (!arguments[i].is_write) continue;
    for (Tensor* t : call.Tensors(i)) call.Write(*t);
  }
}

// All forms end in this.
void Finish(Call& call) {
  if (!call.schema().arguments[call.Index("self")].is_write) return ReturnCopies(call);
  WriteArguments(call);
  if (!call.schema().returns.empty()) call.ReturnArgument(call.In("self").tensor());
}

// A tensor that is read as a number.
Operand RequireOneElement(const Operand& t) { return t.NumelIs(1, "takes one element as {name}, not {tensor}"); }

// A learning rate that the overload takes as a number, or a tensor of one element.
void RequireRate(const Call& call) {
  if (call.schema().arguments[call.Index("lr")].type.kind == TypeKind::kFloat) return void(call.Float("lr"));
  RequireOneElement(call.In("lr"));
}

// Each has the dtype of the parameter at the same place.
void RequireDtypesOf(const Operands& parameters, const Operands& others) {
  for (size_t i = 0; i < others.size(); ++i)
    others[i].SameDtypeAs(
        parameters[i], {"takes tensors of the parameter's dtype, but found {} and {tensor}", *parameters[i]});
}

// One number for each parameter.
void RequireSteps(const Call& call) {
  for (const Operand& t : call.ListIn("state_steps", call.Tensors("self").size())) RequireOneElement(t);
}

// Parameters of floating-point dtype, and lists of as many tensors of the same dtypes.
void RequireParallel(const Call& call, ArgumentNames lists) {
  const Operands parameters = call.ListIn("self").Takes(kFloating);
  for (ArgumentName list : lists) RequireDtypesOf(parameters, call.ListIn(list, parameters.size()));
}

// A list that only one mode of the optimizer has.
Operands OnlyWith(const Call& call, ArgumentName list, bool used) {
  return call.ListIn(list, used ? call.Tensors("self").size() : 0);
}

// With found_inf, which is data, the kernels may return before they look at more than the learning rate.
bool MayBeSkipped(const Call& call) {
  call.Given({"grad_scale", "found_inf"}).Takes(ScalarType::Float);
  return call.Has("found_inf");
}

void RequireAdam(const Call& call) {
  RequireParallel(call, {"grads", "exp_avgs", "exp_avg_sqs"});
  OnlyWith(call, "max_exp_avg_sqs", call.Bool("amsgrad"));
  RequireSteps(call);
}

void RequireSgd(const Call& call) {
  RequireParallel(call, {"grads"});
  RequireDtypesOf(call.ListIn("self"), OnlyWith(call, "momentum_buffer_list", call.Float("momentum") != 0));
}

void RequireAdagrad(const Call& call) {
  RequireParallel(call, {"grads", "state_sums"});
  RequireSteps(call);
}

template <void (*kRequire)(const Call&)>
void Step(Call& call) {
  RequireRate(call);
  if (!MayBeSkipped(call)) kRequire(call);
  Finish(call);
}

// One element of this dtype.
template <ArgumentName kName, ScalarType kDtype = ScalarType::Float>
void RequireElement(const Call& call) {
  RequireOneElement(call.In(kName)).Takes(kDtype, {"takes {} as {name}, not {tensor}", kDtype});
}

void Unscale(Call& call) {
  const Operands gradients = call.ListIn("self");
  if (gradients.empty()) return Finish(call);
  InOrder<RequireElement<"found_inf">, RequireElement<"inv_scale">>(call);
  gradients.Takes(kFloating);
  Finish(call);
}

constexpr Rule UpdateScale = InOrder<RequireElement<"self">, RequireElement<"growth_tracker", ScalarType::Int>,
    RequireElement<"found_inf">, Finish>;

constexpr RuleRow kRows[] = {
    {"aten::_fused_adam", Step<RequireAdam>},
    {"aten::_fused_adam.tensor_lr", Step<RequireAdam>},
    {"aten::_fused_adam_", Step<RequireAdam>},
    {"aten::_fused_adam_.tensor_lr", Step<RequireAdam>},
    {"aten::_fused_adamw", Step<RequireAdam>},
    {"aten::_fused_adamw.tensor_lr", Step<RequireAdam>},
    {"aten::_fused_adamw_", Step<RequireAdam>},
    {"aten::_fused_adamw_.tensor_lr", Step<RequireAdam>},
    {"aten::_fused_sgd", Step<RequireSgd>},
    {"aten::_fused_sgd.tensor_lr", Step<RequireSgd>},
    {"aten::_fused_sgd_", Step<RequireSgd>},
    {"aten::_fused_sgd_.tensor_lr", Step<RequireSgd>},
    {"aten::_fused_adagrad", Step<RequireAdagrad>},
    {"aten::_fused_adagrad.tensor_lr", Step<RequireAdagrad>},
    {"aten::_fused_adagrad_", Step<RequireAdagrad>},
    {"aten::_fused_adagrad_.tensor_lr", Step<RequireAdagrad>},
    {"aten::_amp_foreach_non_finite_check_and_unscale", Unscale, Devices::kAny},
    {"aten::_amp_foreach_non_finite_check_and_unscale_", Unscale, Devices::kAny},
    {"aten::_amp_update_scale", UpdateScale},
    {"aten::_amp_update_scale_", UpdateScale},
};

}  // namespace

RuleRows OptimizerRules() { return kRows; }

}  // namespace fakeprop::rules
