#include "lib/inputs/evaluate_sizes.h"

#include <algorithm>

#include "lib/base/suggest.h"
#include "lib/error/error.h"
#include "lib/inputs/input_codes.h"

namespace fakeprop {
namespace {

std::string Spell(std::string_view spelling) {
  std::optional<Expression> expression = ParseExpression(spelling);
  return Quote(expression ? ToString(*expression) : spelling);
}

}  // namespace

Dim SizeEvaluator::EvaluateRecorded(const RecordedSize& size, const Slot& slot, std::string_view what) {
  if (size.expression.empty()) return size.number;
  if (Sym symbolic = TryEvaluateSymbolic(size.expression); symbolic && symbolic->type == SymType::kInt)
    return Dim::Of(symbolic);
  std::optional<Number> number = EvaluateNumber(size.expression, slot, what);
  if (!number) return 0;
  std::optional<int64_t> integer = number->AsInteger();
  if (integer && *integer >= 0) return *integer;
  std::string found = integer ? std::to_string(*integer) : std::to_string(number->real);
  ReportAt(slot, kConflictingSymbol,
      std::string(what) + " is " + Spell(size.expression) + ", which the numbers of the spec make " + found +
          ": no size");
  return 0;
}

Dim SizeEvaluator::EvaluateGiven(const SpecSize& size) const {
  if (size.expression.empty()) return size.number;
  if (!env_)
    throw SpecError(kSymbolicSize, size.json, Quote(size.expression) + " is symbolic: numbers are needed here");
  Sym node = nullptr;
  try {
    node = BuildSize(size.expression, meanings_, *env_);
  } catch (const OpError& error) {
    throw SpecError(kInvalidSpecValue, size.json, Quote(size.expression) + " is no size: " + error.message());
  }
  const bool is_size = node && node->type == SymType::kInt;
  if (!is_size && size.expression.find_first_not_of("0123456789") == std::string_view::npos)
    throw SpecError(kInvalidSpecValue, size.json, Quote(size.expression) + " does not fit into 64 bits");
  if (node && !is_size)
    throw SpecError(kInvalidSpecValue, size.json,
        Quote(size.expression) + " is no size: a whole number, or an expression over symbols, is one");
  if (!node) {
    const std::string suggestion = SuggestSymbol(*ParseExpression(size.expression), meanings_, *env_);
    throw SpecError(kUnknownSpecName, size.json,
        Quote(size.expression) + " names a symbol that is neither in `symbols` nor in the graph",
        suggestion.empty() ? "`\"symbols\": {\"NAME\": {}}` in the spec declares one" : suggestion);
  }
  if (node->IsInteger() && node->integer < 0)
    throw SpecError(
        kInvalidSpecValue, size.json, Quote(size.expression) + " is " + std::to_string(node->integer) + ": no size");
  return Dim::Of(node);
}

Sym SizeEvaluator::TryEvaluateSymbolic(std::string_view expression) const {
  Sym node = env_ ? BuildSize(expression, meanings_, *env_) : nullptr;
  return node && !node->IsConstant() ? node : nullptr;
}

std::optional<Number> SizeEvaluator::EvaluateNumber(
    std::string_view spelling, const Slot& slot, std::string_view what) {
  std::optional<Expression> expression = ParseExpression(spelling);
  std::optional<Number> number = expression ? Evaluate(*expression, meanings_.numbers) : std::nullopt;
  if (number) return number;
  std::vector<std::string> unknown;
  if (expression) unknown = UnknownSymbols(*expression, meanings_.numbers);
  if (unknown.empty()) {
    ReportAt(slot, kUndeterminedSymbol, std::string(what) + " is " + Spell(spelling) + ", which has no value");
    return std::nullopt;
  }
  if (std::find(reported_.begin(), reported_.end(), unknown[0]) != reported_.end()) return std::nullopt;
  reported_.push_back(unknown[0]);
  std::string example = std::string(slot.IsTensor() ? "\"shape\": [...]" : "\"value\": ...");
  example = "\"" + slot.name + "\": {" + example + "}";
  ReportAt(slot, kUndeterminedSymbol,
      std::string(what) + " is " + Spell(spelling) + ", and nothing gives " + Quote(unknown[0]) + " a value: give `" +
          example + "` in the input spec");
  return std::nullopt;
}

void SizeEvaluator::ReportAt(const Slot& slot, Code code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = "input " + Quote(slot.label) + ": " + message;
  diagnostic.file = slot.entry ? std::string(file_) : graph_.source;
  diagnostic.place = slot.entry ? slot.entry->json.Pointer() : slot.input->place;
  diagnostic.node = slot.name;
  sink_.Add(std::move(diagnostic));
}

}  // namespace fakeprop
