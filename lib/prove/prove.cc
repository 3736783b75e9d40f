#include "lib/prove/prove.h"

#include <algorithm>
#include <utility>

#include "lib/diag/code_table.h"
#include "lib/prove/solver.h"
#include "lib/symbolic/build.h"
#include "lib/value_ranges/value_codes.h"

namespace fakeprop {
namespace {

// Larger sizes overflow somewhere in most graphs, and no real input has them.
constexpr int64_t kGreatest = int64_t{1} << 24;
constexpr int64_t kLimits[] = {32, 1024, int64_t{1} << 16, kGreatest};

std::vector<Sym> GuardsOf(const Annotations& annotations) {
  std::vector<Sym> guards;
  for (const GuardRecord& guard : annotations.shape_env->guards())
    if (!guard.is_assertion && !guard.is_declared) guards.push_back(guard.expression);
  return guards;
}

const Diagnostic* FirstError(const Annotations& annotations) {
  return annotations.diagnostics.empty() ? nullptr : &annotations.diagnostics.front();
}

// Returns true if a condition says that a size is a multiple of a number. A torch._check at the top of a model mostly
// says that. A range cannot express it.
bool IsDivisibility(Sym condition) {
  return condition->op == SymOp::kEqualZero && condition->arguments[0]->op == SymOp::kMod;
}

bool IsOf(const Diagnostic& d, ErrorClass error_class) { return d.code.id == CodeOf(error_class).id; }

class Coverage {
 public:
  explicit Coverage(const ProofRuns& runs) : runs_(runs) {}

  std::optional<Proof> Prove() {
    std::optional<ProofStart> start = runs_.declare();
    if (!start) return std::nullopt;
    proof_.shape_env = start->shape_env;
    proof_.domain = DomainOf(*proof_.shape_env);
    for (Sym condition : std::exchange(proof_.domain.conditions, {}))
      if (std::count(start->assumed.begin(), start->assumed.end(), condition))
        Assume({condition, Assumption::Source::kDeclared, {}});
      else TakeDemand(condition, Assumption::Source::kDeclared, *start);
    for (Sym demand : start->demands) TakeDemand(demand, Assumption::Source::kGraph, *start);
    if (MeetsDemands(*start)) FindCases();
    proof_.cases = cases_.size();
    return std::move(proof_);
  }

 private:
  void TakeDemand(Sym demand, Assumption::Source source, const ProofStart& start) {
    if (start.demands_are_given || IsDivisibility(demand)) Assume({demand, source, {}});
    else demands_.push_back(demand);
  }

  void FindCases() {
    SymbolValues hints;
    for (const SymbolDomain& symbol : proof_.domain.symbols) hints[symbol.name] = symbol.hint;
    for (std::optional<SymbolValues> point = proof_.domain.Has(hints) ? hints : NextPoint(); point; point = NextPoint())
      if (!Cover(*point)) break;
  }

  // Returns true if all sizes satisfy the demands of the exported program. If not, the proof says so.
  bool MeetsDemands(const ProofStart& start) {
    if (!start.unread.empty()) return Unproved("a guard of the graph is not understood: " + start.unread.front());
    constexpr int kTries = 400;
    for (int i = 0; i < kTries && !demands_.empty(); ++i)
      if (std::optional<SymbolValues> point = points_.Next(); point && !AllHoldAt(demands_, *point))
        return Violates(*point);
    for (Sym demand : demands_)
      if (!IsMet(demand)) return false;
    return true;
  }

  bool IsMet(Sym demand) {
    if (!solver_ && !OpenSolver(proof_.no_solver)) return Unproved("Z3 could not be opened: " + proof_.no_solver);
    const std::string term = "(not " + solver_->Term(demand) + ")";
    if (solver_->Ask(term, {}, nullptr) == Solver::Answer::kImpossible) return true;
    std::optional<SymbolValues> point = PointWhere(term);
    if (point && !AllHoldAt(demands_, *point)) return Violates(*point);
    return Unproved("it is not known whether all sizes satisfy what the graph demands: " + ToString(demand));
  }

  bool Violates(const SymbolValues& point) {
    proof_.verdict = Verdict::kCounterexample;
    proof_.point = point;
    for (Sym demand : demands_)
      if (!proof_.violated && !AllHoldAt(std::span(&demand, 1), point)) proof_.violated = demand;
    return false;
  }

  // Sizes that violate the condition are not considered.
  void Assume(Assumption assumption) {
    const std::string text = ToString(assumption.condition);
    for (const Assumption& known : proof_.assumptions)
      if (ToString(known.condition) == text) return;
    proof_.domain.conditions.push_back(assumption.condition);
    if (solver_) solver_->Assume(assumption.condition);
    proof_.assumptions.push_back(assumption);
  }

