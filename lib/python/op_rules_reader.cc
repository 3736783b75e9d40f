// Reads a file of rules: lines at the left edge are schemas, indented ones statements.
#include <algorithm>

#include "lib/base/check.h"
#include "lib/python/module.h"
#include "lib/python/op_rules.h"
#include "lib/python/shipped_rules.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

constexpr std::string_view kVersion = "fakeprop.op_rules/1";

// What is wrong, and where in the file.
struct RulesError {
  size_t at;
  std::string message;
};

// The file with its comments blanked, so that places stay what they are.
std::string WithoutComments(std::string text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == quote) quote = 0;
    else if (!quote && (c == '\'' || c == '"')) quote = c;
    if (c != '#' || quote) continue;
    for (; i < text.size() && text[i] != '\n'; ++i) text[i] = ' ';
  }
  return text;
}

// A line without the space around it, joined with those that follow while brackets are open.
struct Line {
  std::string_view text;
  size_t at = 0;  // of its first character
  bool is_indented = false;
};

// The end of what begins at `start`: a newline outside of brackets and quotes, or the text's end.
size_t EndOfLine(std::string_view text, size_t start) {
  int depth = 0;
  char quote = 0;
  for (size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (quote && c == quote) quote = 0;
    else if (!quote && (c == '\'' || c == '"')) quote = c;
    else if (!quote && (c == '(' || c == '[')) ++depth;
    else if (!quote && (c == ')' || c == ']')) --depth;
    if (c != '\n') continue;
    quote = 0;
    if (depth <= 0) return i;
  }
  return text.size();
}

std::vector<Line> LinesOf(std::string_view text) {
  std::vector<Line> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = EndOfLine(text, at);
    std::string_view line = text.substr(at, end - at);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
    const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    if (indent < line.size()) lines.push_back({line.substr(indent), at + indent, indent > 0});
    at = end + 1;
  }
  return lines;
}

bool IsName(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// The names before the `=` of an assignment; none where the line is not one.
std::vector<std::string> AssignedNames(std::string_view line, size_t& value_at) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || line.substr(equals).starts_with("==")) return {};
  std::vector<std::string> names;
  for (size_t start = 0; start <= equals;) {
    const size_t end = std::min(line.find(',', start), equals);
    const std::string_view name = Trim(line.substr(start, end - start));
    if (!IsName(name)) return {};
    names.emplace_back(name);
    start = end + 1;
  }
  value_at = equals + 1;
  return names;
}

std::string_view NameOf(std::string_view head) { return Trim(head.substr(0, head.find('('))); }

// A schema has `ns::name` there.
bool IsPythonHead(std::string_view head) {
  const std::string_view name = NameOf(head);
  return name.find('.') != std::string_view::npos && name.find("::") == std::string_view::npos;
}

// `mymodel.layers.Scale`, `mymodel.build.<locals>.Scale`
bool IsPythonPath(std::string_view path) {
  for (size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1))
    if (const std::string_view part = path.substr(0, dot); !IsName(part) && part != "<locals>") return false;
  return IsName(path);
}

using OperatorRules = std::map<const Schema*, std::unique_ptr<OpRule>>;
using PythonRules = std::map<std::string, std::unique_ptr<PythonRule>, std::less<>>;

