#include "lib/torchscript/compiler/schema_types.h"

#include <charconv>

namespace fakeprop::script {
namespace {

// What schemas call by another name than the code.
constexpr std::pair<std::string_view, TypeCase> kNames[] = {
    {"SymInt", TypeCase::kInt},
    {"ScalarType", TypeCase::kInt},
    {"Layout", TypeCase::kInt},
    {"MemoryFormat", TypeCase::kInt},
    {"DeviceIndex", TypeCase::kInt},
    {"Scalar", TypeCase::kNumber},
    {"Dimname", TypeCase::kString},
    {"AnyEnumType", TypeCase::kAnyEnum},
};

class Reader {
 public:
  Reader(std::string_view text, TypeTable& types) : text_(text), types_(types) {}

  SchemaTypeText Read() {
    out_.type = ReadType();
    if (at_ != text_.size()) out_.type = nullptr;
    return out_;
  }

 private:
  TypeRef ReadType() {
    TypeRef type = Accept('(') ? ReadTuple() : ReadNamed();
    while (type && at_ < text_.size()) {
      if (Accept('?')) type = types_.Optional(type);
      else if (text_[at_] == '[') type = ReadList(type);
      else if (!SkipAliases()) break;
    }
    return type;
  }

  // "(a!)", "(a -> *)", "(*)".
  bool SkipAliases() {
    if (text_[at_] != '(') return false;
    at_ = std::min(text_.find(')', at_), text_.size() - 1) + 1;
    return true;
  }

  TypeRef ReadList(TypeRef element) {
    const size_t end = std::min(text_.find(']', at_), text_.size() - 1);
    std::from_chars(text_.data() + at_ + 1, text_.data() + end, out_.repeats);
    at_ = end + 1;
    return types_.List(element);
  }

  TypeRef ReadTuple() {
    std::vector<TypeRef> of;
    while (!Accept(')')) {
      of.push_back(ReadType());
      if (!of.back() || at_ >= text_.size()) return nullptr;
      if (Accept(',')) Accept(' ');
    }
    return types_.Tuple(std::move(of));
  }

  TypeRef ReadNamed() {
    const size_t end = std::min(text_.find_first_of("([?,) ", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "Dict" || word == "Future") return ReadGeneric(word);
    for (const auto& [name, kind] : kNames)
      if (name == word) return types_.Basic(kind);
    if (const TypeRef basic = types_.FindBasic(word)) return basic;
    if (const TypeRef custom = types_.FindCustomClass(word)) return custom;
    const bool is_variable = word == "t" || word == "tVal" || word == "t1" || word == "t2";
    return is_variable ? types_.Variable(word) : nullptr;
  }

  TypeRef ReadGeneric(std::string_view word) {
    if (!Accept('(')) return nullptr;
    const TypeRef parts = ReadTuple();
    if (!parts || parts->of.size() != (word == "Dict" ? 2 : 1)) return nullptr;
    return word == "Dict" ? types_.Dict(parts->of[0], parts->of[1]) : types_.Future(parts->of[0]);
  }

  bool Accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view text_;
  TypeTable& types_;
  size_t at_ = 0;
  SchemaTypeText out_;
};

}  // namespace

SchemaTypeText ReadSchemaType(std::string_view text, TypeTable& types) { return Reader(text, types).Read(); }

}  // namespace fakeprop::script
