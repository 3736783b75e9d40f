// The bodies of Python's thin wrappers, as text: one expression over the wrapper's parameters.
//
//   aten.relu_(input) if inplace else aten.relu(input)
//   F.mse_loss(input, target, reduction=reduction)
//
// Calls by name, literals, lists, tuples, `not`, `is None`, `==`, `and`, `or`, and the conditional expression.
#pragma once

#include <memory>
#include <string_view>

#include "lib/python/arguments.h"

namespace fakeprop {

class Python;

class PythonExpression {
 public:
  virtual ~PythonExpression() = default;
  virtual Value Evaluate(Python& python, const Bindings& names) const = 0;
};

// The text is a table's own: a mistake in it is an InternalError.
std::unique_ptr<PythonExpression> ParsePythonExpression(std::string_view text);

// A literal such as `None`, `-1`, `0.5`, `'mean'` or `()`; for the defaults of parameters.
Value ParsePythonLiteral(std::string_view text);

}  // namespace fakeprop