  // Adds the case of the point. Returns false if that decides the verdict.
  bool Cover(const SymbolValues& point) {
    Annotations run = runs_.run(point, true);
    for (const GuardRecord& stated : run.shape_env->stated())
      if (!IsDeclared(stated.expression)) Assume({stated.expression, Assumption::Source::kStated, stated.place});
    if (!proof_.domain.Has(point)) {  // the model itself refuses these sizes
      proof_.runs.push_back(std::move(run));
      return true;
    }
    if (const Diagnostic* error = FirstError(run)) return Fails(point, *error);
    std::vector<Sym> guards = GuardsOf(run);
    if (!AllHoldAt(guards, point)) return Unproved("the guards of a run do not hold for its own sizes" + TextOf(point));
    for (const GuardRecord& guard : run.shape_env->guards())
      if (guard.is_assertion) KeepAssertion(guard);
    cases_.push_back(std::move(guards));
    proof_.runs.push_back(std::move(run));
    if (solver_) AssumeNot(cases_.back());
    return true;
  }

  // The ranges and conditions of the symbols, which the verdict names, say it already.
  bool IsDeclared(Sym condition) const {
    Sym same = ParseSym(ToString(condition), *proof_.shape_env);
    return same && proof_.shape_env->Static(same) == true;
  }

  void KeepAssertion(const GuardRecord& guard) {
    const std::string text = ToString(guard.expression);
    for (const GuardRecord& known : proof_.assertions)
      if (known.place.node == guard.place.node && ToString(known.expression) == text) return;
    proof_.assertions.push_back(guard);
  }

  // A failure over symbols counts only if the graph also fails with the numbers.
  bool Fails(const SymbolValues& point, const Diagnostic& symbolic) {
    Annotations concrete = runs_.run(point, false);
    const Diagnostic* error = FirstError(concrete);
    if (!error) return Unproved("node `" + symbolic.node + "` takes no symbols: " + symbolic.message);
    if (IsOf(*error, ErrorClass::kUnsupportedOperator) || IsOf(*error, ErrorClass::kInternal))
      return Unproved("node `" + error->node + "`: " + error->message);
    const bool is_huge = std::any_of(point.begin(), point.end(), [](const auto& p) { return p.second > kGreatest; });
    if (IsOf(*error, ErrorClass::kOverflow) && is_huge) return Limit();
    proof_.verdict = Verdict::kCounterexample;
    proof_.point = point;
    proof_.failure = std::move(concrete);
    Shrink();
    // A size that was no smaller than another may be so now.
    if (FailsByAnIndex()) Shrink();
    return false;
  }

  bool FailsByAnIndex() const {
    const std::string_view code = FirstError(*proof_.failure)->code.id;
    return code == kIndexAlwaysOutOfRange.id || code == kIndexLimit.id;
  }

  // Smaller sizes at which the same node fails, if some are found quickly. They are easier to follow.
  void Shrink() {
    constexpr int64_t kSteps = 4;
    for (const SymbolDomain& symbol : proof_.domain.symbols) {
      const int64_t low = symbol.range.low == Range::kNoLow ? 0 : symbol.range.low;
      for (int64_t size = low; size < std::min(low + kSteps * symbol.multiple, proof_.point[symbol.name]); ++size)
        if (TrySmaller(symbol.name, size)) break;
      if (FailsByAnIndex()) Bisect(symbol.name, low);
    }
  }

  // The least size at which an index is out of range: what is too large for a table stays so.
  void Bisect(const std::string& symbol, int64_t works) {
    for (int64_t fails = proof_.point[symbol]; fails - works > 1; fails = proof_.point[symbol]) {
      const int64_t middle = works + (fails - works) / 2;
      if (!TrySmaller(symbol, middle)) works = middle;
    }
  }

  bool TrySmaller(const std::string& symbol, int64_t size) {
    SymbolValues smaller = proof_.point;
    smaller[symbol] = size;
    if (!proof_.domain.Has(smaller)) return false;
    Annotations run = runs_.run(smaller, false);
    if (!FirstError(run) || FirstError(run)->node != FirstError(*proof_.failure)->node) return false;
    proof_.point = std::move(smaller);
    proof_.failure = std::move(run);
    return true;
  }

  // Sizes that leave 64 bits are not a counterexample. From now on only sizes that stay within 64 bits are considered.
  bool Limit() {
    proof_.limit = kGreatest;
    if (solver_) solver_->AssumeTerm(AtMostTerm(*proof_.limit));
    return true;
  }

  bool Unproved(std::string reason) {
    proof_.verdict = Verdict::kUnproved;
    proof_.reason = std::move(reason);
    return false;
  }

