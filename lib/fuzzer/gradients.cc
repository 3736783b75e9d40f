#include "lib/fuzzer/gradients.h"

#include <ATen/core/Tensor.h>

#include "lib/dispatch/libtorch_version.h"
#include "lib/fuzzer/outcomes.h"
#include "lib/interpreter/apply.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::fuzzer {
namespace {

// What an argument is to autograd. A view's base exists for its sake alone.
void Stage(Tensor& t, Oracle oracle, ObjectTable& objects) {
  t.own_requires_grad = true;
  t.is_leaf = oracle == Oracle::kGradLeaf || oracle == Oracle::kNoGrad;
  if (oracle != Oracle::kGradView) return;
  t.base = objects.NewTensor(t.meta, t.storage);
  t.base->own_requires_grad = true;
  t.base->is_leaf = false;
}

void Stage(testing::ParsedCall& call, Oracle oracle) {
  for (Tensor* t : call.tensors) {
    if (!IsFloatOrComplex(t->meta.dtype)) continue;
    Stage(*t, oracle, call.objects);
    if (oracle == Oracle::kGradFirst) return;
  }
}

struct Answer {
  std::string text;  // who requires grad: results, then arguments; a character each
  std::optional<std::string> error;
};

char Mark(bool requires_grad) { return requires_grad ? 'g' : '-'; }

void AddMarks(const Value& value, std::string& text) {
  ForEachTensor(value, [&](const Tensor& t) { text += Mark(t.RequiresGrad()); });
}

void AddMarks(const c10::IValue& value, std::string& text) {
  if (value.isTensor() && value.toTensor().defined()) text += Mark(value.toTensor().requires_grad());
  if (value.isTensorList() || value.isOptionalTensorList())
    for (const c10::IValue& item : value.toListRef()) AddMarks(item, text);
}

Answer OurAnswer(testing::ParsedCall& parsed, const ExecutionState& state) {
  Answer answer;
  try {
    const std::vector<const Value*> bound = BindArguments(*parsed.schema, parsed.arguments);
    const ServedRule* served = FindRule(*parsed.schema);
    Effects effects;
    Call call(*parsed.schema, bound, state, CommonDevice(*parsed.schema, bound, Devices::kAny), effects);
    RunOurs(served, call);
    const Value results = ApplyEffects(
        effects, *parsed.schema, bound, FindGradRule(*parsed.schema, served, state.torch), state, parsed.objects);
    AddMarks(results, answer.text);
    answer.text += '|';
    for (const Tensor* t : parsed.tensors) AddMarks(Value(const_cast<Tensor*>(t)), answer.text);
  } catch (const OpError& e) {
    answer.error = e.message();
  }
  return answer;
}

Answer RealAnswer(const testing::ParsedCall& parsed, const ExecutionState& state, libtorch::Integers integers) {
  Answer answer;
  try {
    const std::vector<const Value*> bound = BindArguments(*parsed.schema, parsed.arguments);
    Effects effects;
    const Call call(*parsed.schema, bound, state, Device(DeviceType::CPU), effects);
    libtorch::RealTensors tensors(integers);
    for (const c10::IValue& result : libtorch::RunReal(call, tensors)) AddMarks(result, answer.text);
    answer.text += '|';
    for (Tensor* t : parsed.tensors) answer.text += Mark(tensors.Make(*t).requires_grad());
  } catch (const OpError& e) {
    answer.error = e.message();
  }
  return answer;
}

}  // namespace

std::string CompareGradients(const std::string& call_text, Oracle oracle) {
  ExecutionState state{.torch = dispatch::kLibTorch};
  state.grad_enabled = oracle != Oracle::kNoGrad;
  testing::ParsedCall for_us = testing::ParseCall(call_text), for_them = testing::ParseCall(call_text);
  Stage(for_us, oracle);
  Stage(for_them, oracle);
  const Answer ours = OurAnswer(for_us, state);
  Answer real = RealAnswer(for_them, state, libtorch::Integers::kOnes);
  if (real.error) real = RealAnswer(for_them, state, libtorch::Integers::kZeros);
  if (ours.error && real.error) return "";
  if (ours.error) return "ours fails: " + *ours.error;
  if (real.error) return "autograd fails: " + *real.error;
  return ours.text == real.text ? ""
                                : "requires_grad of results|arguments: ours " + ours.text + ", autograd " + real.text;
}

}  // namespace fakeprop::fuzzer
