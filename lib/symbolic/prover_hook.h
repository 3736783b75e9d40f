// Asks a prover, if there is one, what ranges and facts leave open.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "lib/symbolic/node.h"

namespace fakeprop {

class ProverHook {
 public:
  // Returns the answer for all values of the symbols that satisfy the facts, or nothing if there is no one answer or
  // the prover does not find it.
  using Prover = std::function<std::optional<bool>(Sym condition)>;

  void Set(Prover prover) { prover_ = std::move(prover); }
  // Without a prover there is no answer.
  std::optional<bool> Ask(Sym condition) const { return prover_ ? prover_(condition) : std::nullopt; }

 private:
  Prover prover_;
};

}  // namespace fakeprop