  // Sizes outside of all cases. Nothing if there are none, or if none are found.
  std::optional<SymbolValues> NextPoint() {
    if (IsAll()) return Proved();
    if (cases_.size() >= kMostCases)
      return GiveUp("the sizes fall into more than " + std::to_string(kMostCases) + " cases");
    constexpr int kTries = 400;
    for (int i = 0; i < kTries; ++i)
      if (std::optional<SymbolValues> point = points_.Next(); point && !IsCovered(*point)) return point;
    return AskSolver();
  }

  bool IsAll() const {
    return std::any_of(cases_.begin(), cases_.end(), [](const std::vector<Sym>& guards) { return guards.empty(); });
  }

  bool IsCovered(const SymbolValues& point) const {
    return std::any_of(
        cases_.begin(), cases_.end(), [&](const std::vector<Sym>& guards) { return AllHoldAt(guards, point); });
  }

  std::nullopt_t Proved() {
    if (cases_.empty()) {
      Unproved("no sizes satisfy what is assumed");
      return std::nullopt;
    }
    proof_.verdict = Verdict::kProved;
    return std::nullopt;
  }

  std::nullopt_t GiveUp(std::string reason) {
    Unproved(std::move(reason));
    NameGuard();
    return std::nullopt;
  }

  std::optional<SymbolValues> AskSolver() {
    if (!solver_ && !OpenSolver(proof_.no_solver)) return GiveUp("Z3 could not be opened: " + proof_.no_solver);
    if (IsImpossible()) return Proved();
    // Small sizes come first, because a reader can check them.
    for (int64_t limit : kLimits)
      if (auto point = PointWhere(AtMostTerm(limit))) return point;
    if (auto point = PointWhere("true")) return point;
    // A solver over all integers cannot handle guards that only sizes near the end of 64 bits violate.
    if (!proof_.limit && Limit() && IsImpossible()) return Proved();
    return GiveUp("Z3 neither finds sizes outside of the guards nor shows that there are none");
  }

  // Returns true if there are no sizes outside of all cases.
  bool IsImpossible() { return solver_->Ask("true", {}, nullptr) == Solver::Answer::kImpossible; }

  // Sizes outside of all cases for which the term holds, as the solver finds them.
  std::optional<SymbolValues> PointWhere(const std::string& term) {
    std::vector<std::string> names;
    for (const SymbolDomain& symbol : proof_.domain.symbols) names.push_back(symbol.name);
    SymbolValues point;
    const bool is_found = solver_->Ask(term, names, &point) == Solver::Answer::kPossible && proof_.domain.Has(point);
    return is_found && !IsCovered(point) ? std::optional(std::move(point)) : std::nullopt;
  }

  bool OpenSolver(std::string& reason) {
    solver_ = Solver::Open(reason);
    if (!solver_) return false;
    for (const SymbolInfo& symbol : proof_.shape_env->symbols())
      if (!symbol.is_unbacked) solver_->Declare(symbol);
    for (Sym condition : proof_.domain.conditions) solver_->Assume(condition);
    for (const std::vector<Sym>& guards : cases_) AssumeNot(guards);
    if (proof_.limit) solver_->AssumeTerm(AtMostTerm(*proof_.limit));
    return true;
  }

  void AssumeNot(const std::vector<Sym>& guards) {
    std::string all = "true";
    for (Sym guard : guards) all += " " + solver_->Term(guard);
    solver_->AssumeTerm("(not (and " + all + "))");
  }

  // For symbols without a greatest size.
  std::string AtMostTerm(int64_t limit) const {
    std::string term = "(and true";
    for (const SymbolDomain& symbol : proof_.domain.symbols)
      if (symbol.range.high == Range::kNoHigh && symbol.range.low < limit)
        term += " (<= " + SmtText::SymbolTerm(symbol.name) + " " + std::to_string(limit) + ")";
    return term + ")";
  }

  // A guard of the first case that the solver needs.
  void NameGuard() {
    if (proof_.runs.empty()) return;
    for (const GuardRecord& guard : proof_.runs.front().shape_env->guards())
      if (!guard.is_assertion && !guard.is_declared && !proof_.guard) proof_.guard = guard;
  }

  static std::string TextOf(const SymbolValues& point) {
    std::string text;
    for (const auto& [name, value] : point) text += (text.empty() ? ": " : ", ") + name + " = " + std::to_string(value);
    return text;
  }

  const ProofRuns& runs_;
  Proof proof_;
  std::vector<Sym> demands_;             // they must hold in the whole domain
  std::vector<std::vector<Sym>> cases_;  // their guards
  PointSource points_{proof_.domain};
  std::unique_ptr<Solver> solver_;
};

}  // namespace

std::optional<Proof> Prove(const ProofRuns& runs) { return Coverage(runs).Prove(); }

}  // namespace fakeprop
