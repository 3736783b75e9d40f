#include "lib/fuzzer/compare_call.h"

#include <stdexcept>

#include "lib/dispatch/libtorch_version.h"
#include "lib/fuzzer/gradients.h"
#include "lib/fuzzer/outcomes.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/rules/compare/known_differences.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::fuzzer {
namespace {

constexpr std::string_view kNames[] = {"cpu", "meta", "grad", "grad-leaf", "grad-view", "grad-first", "no-grad"};

using Kind = Verdict::Kind;

std::string DifferenceText(const std::vector<EffectDifference>& differences, std::string_view theirs) {
  std::string text;
  for (const EffectDifference& d : differences)
    text += (text.empty() ? "" : "; ") + d.name + ": ours " + d.a + ", " + std::string(theirs) + " " + d.b;
  return text;
}

// A call, and how we serve it.
class Case {
 public:
  explicit Case(testing::ParsedCall parsed)
      : parsed_(std::move(parsed)),
        bound_(BindArguments(*parsed_.schema, parsed_.arguments)),
        served_(FindRule(*parsed_.schema)) {}

  std::string op() const { return std::string(served_ ? served_->row->op : parsed_.schema->full_name); }

  Outcome Ours() {
    Call any = NewCall(Devices::kAny);
    return OutcomeOf(any, [&](Call&) {
      Call call = NewCall(served_ ? served_->devices : Devices::kAny);
      RunOurs(served_, call);
    });
  }

  Verdict ByCpu() {
    Call call = NewCall(Devices::kAny);
    if (!libtorch::IsOnCpu(call)) return {Kind::kNone, op(), "not on the cpu"};
    const Outcome ours = Ours();
    if (ours.error && ours.error->error_class() == ErrorClass::kUnsupportedOperator)
      return {Kind::kUnserved, op(), ours.error->message()};
    const Outcome real = RealOutcome(call);
    if (real.error && real.error->error_class() == ErrorClass::kUnsupportedOperator)
      return {Kind::kNone, op(), real.error->message()};
    if (!ours.error && real.error && IsAboutData(*real.error)) return {Kind::kNone, op(), real.error->message()};
    if (!real.error && ours.error && IsDataDependent(*ours.error) && DependsOnData()) return {Kind::kAgree, op(), ""};
    std::vector<EffectDifference> differences = CompareOutcomes(call, ours, real);
    // Kernels write to running statistics and lists without the version's knowing; the other way round is a mistake.
    std::erase_if(
        differences, [](const EffectDifference& d) { return d.field == EffectField::kWrite && d.a == "written"; });
    if (differences.empty()) return {Kind::kAgree, op(), ""};
    if (const KnownDifference* known = ExplainDifferences(Against::kCpu, op(), differences))
      return {Kind::kKnown, op(), std::string(known->reason)};
    return {Kind::kDiffer, op(), DifferenceText(differences, "CPU kernel")};
  }

  Verdict ByMeta() {
    if (!served_) return {Kind::kNone, op(), "no rule"};
    const Outcome ours = Ours();
    Call call = NewCall(Devices::kAny);
    const Outcome theirs = OutcomeOf(call, [&](Call& c) {
      CommonDevice(*parsed_.schema, bound_, served_->devices);
      libtorch::RunCall(c, libtorch::Rules::kInnerOnly);
    });
    if (theirs.error &&
        (theirs.error->error_class() == ErrorClass::kUnsupportedOperator || IsDataDependent(*theirs.error)))
      return {Kind::kNone, op(), theirs.error->message()};
    const std::vector<EffectDifference> differences = CompareOutcomes(call, ours, theirs);
    if (differences.empty()) return {Kind::kAgree, op(), ""};
    if (const KnownDifference* known = ExplainDifferences(Against::kMeta, op(), differences))
      return {Kind::kKnown, op(), std::string(known->reason)};
    // The CPU kernel is the judge where it says the same as the rule.
    if (ByCpu().kind == Kind::kAgree) return {Kind::kKnown, op(), "the CPU kernel agrees with the rule"};
    return {Kind::kDiffer, op(), DifferenceText(differences, "Meta kernel")};
  }

  Verdict ByAutograd(Oracle oracle) {
    Call call = NewCall(Devices::kAny);
    if (!libtorch::IsOnCpu(call)) return {Kind::kNone, op(), "not on the cpu"};
    if (parsed_.schema->IsOut()) return {Kind::kNone, op(), "an out= form"};
    // Calls that fail in any case are for the other oracles.
    if (Ours().error || RealOutcome(call).error) return {Kind::kNone, op(), "an error without autograd"};
    const std::string difference = CompareGradients(*parsed_.text, oracle);
    if (difference.empty()) return {Kind::kAgree, op(), ""};
    if (const KnownDifference* known = ExplainText(Against::kGrad, difference))
      return {Kind::kKnown, op(), std::string(known->reason)};
    return {Kind::kDiffer, op(), difference};
  }

 private:
  Call NewCall(Devices devices) {
    return Call(*parsed_.schema, bound_, state_, CommonDevice(*parsed_.schema, bound_, devices), effects_);
  }

  bool DependsOnData() const {
    const Schema& schema = served_ && served_->functional ? *served_->functional : *parsed_.schema;
    return schema.Has(kTagDataDependent) || schema.Has(kTagDynamicShape) ||
           IsListed(MeantDifferences(), schema.name, Against::kCpu, KnownDifference::Extent::kNeedsData);
  }

  const testing::ParsedCall parsed_;
  const std::vector<const Value*> bound_;
  const ServedRule* const served_;
  const ExecutionState state_{.torch = dispatch::kLibTorch};
  Effects effects_;
};

}  // namespace

std::string_view Name(Oracle oracle) { return kNames[static_cast<int>(oracle)]; }

std::optional<Oracle> OracleFromName(std::string_view name) {
  for (Oracle oracle : kAllOracles)
    if (Name(oracle) == name) return oracle;
  return std::nullopt;
}

void RunOursAlone(const std::string& call_text) {
  try {
    Case(testing::ParseCall(call_text)).Ours();
  } catch (const OpError&) {  // of the call as a whole
  }
}

Verdict Judge(const std::string& call_text, Oracle oracle) {
  try {
    testing::ParsedCall parsed = testing::ParseCall(call_text);
    if (!parsed.schema) return {Kind::kNone, parsed.op, "no schema"};
    Case c(std::move(parsed));
    if (oracle == Oracle::kCpu) return c.ByCpu();
    if (oracle == Oracle::kMeta) return c.ByMeta();
    return c.ByAutograd(oracle);
  } catch (const std::invalid_argument& e) {
    return {Kind::kNone, "", e.what()};
  } catch (const std::out_of_range& e) {
    return {Kind::kNone, "", e.what()};
  } catch (const OpError& e) {
    return {Kind::kNone, "", e.message()};
  }
}

}  // namespace fakeprop::fuzzer
