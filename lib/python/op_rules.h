// Shape rules for what nothing here serves, from a file (`--op-rules`). A rule of a custom operator is its schema and,
// indented below it, what torch.library.register_fake's function would say of its results, in a small part of Python.
// A rule of a Python function or of a module's class is its dotted path with Python's arguments, and what it computes.
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

// The lines of a rule.
class RuleBody {
 public:
  // An assignment, `return`, or a call for its checks.
  struct Statement {
    enum class Kind { kAssign, kReturn, kCall } kind = Kind::kCall;
    std::vector<std::string> names;  // kAssign; several take a list apart
    std::unique_ptr<PythonExpression> value;
    int line = 0;
  };

  // `of`: what the rule is for; it and the file are for messages.
  RuleBody(std::vector<Statement> statements, std::string of, std::string file)
      : statements_(std::move(statements)), of_(std::move(of)), file_(std::move(file)) {}

  // Evaluates the lines and hands what they return to `use`. Throws OpError, whose message names the line.
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
  // Runs the body, below autograd and autocast as a fake implementation does, and states the call's effects: results by
  // the schema's aliases, writes to each argument that it marks. Throws OpError, whose message names the line.
  void Run(Python& python, Call& call) const;

 private:
  const Schema& schema_;
  RuleBody body_;
};

// A rule of a Python function or a module's class. The body runs in the place of the function, autograd and autocast
// included, so its results are what it returns.
class PythonRule : public PythonFunction {
 public:
  PythonRule(Signature signature, RuleBody body) : signature_(std::move(signature)), body_(std::move(body)) {}

  Value Run(Python& python, PythonArguments&& arguments) const override;
  // As a module's forward: `self` is the module where the rule's first argument has that name.
  Value RunModule(Python& python, const Module& module, PythonArguments&& inputs) const;

 private:
  Signature signature_;
  RuleBody body_;
};

class OpRules {
 public:
  // Adds the rules of a file and takes their schemas in. What is wrong goes to the sink; false if something is.
  bool Add(const std::string& text, const std::string& file, DiagnosticSink& sink);
  // Null if there is none.
  const OpRule* Find(const Schema& schema) const;
  // By the dotted path of a Python function; null if there is none.
  const PythonRule* Find(std::string_view path) const;
  // By a module's class, else by the nearest of its bases that is served; null if that is not by a rule.
  const PythonRule* Find(const Module& module) const;

 private:
  std::map<const Schema*, std::unique_ptr<OpRule>> rules_;
  std::map<std::string, std::unique_ptr<PythonRule>, std::less<>> python_rules_;
};

}  // namespace fakeprop
