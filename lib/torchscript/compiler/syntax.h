// The text of an archive's member as a tree: functions, classes, statements, expressions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fakeprop::script {

// A member of the archive: "code/__torch__/zoo.py".
struct SourceFile {
  std::string member;
  std::string text;
};

// A place in the code. There is no file if the compiler made a node by itself.
struct CodePlace {
  const SourceFile* file = nullptr;
  uint32_t offset = 0;
};

enum class SyntaxKind {
  // Expressions. `text` holds names, the digits of numbers, and what strings say.
  kName,
  kNumber,
  kString,
  kTrue,
  kFalse,
  kNone,
  kNoneType,
  kSelect,     // value; text: the attribute
  kApply,      // callee, then arguments; kKeyword for those with a name
  kKeyword,    // value; text: the name
  kSubscript,  // value, then indices
  kList,
  kTuple,
  kDict,      // keys and values in turn
  kOperator,  // any other expression; text: its operator
  // Statements.
  kExpression,  // expression
  kAssign,      // target, value
  kDeclare,     // target, type, and for a constant its value
  kReturn,      // expression
  kIf,          // condition, kBlock, kBlock
  kWhile,       // condition, kBlock
  kFor,         // target, iterable, kBlock
  kWith,        // object, target or kNone, kBlock
  kPass,
  kBlock,
  // Definitions.
  kParameter,  // type or kNone, default or kNone; text: the name
  kFunction,   // return type or kNone, kBlock of parameters, kBlock of statements; text: the name
  kClass,      // base or kNone, kBlock; text: the name
};

struct Syntax {
  SyntaxKind kind;
  uint32_t offset = 0;  // where its first character stands, as torch's parser sees it
  std::string text;
  std::vector<Syntax> of;
  bool is_keyword_only = false;  // of a parameter

  // Whether it stands for what the code does not write. A `None` of the code has a text.
  bool IsMissing() const { return kind == SyntaxKind::kNone && text.empty(); }
};

}  // namespace fakeprop::script
