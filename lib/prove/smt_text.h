// Expressions over symbols in SMT-LIB 2: integers, and floats where they are exact.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/symbolic/node.h"

namespace fakeprop {

// Terms of one problem. Symbols of one name are one constant, whichever environment they are of; what SMT-LIB cannot
// say exactly (rounded floats, powers) is a constant of its own that may be anything, so a proof holds but a model may
// not. The environments outlive it.
class SmtText {
 public:
  SmtText();

  // The name of an integer's or a condition's term. What it needs is declared in Declarations().
  std::string Term(Sym node);

  // The symbol is `multiple` times something, from its first use on: its quotients by that are plain then.
  void DeclareMultiple(Sym symbol, int64_t multiple);

  // Commands that declare what came up since the last call.
  std::string TakeDeclarations();

  // The constant that stands for a symbol: "|s0|".
  static std::string SymbolTerm(const std::string& name) { return "|" + name + "|"; }

 private:
  std::string Body(Sym node);
  std::string Fold(const char* function, Sym node);
  std::string Sum(Sym node);
  std::string Product(Sym node);
  std::string Extremum(Sym node, const char* comparison);
  std::string Compare(Sym node, const char* comparison);
  // Nothing where floats would round.
  std::optional<std::string> Real(Sym node);
  std::string Rounded(Sym node);
  std::string Opaque(Sym node);
  std::string Define(const char* type, const std::string& body);

  std::string declarations_;
  std::unordered_map<Sym, std::string> terms_;
  std::map<std::string, std::string, std::less<>> constants_;  // by what they stand for
  int next_ = 0;
};

}  // namespace fakeprop
