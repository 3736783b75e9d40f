// Rules of the user, from a file (`--op-rules`), for operators and functions that fakeprop does not know. The rule of a
// custom operator is its schema and, indented below it, a body in a small part of Python. The body makes the results,
// as the function for torch.library.register_fake does. The rule of a Python function or a module's class is its dotted
// path with Python's arguments, and a body.
//
//   fakeprop.op_rules/1
//   mylib::split_heads(Tensor(a) x, int heads) -> Tensor(a)
//       batch, length, width = x.shape
//       check(width % heads == 0, "the width has to be a multiple of the heads")
//       return x.view(batch, length, heads, width // heads)
//   mymodel.layers.Scale(self, x)
//       return x * self.weight
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/python/python.h"
#include "lib/python/python_expression.h"
#include "lib/schema/schema.h"

namespace fakeprop {

inline constexpr Code kMalformedOpRules{"FP6001", "MalformedOpRules"};

// The body of a rule.
class RuleBody {
 public:
  // An assignment, `return`, or a call that checks something.
  struct Statement {
    enum class Kind { kAssign, kReturn, kCall } kind = Kind::kCall;
    std::vector<std::string> names;  // kAssign; several names get the items of a list
    std::unique_ptr<PythonExpression> value;
    int line = 0;
  };

  // `of` is the name of the operator or function. It and the file are for messages.
  RuleBody(std::vector<Statement> statements, std::string of, std::string file)
      : statements_(std::move(statements)), of_(std::move(of)), file_(std::move(file)) {}

  // Evaluates the statements and calls `use` with the value that they return. Throws OpError, whose message names the
  // line.
  Value Run(Python& python, Bindings names, const std::function<Value(Value)>& use) const;

 private:
  Value Evaluate(Python& python, Bindings& names, int& line) const;

  std::vector<Statement> statements_;
  std::string of_;
  std::string file_;
};

class OpRule {
 public:
  OpRule(const Schema& schema, RuleBody body) : schema_(schema), body_(std::move(body)) {}

  const Schema& schema() const { return schema_; }
  // Runs the body below autograd and autocast, as a fake implementation runs, and states the call's effects: results by
  // the schema's aliases, and writes to each argument that the schema marks. Throws OpError, whose message names the
  // line.
  void Run(Python& python, Call& call) const;

 private:
  const Schema& schema_;
  RuleBody body_;
};

// A rule of a Python function or a module's class. The body runs in place of the function, with autograd and autocast,
// and returns the results.
class PythonRule : public PythonFunction {
 public:
  PythonRule(Signature signature, RuleBody body) : signature_(std::move(signature)), body_(std::move(body)) {}

  Value Run(Python& python, PythonArguments&& arguments) const override;
  // Runs the rule as a module's forward. If the first argument of the rule is named `self`, it is the module.
  Value RunModule(Python& python, const Module& module, PythonArguments&& inputs) const;

 private:
  Signature signature_;
  RuleBody body_;
};

class OpRules {
 public:
  // Adds the rules of a file and their schemas. If the file is wrong, adds diagnostics and returns false.
  bool Add(const std::string& text, const std::string& file, DiagnosticSink& sink);
  // Adds the rules that fakeprop brings for operators of well-known libraries (lib/python/shipped). Rules and schemas
  // that are there already stay.
  void AddShipped();
  // Those rules alone. They are read, and their schemas added, at the first call.
  static const OpRules& Shipped();
  // The rule of an operator. Null if there is none.
  const OpRule* Find(const Schema& schema) const;
  // The rule of a Python function, by its dotted path. Null if there is none.
  const PythonRule* Find(std::string_view path) const;
  // The rule of a module's class, or of the nearest of its bases that is served. Null if that one is not served by a
  // rule.
  const PythonRule* Find(const Module& module) const;

 private:
  std::map<const Schema*, std::unique_ptr<OpRule>> rules_;
  std::map<std::string, std::unique_ptr<PythonRule>, std::less<>> python_rules_;
};

}  // namespace fakeprop
