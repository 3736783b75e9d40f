// Expressions over symbols (lib/symbolic) as LibTorch's SymInts, SymFloats and SymBools.
// Source: torch/fx/experimental/sym_node.py (torch 2.13).
#pragma once

#include <c10/core/SymNodeImpl.h>

#include <memory>
#include <mutex>

#include "lib/symbolic/shape_env.h"

namespace fakeprop::fake {

// Locked by all code that asks the ShapeEnv of a mode. Only one thread at a time may use a ShapeEnv, but modes of
// several threads may share one, and autograd has threads of its own.
std::recursive_mutex& SymbolsMutex();

// The expression as LibTorch's SymNode, which keeps the environment alive.
c10::SymNode SymbolOf(Sym expression, std::shared_ptr<ShapeEnv> env);

// The expression behind a symbol of `env`, or a constant as an expression of `env`. Null for a symbol of another
// environment.
Sym ExpressionOf(const c10::SymNodeImpl& symbol, ShapeEnv& env);

}  // namespace fakeprop::fake
