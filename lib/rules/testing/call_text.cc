#include "lib/rules/testing/call_text.h"

#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::testing {
namespace {

class Printer {
 public:
  explicit Printer(const std::vector<Tensor*>& tensors) : tensors_(tensors) {}

  std::string Text(const Effects& effects) const {
    std::string out;
    for (const Output& o : effects.outputs) out += (out.empty() ? "" : ", ") + OutputText(o);
    for (const Mutation& m : effects.mutations) {
      if (m.meta) out += "; " + Index(m.target) + " := " + TensorText(*m.meta);
      if (m.writes) out += "; writes " + Index(m.target);
    }
    return out;
  }

 private:
  std::string OutputText(const Output& o) const {
    switch (o.kind) {
      case Output::Kind::kValue: return ToString(o.value);
      case Output::Kind::kNew: return TensorText(o.meta);
      case Output::Kind::kView: return "view(" + Index(o.source) + ") " + TensorText(o.meta);
      case Output::Kind::kAlias: return "alias(" + Index(o.source) + ") " + TensorText(o.meta);
      case Output::Kind::kArgument: return "arg(" + Index(o.source) + ")";
      case Output::Kind::kList: break;
    }
    std::string out = "[";
    for (size_t i = 0; i < o.items.size(); ++i) out += (i ? ", " : "") + OutputText(o.items[i]);
    return out + "]";
  }

  std::string Index(const Tensor* tensor) const {
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i] == tensor) return std::to_string(i);
    return "?";
  }

  const std::vector<Tensor*>& tensors_;
};

}  // namespace

std::string RunCallWith(const std::string& call_text, const ExecutionState& state, bool with_message,
    const std::function<void(Call&)>& run) {
  return RunParsedWith(ParseCall(call_text), state, with_message, run);
}

std::string RunParsedWith(
    const ParsedCall& parsed, const ExecutionState& state, bool with_message, const std::function<void(Call&)>& run) {
  const Schema* schema = parsed.schema;
  if (!schema) return "no schema " + parsed.op;
  try {
    const std::vector<const Value*> bound = BindArguments(*schema, parsed.arguments);
    const ServedRule* served = FindRule(*schema);
    Effects effects;
    Call call(*schema, bound, state, CommonDevice(*schema, bound, served ? served->devices : Devices::kAny), effects);
    run(call);
    return Printer(parsed.tensors).Text(effects);
  } catch (const OpError& e) {
    return "!" + std::string(Name(e.error_class())) + (with_message ? ": " + e.message() : "");
  }
}

std::string RunCall(const std::string& call_text, const ExecutionState& state, bool with_message) {
  bool served_by_rule = true;
  std::string text = RunCallWith(call_text, state, with_message, [&](Call& call) {
    const ServedRule* served = FindRule(call.schema());
    served_by_rule = served != nullptr;
    if (served) RunRule(*served, call);
  });
  return served_by_rule ? text : "no rule for " + call_text.substr(0, call_text.find('('));
}

}  // namespace fakeprop::testing
