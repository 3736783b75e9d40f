// A call as text, its effects applied, for tests of what that does to tensors.
#pragma once

#include <string>
#include <vector>

#include "lib/interpreter/apply.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/testing/parsed_call.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {

// One call on tensors as text, its rule's effects applied.
class AppliedCall {
 public:
  explicit AppliedCall(const std::string& call) : call_(testing::ParseCall(call)) {}

  Tensor& tensor(size_t i) { return *call_.tensors.at(i); }
  // A leaf that requires grad.
  AppliedCall& Grad(size_t i) {
    tensor(i).own_requires_grad = true;
    return *this;
  }
  // The result of an operation that requires grad.
  AppliedCall& Inner(size_t i) {
    tensor(i).is_leaf = false;
    return Grad(i);
  }
  // Makes the first tensor a view of a leaf that requires grad or not.
  AppliedCall& ViewOf(bool requires_grad, ViewOrigin origin = ViewOrigin::kPlain) {
    Tensor& view = tensor(0);
    view.base = call_.objects.NewTensor(view.meta, view.storage);
    view.base->own_requires_grad = requires_grad;
    view.origin = origin;
    return *this;
  }
  // Gives the same value for both arguments.
  AppliedCall& WithTheSame(size_t i, size_t j) {
    call_.arguments.at(j).value = call_.arguments.at(i).value;
    return *this;
  }
  AppliedCall& NoGrad() {
    state_.grad_enabled = false;
    return *this;
  }

  Value Run() {
    const std::vector<const Value*> arguments = BindArguments(*call_.schema, call_.arguments);
    const ServedRule* rule = FindRule(*call_.schema);
    Effects effects;
    Call call(*call_.schema, arguments, state_, CommonDevice(*call_.schema, arguments, rule->devices), effects);
    RunRule(*rule, call);
    return ApplyEffects(
        effects, *call_.schema, arguments, FindGradRule(*call_.schema, rule, state_.torch), state_, call_.objects);
  }

  // "f32[3] grad", of several results "f32[3] grad; i64[3]"; "!" and the message of an error.
  std::string Text() {
    try {
      return TextOf(Run());
    } catch (const OpError& e) {
      return "!" + e.message();
    }
  }

 private:
  static std::string TextOf(const Value& value) {
    std::string text;
    ForEachValue(value, [&](const Value& inner) {
      if (inner.TryList()) return;
      const Tensor* t = inner.TryTensor();
      text += text.empty() ? "" : "; ";
      text += t ? testing::ShortText(inner) + (t->RequiresGrad() ? " grad" : "") : ToString(inner);
    });
    return text;
  }

  testing::ParsedCall call_;
  ExecutionState state_;
};

}  // namespace fakeprop
