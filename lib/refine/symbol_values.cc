#include "lib/refine/symbol_values.h"

#include <charconv>

#include "lib/base/suggest.h"
#include "lib/error/error.h"
#include "lib/refine/refine_codes.h"

namespace fakeprop {
namespace {

Range RangeOf(JsonValue symbol) {
  Range range;
  if (const std::optional<JsonValue> min = symbol.Find("min")) range.low = min->AsInt();
  if (const std::optional<JsonValue> max = symbol.Find("max")) range.high = max->AsInt();
  return range;
}

// "`batch` (from 1 to 512), `seq` (at least 2)"
std::string ListSymbols(JsonValue symbols) {
  std::string text;
  for (JsonValue symbol : symbols) {
    text += (text.empty() ? "" : ", ") + Quote(symbol.key()) + " (" + InWords(RangeOf(symbol)) + ")";
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

// The symbol and its number, by an equality with one symbol: "2*batch == 6".
std::optional<std::pair<Sym, int64_t>> Solve(Sym equality) {
  if (equality->op != SymOp::kEqualZero) return std::nullopt;
  Sym zero = equality->arguments[0];
  if (zero->op == SymOp::kSymbol) return std::pair(zero, int64_t{0});
  if (zero->op != SymOp::kSum || zero->arguments.size() != 1 || zero->arguments[0]->op != SymOp::kSymbol)
    return std::nullopt;
  const int64_t factor = zero->coefficients[0];
  if (zero->integer == INT64_MIN || zero->integer % factor != 0) return std::nullopt;
  return std::pair(zero->arguments[0], -zero->integer / factor);
}

Expression Parse(JsonValue json) {
  std::optional<Expression> expression = ParseExpression(json.AsString());
  if (!expression) json.FailExpected("an expression over symbols");
  return std::move(*expression);
}

}  // namespace

void RefinedSymbols::Set(const SymbolValues& given) {
  CheckNames(given);
  if (sink_.HasErrors()) return;
  Declare();
  for (const auto& [name, value] : given) SetValue(name, value);
  Derive();
  for (JsonValue symbol : root_.Get("symbols")) CheckSymbol(symbol);
  if (sink_.HasErrors()) return;
  for (JsonValue guard : root_.Get("guards").AsArray()) CheckGuard(guard);
}

void RefinedSymbols::CheckNames(const SymbolValues& given) {
  const JsonValue symbols = root_.Get("symbols").AsObject();
  std::vector<std::string> known;
  for (JsonValue symbol : symbols) known.emplace_back(symbol.key());
  for (const auto& [name, value] : given)
    if (!symbols.Find(name))
      Report(kUnknownSymbol, "the annotations have no symbol " + Quote(name) + ": they have " + ListSymbols(symbols),
          symbols, DidYouMean(Nearest(name, known)));
}

// Declares all symbols. Expressions never use those that have a number.
void RefinedSymbols::Declare() {
  for (JsonValue symbol : root_.Get("symbols")) {
    const std::string name(symbol.key());
    const std::optional<JsonValue> hint = symbol.Find("hint"), multiple = symbol.Find("multiple_of");
    const SymType type = name.starts_with("zuf") ? SymType::kFloat : SymType::kInt;
    Sym node = env_.NewSymbol(name, RangeOf(symbol), hint ? std::optional(hint->AsInt()) : std::nullopt, "", type);
    if (multiple) env_.DeclareMultiple(node, multiple->AsInt());
  }
}

void RefinedSymbols::SetValue(const std::string& symbol, int64_t value) {
  values_.emplace(symbol, value);
  constants_.emplace(symbol, env_.Integer(value));
}

void RefinedSymbols::Derive() {
  std::vector<std::pair<Expression, JsonValue>> equalities;
  for (JsonValue guard : root_.Get("guards").AsArray()) {
    Expression expression = Parse(guard.Get("expr"));
    if (expression.name == "Eq") equalities.emplace_back(std::move(expression), guard);
  }
  auto derives = [&](const std::pair<Expression, JsonValue>& equality) {
    const auto solved = TrySolve(equality.first);
    if (solved) SetValue(solved->first->name, solved->second);
    return solved.has_value();
  };
  // A symbol that is found may settle another guard.
  while (std::erase_if(equalities, derives) > 0) {}
}

std::optional<std::pair<Sym, int64_t>> RefinedSymbols::TrySolve(const Expression& equality) {
  try {
    Sym condition = Build(equality, env_, constants_);
    return condition ? Solve(condition) : std::nullopt;
  } catch (const OpError&) {  // reported when guards are checked
    return std::nullopt;
  }
}

void RefinedSymbols::CheckSymbol(JsonValue symbol) {
  auto value = values_.find(symbol.key());
  if (value == values_.end()) return;
  const std::string is = Quote(symbol.key()) + " is " + std::to_string(value->second);
  const std::optional<JsonValue> min = symbol.Find("min"), max = symbol.Find("max"),
                                 multiple = symbol.Find("multiple_of");
  const std::optional<JsonValue> source = symbol.Find("source");
  const std::string origin = source ? " (" + std::string(source->AsString()) + ")" : "";
  if (min && value->second < min->AsInt())
    Report(kSymbolOutOfRange, is + origin + " but has to be at least " + std::to_string(min->AsInt()), *min,
        IsOtherGraph(min->AsInt(), value->second) ? kPropagateAtSize : "");
  if (max && value->second > max->AsInt())
    Report(kSymbolOutOfRange, is + origin + " but has to be at most " + std::to_string(max->AsInt()), *max);
  if (multiple && multiple->AsInt() > 0 && value->second % multiple->AsInt() != 0)
    Report(kSymbolOutOfRange, is + origin + " but has to be a multiple of " + std::to_string(multiple->AsInt()),
        *multiple);
}

Sym RefinedSymbols::Remaining(JsonValue guard) {
  Sym condition = Evaluate(guard.Get("expr"));
  return condition->IsConstant() && condition->hint->Truth() ? nullptr : condition;
}

// A guard is also violated if no values of the remaining symbols satisfy it.
bool RefinedSymbols::IsViolated(JsonValue guard) {
  Sym remaining = Remaining(guard);
  return remaining && env_.Static(remaining) == false;
}

void RefinedSymbols::CheckGuard(JsonValue guard) {
  std::string why;
  try {
    if (!IsViolated(guard)) return;
  } catch (const OpError& error) {
    why = ": " + error.message();
  }
  const JsonValue expression = guard.Get("expr");
  const std::optional<JsonValue> node = guard.Find("node");
  Diagnostic diagnostic = At(kGuardViolated, guard);
  diagnostic.message = "the guard " + Quote(expression.AsString()) +
                       (node ? " of node " + Quote(node->AsString()) : " of the inputs") + " does not hold" +
                       ListValues(UnknownSymbols(Parse(expression), {}), values_) + why;
  if (node) diagnostic.node = node->AsString();
  if (const std::optional<JsonValue> line = guard.Find("line")) diagnostic.frames = {FrameOf(line->AsString())};
  sink_.Add(std::move(diagnostic));
}

Sym RefinedSymbols::Evaluate(JsonValue json) {
  if (auto it = memo_.find(json.AsString()); it != memo_.end()) return it->second;
  Sym built = Build(Parse(json), env_, constants_);
  if (!built) json.Fail(Quote(json.AsString()) + " names a symbol or function that is not known");
  // An operation on numbers whose result is undefined or does not fit into 64 bits.
  if (!built->IsConstant() && built->symbols == 0)
    Fail(ErrorClass::kOverflow, Quote(ToString(built)) + " is no number of 64 bits");
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

void RefinedSymbols::Report(Code code, std::string message, JsonValue at, const std::string& note) {
  Diagnostic diagnostic = At(code, at);
  diagnostic.message = std::move(message);
  if (!note.empty()) diagnostic.notes.push_back(note);
  sink_.Add(std::move(diagnostic));
}

}  // namespace fakeprop
