// A recursive descent over the text, one function for each level of Python's precedence.

#include <cctype>

#include "lib/base/check.h"
#include "lib/meta/dtype.h"
#include "lib/python/expression_nodes.h"
#include "lib/python/expression_text.h"
#include "lib/python/python.h"

namespace fakeprop {
namespace {

using namespace expression;

// Deeper than anything that a person writes, and well within the stack.
constexpr int kMaxDepth = 100;

struct BinaryOperator {
  std::string_view token;
  std::string_view function;
};
constexpr BinaryOperator kSums[] = {{"+", "_operator.add"}, {"-", "_operator.sub"}};
constexpr BinaryOperator kProducts[] = {
    {"//", "_operator.floordiv"}, {"*", "_operator.mul"}, {"/", "_operator.truediv"}, {"%", "_operator.mod"}};
constexpr BinaryOperator kOrders[] = {
    {"<=", "_operator.le"}, {">=", "_operator.ge"}, {"<", "_operator.lt"}, {">", "_operator.gt"}};

// torch's constants by name.
std::optional<Value> TorchConstant(std::string_view path) {
  if (!path.starts_with("torch.")) return std::nullopt;
  const std::string_view name = path.substr(6);
  if (auto dtype = DtypeFromName(name)) return Value(*dtype);
  if (name == "contiguous_format") return Value(MemoryFormat::Contiguous);
  if (name == "channels_last") return Value(MemoryFormat::ChannelsLast);
  if (name == "channels_last_3d") return Value(MemoryFormat::ChannelsLast3d);
  if (name == "preserve_format") return Value(MemoryFormat::Preserve);
  if (name == "strided") return Value(Layout::Strided);
  return std::nullopt;
}

class Parser : ExpressionText {
 public:
  // `variables`: null where every bare name is one.
  Parser(std::string_view text, const NameSet* variables, const FindFunction& also)
      : ExpressionText(text), variables_(variables), also_(also) {}

  Tree ParseWhole() {
    Tree node = ParseTuple();
    if (!AtEnd()) FailAt("expected an operator or the end, saw `" + std::string(rest().substr(0, 12)) + "`");
    return node;
  }

 private:
  Tree ParseTuple() {
    Tree first = ParseItem();
    if (!Peek(",")) return first;
    auto node = std::make_unique<Items>();
    node->is_tuple = true;
    node->items.push_back(std::move(first));
    while (Take(",") && !AtEnd()) node->items.push_back(ParseItem());
    return node;
  }

  Tree ParseItem() {
    if (Peek("*") && Take("*")) return std::make_unique<Starred>(ParseConditional());
    return ParseConditional();
  }

  Tree ParseConditional() {
    if (++depth_ > kMaxDepth) FailAt("the expression is nested too deep");
    Tree value = ParseOr();
    if (TakeWord("if")) {
      auto node = std::make_unique<Conditional>();
      node->yes = std::move(value);
      node->condition = ParseOr();
      if (!TakeWord("else")) FailAt("expected `else` after `if` and its condition");
      node->no = ParseConditional();
      value = std::move(node);
    }
    --depth_;
    return value;
  }

  Tree ParseOr() {
    Tree left = ParseAnd();
    while (TakeWord("or")) left = MakeLogical(std::move(left), ParseAnd(), true);
    return left;
  }

  Tree ParseAnd() {
    Tree left = ParseNot();
    while (TakeWord("and")) left = MakeLogical(std::move(left), ParseNot(), false);
    return left;
  }

  static Tree MakeLogical(Tree a, Tree b, bool is_or) {
    auto node = std::make_unique<Logical>();
    node->a = std::move(a);
    node->b = std::move(b);
    node->is_or = is_or;
    return node;
  }

  Tree ParseNot() {
    bool negated = false, any = false;
    for (; TakeWord("not"); any = true) negated = !negated;
    Tree value = ParseComparison();
    if (!any) return value;
    for (int i = negated ? 1 : 2; i > 0; --i) {
      auto node = std::make_unique<Negation>();
      node->of = std::move(value);
      value = std::move(node);
    }
    return value;
  }

  Tree ParseComparison() {
    Tree left = ParseSum();
    auto node = std::make_unique<Comparison>();
    while (auto step = TakeComparison()) {
      step->with = ParseSum();
      node->steps.push_back(std::move(*step));
    }
    if (node->steps.empty()) return left;
    node->first = std::move(left);
    return node;
  }

