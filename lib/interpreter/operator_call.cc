#include "lib/interpreter/operator_call.h"

#include "lib/autocast/autocast.h"
#include "lib/autocast/autocast_symbols.h"
#include "lib/diag/code_table.h"
#include "lib/interpreter/crossref.h"
#include "lib/interpreter/eager_words.h"
#include "lib/interpreter/hint_twins.h"
#include "lib/interpreter/known_elements.h"
#include "lib/interpreter/node_diagnostic.h"
#include "lib/interpreter/node_host.h"
#include "lib/meta/value_visit.h"
#include "lib/python/op_rules.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/derived/on_other_layouts.h"

namespace fakeprop {
namespace {

std::string SymbolsOf(const Value& value) {
  if (const Dim* d = value.TryGet<Dim>()) return d->IsSymbolic() ? d->ToString() : "";
  if (value.Is<Symbolic>()) return ToString(value);
  if (const Tensor* t = value.TryTensor()) {
    for (DimSpan dims : {t->meta.size_span(), t->meta.stride_span(), DimSpan(&t->meta.storage_offset, 1)})
      for (Dim d : dims)
        if (d.IsSymbolic()) return d.ToString();
    return t->storage->nbytes.IsSymbolic() ? t->storage->nbytes.ToString() : "";
  }
  return "";
}

// An expression over symbols among the arguments; empty if there is none.
std::string FindSymbols(std::span<const Value* const> arguments) {
  std::string found;
  auto has_symbols = [&](const Value& value) { return !(found = SymbolsOf(value)).empty(); };
  for (const Value* argument : arguments)
    if (AnyValue(*argument, has_symbols)) break;
  return found;
}

// Some of LibTorch's composites read data although the result does not depend on it, compute at once if a cpu tensor
// needs no gradient, or choose a kernel that is not served. Our rule for the composite operator then serves the call.
bool MayYieldToRule(const OpError& e) {
  return e.error_class() == ErrorClass::kDataDependentOutput || e.error_class() == ErrorClass::kDynamicOutputShape ||
         e.error_class() == ErrorClass::kUnsupportedOperator;
}

// A call on tensors without hidden dimensions of torch.vmap.
class OperatorCall {
 public:
  OperatorCall(const CallSite& site, const ServedOperator& op, CallArguments& arguments)
      : site_(site), runtime_(site.runtime), op_(op), schema_(op.schema), arguments_(arguments) {}

  Value Run() {
    try {
      Serve();
      Value result =
          ApplyEffects(effects_, schema_, arguments_.span(), op_.grad, runtime_.AutogradState(), runtime_.objects);
      if (KeepsElements()) PassConstant(arguments_.span(), result);
      return result;
    } catch (const OpError& e) {
      const std::string words = WordsOfEager(e);
      if (words.empty()) throw;
      throw OpError(e.error_class(), JoinEagerWords(e.message(), words), e.operands());
    }
  }

 private:
  // What eager PyTorch says of the call, at the hints of symbols. Empty if it says nothing.
  std::string WordsOfEager(const OpError& error) {
    if (!MayEagerRefuse(error.error_class()) || runtime_.eager_questions <= 0) return {};
    --runtime_.eager_questions;
    if (FindSymbols(arguments_.span()).empty()) return WordsOfEager(arguments_.span());
    HintTwins twins(runtime_.objects);
    const auto numbers = twins.Of(arguments_.span());
    return numbers ? WordsOfEager(*numbers) : "";
  }

  std::string WordsOfEager(std::span<const Value* const> arguments) {
    try {
      LibTorchFallback* libtorch = runtime_.fallback.Open();
      Effects none;
      const Call call(schema_, arguments, runtime_.AutogradState(), Device(DeviceType::CPU), none);
      return libtorch ? std::string(WordsOfAllVersions(schema_, libtorch->WordsOfEager(call))) : "";
    } catch (const std::bad_alloc&) {  // LibTorch does not fit into the memory that this process may have
      return {};
    }
  }

  // The order of service. lib/dispatch/fallback.cc has the order for operators that LibTorch calls.
  void Serve() {
    const OpRules* op_rules = runtime_.options.op_rules;
    if (const OpRule* given = op_rules ? op_rules->Find(schema_) : nullptr) return ServeByOpRule(*given);
    if (runtime_.stand_in && runtime_.stand_in->Knows(schema_.full_name)) return ServeByStandIn();
    if (IsAutocastOn(runtime_.state)) {
      const bool listed = CastArguments(schema_, runtime_.AutogradState(), arguments_, runtime_.objects);
      if (!listed && MayHaveListedParts(schema_)) return ServeByParts();
    }
    if (!op_.rule) return ServeByLibTorch(arguments_.span());
    if (runtime_.options.crossref) return ServeByRuleAndCompare();
    ServeByRule();
  }

  // In-place, out= and copying forms pass on no elements.
  bool KeepsElements() const {
    return op_.rule && op_.rule->form == Form::kDirect && op_.rule->facts->elements == Elements::kKept;
  }

  void ServeByRule() {
    Call call = NewCall(op_.rule->devices);
    RunRule(*op_.rule, call);
  }

  void ServeByStandIn() {
    Call call = NewCall(Devices::kAny);
    runtime_.stand_in->Run(call);
  }

