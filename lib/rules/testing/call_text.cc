#include "lib/rules/testing/call_text.h"

#include <algorithm>

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
      if (!m.parts.empty())
        out += "; " + Index(m.target) + " := " + PartsText(m.meta.value_or(m.target->meta), m.parts, m.is_coalesced);
      else if (m.meta) out += "; " + Index(m.target) + " := " + TensorText(*m.meta);
      if (m.writes) out += "; writes " + Index(m.target);
    }
    return out;
  }

 private:
  std::string OutputText(const Output& o) const {
    switch (o.kind) {
      case Output::Kind::kValue: return ToString(o.value);
      case Output::Kind::kNew: return MetaText(o);
      case Output::Kind::kView: return "view(" + Index(o.source) + ") " + MetaText(o);
      case Output::Kind::kAlias: return "alias(" + Index(o.source) + ") " + MetaText(o);
      case Output::Kind::kArgument: return "arg(" + Index(o.source) + ")";
      case Output::Kind::kList: break;
    }
    std::string out = "[";
    for (size_t i = 0; i < o.items.size(); ++i) out += (i ? ", " : "") + OutputText(o.items[i]);
    return out + "]";
  }

  static std::string MetaText(const Output& o) {
    return o.items.empty() ? TensorText(o.meta) : PartsText(o.meta, o.items, o.is_coalesced);
  }

  static std::string PartsText(const TensorMeta& whole, const std::vector<Output>& parts, bool is_coalesced) {
    std::vector<std::string> texts;
    for (const Output& part : parts)
      texts.push_back(TensorText(part.source && part.kind == Output::Kind::kArgument ? part.source->meta : part.meta));
    std::rotate(texts.begin(), texts.begin() + 1, texts.end());  // the values come last
    return SparseText(whole, texts, is_coalesced);
  }

  std::string Index(const Tensor* tensor) const {
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (tensors_[i] == tensor) return std::to_string(i);
    return PartIndex(tensor);
  }

  // A part of a sparse argument.
  std::string PartIndex(const Tensor* tensor) const {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const SparseParts* parts = tensors_[i]->parts;
      if (parts && parts->indices == tensor) return std::to_string(i) + ".indices";
      if (parts && parts->plain == tensor) return std::to_string(i) + ".plain";
    }
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
