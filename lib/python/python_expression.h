// Python's expressions, as far as bodies need them: those of the tables, and those of rules for custom operators
// (op_rules.h).
//
//   aten.relu_(input) if inplace else aten.relu(input)
//   x.new_empty([x.size(0), *sizes[1:], 2 * weight.shape[-1] // groups])
//   [x.new_empty([n]) for n in sizes]
//
// Literals, names, calls, methods, attributes, subscripts and slices, arithmetic, comparisons, `and`, `or`, `not`, the
// conditional expression, lists, tuples, and a comprehension over one name. Numbers behave as in Python (operators.cc).
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "lib/python/python_arguments.h"

namespace fakeprop {

class Python;
class PythonFunction;

class PythonExpression {
 public:
  virtual ~PythonExpression() = default;
  // Throws OpError, as the operators that it calls do.
  virtual Value Evaluate(Python& python, const Bindings& names) const = 0;
};

// The reason why a text is not an expression, and the position in the text.
struct ExpressionError {
  size_t at;
  std::string message;
};

using NameSet = std::set<std::string, std::less<>>;

// Finds functions that expressions may call beside Python's own. Null if there is none of this path.
using FindFunction = std::function<const PythonFunction*(std::string_view path)>;

// Parses one expression; `a, b` is a tuple. Names other than `variables` must be known functions or constants. Throws
// ExpressionError.
std::unique_ptr<PythonExpression> ParsePythonExpression(
    std::string_view text, const NameSet& variables, const FindFunction& also = {});

// Parses a body of our tables. Any bare name is one of its parameters. Throws an InternalError for a mistake.
std::unique_ptr<PythonExpression> ParseTableExpression(std::string_view text);

// Parses a literal such as `None`, `-1`, `0.5`, `'mean'` or `()`, for the defaults of parameters.
Value ParsePythonLiteral(std::string_view text);

}  // namespace fakeprop