  std::optional<Comparison::Step> TakeComparison() {
    Comparison::Step step;
    for (const BinaryOperator& order : kOrders) {
      if (!Take(order.token)) continue;
      step.kind = Comparison::Kind::kOrder;
      step.function = order.function;
      return step;
    }
    if (Take("==")) return step;
    const size_t start = at();
    step.negated = Take("!=");
    if (step.negated) return step;
    step.kind = Comparison::Kind::kSame;
    if (TakeWord("is")) {
      step.negated = TakeWord("not");
      return step;
    }
    step.kind = Comparison::Kind::kIn;
    step.negated = TakeWord("not");
    if (TakeWord("in")) return step;
    GoTo(start);
    return std::nullopt;
  }

  static Tree MakeOperation(std::string_view function, Tree a, Tree b = nullptr) {
    auto node = std::make_unique<Operation>();
    node->function = function;
    node->operands.push_back(std::move(a));
    if (b) node->operands.push_back(std::move(b));
    return node;
  }

  const BinaryOperator* TakeOneOf(std::span<const BinaryOperator> operators) {
    for (const BinaryOperator& op : operators)
      if (!Peek("**") && Take(op.token)) return &op;
    return nullptr;
  }

  Tree ParseSum() {
    Tree left = ParseProduct();
    while (const BinaryOperator* op = TakeOneOf(kSums))
      left = MakeOperation(op->function, std::move(left), ParseProduct());
    return left;
  }

  Tree ParseProduct() {
    Tree left = ParseSign();
    while (const BinaryOperator* op = TakeOneOf(kProducts))
      left = MakeOperation(op->function, std::move(left), ParseSign());
    return left;
  }

  Tree ParseSign() {
    if (!Take("-")) return ParsePower();
    if (++depth_ > kMaxDepth) FailAt("the expression is nested too deep");
    Tree of = ParseSign();
    --depth_;
    if (auto* literal = dynamic_cast<Literal*>(of.get())) {
      if (auto d = literal->value.TryGet<double>()) return std::make_unique<Literal>(Value(-*d));
      if (auto i = literal->value.TryGet<Dim>()) return std::make_unique<Literal>(Value(-*i));
    }
    return MakeOperation("_operator.neg", std::move(of));
  }

  Tree ParsePower() {
    Tree base = ParsePostfix();
    if (!Take("**")) return base;
    return MakeOperation("_operator.pow", std::move(base), ParseSign());
  }

  Tree ParsePostfix() {
    Tree node = ParseAtom();
    while (true) {
      if (Take("[")) node = MakeOperation("_operator.getitem", std::move(node), ParseSubscript());
      else if (Peek(".") && dynamic_cast<Literal*>(node.get()) == nullptr && Take("."))
        node = ParseMember(std::move(node));
      else return node;
    }
  }

  Tree ParseMember(Tree of) {
    Skip();
    const size_t start = at();
    const std::string name = TakeName();
    if (!Take("(")) {
      auto node = std::make_unique<AttributeOf>();
      node->of = std::move(of);
      node->name = name;
      return node;
    }
    if (!FindPythonMethod(name)) FailFrom(start, "no method `" + name + "` is known here");
    auto node = std::make_unique<CallExpression>();
    node->function = name;
    node->is_method = true;
    node->arguments.positional.push_back(std::move(of));
    ParseArguments(node->arguments);
    return node;
  }

  // What stands in `x[...]`, the bracket's end with it.
  Tree ParseSubscript() {
    auto items = std::make_unique<Items>();
    items->is_tuple = true;
    bool is_tuple = false;
    do {
      items->items.push_back(ParseIndex());
      if (!Take(",")) break;
      is_tuple = true;
    } while (!Peek("]"));
    Expect("]");
    if (!is_tuple) return std::move(items->items[0]);
    return items;
  }

  Tree ParseIndex() {
    Tree start = Peek(":") ? nullptr : ParseItem();
    if (!Take(":")) return start;
    auto slice = std::make_unique<SliceExpression>();
    slice->bounds[0] = std::move(start);
    for (int i = 1; i < 3; ++i) {
      if (!Peek(":") && !Peek(",") && !Peek("]")) slice->bounds[i] = ParseConditional();
      if (!Take(":")) break;
    }
    return slice;
  }

