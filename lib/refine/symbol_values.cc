#include "lib/refine/symbol_values.h"

#include <charconv>

#include "lib/meta/error.h"
#include "lib/refine/codes.h"

namespace fakeprop {
namespace {

bool IsUnbacked(JsonValue symbol) {
  const std::optional<JsonValue> kind = symbol.Find("kind");
  return kind && kind->AsString() == "unbacked";
}

// "`batch` (1 to 512), `seq` (at least 2)"
std::string ListSymbols(JsonValue symbols) {
  std::string text;
  for (JsonValue symbol : symbols) {
    const std::optional<JsonValue> min = symbol.Find("min"), max = symbol.Find("max");
    text += (text.empty() ? "" : ", ") + Quote(symbol.key());
    if (min && max) text += " (" + std::to_string(min->AsInt()) + " to " + std::to_string(max->AsInt()) + ")";
    else if (min) text += " (at least " + std::to_string(min->AsInt()) + ")";
    else if (max) text += " (at most " + std::to_string(max->AsInt()) + ")";
  }
  return text.empty() ? "no symbols" : text;
}

// "where `batch` = 3, `seq` = 7"
std::string ListValues(const std::vector<std::string>& names, const SymbolValues& values) {
  std::string text;
  for (const std::string& name : names)
    if (auto value = values.find(name); value != values.end())
      text += (text.empty() ? " where " : ", ") + Quote(name) + " = " + std::to_string(value->second);
  return text;
}

// "model.py:41"
PythonFrame FrameOf(std::string_view line) {
  const size_t colon = line.rfind(':');
  PythonFrame frame;
  frame.file = line.substr(0, colon);
  if (colon != std::string_view::npos) std::from_chars(line.data() + colon + 1, line.data() + line.size(), frame.line);
  return frame;
}

Expression Parse(JsonValue json) {
  std::optional<Expression> expression = ParseExpression(json.AsString());
  if (!expression) json.FailExpected("an expression over symbols");
  return std::move(*expression);
}

}  // namespace

void RefinedSymbols::Set(const SymbolValues& given) {
  CheckNames(given);
  values_ = given;
  Derive();
  CheckMissing();
  if (sink_.HasErrors()) return;
  Declare();
  for (JsonValue symbol : root_.Get("symbols")) CheckSymbol(symbol);
  if (sink_.HasErrors()) return;
  for (JsonValue guard : root_.Get("guards").AsArray()) CheckGuard(guard);
}

void RefinedSymbols::CheckNames(const SymbolValues& given) {
  const JsonValue symbols = root_.Get("symbols").AsObject();
  for (const auto& [name, value] : given)
    if (!symbols.Find(name))
      Report(kUnknownSymbol, "the annotations have no symbol " + Quote(name) + ": they have " + ListSymbols(symbols), symbols);
}

void RefinedSymbols::Derive() {
  std::vector<Expression> equalities;
  for (JsonValue guard : root_.Get("guards").AsArray()) {
    Expression expression = Parse(guard.Get("expr"));
    if (expression.name == "Eq" && expression.arguments.size() == 2) equalities.push_back(std::move(expression));
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (const Expression& e : equalities)
      progress |= TryDerive(e.arguments[0], e.arguments[1]) || TryDerive(e.arguments[1], e.arguments[0]);
  }
}

bool RefinedSymbols::TryDerive(const Expression& symbol, const Expression& other) {
  if (!symbol.IsSymbol() || values_.contains(symbol.name) || !root_.Get("symbols").Find(symbol.name)) return false;
  const std::optional<Number> value = fakeprop::Evaluate(other, values_);
  if (!value || !value->AsInteger()) return false;
  return values_.emplace(symbol.name, *value->AsInteger()).second;
}

void RefinedSymbols::CheckMissing() {
  std::string missing;
  const JsonValue symbols = root_.Get("symbols");
  for (JsonValue symbol : symbols)
    if (!values_.contains(symbol.key()) && !IsUnbacked(symbol)) missing += (missing.empty() ? "" : ", ") + Quote(symbol.key());
  if (!missing.empty())
    Report(kMissingSymbol, "no value is given for " + missing + ": the annotations have " + ListSymbols(symbols), symbols);
}

// Symbols without a number stay symbols.
void RefinedSymbols::Declare() {
  for (JsonValue symbol : root_.Get("symbols")) {
    const std::string name(symbol.key());
    auto value = values_.find(name);
    if (value != values_.end()) constants_.emplace(name, env_.Integer(value->second));
    else env_.NewSymbol(name, {}, std::nullopt, "", name.starts_with("zuf") ? SymType::kFloat : SymType::kInt);
  }
}

void RefinedSymbols::CheckSymbol(JsonValue symbol) {
  auto value = values_.find(symbol.key());
  if (value == values_.end()) return;
  const std::string is = Quote(symbol.key()) + " is " + std::to_string(value->second);
  const std::optional<JsonValue> min = symbol.Find("min"), max = symbol.Find("max"), multiple = symbol.Find("multiple_of");
  const std::optional<JsonValue> source = symbol.Find("source");
  const std::string origin = source ? " (" + std::string(source->AsString()) + ")" : "";
  if (min && value->second < min->AsInt())
    Report(kSymbolOutOfRange, is + origin + " but has to be at least " + std::to_string(min->AsInt()), *min);
  if (max && value->second > max->AsInt())
    Report(kSymbolOutOfRange, is + origin + " but has to be at most " + std::to_string(max->AsInt()), *max);
  if (multiple && multiple->AsInt() > 0 && value->second % multiple->AsInt() != 0)
    Report(kSymbolOutOfRange, is + origin + " but has to be a multiple of " + std::to_string(multiple->AsInt()), *multiple);
}

Sym RefinedSymbols::Remaining(JsonValue guard) {
  Sym condition = Evaluate(guard.Get("expr"));
  return condition->IsConstant() && condition->hint->Truth() ? nullptr : condition;
}

void RefinedSymbols::CheckGuard(JsonValue guard) {
  std::string why;
  try {
    Sym remaining = Remaining(guard);
    if (!remaining || !remaining->IsConstant()) return;
  } catch (const OpError& error) {
    why = ": " + error.message();
  }
  const JsonValue expression = guard.Get("expr");
  const std::optional<JsonValue> node = guard.Find("node");
  Diagnostic diagnostic = At(kGuardViolated, guard);
  diagnostic.message = "the guard " + Quote(expression.AsString()) + (node ? " of node " + Quote(node->AsString()) : " of the inputs") +
                       " does not hold" + ListValues(UnknownSymbols(Parse(expression), {}), values_) + why;
  if (node) diagnostic.node = node->AsString();
  if (const std::optional<JsonValue> line = guard.Find("line")) diagnostic.frames = {FrameOf(line->AsString())};
  sink_.Add(std::move(diagnostic));
}

Sym RefinedSymbols::Evaluate(JsonValue json) {
  if (auto it = memo_.find(json.AsString()); it != memo_.end()) return it->second;
  Sym built = Build(Parse(json), env_, constants_);
  if (!built) json.Fail(Quote(json.AsString()) + " names a symbol or function that is not known");
  // Operations on numbers alone that are none: beyond 64 bits, or undefined.
  if (!built->IsConstant() && built->symbols == 0) Fail(ErrorClass::kOverflow, Quote(ToString(built)) + " is no number of 64 bits");
  memo_.emplace(json.AsString(), built);
  return built;
}

Diagnostic RefinedSymbols::At(Code code, JsonValue at) const {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.file = file_;
  diagnostic.place = at.Pointer();
  return diagnostic;
}

void RefinedSymbols::Report(Code code, std::string message, JsonValue at) {
  Diagnostic diagnostic = At(code, at);
  diagnostic.message = std::move(message);
  sink_.Add(std::move(diagnostic));
}

}  // namespace fakeprop
