#include "lib/contract/demand_solver.h"

namespace fakeprop {
namespace {

constexpr int kTries = 400;
constexpr size_t kMostViolations = 6;
// Small sizes come first, because a reader can check them.
constexpr int64_t kLimits[] = {32, 1024, int64_t{1} << 24};

}  // namespace

DemandSolver::DemandSolver(const Domain& domain, const ShapeEnv& env) : domain_(domain), points_(domain) {
  std::string ignored;
  solver_ = Solver::Open(ignored);
  if (!solver_) return;
  for (const SymbolInfo& symbol : env.symbols())
    if (!symbol.is_unbacked) solver_->Declare(symbol);
}

bool DemandSolver::IsViolation(const SymbolValues& point, Sym demand, const std::vector<Sym>& others) const {
  return domain_.Has(point) && AllHoldAt(others, point) && !AllHoldAt(std::span(&demand, 1), point);
}

DemandSolver::Answer DemandSolver::FindViolation(Sym demand, const std::vector<Sym>& others) {
  for (int i = 0; i < kTries; ++i)
    if (std::optional<SymbolValues> point = points_.Next(); point && IsViolation(*point, demand, others))
      return {.point = *point};
  if (!solver_) return {};
  std::string term = "(and (not " + solver_->Term(demand) + ")";
  for (Sym other : others) term += " " + solver_->Term(other);
  term += ")";
  if (solver_->Ask(term, {}, nullptr) == Solver::Answer::kImpossible) return {.is_impossible = true};
  std::vector<std::string> names;
  for (const SymbolDomain& symbol : domain_.symbols) names.push_back(symbol.name);
  for (int64_t limit : kLimits) {
    SymbolValues point;
    const bool is_found =
        solver_->Ask("(and " + term + AtMostTerm(limit) + ")", names, &point) == Solver::Answer::kPossible;
    if (is_found && IsViolation(point, demand, others)) return {.point = point};
  }
  return {};
}

std::vector<SymbolValues> DemandSolver::Violations(
    Sym demand, const std::vector<Sym>& others, const SymbolValues& first) {
  std::vector<SymbolValues> found;
  if (!first.empty()) found.push_back(first);
  for (int i = 0; i < kTries && found.size() < kMostViolations; ++i)
    if (std::optional<SymbolValues> point = points_.Next(); point && IsViolation(*point, demand, others))
      found.push_back(*point);
  return found;
}

std::string DemandSolver::AtMostTerm(int64_t limit) const {
  std::string term;
  for (const SymbolDomain& symbol : domain_.symbols)
    if (symbol.range.low < limit)
      term += " (<= " + SmtText::SymbolTerm(symbol.name) + " " + std::to_string(limit) + ")";
  return term;
}

}  // namespace fakeprop
