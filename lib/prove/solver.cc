#include "lib/prove/solver.h"

#include <charconv>
#include <utility>

namespace fakeprop {
namespace {

// The limits of one question. The limit of work makes answers independent of the machine's speed. The limit of time is
// for cases in which that fails.
constexpr const char* kLimits = "(set-option :rlimit 300000)(set-option :timeout 5000)";
// The older solver of arithmetic respects its limits, and answers most guards in a millisecond.
constexpr const char* kQuick = "(set-option :smt.arith.solver 2)";
// The newer one can do more with products, but may run for seconds beyond its limits. So it is not used often.
constexpr int kMostFailures = 3;

// "((|s0| 5) (|s1| (- 3)))", in the order in which they were asked for. False if a value is none of 64 bits.
bool ReadValues(std::string_view printed, const std::vector<std::string>& symbols, SymbolValues& values) {
  for (const std::string& symbol : symbols) {
    // Z3 leaves out bars that are not needed.
    size_t at = printed.find("(" + SmtText::SymbolTerm(symbol) + " ");
    size_t skip = symbol.size() + 4;
    if (at == std::string_view::npos) at = printed.find("(" + symbol + " "), skip = symbol.size() + 2;
    if (at == std::string_view::npos) return false;
    std::string_view rest = printed.substr(at + skip);
    const bool is_negative = rest.starts_with("(- ");
    if (is_negative) rest.remove_prefix(3);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != ')') return false;
    values[symbol] = is_negative ? -value : value;
  }
  return true;
}

}  // namespace

std::unique_ptr<Solver> Solver::Open(std::string& reason) {
  std::unique_ptr<Z3> z3 = Z3::Open(std::string(kLimits) + kQuick, reason);
  return z3 ? std::unique_ptr<Solver>(new Solver(std::move(z3))) : nullptr;
}

void Solver::Run(const std::string& commands) {
  quick_->Run(commands);
  if (thorough_) thorough_->Run(commands);
  else said_ += commands;
}

std::string Solver::Term(Sym condition) {
  std::string term = text_.Term(condition);
  Run(text_.TakeDeclarations());
  return term;
}

void Solver::Assume(Sym condition) { AssumeTerm(Term(condition)); }

void Solver::AssumeTerm(const std::string& term) { Run("(assert " + term + ")\n"); }

void Solver::Declare(const SymbolInfo& symbol) {
  if (symbol.node->type != SymType::kInt) return;
  ShapeEnv& env = *symbol.node->env;
  if (symbol.multiple > 1) text_.DeclareMultiple(symbol.node, symbol.multiple);
  const std::string term = Term(symbol.node);
  if (symbol.range.low != Range::kNoLow)
    AssumeTerm("(>= " + term + " " + text_.Term(env.Integer(symbol.range.low)) + ")");
  if (symbol.range.high != Range::kNoHigh)
    AssumeTerm("(<= " + term + " " + text_.Term(env.Integer(symbol.range.high)) + ")");
}

Solver::Answer Solver::Ask(const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model) {
  const Answer answer = AskOne(*quick_, term, symbols, model);
  if (answer != Answer::kUnknown || failures_ == kMostFailures) return answer;
  if (!thorough_) {
    std::string ignored;  // not used, since Z3 was opened before
    thorough_ = Z3::Open(kLimits, ignored);
    thorough_->Run(std::exchange(said_, {}));
  }
  const Answer second = AskOne(*thorough_, term, symbols, model);
  failures_ += second == Answer::kUnknown;
  return second;
}

Solver::Answer Solver::AskOne(
    Z3& z3, const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model) {
  const std::string printed = z3.Run("(push)(assert " + term + ")(check-sat)");
  Answer answer = printed.starts_with("unsat") ? Answer::kImpossible
                  : printed.starts_with("sat") ? Answer::kPossible
                                               : Answer::kUnknown;
  if (answer == Answer::kPossible && model && !symbols.empty()) {
    std::string names;
    for (const std::string& symbol : symbols) names += SmtText::SymbolTerm(symbol) + " ";
    if (!ReadValues(z3.Run("(get-value (" + names + "))"), symbols, *model)) answer = Answer::kUnknown;
  }
  z3.Run("(pop)");
  return answer;
}

}  // namespace fakeprop
