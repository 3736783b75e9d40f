#include "lib/readers/fx_names.h"

#include <algorithm>
#include <iterator>

namespace fakeprop {
namespace {

// What Python code must not assign to: keywords, builtins (Python 3.11) and the names that FX adds to them; sorted.
// "None" is missing as it is in FX, where the builtins' entry hides the keyword's.
constexpr std::string_view kIllegalNames[] = {"ArithmeticError", "AssertionError", "AttributeError", "BaseException",
    "BaseExceptionGroup", "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
    "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning",
    "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup", "False",
    "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError",
    "ImportError", "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError",
    "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "NoneType",
    "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError", "OverflowError",
    "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError",
    "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError",
    "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "True", "TypeError", "UnboundLocalError",
    "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning",
    "UserWarning", "ValueError", "Warning", "ZeroDivisionError", "__build_class__", "__debug__", "__doc__",
    "__import__", "__loader__", "__name__", "__package__", "__spec__", "abs", "aiter", "all", "and", "anext", "any",
    "as", "ascii", "assert", "async", "await", "bin", "bool", "break", "breakpoint", "bytearray", "bytes", "callable",
    "chr", "class", "classmethod", "compile", "complex", "continue", "copyright", "credits", "def", "del", "delattr",
    "device", "dict", "dir", "divmod", "elif", "else", "enumerate", "eval", "except", "exec", "exit", "filter",
    "finally", "float", "for", "format", "from", "frozenset", "fx_pytree", "getattr", "global", "globals", "hasattr",
    "hash", "help", "hex", "id", "if", "import", "in", "inf", "input", "int", "is", "isinstance", "issubclass", "iter",
    "lambda", "len", "license", "list", "locals", "map", "max", "memoryview", "min", "nan", "next", "nonlocal", "not",
    "object", "oct", "open", "or", "ord", "pass", "pow", "print", "property", "pytree", "quit", "raise", "range",
    "repr", "return", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super",
    "torch", "try", "tuple", "type", "vars", "while", "with", "yield", "zip"};

bool IsIllegal(std::string_view name) {
  return std::binary_search(std::begin(kIllegalNames), std::end(kIllegalNames), name);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsIdentifierChar(char c) { return IsDigit(c) || IsLower(c) || IsUpper(c) || c == '_'; }

// A Python identifier, each run of other characters an underscore.
std::string MakeIdentifier(std::string_view candidate) {
  std::string name;
  bool in_run = false;
  for (char c : candidate) {
    if (IsIdentifierChar(c)) name += c;
    else if (!in_run) name += '_';
    in_run = !IsIdentifierChar(c);
  }
  if (name.empty()) name = "_unnamed";
  if (IsDigit(name[0])) name = "_" + name;
  return name;
}

// "linear_12" -> "linear" and 12; -1 where the name ends in no number.
struct NumberedName {
  std::string base;
  int64_t number = -1;
};

NumberedName SplitNumber(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && IsDigit(name[digits - 1])) --digits;
  bool numbered = digits < name.size() && digits >= 2 && name[digits - 1] == '_';
  if (!numbered) return {name};
  int64_t number = 0;
  for (size_t i = digits; i < name.size() && number < INT64_MAX / 20; ++i) number = 10 * number + (name[i] - '0');
  return {name.substr(0, digits - 1), number};
}

std::string SnakeCase(std::string_view name) {
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && IsLower(name[i - 1]) && IsUpper(name[i])) snake += '_';
    snake += IsUpper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return snake;
}

}  // namespace

std::string FxNamespace::CreateName(std::string_view candidate) {
  std::string name = MakeIdentifier(candidate);
  auto [base, number] = SplitNumber(name);
  if (number < 0 || used_.contains(name)) {
    auto count = base_count_.find(base);
    number = count == base_count_.end() ? 0 : count->second;
    if (IsIllegal(name)) name = base + "_" + std::to_string(++number);
  }
  while (used_.contains(name)) name = base + "_" + std::to_string(++number);
  used_.insert(name);
  base_count_[base] = number;
  return name;
}

std::string NameOfTarget(std::string_view target) {
  // An operator's __name__ is "add.Tensor", that of any other callable its last part.
  size_t last = target.rfind('.');
  constexpr std::string_view kOps = "torch.ops.", kHigherOrder = "torch.ops.higher_order.";
  if (target.starts_with(kOps) && !target.starts_with(kHigherOrder) && last != std::string_view::npos && last > 0)
    last = target.rfind('.', last - 1);
  return SnakeCase(last == std::string_view::npos ? target : target.substr(last + 1));
}

std::string NameOfAttribute(std::string_view target) {
  if (!target.starts_with("__") || !target.ends_with("__")) return SnakeCase(target);
  return SnakeCase(target.size() > 4 ? target.substr(2, target.size() - 4) : "");
}

}  // namespace fakeprop
