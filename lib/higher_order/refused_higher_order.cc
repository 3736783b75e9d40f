// Higher-order operators whose results are in no graph: a method of an object, a program of a backend, Python code.
#include "lib/higher_order/higher_order_tables.h"

namespace fakeprop {
namespace {

struct Refusal {
  std::string_view name;
  std::string_view reason;
};

constexpr Refusal kRefusals[] = {
    {"call_torchbind", "it calls a method of a script object, and only the object's class knows what that returns"},
    {"custom_function_call", "it calls an autograd.Function of Python, whose code is in no file"},
    {"dynamo_bypassing_wrapper", "it calls a wrapper written in Python, whose code is in no file"},
    {"executorch_call_delegate",
        "it calls a program that was lowered for a backend, and the file has only the program's name"},
    {"flat_apply", "it calls a function of Python, whose code is in no file"},
    {"inductor_compiled_code", "it calls code that inductor compiled, which is in no file"},
    {"invoke_leaf_function", "it calls a function of Python, whose code is in no file"},
    {"trace_wrapped", "it calls a hook of Python, whose code is in no file"},
};

// What the call names: a method, a delegate; empty where it names nothing.
std::string Called(const HigherOrderCall& call) {
  std::string called;
  for (const Value& value : call.Positional()) {
    std::string text;
    if (const auto* object = value.TryGet<Opaque>())
      text = (object->name.empty() ? "an object" : "`" + object->name + "`") + " of class " + object->class_name;
    if (const auto* name = value.TryGet<std::string>()) text = "`" + *name + "`";
    if (!text.empty()) called += (called.empty() ? "" : ", ") + text;
  }
  return called.empty() ? "" : " (" + called + ")";
}

}  // namespace

std::string_view FindRefusal(std::string_view name) {
  for (const Refusal& refusal : kRefusals)
    if (refusal.name == name) return refusal.reason;
  return {};
}

Value Refuse(HigherOrderCall& call) {
  Fail(ErrorClass::kUnsupportedOperator,
      call.Name() + Called(call) + " cannot be run on metadata: " + std::string(FindRefusal(call.Name())));
}

}  // namespace fakeprop
