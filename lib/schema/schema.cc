#include "lib/schema/schema.h"

#include <algorithm>
#include <charconv>

#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

struct NamedKind {
  std::string_view name;
  TypeKind kind;
};

constexpr NamedKind kKinds[] = {
    {"Tensor", TypeKind::kTensor},
    {"int", TypeKind::kInt},
    {"SymInt", TypeKind::kSymInt},
    {"float", TypeKind::kFloat},
    {"bool", TypeKind::kBool},
    {"Scalar", TypeKind::kScalar},
    {"str", TypeKind::kString},
    {"ScalarType", TypeKind::kDtype},
    {"Device", TypeKind::kDevice},
    {"Layout", TypeKind::kLayout},
    {"MemoryFormat", TypeKind::kMemoryFormat},
    {"Generator", TypeKind::kGenerator},
    {"Stream", TypeKind::kStream},
    {"Storage", TypeKind::kStorage},
    {"Dimname", TypeKind::kDimname},
    {"QScheme", TypeKind::kQScheme},
    {"complex", TypeKind::kComplex},
    {"Dict", TypeKind::kDict},
    {"Future", TypeKind::kFuture},
    {"DeviceIndex", TypeKind::kInt},
};

// A cursor over the schema's text. The grammar is that of torch::jit::parseSchema, of which LibTorch prints a part.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Schema Parse(uint32_t flags) {
    Schema schema;
    schema.text = text_;
    schema.flags = flags;
    const size_t open = text_.find('(');
    Require(open != std::string_view::npos);
    schema.full_name = text_.substr(0, open);
    const size_t dot = schema.full_name.find('.', schema.full_name.find("::") + 2);
    schema.name = schema.full_name.substr(0, dot);
    if (dot != std::string_view::npos) schema.overload = schema.full_name.substr(dot + 1);
    at_ = open;
    ParseArguments(schema);
    Expect("->");
    ParseReturns(schema);
    return schema;
  }

 private:
  void ParseArguments(Schema& schema) {
    Expect("(");
    bool keyword_only = false;
    while (!Accept(")")) {
      if (!schema.arguments.empty() || keyword_only) Expect(",");
      if (Accept("...")) continue;  // variadic: nothing is known of the rest
      if (Accept("*")) {
        keyword_only = true;
        continue;
      }
      SchemaArgument& argument = schema.arguments.emplace_back();
      argument.is_keyword_only = keyword_only;
      ParseType(argument.type, argument.alias_set, argument.is_write);
      argument.name = Word();
      schema.argument_hashes.push_back(HashArgumentName(argument.name));
      if (Accept("=")) argument.default_value = ParseDefault(argument.type);
    }
  }

  void ParseReturns(Schema& schema) {
    if (Accept("...")) return;
    const bool several = Accept("(");
    while (several ? !Accept(")") : schema.returns.empty()) {
      if (!schema.returns.empty()) Expect(",");
      if (Accept("...")) continue;
      SchemaReturn& result = schema.returns.emplace_back();
      ParseType(result.type, result.alias_set, result.is_write);
      if (several) result.name = Word();
    }
  }

  void ParseType(Type& type, std::string_view& alias_set, bool& is_write) {
    SkipSpace();
    const size_t start = at_;
    if (Peek() == '(') {
      SkipBalanced('(', ')');
      type.kind = TypeKind::kTuple;
    } else {
      std::string_view word = Word();
      type.kind = KindOf(word);
      if (Peek() == '(' && type.kind != TypeKind::kTensor) SkipBalanced('(', ')');
    }
    ParseAlias(alias_set, is_write);
    while (true) {
      if (Accept("?")) {
        type.is_optional = true;
      } else if (Peek() == '[') {
        type.is_element_optional = type.is_optional;
        type.is_optional = false;
        type.is_list = true;
        SkipBalanced('[', ']');
        ParseAlias(alias_set, is_write);
      } else {
        break;
      }
    }
    type.text = text_.substr(start, at_ - start);
    while (type.text.ends_with(' ')) type.text.remove_suffix(1);
  }

  void ParseAlias(std::string_view& alias_set, bool& is_write) {
    if (Peek() != '(') return;
    const size_t start = at_ + 1;
    SkipBalanced('(', ')');
    std::string_view set = text_.substr(start, at_ - 1 - start);
    is_write = set.find('!') != std::string_view::npos;
    alias_set = set.substr(0, set.find_first_of("! |"));
  }

  Value ParseDefault(const Type& type) {
    SkipSpace();
    if (Accept("[")) {
      List list;
      while (!Accept("]")) {
        if (!list.items.empty()) Expect(",");
        list.items.push_back(ParseDefaultScalar(type));
      }
      return list;
    }
    return ParseDefaultScalar(type);
  }

  Value ParseDefaultScalar(const Type& type) {
    SkipSpace();
    if (Peek() == '"' || Peek() == '\'') return ParseString();
    const size_t end = std::min(text_.find_first_of(",)]", at_), text_.size());
    std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return DefaultFromWord(word, type);
  }

  Value ParseString() {
    const char quote = text_[at_++];
    std::string value;
    for (; Require(at_ < text_.size()), text_[at_] != quote; ++at_) {
      const bool is_escape = text_[at_] == '\\';
      if (is_escape) ++at_;
      Require(at_ < text_.size());
      value += is_escape ? Unescaped(text_[at_]) : text_[at_];
    }
    ++at_;
    return value;
  }

  // As c10::printQuotedString writes them.
  static char Unescaped(char c) {
    constexpr std::string_view kEscapes = "abfnrtv", kMeanings = "\a\b\f\n\r\t\v";
    const size_t known = kEscapes.find(c);
    return known == std::string_view::npos ? c : kMeanings[known];
  }

  Value DefaultFromWord(std::string_view word, const Type& type) const {
    if (word == "None") return {};
    if (word == "True") return true;
    if (word == "False") return false;
    if (word == "Mean") return 1;
    if (word == "contiguous_format") return MemoryFormat::Contiguous;
    if (word == "strided") return Layout::Strided;
    double number = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
    Require(result.ec == std::errc() && result.ptr == word.data() + word.size());
    const bool written_as_int = word.find_first_of(".en") == std::string_view::npos;
    if (type.kind == TypeKind::kDtype) return static_cast<ScalarType>(static_cast<int8_t>(number));
    if (type.kind == TypeKind::kMemoryFormat) return static_cast<MemoryFormat>(static_cast<int8_t>(number));
    if (type.kind == TypeKind::kLayout) return static_cast<Layout>(static_cast<int8_t>(number));
    if (type.kind == TypeKind::kFloat || !written_as_int) return number;
    int64_t integer = 0;
    std::from_chars(word.data(), word.data() + word.size(), integer);
    return integer;
  }

  static TypeKind KindOf(std::string_view word) {
    for (const NamedKind& k : kKinds)
      if (k.name == word) return k.kind;
    return word.starts_with("__torch__") ? TypeKind::kObject : TypeKind::kAny;
  }

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char Peek() { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Accept(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void Expect(std::string_view token) { Require(Accept(token)); }

  std::string_view Word() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  void SkipBalanced(char open, char close) {
    int depth = 0;
    do {
      Require(at_ < text_.size());
      if (text_[at_] == open) ++depth;
      if (text_[at_] == close) --depth;
      ++at_;
    } while (depth > 0);
  }

  void Require(bool condition) const {
    if (!condition)
      throw SchemaError("schema does not parse at " + std::to_string(at_) + ": " + std::string(text_), at_);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

int Schema::FindArgument(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument || (!argument.empty() && arguments[i].former_name == argument))
      return static_cast<int>(i);
  return -1;
}

bool Schema::Writes() const {
  return std::ranges::any_of(arguments, [](const SchemaArgument& argument) { return argument.is_write; });
}

bool Schema::IsInplace() const {
  return !arguments.empty() && arguments[0].is_write && !arguments[0].is_keyword_only && name.ends_with('_') &&
         !name.ends_with("__");
}

bool Schema::IsOut() const {
  return !arguments.empty() && arguments.back().is_write && arguments.back().is_keyword_only;
}

Schema ParseSchema(std::string_view text, uint32_t flags) { return Parser(text).Parse(flags); }

}  // namespace fakeprop
