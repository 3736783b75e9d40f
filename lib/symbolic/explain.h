// Explains in messages why a condition cannot hold, or why it can't be decided.
#pragma once

#include <string>

#include "lib/symbolic/guard_log.h"
#include "lib/symbolic/symbol_table.h"

namespace fakeprop {

class Explainer {
 public:
  // All of these must outlive the Explainer.
  Explainer(const SymbolTable& symbols, const GuardLog& guards, const PlaceDescriber& describer)
      : symbols_(symbols), guards_(guards), describer_(describer) {}

  // For a condition that is known to be false: the guard or the declared ranges that contradict it, with their origin.
  std::string Contradiction(Sym condition) const;

  // For a condition that depends on data: the origin of its unbacked symbols, and the calls of torch._check that would
  // decide it.
  std::string DataDependence(Sym condition) const;

 private:
  bool IsRefutedBy(const GuardRecord* guard, Sym condition) const;
  const GuardRecord* FindRefuting(Sym condition) const;
  std::string RangesText(Sym condition) const;

  const SymbolTable& symbols_;
  const GuardLog& guards_;
  const PlaceDescriber& describer_;
};

}  // namespace fakeprop
