// Asks Z3 questions about all values of symbols.
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

  // Returns null and a reason if Z3 is not there.
  static std::unique_ptr<Solver> Open(std::string& reason);

  // The condition holds in all later questions.
  void Assume(Sym condition);
  void AssumeTerm(const std::string& term);
  // Declares the range of a symbol. Call it before using the symbol.
  void Declare(const SymbolInfo& symbol);

  // Asks whether the condition, given as a term, can hold together with the assumptions. If it can, `model` gets values
  // of `symbols` for which it may hold; SmtText says why it does not always. `model` may be null.
  Answer Ask(const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model);

  // Makes a term of the condition, for Ask.
  std::string Term(Sym condition);

 private:
  explicit Solver(std::unique_ptr<Z3> quick) : quick_(std::move(quick)) {}

  void Run(const std::string& commands);
  static Answer AskOne(Z3& z3, const std::string& term, const std::vector<std::string>& symbols, SymbolValues* model);

  std::unique_ptr<Z3> quick_, thorough_;  // `thorough_` is opened when `quick_` does not know an answer
  int failures_ = 0;                      // of `thorough_`
  std::string said_;                      // until `thorough_` is opened, the commands that it has to run first
  SmtText text_;
};

}  // namespace fakeprop
