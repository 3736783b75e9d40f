// Python's own functions in graphs: operator.*, math.* and torch.sym_* on numbers and lists.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "lib/meta/value.h"
#include "lib/python/symbolic_builtins.h"

namespace fakeprop {

// Takes evaluated arguments. Throws OpError for a wrong type or value. On symbols the result is an expression, if the
// function has one (symbolic_builtins.h).
struct Builtin {
  Value (*plain)(std::span<const Value* const> arguments) = nullptr;
  SymbolicFunction symbolic = nullptr;

  explicit operator bool() const { return plain; }
  Value operator()(std::span<const Value* const> arguments) const;
};

// Finds a function by the target's spelling ("_operator.add", "math.trunc", "torch.sym_max"). Empty if there is none.
Builtin FindBuiltin(std::string_view target);

// Runs the function of a target. For an unknown target throws the OpError for wrong arguments.
Value CallBuiltin(std::string_view target, std::initializer_list<Value> arguments);

}  // namespace fakeprop
