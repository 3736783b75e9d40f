#include "tools/cli/prove_text.h"

#include <algorithm>

#include "lib/annotations/symbols_json.h"
#include "lib/json/json_writer.h"

namespace fakeprop::cli {
namespace {

std::string RangeText(const SymbolDomain& symbol) {
  std::string text = symbol.name + (symbol.range.IsPoint() ? " = " : " ") + InWords(symbol.range);
  if (symbol.multiple > 1) text += ", a multiple of " + std::to_string(symbol.multiple);
  return text;
}

std::string DomainText(const Domain& domain) {
  std::string text;
  for (const SymbolDomain& symbol : domain.symbols) text += (text.empty() ? "" : "; ") + RangeText(symbol);
  return text;
}

std::string PointText(const Proof& proof) {
  std::string text;
  for (const SymbolDomain& symbol : proof.domain.symbols)
    text += (text.empty() ? "" : ", ") + symbol.name + " = " + std::to_string(proof.point.at(symbol.name));
  return text;
}

std::string_view SourceName(Assumption::Source source) {
  switch (source) {
    case Assumption::Source::kDeclared: return "spec";
    case Assumption::Source::kGraph: return "graph";
    default: return "model";
  }
}

// "  assuming Eq(Mod(batch, 2), 0), which the model checks at node `check`".
std::string AssumptionText(const Assumption& assumption) {
  std::string text = "  assuming " + ToString(assumption.condition);
  if (assumption.source == Assumption::Source::kGraph) text += ", which the exported program demands";
  if (assumption.source == Assumption::Source::kStated)
    text += ", which the model checks at node `" + std::string(assumption.place.node) + "`";
  return text + "\n";
}

std::string AssumptionsText(const Proof& proof) {
  constexpr size_t kMostShown = 6;
  std::string text;
  const size_t shown = std::min(proof.assumptions.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) text += AssumptionText(proof.assumptions[i]);
  if (shown < proof.assumptions.size())
    text += "  and " + std::to_string(proof.assumptions.size() - shown) + " more, which `--format json` lists\n";
  return text;
}

// "  assuming `input_ids` from 0 to 50,256, for node `embedding`".
std::string DemandsText(const std::vector<ValueDemand>& values) {
  std::string text;
  for (const ValueDemand& demand : values)
    text += "  assuming " + DemandText(demand) + ", for node `" + demand.node + "`\n";
  return text;
}

void WriteAssumption(const Assumption& assumption, JsonWriter& json) {
  json.BeginObject();
  json.Key("expr").String(ToString(assumption.condition));
  json.Key("source").String(SourceName(assumption.source));
  if (!assumption.place.node.empty()) json.Key("node").String(assumption.place.node);
  json.EndObject();
}

const Diagnostic& ErrorOf(const Proof& proof) { return proof.failure->diagnostics.front(); }

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved: return "proved";
    case Verdict::kCounterexample: return "counterexample";
    default: return "not proved";
  }
}

void WriteSymbol(const SymbolDomain& symbol, JsonWriter& json) {
  json.BeginObject();
  if (symbol.range.low != Range::kNoLow) json.Key("min").Int(symbol.range.low);
  if (symbol.range.high != Range::kNoHigh) json.Key("max").Int(symbol.range.high);
  if (symbol.multiple > 1) json.Key("multiple_of").Int(symbol.multiple);
  json.EndObject();
}

void WriteDomain(const Domain& domain, JsonWriter& json) {
  json.BeginObject();
  for (const SymbolDomain& symbol : domain.symbols) WriteSymbol(symbol, json.KeyOf(symbol.name));
  json.EndObject();
}

void WritePoint(const SymbolValues& point, JsonWriter& json) {
  json.BeginObject();
  for (const auto& [symbol, value] : point) json.KeyOf(symbol).Int(value);
  json.EndObject();
}

void WriteError(const Diagnostic& error, JsonWriter& json) {
  json.BeginObject();
  json.Key("node").String(error.node);
  json.Key("class").String(error.code.class_name);
  json.Key("code").String(error.code.id);
  json.Key("message").String(error.message);
  json.EndObject();
}

}  // namespace

std::string ProofText(const Proof& proof, const std::vector<ValueDemand>& values) {
  if (proof.verdict == Verdict::kCounterexample) {
    const std::string point = PointText(proof);
    const std::string text = "counterexample" + (point.empty() ? "" : ": " + point) + ": ";
    return text +
           (proof.failure ? "node `" + ErrorOf(proof).node + "` fails" : "the exported program refuses these sizes") +
           "\n" + AssumptionsText(proof);
  }
  std::string text(VerdictName(proof.verdict));
  const std::string domain = DomainText(proof.domain);
  if (!domain.empty()) text += " for all " + domain;
  if (proof.limit) text += "; up to " + std::to_string(*proof.limit) + " where there is no greatest size";
  if (proof.verdict == Verdict::kProved && domain.empty()) text += " for these sizes alone: no input has a symbol";
  else if (proof.verdict == Verdict::kProved)
    text += " (" + std::to_string(proof.cases) + (proof.cases == 1 ? " case)" : " cases)");
  std::string assumptions = AssumptionsText(proof) + DemandsText(values);
  if (!assumptions.empty()) assumptions.insert(0, "\n").pop_back();
  text += assumptions;
  for (const GuardRecord& assertion : proof.assertions)
    text += "\n  if data satisfies " + ToString(assertion.expression) + " at node `" +
            std::string(assertion.place.node) + "`";
  return text + "\n";
}

std::string ProofJson(const Proof& proof, const std::string& graph, const std::vector<ValueDemand>& values) {
  JsonWriter json;
  const auto field = [&](JsonKey name) -> JsonWriter& {
    json.NewLine(2);
    return json.Key(name);
  };
  json.BeginObject();
  field("format").String("fakeprop.prove/1");
  field("graph").String(graph);
  field("verdict").String(VerdictName(proof.verdict));
  WriteDomain(proof.domain, field("symbols"));
  field("cases").Int(static_cast<int64_t>(proof.cases));
  if (proof.limit) field("limit").Int(*proof.limit);
  if (proof.verdict == Verdict::kCounterexample) {
    WritePoint(proof.point, field("point"));
    if (proof.failure) WriteError(ErrorOf(proof), field("error"));
    else field("violated").String(ToString(proof.violated));
  }
  field("assumptions").Array(proof.assumptions, [&](const Assumption& a) { WriteAssumption(a, json); });
  if (!values.empty()) field("values").Array(values, [&](const ValueDemand& demand) { WriteDemand(demand, json); });
  if (!proof.reason.empty()) field("reason").String(proof.reason);
  if (proof.guard) WriteGuard(*proof.guard, field("guard"));
  field("assertions").Array(proof.assertions, [&](const GuardRecord& assertion) { WriteGuard(assertion, json); });
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop::cli
