#include "lib/refine/fixed_symbols.h"

#include <algorithm>

#include "lib/base/suggest.h"
#include "lib/diag/python_trace.h"
#include "lib/error/error.h"
#include "lib/prove/point.h"
#include "lib/refine/refine_codes.h"
#include "lib/symbolic/rebuild.h"

namespace fakeprop {
namespace {

class Putter {
 public:
  explicit Putter(const std::unordered_map<Sym, Sym>& numbers) : numbers_(numbers) {}

  Sym Put(Sym node) {
    if (node->arguments.empty()) {
      const auto number = numbers_.find(node);
      return number == numbers_.end() ? node : number->second;
    }
    if (const auto known = memo_.find(node); known != memo_.end()) return known->second;
    std::vector<Sym> arguments;
    for (Sym argument : node->arguments) arguments.push_back(Put(argument));
    return memo_[node] = arguments == node->arguments ? node : Rebuild(node, arguments);
  }

 private:
  const std::unordered_map<Sym, Sym>& numbers_;
  std::unordered_map<Sym, Sym> memo_;
};

std::string ListSymbolsOf(const ShapeEnv& env) {
  std::string text;
  for (const SymbolInfo& symbol : env.symbols())
    text += (text.empty() ? "`" : ", `") + symbol.node->name + "` (" + InWords(symbol.range) + ")";
  return text.empty() ? "no symbols" : text;
}

Diagnostic UnknownSymbolError(const std::string& name, const ShapeEnv& env) {
  std::vector<std::string> known;
  for (const SymbolInfo& symbol : env.symbols()) known.push_back(symbol.node->name);
  Diagnostic diagnostic{.code = kUnknownSymbol};
  diagnostic.message = "the graph has no symbol `" + name + "`: it has " + ListSymbolsOf(env);
  if (const std::string nearest = Nearest(name, known); !nearest.empty())
    diagnostic.notes.push_back(DidYouMean(nearest));
  return diagnostic;
}

// The first guard that makes the symbol equal to something; null if there is none.
const GuardRecord* FindEquality(Sym symbol, const ShapeEnv& env) {
  const std::unordered_map<Sym, Sym> zero = {{symbol, symbol->env->Integer(0)}};
  Putter putter(zero);
  for (const GuardRecord& guard : env.guards())
    if (guard.expression->op == SymOp::kEqualZero && putter.Put(guard.expression) != guard.expression) return &guard;
  return nullptr;
}

void NameGuard(const GuardRecord& guard, Diagnostic& diagnostic) {
  diagnostic.node = guard.place.node;
  diagnostic.frames = ParseStackTrace(guard.place.stack_trace);
  diagnostic.notes = {"`--input` propagates the graph at other sizes, without this guard"};
}

// What a symbol's declaration says against a value; empty if nothing.
std::string AgainstDeclaration(const SymbolInfo& symbol, int64_t value) {
  const std::string is = "`" + symbol.node->name + "` is " + std::to_string(value) +
                         (symbol.source.empty() ? "" : " (" + symbol.source + ")") + " but has to be ";
  if (!symbol.range.Has(value)) return is + InWords(symbol.range);
  return value % symbol.multiple ? is + "a multiple of " + std::to_string(symbol.multiple) : "";
}

}  // namespace

Sym FixedSymbols::PutIn(Sym node) const { return Putter(numbers_).Put(env_.Simplify(node)); }

Dim FixedSymbols::Put(Dim dim) const { return dim.IsSymbolic() ? Dim::Of(PutIn(dim.Expression())) : dim; }

bool FixedSymbols::IsFixed(Sym symbol) const { return PutIn(symbol)->IsConstant(); }

std::string FixedSymbols::FixOne(Sym symbol, int64_t value) {
  Sym zero = Subtract(PutIn(symbol), env_.Integer(value));
  if (zero->IsInteger(0)) return "";
  // The symbol is the only one in a sum: factor * symbol + constant = 0.
  const bool is_sum = zero->op == SymOp::kSum && zero->arguments.size() == 1;
  Sym free = is_sum ? zero->arguments[0] : zero;
  const int64_t factor = is_sum ? zero->coefficients[0] : 1, constant = is_sum ? zero->integer : 0;
  if (free->op != SymOp::kSymbol || constant % factor != 0)
    return "`" + symbol->name + "` cannot be " + std::to_string(value) + ", because the graph makes it `" +
           ToString(PutIn(symbol)) + "`";
  numbers_[free] = env_.Integer(-(constant / factor));
  return "";
}

std::optional<Diagnostic> FixedSymbols::FindViolation() const {
  for (const SymbolInfo& symbol : env_.symbols()) {
    Sym value = PutIn(symbol.node);
    if (!value->IsInteger()) continue;
    const std::string why = AgainstDeclaration(symbol, value->integer);
    if (why.empty()) continue;
    Diagnostic outside{.code = kSymbolOutOfRange, .message = why};
    if (IsOtherGraph(symbol.range.low, value->integer)) outside.notes = {kPropagateAtSize};
    return outside;
  }
  for (const GuardRecord& guard : env_.guards()) {
    Sym left = Putter(numbers_).Put(guard.expression);
    if (guard.is_assertion || !left->IsConstant() || left->hint->Truth()) continue;
    Diagnostic violated{.code = kGuardViolated};
    violated.message = "the guard `" + ToString(guard.expression) + "` does not hold for these sizes";
    NameGuard(guard, violated);
    return violated;
  }
  return std::nullopt;
}

bool FixedSymbols::Fix(const SymbolValues& given, const std::string& file, DiagnosticSink& sink) {
  const auto refuse = [&](Diagnostic diagnostic) {
    diagnostic.file = file;
    sink.Add(std::move(diagnostic));
    return false;
  };
  for (const auto& [name, value] : given) {
    Sym symbol = env_.FindSymbol(name);
    if (!symbol) return refuse(UnknownSymbolError(name, env_));
    const std::string why = FixOne(symbol, value);
    if (why.empty()) continue;
    Diagnostic refused{.code = kGuardViolated, .message = why};
    if (const GuardRecord* guard = FindEquality(symbol, env_)) {
      refused.message += ", by the guard `" + ToString(guard->expression) + "`";
      NameGuard(*guard, refused);
    }
    return refuse(std::move(refused));
  }
  std::optional<Diagnostic> violation = FindViolation();
  return violation ? refuse(std::move(*violation)) : true;
}

bool FixedSymbols::TryFix(const std::string& name, int64_t value) {
  Sym symbol = env_.FindSymbol(name);
  return symbol && FixOne(symbol, value).empty() && !FindViolation();
}

SymbolValues FixedSymbols::Point() const {
  SymbolValues point;
  for (const SymbolInfo& symbol : env_.symbols()) {
    const auto number = numbers_.find(symbol.node);
    const int64_t least = symbol.range.low == Range::kNoLow ? 0 : std::max<int64_t>(symbol.range.low, 0);
    point[symbol.node->name] = number == numbers_.end() ? symbol.hint.value_or(least) : number->second->integer;
  }
  // Symbols that the run found to be equal to something follow from the others.
  SymbolValues all = point;
  for (const SymbolInfo& symbol : env_.symbols())
    if (const std::optional<SymNumber> value = ValueAt(env_.Simplify(symbol.node), point))
      all[symbol.node->name] = value->integer;
  return all;
}

}  // namespace fakeprop
