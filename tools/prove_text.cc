#include "tools/prove_text.h"

#include "lib/annotations/symbols.h"
#include "lib/base/json_text.h"

namespace fakeprop {
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

const Diagnostic& ErrorOf(const Proof& proof) { return proof.failure->diagnostics.front(); }

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved: return "proved";
    case Verdict::kCounterexample: return "counterexample";
    default: return "not proved";
  }
}

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void Field(std::string_view name) {
    out_ += is_first_ ? "{\n  \"" : ",\n  \"";
    is_first_ = false;
    out_ += name;
    out_ += "\": ";
  }
  void Text(std::string_view name, std::string_view text) {
    Field(name);
    WriteString(text, out_);
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

void WriteDomain(const Domain& domain, std::string& out) {
  out += '{';
  for (const SymbolDomain& symbol : domain.symbols) {
    if (&symbol != &domain.symbols[0]) out += ", ";
    WriteString(symbol.name, out);
    std::string fields;
    auto field = [&](const char* name, int64_t value) {
      fields += (fields.empty() ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
    };
    if (symbol.range.low != Range::kNoLow) field("min", symbol.range.low);
    if (symbol.range.high != Range::kNoHigh) field("max", symbol.range.high);
    if (symbol.multiple > 1) field("multiple_of", symbol.multiple);
    out += ": {" + fields + "}";
  }
  out += '}';
}

void WritePoint(const SymbolValues& point, std::string& out) {
  out += '{';
  for (auto it = point.begin(); it != point.end(); ++it) {
    if (it != point.begin()) out += ", ";
    WriteString(it->first, out);
    out += ": " + std::to_string(it->second);
  }
  out += '}';
}

void WriteError(const Diagnostic& error, std::string& out) {
  out += "{\"node\": ";
  WriteString(error.node, out);
  out += ", \"class\": ";
  WriteString(error.code.class_name, out);
  out += ", \"code\": ";
  WriteString(error.code.id, out);
  out += ", \"message\": ";
  WriteString(error.message, out);
  out += '}';
}

}  // namespace

std::string ProofText(const Proof& proof) {
  if (proof.verdict == Verdict::kCounterexample) {
    const std::string point = PointText(proof);
    return "counterexample" + (point.empty() ? "" : ": " + point) + ": node `" + ErrorOf(proof).node + "` fails\n";
  }
  std::string text(VerdictName(proof.verdict));
  const std::string domain = DomainText(proof.domain);
  if (!domain.empty()) text += " for all " + domain;
  if (proof.limit) text += "; up to " + std::to_string(*proof.limit) + " where there is no greatest size";
  if (proof.verdict == Verdict::kProved)
    text += " (" + std::to_string(proof.cases) + (proof.cases == 1 ? " case)" : " cases)");
  for (const GuardRecord& assertion : proof.assertions)
    text += "\n  if data satisfies " + ToString(assertion.expression) + " at node `" +
            std::string(assertion.place.node) + "`";
  return text + "\n";
}

std::string ProofJson(const Proof& proof, const std::string& graph) {
  std::string out;
  JsonWriter json(out);
  json.Text("format", "fakeprop.prove/1");
  json.Text("graph", graph);
  json.Text("verdict", VerdictName(proof.verdict));
  json.Field("symbols");
  WriteDomain(proof.domain, out);
  json.Field("cases");
  WriteInt(static_cast<int64_t>(proof.cases), out);
  if (proof.limit) json.Field("limit"), WriteInt(*proof.limit, out);
  if (proof.verdict == Verdict::kCounterexample) {
    json.Field("point");
    WritePoint(proof.point, out);
    json.Field("error");
    WriteError(ErrorOf(proof), out);
  }
  if (!proof.reason.empty()) json.Text("reason", proof.reason);
  if (proof.guard) json.Field("guard"), WriteGuard(*proof.guard, out);
  json.Field("assertions");
  out += '[';
  for (const GuardRecord& assertion : proof.assertions) {
    if (&assertion != &proof.assertions[0]) out += ", ";
    WriteGuard(assertion, out);
  }
  return out + "]\n}\n";
}

}  // namespace fakeprop