class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)), lines_(LinesOf(text)) {}

  // Leaves out operators that have a rule or another schema already. Else these are errors.
  void KeepEarlier() { keeps_earlier_ = true; }

  // Adds to both.
  void Read(OperatorRules& rules, PythonRules& python_rules) {
    if (lines_.empty() || lines_[0].is_indented || lines_[0].text != kVersion)
      throw RulesError{
          lines_.empty() ? 0 : lines_[0].at, "a file of rules begins with the line `" + std::string(kVersion) + "`"};
    for (size_t i = 1; i < lines_.size();) {
      const Line& head = lines_[i++];
      if (head.is_indented)
        throw RulesError{head.at, "this line belongs to no operator: a schema begins at the left edge"};
      if (keeps_earlier_ && IsKnown(head, rules, python_rules)) {
        while (i < lines_.size() && lines_[i].is_indented) ++i;
        continue;
      }
      const bool is_new =
          IsPythonHead(head.text) ? AddPythonRule(head, i, python_rules) : AddRule(head, i, rules, python_rules);
      if (!is_new) throw RulesError{head.at, std::string(NameOf(head.text)) + " has two rules"};
    }
  }

  int LineNumber(size_t at) const {
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

 private:
  // The rule of an operator may call functions whose rules stand above it. Those call no rules, so that no run is long.
  bool AddRule(const Line& head, size_t& i, OperatorRules& rules, const PythonRules& functions) const {
    const Schema& schema = ReadSchema(head);
    NameSet names;
    for (const SchemaArgument& argument : schema.arguments) names.emplace(argument.name);
    const auto find = [&](std::string_view path) {
      const auto it = functions.find(path);
      return it == functions.end() ? nullptr : it->second.get();
    };
    std::vector<RuleBody::Statement> statements = ReadStatements(i, std::move(names), find);
    const bool returns = !statements.empty() && statements.back().kind == RuleBody::Statement::Kind::kReturn;
    if (!returns && !schema.returns.empty())
      throw RulesError{head.at, "the rule of " + std::string(schema.full_name) + " does not end in `return`"};
    RuleBody body(std::move(statements), std::string(schema.full_name), file_);
    return rules.emplace(&schema, std::make_unique<OpRule>(schema, std::move(body))).second;
  }

  bool AddPythonRule(const Line& head, size_t& i, PythonRules& rules) const {
    Signature signature = ReadSignature(head);
    NameSet names;
    for (const std::string_view name : signature.Parameters()) names.emplace(name);
    std::string path = signature.name();
    RuleBody body(ReadStatements(i, std::move(names), FindFunction()), path, file_);
    return rules.emplace(path, std::make_unique<PythonRule>(std::move(signature), std::move(body))).second;
  }

  std::vector<RuleBody::Statement> ReadStatements(size_t& i, NameSet names, const FindFunction& also) const {
    std::vector<RuleBody::Statement> statements;
    for (; i < lines_.size() && lines_[i].is_indented; ++i) statements.push_back(ReadStatement(lines_[i], names, also));
    return statements;
  }

  // `mymodel.ops.scale(x, factor=2)`
  static Signature ReadSignature(const Line& head) {
    std::string_view text = head.text;
    if (text.ends_with(':')) text.remove_suffix(1);
    const std::string path(NameOf(text));
    if (!IsPythonPath(path)) throw RulesError{head.at, "`" + path + "` is no path of a Python function or class"};
    if (FindPythonFunction(path) || FindModuleClass(path))
      throw RulesError{head.at, path + " has a rule here: one can be given to what is not known"};
    try {
      Signature signature(text);
      for (const std::string_view name : signature.Parameters())
        if (!IsName(name)) throw RulesError{head.at, "`" + std::string(name) + "` is no argument's name"};
      return signature;
    } catch (const InternalError&) {
      throw RulesError{head.at, "expected a path and arguments with plain defaults, `" + path + "(x, n=1)`"};
    }
  }

  static bool IsKnown(const Line& head, const OperatorRules& rules, const PythonRules& python_rules) {
    if (IsPythonHead(head.text)) return python_rules.contains(NameOf(head.text));
    const Schema* known = FindSchema(head.text.substr(0, head.text.find('(')));
    return known && (rules.contains(known) || !AddSchema(std::string(head.text), 0));
  }

  static const Schema& ReadSchema(const Line& head) {
    std::string text(head.text);
    if (text.ends_with(':')) text.pop_back();
    try {
      CheckNames(ParseSchema(text, 0), head.at);
      const Schema* schema = AddSchema(text, 0);
      if (!schema) throw RulesError{head.at, text.substr(0, text.find('(')) + " is known by another schema already"};
      return *schema;
    } catch (const SchemaError& e) {
      throw RulesError{head.at + std::min(e.at, head.text.size()),
          "expected an operator's schema, `ns::name(Tensor x, int n=1) -> Tensor`; it stops to be one here"};
    }
  }

  static void CheckNames(const Schema& schema, size_t at) {
    const size_t colons = schema.name.find("::");
    if (colons == std::string_view::npos || !IsName(schema.name.substr(0, colons)) ||
        !IsName(schema.name.substr(colons + 2)))
      throw RulesError{at, "`" + std::string(schema.name) + "` is no operator's name such as `ns::name`"};
    if (schema.name.starts_with("aten::") || schema.name.starts_with("prim::"))
      throw RulesError{
          at, std::string(schema.full_name) + " is PyTorch's own: a rule can be given to custom operators"};
    for (const SchemaArgument& argument : schema.arguments) {
      if (!IsName(argument.name))
        throw RulesError{at, "an argument of " + std::string(schema.full_name) + " has no name"};
      CheckType(argument.type, at);
    }
    for (const SchemaReturn& result : schema.returns) CheckType(result.type, at);
  }

  static void CheckType(const Type& type, size_t at) {
    if (type.kind == TypeKind::kAny && type.text != "Any")
      throw RulesError{at, "`" + std::string(type.text) + "` is no type of a schema"};
  }

  RuleBody::Statement ReadStatement(const Line& line, NameSet& names, const FindFunction& also) const {
    RuleBody::Statement statement;
    statement.line = LineNumber(line.at);
    size_t value_at = 0;
    if (line.text.starts_with("return") && (line.text.size() == 6 || !IsName(line.text.substr(6, 1)))) {
      statement.kind = RuleBody::Statement::Kind::kReturn;
      value_at = 6;
    } else if (statement.names = AssignedNames(line.text, value_at); !statement.names.empty()) {
      statement.kind = RuleBody::Statement::Kind::kAssign;
    }
    try {
      statement.value = ParsePythonExpression(line.text.substr(value_at), names, also);
    } catch (const ExpressionError& e) {
      throw RulesError{line.at + value_at + e.at, e.message};
    }
    names.insert(statement.names.begin(), statement.names.end());
    return statement;
  }

  std::string_view text_;
  std::string file_;
  std::vector<Line> lines_;
  bool keeps_earlier_ = false;
};

}  // namespace

void OpRules::AddShipped() {
  for (const ShippedRules& shipped : AllShippedRules()) {
    const std::string text = WithoutComments(std::string(shipped.text));
    Reader reader(text, std::string(shipped.name) + ".rules");
    reader.KeepEarlier();
    reader.Read(rules_, python_rules_);
  }
}

const OpRules& OpRules::Shipped() {
  static const OpRules rules = [] {
    OpRules shipped;
    shipped.AddShipped();
    return shipped;
  }();
  return rules;
}

bool OpRules::Add(const std::string& given, const std::string& file, DiagnosticSink& sink) {
  const std::string text = WithoutComments(given);
  Reader reader(text, file);
  try {
    reader.Read(rules_, python_rules_);
    return true;
  } catch (const RulesError& e) {
    const size_t line_start = e.at == 0 ? 0 : text.rfind('\n', e.at - 1) + 1;
    const std::string place =
        "line " + std::to_string(reader.LineNumber(e.at)) + ", column " + std::to_string(e.at - line_start + 1);
    sink.Add({.code = kMalformedOpRules, .message = e.message, .file = file, .place = place});
    return false;
  }
}

}  // namespace fakeprop
