// Questions about all values of symbols, put to Z3.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/prove/smt_text.h"
#include "lib/prove/z3.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

class Solver {
 public:
  enum class Answer { kImpossible, kPossible, kUnknown };

  // Null and a reason where Z3 is not there.
  static std::unique_ptr<Solver> Open(std::string& reason);

  // Holds for every question from now on.
  void Assume(Sym condition);
  void AssumeTerm(const std::string& term);
  // What a symbol may be; before anything else is said of it.
  void Declare(const SymbolInfo& symbol);

  // Whether the condition, as a term, can hold together with what is assumed. `model` gets, where it can, values of
  // `symbols` with which it may (SmtText says why not always); null where none are asked for.
  Answer Ask(const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model);

  // The condition as a term, for Ask.
  std::string Term(Sym condition);

 private:
  explicit Solver(std::unique_ptr<Z3> quick) : quick_(std::move(quick)) {}

  void Run(const std::string& commands);
  static Answer AskOne(Z3& z3, const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model);

  std::unique_ptr<Z3> quick_, thorough_;  // the second is opened when the first does not know
  int failures_ = 0;                      // of the second
  std::string said_;                      // until then, what it has to be told
  SmtText text_;
};

}  // namespace fakeprop
