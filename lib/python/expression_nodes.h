// The nodes of an expression (python_expression.h), which evaluate themselves.
#pragma once

#include <utility>
#include <vector>

#include "lib/python/python_expression.h"

namespace fakeprop::expression {

using Tree = std::unique_ptr<PythonExpression>;

struct Literal : PythonExpression {
  explicit Literal(Value v) : value(std::move(v)) {}
  Value Evaluate(Python&, const Bindings&) const override { return value; }
  Value value;
};

struct Variable : PythonExpression {
  explicit Variable(std::string n) : name(std::move(n)) {}
  Value Evaluate(Python&, const Bindings& names) const override { return names[name]; }
  std::string name;
};

// `*values` within a list, a tuple or a call.
struct Starred : PythonExpression {
  explicit Starred(Tree n) : of(std::move(n)) {}
  Value Evaluate(Python& python, const Bindings& names) const override;  // as a list
  Tree of;
};

struct Items : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  std::vector<Tree> items;
  bool is_tuple = false;
};

struct Arguments {
  std::vector<Tree> positional;
  std::vector<std::pair<std::string, Tree>> keywords;
};

// A function by its path, or a method of the first positional argument.
struct CallExpression : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  std::string function;
  const PythonFunction* rule = nullptr;  // of the function, if it is none of Python's own
  bool is_method = false;
  Arguments arguments;
};

struct AttributeOf : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree of;
  std::string name;
};

struct SliceExpression : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree bounds[3];  // null if it is left out
};

// A function of operator.* on operands.
struct Operation : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  std::string_view function;  // "_operator.add"
  std::vector<Tree> operands;
};

struct Conditional : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree condition, yes, no;
};

struct Negation : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree of;
};

struct Logical : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree a, b;
  bool is_or = false;
};

// a < b <= c: each pair in turn.
struct Comparison : PythonExpression {
  enum class Kind { kSame, kEqual, kIn, kOrder };
  struct Step {
    Kind kind = Kind::kEqual;
    bool negated = false;
    std::string_view function;  // kOrder
    Tree with;
  };
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree first;
  std::vector<Step> steps;
};

// [each for name in values]
struct Comprehension : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override;
  Tree each, values;
  std::string name;
};

}  // namespace fakeprop::expression
