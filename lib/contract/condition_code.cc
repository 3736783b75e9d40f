#include "lib/contract/condition_code.h"

#include <cstdio>
#include <vector>

#include "lib/base/utf8.h"

namespace fakeprop {
namespace {

class ConditionPrinter {
 public:
  ConditionPrinter(CodeLanguage language, const std::map<std::string, size_t>& positions)
      : language_(language), positions_(positions) {}

  std::optional<std::string> Print(Sym node) {
    switch (node->op) {
      case SymOp::kInteger: return CodeInteger(language_, node->integer);
      case SymOp::kSymbol: return Symbol(node);
      case SymOp::kSum: return Sum(node);
      case SymOp::kProduct: return Product(node);
      case SymOp::kFloorDiv: return Call("floor_div", node);
      case SymOp::kMod: return Call("mod", node);
      case SymOp::kMin: return Call("least", node);
      case SymOp::kMax: return Call("greatest", node);
      case SymOp::kWhere: return Call("where", node);
      case SymOp::kPow: return Call("power", node);
      case SymOp::kEqualZero: return Call("is_zero", node);
      case SymOp::kAtMostZero: return Call("at_most_zero", node);
      case SymOp::kAnd: return Call("all_of", node);
      case SymOp::kOr: return Call("any_of", node);
      case SymOp::kNot: return Call("negated", node);
      default: return std::nullopt;  // floats
    }
  }

 private:
  std::optional<std::string> Symbol(Sym node) {
    const auto position = positions_.find(node->name);
    if (position == positions_.end()) return std::nullopt;
    return "s[" + std::to_string(position->second) + "]";
  }

  std::optional<std::string> Sum(Sym node) {
    std::string text = "(" + CodeInteger(language_, node->integer);
    for (size_t i = 0; i < node->arguments.size(); ++i) {
      const std::optional<std::string> term = Print(node->arguments[i]);
      if (!term) return std::nullopt;
      text += " + " + CodeInteger(language_, node->coefficients[i]) + " * " + *term;
    }
    return text + ")";
  }

  std::optional<std::string> Product(Sym node) {
    std::string text;
    for (size_t i = 0; i < node->arguments.size(); ++i) {
      const std::optional<std::string> factor = Print(node->arguments[i]);
      if (!factor) return std::nullopt;
      text += (i ? " * power(" : "(power(") + *factor + ", " + CodeInteger(language_, node->coefficients[i]) + ")";
    }
    return text + ")";
  }

  std::optional<std::string> Call(const char* function, Sym node) {
    if (node->op == SymOp::kWhere && node->type != SymType::kInt) return std::nullopt;
    std::string text = std::string(function) + "(";
    for (size_t i = 0; i < node->arguments.size(); ++i) {
      const std::optional<std::string> argument = Print(node->arguments[i]);
      if (!argument) return std::nullopt;
      text += (i ? ", " : "") + *argument;
    }
    return text + ")";
  }

  const CodeLanguage language_;
  const std::map<std::string, size_t>& positions_;
};

void AddSymbols(Sym node, std::set<Sym>& seen, std::set<std::string>& names) {
  if (!seen.insert(node).second) return;
  if (node->op == SymOp::kSymbol) names.insert(node->name);
  for (Sym argument : node->arguments) AddSymbols(argument, seen, names);
}

// Octal escapes have at most three digits, so no later digit joins them. A `?` could start a trigraph.
std::string CppLiteral(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '?') {
      out += static_cast<char>(c);
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\%03o", c);
    out += escape;
  }
  return out + "\"";
}

// Marks of direction and look-alikes are escapes as well: a reader sees the code as it is.
std::string PythonLiteral(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Char character = DecodeUtf8(text);
    const char32_t code = character.is_valid ? character.code : 0xfffd;
    text.remove_prefix(character.size);
    if (code >= 0x20 && code < 0x7f && code != '"' && code != '\\') {
      out += static_cast<char>(code);
      continue;
    }
    char escape[12];
    std::snprintf(escape, sizeof escape, "\\U%08x", static_cast<unsigned>(code));
    out += escape;
  }
  return out + "\"";
}

}  // namespace

std::string CodeLiteral(CodeLanguage language, std::string_view text) {
  return language == CodeLanguage::kCpp ? CppLiteral(text) : PythonLiteral(text);
}

std::string CodeInteger(CodeLanguage language, int64_t value) {
  if (language == CodeLanguage::kPython) return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
  return "Int(" + (value == INT64_MIN ? "INT64_MIN" : std::to_string(value)) + ")";
}

std::optional<std::string> CodeOf(CodeLanguage language, Sym node, const std::map<std::string, size_t>& positions) {
  return ConditionPrinter(language, positions).Print(node);
}

std::set<std::string> SymbolsIn(Sym node) {
  std::set<Sym> seen;
  std::set<std::string> names;
  AddSymbols(node, seen, names);
  return names;
}

}  // namespace fakeprop
