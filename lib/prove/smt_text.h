// Writes expressions over symbols in SMT-LIB 2: integers, and floats if they are exact.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "lib/symbolic/node.h"

namespace fakeprop {

// The terms of one problem. Symbols with the same name are one constant, even if they belong to different environments.
// Anything that SMT-LIB cannot express exactly (rounded floats, powers) becomes a new constant that may have any value.
// So a proof is valid, but a model may not be. The environments must outlive it.
class SmtText {
 public:
  SmtText();

  // The name of the term for an integer or a condition. TakeDeclarations() has the declarations that it needs.
  std::string Term(Sym node);

  // Declares that the symbol is a multiple of a number, before its first use. Its quotients by that number then become
  // simple.
  void DeclareMultiple(Sym symbol, int64_t multiple);

  // The commands that declare everything that was added since the last call.
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
  // Nothing if floats would round.
  std::optional<std::string> Real(Sym node);
  std::string Rounded(Sym node);
  std::string Opaque(Sym node);
  std::string Define(const char* type, const std::string& body);

  std::string declarations_;
  std::unordered_map<Sym, std::string> terms_;
  std::map<std::string, std::string, std::less<>> constants_;  // by the expressions that they stand for
  int next_ = 0;
};

}  // namespace fakeprop