  Tree ParseAtom() {
    if (AtEnd()) FailAt("expected a value, saw the end");
    const char c = rest().front();
    if (c == '\'' || c == '"') return std::make_unique<Literal>(Value(TakeString()));
    if (c == '[') return ParseBracketed("]", false);
    if (c == '(') return ParseBracketed(")", true);
    if (Peek("...") && Take("...")) return std::make_unique<Literal>(Value(Opaque{"builtins.ellipsis", "..."}));
    if (std::isdigit(static_cast<unsigned char>(c)) || (c == '.' && rest().size() > 1))
      return std::make_unique<Literal>(TakeNumber());
    if (!IsNameStart(c)) FailAt("expected a value, saw `" + std::string(1, c) + "`");
    return ParseNamed();
  }

  Tree ParseBracketed(std::string_view close, bool is_tuple) {
    Take(is_tuple ? "(" : "[");
    const std::string loop_name = is_tuple ? "" : LoopName();
    const bool is_new =
        !loop_name.empty() && variables_ && !variables_->count(loop_name) && loops_.insert(loop_name).second;
    auto items = std::make_unique<Items>();
    items->is_tuple = is_tuple;
    bool has_comma = false;
    while (!Take(close)) {
      items->items.push_back(ParseItem());
      if (!loop_name.empty() && TakeWord("for")) return ParseLoop(std::move(items->items[0]), loop_name, is_new);
      const bool comma = Take(",");
      has_comma = has_comma || comma;
      if (!comma && !Peek(close)) FailAt("expected `,` or `" + std::string(close) + "`");
    }
    if (is_tuple && items->items.size() == 1 && !has_comma) return std::move(items->items[0]);
    return items;
  }

  Tree ParseLoop(Tree each, const std::string& name, bool is_new) {
    auto node = std::make_unique<Comprehension>();
    node->each = std::move(each);
    node->name = TakeName();
    if (node->name != name || !TakeWord("in")) FailAt("expected `for NAME in VALUES`");
    if (is_new) loops_.erase(name);
    node->values = ParseConditional();
    Expect("]");
    return node;
  }

  bool IsVariable(std::string_view name) {
    if (variables_) return variables_->count(name) || loops_.count(std::string(name));
    return !Peek(".") && !Peek("(");
  }

  Tree ParseNamed() {
    const size_t start = at();
    std::string name = TakeName();
    if (name == "None") return std::make_unique<Literal>(Value());
    if (name == "True" || name == "False") return std::make_unique<Literal>(Value(name == "True"));
    if (IsVariable(name)) return std::make_unique<Variable>(std::move(name));
    while (Peek(".") && Take(".")) name += "." + TakeName();
    if (auto constant = TorchConstant(name)) return std::make_unique<Literal>(std::move(*constant));
    if (Take("(")) {
      auto node = std::make_unique<CallExpression>();
      node->rule = also_ ? also_(name) : nullptr;
      if (variables_ && !node->rule && !FindPythonFunction(name))
        FailFrom(start, "no function `" + name + "` is known here");
      node->function = std::move(name);
      ParseArguments(node->arguments);
      return node;
    }
    FailFrom(start, "nothing here is called `" + name + "`");
  }

  // Up to the closing parenthesis, and that.
  void ParseArguments(Arguments& arguments) {
    while (!Take(")")) {
      const std::string keyword = TakeKeyword();
      if (!keyword.empty()) arguments.keywords.emplace_back(keyword, ParseConditional());
      else arguments.positional.push_back(ParseItem());
      if (!Take(",") && !Peek(")")) FailAt("expected `,` or `)`");
    }
  }

  const NameSet* variables_;
  const FindFunction& also_;
  NameSet loops_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<PythonExpression> ParsePythonExpression(
    std::string_view text, const NameSet& variables, const FindFunction& also) {
  return Parser(text, &variables, also).ParseWhole();
}

std::unique_ptr<PythonExpression> ParseTableExpression(std::string_view text) {
  try {
    return Parser(text, nullptr, FindFunction()).ParseWhole();
  } catch (const ExpressionError& e) {
    throw InternalError("a table's expression does not parse: " + e.message + ": " + std::string(text));
  }
}

Value ParsePythonLiteral(std::string_view text) {
  const Tree node = ParseTableExpression(text);
  if (const auto* literal = dynamic_cast<const Literal*>(node.get())) return literal->value;
  const auto* items = dynamic_cast<const Items*>(node.get());
  FAKEPROP_CHECK(items && items->items.empty());
  List list;
  list.is_tuple = items->is_tuple;
  return list;
}

}  // namespace fakeprop
