// Reads both spellings of an expression by recursive descent: srepr is all calls, str has operators.
#include <charconv>

#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Expression MakeNumber(Number number) {
  Expression expression;
  expression.number = number;
  return expression;
}

Expression MakeSymbol(std::string_view name) {
  Expression expression;
  expression.kind = Expression::Kind::kSymbol;
  expression.name = name;
  return expression;
}

Expression MakeCall(std::string_view name, std::vector<Expression> arguments) {
  Expression expression;
  expression.kind = Expression::Kind::kCall;
  expression.name = name;
  expression.arguments = std::move(arguments);
  return expression;
}

Expression MakeCall(std::string_view name, Expression left, Expression right) {
  std::vector<Expression> arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return MakeCall(name, std::move(arguments));
}

Expression Negate(Expression expression) {
  if (expression.kind == Expression::Kind::kNumber && expression.number.is_integer)
    return MakeNumber(Number::Of(-expression.number.integer));
  return MakeCall("Mul", MakeNumber(Number::Of(int64_t{-1})), std::move(expression));
}

struct ComparisonSign {
  std::string_view text;
  std::string_view function;
};

// An operator that begins like another one comes first.
constexpr ComparisonSign kComparisons[] = {
    {"<=", "LessThan"},
    {">=", "GreaterThan"},
    {"<", "StrictLessThan"},
    {">", "StrictGreaterThan"},
    {"==", "Equality"},
    {"!=", "Unequality"},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Expression> Parse() {
    std::optional<Expression> expression = ParseDisjunction();
    SkipSpace();
    return at_ == text_.size() ? expression : std::nullopt;
  }

 private:
  std::optional<Expression> ParseDisjunction() {
    return ParseChain("or", "Or", [&] { return ParseConjunction(); });
  }

  std::optional<Expression> ParseConjunction() {
    return ParseChain("and", "And", [&] { return ParseNegation(); });
  }

  // part, or part WORD part WORD ... as one call.
  template <typename ParsePart>
  std::optional<Expression> ParseChain(std::string_view word, std::string_view function, ParsePart parse_part) {
    std::vector<Expression> parts;
    do {
      std::optional<Expression> part = parse_part();
      if (!part) return std::nullopt;
      parts.push_back(std::move(*part));
    } while (AcceptWord(word));
    return parts.size() == 1 ? std::move(parts[0]) : MakeCall(function, std::move(parts));
  }

  std::optional<Expression> ParseNegation() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    const bool is_negated = AcceptWord("not");
    std::optional<Expression> expression = is_negated ? ParseNegation() : ParseComparison();
    --depth_;
    if (!is_negated || !expression) return expression;
    return MakeCall("Not", std::vector<Expression>{std::move(*expression)});
  }

  std::optional<Expression> ParseComparison() {
    std::optional<Expression> left = ParseSum();
    std::vector<Expression> comparisons;  // `2 <= n <= 8` is two
    for (const ComparisonSign* sign = left ? AcceptSign() : nullptr; sign; sign = AcceptSign()) {
      std::optional<Expression> right = ParseSum();
      if (!right || comparisons.size() >= kMaxDepth) return std::nullopt;
      comparisons.push_back(MakeCall(sign->function, std::move(*left), *right));
      left = std::move(right);
    }
    if (comparisons.empty()) return left;
    return comparisons.size() == 1 ? std::move(comparisons[0]) : MakeCall("And", std::move(comparisons));
  }

  const ComparisonSign* AcceptSign() {
    for (const ComparisonSign& sign : kComparisons)
      if (Accept(sign.text)) return &sign;
    return nullptr;
  }

  std::optional<Expression> ParseSum() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    std::optional<Expression> left = ParseProduct();
    for (int nested = 0; left && nested <= kMaxDepth;) {
      bool minus = Accept("-");
      if (!minus && !Accept("+")) break;
      std::optional<Expression> right = ParseProduct();
      if (!right) return std::nullopt;
      nested += Append("Add", *left, minus ? Negate(std::move(*right)) : std::move(*right));
    }
    --depth_;
    return left;
  }

  std::optional<Expression> ParseProduct() {
    std::optional<Expression> left = ParseFactor();
    for (int nested = 0; left && nested <= kMaxDepth;) {
      const char* function = Accept("//")  ? "FloorDiv"
                             : Accept("*") ? "Mul"
                             : Accept("/") ? "IntTrueDiv"
                             : Accept("%") ? "PythonMod"
                                           : nullptr;
      if (!function) break;
      std::optional<Expression> right = ParseFactor();
      if (!right) return std::nullopt;
      nested += Append(function, *left, std::move(*right));
    }
    return left;
  }

  // left op right: one more argument if that is the same. Returns how much deeper the expression became. If it becomes
  // too deep, the rest stays unread, and Parse() sees that.
  static int Append(std::string_view function, Expression& left, Expression right) {
    if (left.name == function && (function == "Add" || function == "Mul")) {
      left.arguments.push_back(std::move(right));
      return 0;
    }
    left = MakeCall(function, std::move(left), std::move(right));
    return 1;
  }

  std::optional<Expression> ParseFactor() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    std::optional<Expression> factor;
    if (Accept("-")) {
      factor = ParseFactor();
      if (factor) factor = Negate(std::move(*factor));
    } else {
      factor = ParseAtom();
      if (factor && Accept("**")) {
        std::optional<Expression> exponent = ParseFactor();
        if (!exponent) return std::nullopt;
        factor = MakeCall("Pow", std::move(*factor), std::move(*exponent));
      }
    }
    --depth_;
    return factor;
  }

  std::optional<Expression> ParseAtom() {
    SkipSpace();
    if (Accept("(")) {
      std::optional<Expression> inner = ParseDisjunction();
      return inner && Accept(")") ? inner : std::nullopt;
    }
    if (at_ < text_.size() && IsDigit(text_[at_])) return ParseNumber(text_.substr(at_), &at_);
    std::string_view name = ParseName();
    if (name.empty()) return std::nullopt;
    if (name == "true" || name == "True") return MakeNumber(Number::Of(int64_t{1}));
    if (name == "false" || name == "False") return MakeNumber(Number::Of(int64_t{0}));
    // "math.floor" is one name; a symbol has no dot.
    const size_t start = static_cast<size_t>(name.data() - text_.data());
    while (at_ < text_.size() && text_[at_] == '.') ++at_, ParseName();
    const std::string_view dotted = text_.substr(start, at_ - start);
    if (Accept("(")) return ParseCall(InSymPy(dotted));
    return dotted == name ? std::optional(MakeSymbol(name)) : std::nullopt;
  }

  // Guards in a file are Python: "max(1, n)", "math.floor(n / 2)". Source: PythonPrinter in
  // torch/utils/_sympy/printers.py (torch 2.13), and the functions of torch that 2.15 writes.
  static std::string_view InSymPy(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"max", "Max"}, {"min", "Min"}, {"abs", "Abs"},
        {"round", "RoundToInt"}, {"math.floor", "FloorToInt"}, {"math.ceil", "CeilToInt"}, {"math.trunc", "TruncToInt"},
        {"torch.sym_float", "ToFloat"}, {"torch.sym_max", "Max"}, {"torch.sym_min", "Min"}, {"torch.sym_not", "Not"},
        {"torch._sym_sqrt", "OpaqueUnaryFn_sqrt"}};
    for (const auto& [python, sympy] : kNames)
      if (name == python) return sympy;
    if (name.starts_with("math.")) name.remove_prefix(5);  // cos, log2 and the like have their own names
    return name;
  }

  // What follows "name(": Symbol and Float have their content in quotes, and options as key=value.
  std::optional<Expression> ParseCall(std::string_view name) {
    std::vector<Expression> arguments;
    std::string_view quoted;
    while (!Accept(")")) {
      if (quoted.data() || !arguments.empty())
        if (!Accept(",")) return std::nullopt;
      if (SkipOption()) continue;
      if (std::string_view text; ParseQuoted(text)) {
        quoted = text;
        continue;
      }
      std::optional<Expression> argument = ParseDisjunction();
      if (!argument) return std::nullopt;
      arguments.push_back(std::move(*argument));
    }
    if (name == "Symbol") return quoted.empty() ? std::nullopt : std::optional(MakeSymbol(quoted));
    if (name == "Float" && !quoted.empty()) return ParseNumber(quoted, nullptr);
    if (name == "Integer") return arguments.size() == 1 ? std::optional(std::move(arguments[0])) : std::nullopt;
    return MakeCall(name, std::move(arguments));
  }

  // Advances *at by what was read; without it, all of `text` has to be the number.
  static std::optional<Expression> ParseNumber(std::string_view text, size_t* at) {
    const char* end = text.data() + text.size();
    int64_t integer = 0;
    auto as_integer = std::from_chars(text.data(), end, integer);
    double real = 0;
    auto as_real = std::from_chars(text.data(), end, real);
    bool is_integer = as_integer.ec == std::errc() && as_integer.ptr == as_real.ptr;
    if (as_real.ec != std::errc() || (!at && as_real.ptr != end)) return std::nullopt;
    if (at) *at += static_cast<size_t>(as_real.ptr - text.data());
    return MakeNumber(is_integer ? Number::Of(integer) : Number::Of(real));
  }

  std::string_view ParseName() {
    SkipSpace();
    size_t start = at_;
    while (at_ < text_.size() && (IsLetter(text_[at_]) || (at_ > start && IsDigit(text_[at_])))) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool ParseQuoted(std::string_view& quoted) {
    SkipSpace();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    quoted = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  // "positive=True", "precision=53".
  bool SkipOption() {
    size_t start = at_;
    std::string_view name = ParseName();
    SkipSpace();
    bool is_option = !name.empty() && at_ + 1 < text_.size() && text_[at_] == '=' && text_[at_ + 1] != '=';
    at_ = is_option ? text_.find_first_of(",)", at_) : start;
    if (at_ == std::string_view::npos) at_ = text_.size();
    return is_option;
  }

  bool Accept(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    // "**" is not two products.
    if (token == "*" && text_.substr(at_).starts_with("**")) return false;
    at_ += token.size();
    return true;
  }

  // A word that no letter or digit follows.
  bool AcceptWord(std::string_view word) {
    SkipSpace();
    const std::string_view rest = text_.substr(at_);
    const bool is_longer = rest.size() > word.size() && (IsLetter(rest[word.size()]) || IsDigit(rest[word.size()]));
    if (!rest.starts_with(word) || is_longer) return false;
    at_ += word.size();
    return true;
  }

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  static constexpr int kMaxDepth = 200;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<Expression> ParseExpression(std::string_view text) { return Parser(text).Parse(); }

}  // namespace fakeprop
