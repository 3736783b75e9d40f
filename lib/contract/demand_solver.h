// Finds sizes that violate one demand and satisfy others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/prove/point.h"
#include "lib/prove/solver.h"

namespace fakeprop {

class DemandSolver {
 public:
  struct Answer {
    bool is_impossible = false;  // Z3 shows that there are no such sizes
    SymbolValues point;          // such sizes; empty if none were found
  };

  // Without Z3 sizes are found by trying alone.
  DemandSolver(const Domain& domain, const ShapeEnv& env);

  Answer FindViolation(Sym demand, const std::vector<Sym>& others);

  // A few such sizes, `first` in front of them if it is not empty.
  std::vector<SymbolValues> Violations(Sym demand, const std::vector<Sym>& others, const SymbolValues& first);

 private:
  bool IsViolation(const SymbolValues& point, Sym demand, const std::vector<Sym>& others) const;
  std::string AtMostTerm(int64_t limit) const;

  const Domain& domain_;
  PointSource points_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace fakeprop
