#include "lib/python/expression.h"

#include <cctype>
#include <charconv>

#include "lib/base/check.h"
#include "lib/python/python.h"

namespace fakeprop {
namespace {

using Node = std::unique_ptr<PythonExpression>;

struct Literal : PythonExpression {
  explicit Literal(Value v) : value(std::move(v)) {}
  Value Evaluate(Python&, const Bindings&) const override { return value; }
  Value value;
};

struct Name : PythonExpression {
  explicit Name(std::string n) : name(std::move(n)) {}
  Value Evaluate(Python&, const Bindings& names) const override { return names[name]; }
  std::string name;
};

struct Items : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override {
    List list;
    list.is_tuple = is_tuple;
    for (const Node& item : items) list.items.push_back(item->Evaluate(python, names));
    return list;
  }
  std::vector<Node> items;
  bool is_tuple = false;
};

struct CallExpression : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override {
    PythonArguments arguments;
    for (const Node& item : positional) arguments.positional.push_back(item->Evaluate(python, names));
    for (const auto& [name, item] : keywords) arguments.keywords.emplace_back(name, item->Evaluate(python, names));
    return python.Call(function, std::move(arguments));
  }
  std::string function;
  std::vector<Node> positional;
  std::vector<std::pair<std::string, Node>> keywords;
};

struct Conditional : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override {
    return python.Truth(condition->Evaluate(python, names)) ? yes->Evaluate(python, names) : no->Evaluate(python, names);
  }
  Node condition, yes, no;
};

struct Negation : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override { return !python.Truth(of->Evaluate(python, names)); }
  Node of;
};

struct Logical : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override {
    Value left = a->Evaluate(python, names);
    return python.Truth(left) == is_or ? left : b->Evaluate(python, names);
  }
  Node a, b;
  bool is_or = false;
};

struct Comparison : PythonExpression {
  Value Evaluate(Python& python, const Bindings& names) const override {
    const Value left = a->Evaluate(python, names), right = b->Evaluate(python, names);
    return IsSame(left, right) != negated;
  }
  static bool IsSame(const Value& left, const Value& right) {
    if (left.IsNone() || right.IsNone()) return left.IsNone() && right.IsNone();
    if (auto s = left.TryGet<std::string>()) return right.Is<std::string>() && *s == right.Get<std::string>();
    return ToString(left) == ToString(right);
  }
  Node a, b;
  bool negated = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node ParseWhole() {
    Node node = ParseConditional();
    Skip();
    FAKEPROP_CHECK(at_ == text_.size());
    return node;
  }

 private:
  Node ParseConditional() {
    Node value = ParseOr();
    if (!TakeWord("if")) return value;
    auto node = std::make_unique<Conditional>();
    node->yes = std::move(value);
    node->condition = ParseOr();
    FAKEPROP_CHECK(TakeWord("else"));
    node->no = ParseConditional();
    return node;
  }

  Node ParseOr() {
    Node left = ParseAnd();
    while (TakeWord("or")) left = MakeLogical(std::move(left), ParseAnd(), true);
    return left;
  }

  Node ParseAnd() {
    Node left = ParseNot();
    while (TakeWord("and")) left = MakeLogical(std::move(left), ParseNot(), false);
    return left;
  }

  static Node MakeLogical(Node a, Node b, bool is_or) {
    auto node = std::make_unique<Logical>();
    node->a = std::move(a);
    node->b = std::move(b);
    node->is_or = is_or;
    return node;
  }

  Node ParseNot() {
    if (!TakeWord("not")) return ParseComparison();
    auto node = std::make_unique<Negation>();
    node->of = ParseNot();
    return node;
  }

  Node ParseComparison() {
    Node left = ParseAtom();
    const bool is = TakeWord("is");
    const bool negated = is ? TakeWord("not") : Take("!=");
    if (!is && !negated && !Take("==")) return left;
    auto node = std::make_unique<Comparison>();
    node->a = std::move(left);
    node->b = ParseAtom();
    node->negated = negated;
    return node;
  }

  Node ParseAtom() {
    Skip();
    FAKEPROP_CHECK(at_ < text_.size());
    const char c = text_[at_];
    if (c == '\'') return ParseString();
    if (c == '[' || c == '(') return ParseItems(c);
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') return ParseNumber();
    const std::string name = ParseName();
    if (name == "None") return std::make_unique<Literal>(Value());
    if (name == "True" || name == "False") return std::make_unique<Literal>(Value(name == "True"));
    if (Take("(")) return ParseCall(name);
    return std::make_unique<Name>(name);
  }

  Node ParseString() {
    const size_t end = text_.find('\'', at_ + 1);
    FAKEPROP_CHECK(end != std::string_view::npos);
    auto node = std::make_unique<Literal>(Value(std::string(text_.substr(at_ + 1, end - at_ - 1))));
    at_ = end + 1;
    return node;
  }

  Node ParseNumber() {
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.' ||
                                  text_[at_] == '-'))
      ++at_;
    const std::string number(text_.substr(start, at_ - start));
    if (number.find_first_of(".e") != std::string::npos) return std::make_unique<Literal>(Value(std::stod(number)));
    return std::make_unique<Literal>(Value(int64_t{std::stoll(number)}));
  }

  Node ParseItems(char open) {
    const char* close = open == '[' ? "]" : ")";
    ++at_;
    auto node = std::make_unique<Items>();
    node->is_tuple = open == '(';
    bool is_parenthesised = false;
    while (!Take(close)) {
      node->items.push_back(ParseConditional());
      is_parenthesised = node->items.size() == 1 && !Take(",");
      if (node->items.size() > 1) Take(",");
    }
    if (open == '(' && is_parenthesised) return std::move(node->items[0]);
    return node;
  }

  Node ParseCall(const std::string& function) {
    auto node = std::make_unique<CallExpression>();
    node->function = function;
    while (!Take(")")) {
      const size_t start = at_;
      Skip();
      std::string name = at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) ? ParseName() : "";
      Skip();
      if (!name.empty() && at_ + 1 < text_.size() && text_[at_] == '=' && text_[at_ + 1] != '=') {
        ++at_;
        node->keywords.emplace_back(std::move(name), ParseConditional());
      } else {
        at_ = start;
        node->positional.push_back(ParseConditional());
      }
      Take(",");
    }
    return node;
  }

  std::string ParseName() {
    Skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.'))
      ++at_;
    FAKEPROP_CHECK(at_ > start);
    return std::string(text_.substr(start, at_ - start));
  }

  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  bool TakeWord(std::string_view word) {
    Skip();
    const size_t end = at_ + word.size();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) return false;
    at_ = end;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<PythonExpression> ParsePythonExpression(std::string_view text) { return Parser(text).ParseWhole(); }

Value ParsePythonLiteral(std::string_view text) {
  const std::unique_ptr<PythonExpression> node = Parser(text).ParseWhole();
  if (const auto* literal = dynamic_cast<const Literal*>(node.get())) return literal->value;
  const auto* items = dynamic_cast<const Items*>(node.get());
  FAKEPROP_CHECK(items && items->items.empty());
  List list;
  list.is_tuple = items->is_tuple;
  return list;
}

}  // namespace fakeprop
