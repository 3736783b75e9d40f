// Expressions over symbols (lib/symbolic) as LibTorch's SymInts, SymFloats and SymBools.
// Source: torch/fx/experimental/sym_node.py (torch 2.13).
#pragma once

#include <c10/core/SymNodeImpl.h>

#include <memory>
#include <mutex>

#include "lib/symbolic/shape_env.h"

namespace fakeprop::fake {

// A ShapeEnv is for one thread at a time; modes of several threads may share one, and autograd has threads of its own.
// Held by whoever asks an environment of a mode.
std::recursive_mutex& SymbolsMutex();

// The expression as LibTorch holds it. It keeps the environment alive.
c10::SymNode SymbolOf(Sym expression, std::shared_ptr<ShapeEnv> env);

// The expression behind a symbol of `env`; a constant's in it, too. Null for others'.
Sym ExpressionOf(const c10::SymNodeImpl& symbol, ShapeEnv& env);

}  // namespace fakeprop::fake
