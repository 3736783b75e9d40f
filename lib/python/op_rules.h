// Shape rules for custom operators that no library here has, from a file (`--op-rules`): each an operator's schema and,
// indented below it, what torch.library.register_fake's function would say of its results, in a small part of Python.
//
//   fakeprop.op_rules/1
//   mylib::split_heads(Tensor(a) x, int heads) -> Tensor(a)
//       batch, length, width = x.shape
//       check(width % heads == 0, "the width has to be a multiple of the heads")
//       return x.view(batch, length, heads, width // heads)
#pragma once

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

class OpRule {
 public:
  // A line of a body: an assignment, `return`, or a call for its checks.
  struct Statement {
    enum class Kind { kAssign, kReturn, kCall } kind = Kind::kCall;
    std::vector<std::string> names;  // kAssign; several take a list apart
    std::unique_ptr<PythonExpression> value;
    int line = 0;
  };

  OpRule(const Schema& schema, std::vector<Statement> statements, std::string file)
      : schema_(schema), statements_(std::move(statements)), file_(std::move(file)) {}

  const Schema& schema() const { return schema_; }
  // Runs the body, below autograd and autocast as a fake implementation does, and states the call's effects: results by
  // the schema's aliases, writes to each argument that it marks. Throws OpError, whose message names the line.
  void Run(Python& python, Call& call) const;

 private:
  Value RunBody(Python& python, Bindings& names, int& line) const;

  const Schema& schema_;
  std::vector<Statement> statements_;
  std::string file_;
};

class OpRules {
 public:
  // Adds the rules of a file and takes their schemas in. What is wrong goes to the sink; false where something is.
  bool Add(const std::string& text, const std::string& file, DiagnosticSink& sink);
  // Null where there is none.
  const OpRule* Find(const Schema& schema) const;

 private:
  std::map<const Schema*, std::unique_ptr<OpRule>> rules_;
};

}  // namespace fakeprop
