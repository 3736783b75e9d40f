// The part of Python's expressions that bodies are written in: of the tables' thin wrappers, and of rules for custom
// operators (op_rules.h).
//
//   aten.relu_(input) if inplace else aten.relu(input)
//   x.new_empty([x.size(0), *sizes[1:], 2 * weight.shape[-1] // groups])
//   [x.new_empty([n]) for n in sizes]
//
// Literals, names, calls, methods, attributes, subscripts and slices, arithmetic, comparisons, `and`, `or`, `not`, the
// conditional expression, lists, tuples, and a comprehension over one name. Numbers are Python's: see operator.* .
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lib/python/python_arguments.h"

namespace fakeprop {

class Python;

class PythonExpression {
 public:
  virtual ~PythonExpression() = default;
  // Throws OpError, as the operators do that it calls.
  virtual Value Evaluate(Python& python, const Bindings& names) const = 0;
};

// Why and where, from the text's beginning, a text is no expression.
struct ExpressionError {
  size_t at;
  std::string message;
};

using NameSet = std::set<std::string, std::less<>>;

// One expression; `a, b` is a tuple. Names other than `variables` have to be functions or constants that are known.
// Throws ExpressionError.
std::unique_ptr<PythonExpression> ParsePythonExpression(std::string_view text, const NameSet& variables);

// A body of a table's own: any bare name is one of its parameters, and a mistake is an InternalError.
std::unique_ptr<PythonExpression> ParseTableExpression(std::string_view text);

// A literal such as `None`, `-1`, `0.5`, `'mean'` or `()`; for the defaults of parameters.
Value ParsePythonLiteral(std::string_view text);

}  // namespace fakeprop