  // The body calls operators. Their effects are not those of the call.
  void ServeByOpRule(const OpRule& rule) {
    constexpr int kMostNested = 20;
    if (site_.rule_depth >= kMostNested)
      Fail(
          ErrorClass::kValueError, "the rule of " + std::string(rule.schema().full_name) + " calls itself without end");
    NodeHost host({runtime_, site_.frame, site_.node, site_.rule_depth + 1});
    Python python(host, runtime_.python);
    Call call = NewCall(Devices::kAny);
    rule.Run(python, call);
  }

  // Under autocast LibTorch may serve an operator that has a rule. If LibTorch has no answer, the rule serves it.
  void ServeByLibTorch(std::span<const Value* const> arguments) {
    RefuseSymbols(arguments);
    Call call(schema_, arguments, runtime_.state, CommonDevice(schema_, arguments, Devices::kAny), effects_);
    RequireStrided(call);
    LibTorchFallback& libtorch = runtime_.fallback.Need(schema_);
    try {
      libtorch.Run(call);
    } catch (const OpError& e) {
      if (!op_.rule || !MayYieldToRule(e)) throw;
      effects_.Clear();
      RunRule(*op_.rule, call);
    }
  }

  void RefuseSymbols(std::span<const Value* const> arguments) const {
    if (const std::string symbol = FindSymbols(arguments); !symbol.empty())
      Fail(ErrorClass::kUnsupportedOperator, std::string(schema_.full_name) +
                                                 " has no rule here, and LibTorch's kernels take no "
                                                 "symbols such as `" +
                                                 symbol + "`: concrete shapes in the input spec avoid them");
  }

  // A composite operator with inner operators on autocast's lists.
  void ServeByParts() {
    HintTwins twins(runtime_.objects);
    const bool symbolic = op_.rule && !FindSymbols(arguments_.span()).empty();
    const auto numbers = symbolic ? twins.Of(arguments_.span()) : std::nullopt;
    if (!numbers) return ServeByLibTorch(arguments_.span());
    ServeByLibTorch(*numbers);
    const Effects by_parts = std::exchange(effects_, {});
    ServeByRuleInTheirDtypes();
    TakeDtypes(schema_, effects_, by_parts);
  }

  // The operands may have equal dtypes only after the casts for the inner operators.
  void ServeByRuleInTheirDtypes() {
    try {
      ServeByRule();
    } catch (const OpError& e) {
      if (e.error_class() != ErrorClass::kDtypeMismatch) throw;
      CastAll(runtime_.AutogradState(), arguments_, runtime_.objects);
      effects_.Clear();
      ServeByRule();
    }
  }

  // The rule's answer counts, whatever LibTorch's is.
  void ServeByRuleAndCompare() {
    const size_t symbols = runtime_.shape_env.symbols().size();
    Call call = NewCall(op_.rule->devices);
    Outcome by_rule = OutcomeOf(call, [&](Call& c) { RunRule(*op_.rule, c); });
    // LibTorch has no symbols for numbers that depend on data.
    const bool is_unbacked = runtime_.shape_env.symbols().size() > symbols || !by_rule.effects.remembered.empty();
    if (LibTorchFallback* libtorch = runtime_.fallback.Open())
      AddComparison(
          is_unbacked ? NotCompared(schema_, kDataDecides) : Compare(*libtorch, call, by_rule), site_.frame.path,
          [&](std::string message) { return ReportDifference(message); }, runtime_.crossref);
    if (by_rule.error) throw *by_rule.error;
    effects_ = std::move(by_rule.effects);
  }

  // LibTorch runs at the hints of symbols.
  Comparison Compare(LibTorchFallback& libtorch, Call& call, const Outcome& by_rule) {
    if (FindSymbols(arguments_.span()).empty()) return CompareWithLibTorch(libtorch, *op_.rule, call, by_rule);
    HintTwins twins(runtime_.objects);
    const auto numbers = twins.Of(arguments_.span());
    std::optional<Effects> at_hints = numbers ? twins.Of(by_rule.effects) : std::nullopt;
    if (!at_hints) return NotCompared(schema_, kDataDecides);
    Effects effects;
    Call with_numbers(schema_, *numbers, runtime_.state, CommonDevice(schema_, *numbers, op_.rule->devices), effects);
    return CompareWithLibTorch(libtorch, *op_.rule, with_numbers, {std::move(*at_hints), by_rule.error});
  }

  Diagnostic ReportDifference(const std::string& message) const {
    const Frame& frame = site_.frame;
    return ReportNode(frame.graph, site_.node, kRuleDiffers, message, {}, frame.values, runtime_.inputs.given());
  }

  Call NewCall(Devices devices) {
    return {schema_, arguments_.span(), runtime_.state, CommonDevice(schema_, arguments_.span(), devices), effects_};
  }

  const CallSite& site_;
  Runtime& runtime_;
  const ServedOperator& op_;
  const Schema& schema_;
  CallArguments& arguments_;
  Effects effects_;
};

}  // namespace

Value CallOperator(const CallSite& site, const ServedOperator& op, CallArguments& arguments) {
  Batched& batched = site.runtime.batched;
  if (!batched.Among(arguments.span())) return OperatorCall(site, op, arguments).Run();
  return batched.Call(op.schema, arguments.span(), [&](std::span<const Value* const> given) {
    CallArguments plain(given);
    return OperatorCall(site, op, plain).Run();
  });
}

}  // namespace fakeprop
