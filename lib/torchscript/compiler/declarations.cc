// Types, parameters and defaults as the code writes them. Source: torch/csrc/jit/frontend/script_type_parser.cpp (torch
// 2.15). Defaults are literals: nothing of the code is run.
#include <charconv>
#include <complex>
#include <limits>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/program.h"

namespace fakeprop::script {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "__torch__.zoo.MLP"; empty if the expression is no chain of names.
std::string PathOf(const Syntax& expression) {
  if (expression.kind == SyntaxKind::kName) return expression.text;
  if (expression.kind == SyntaxKind::kNone) return "None";
  if (expression.kind == SyntaxKind::kNoneType) return "NoneType";
  if (expression.kind != SyntaxKind::kSelect) return "";
  const std::string base = PathOf(expression.of[0]);
  return base.empty() ? "" : base + "." + expression.text;
}

Value ReadItems(const Syntax& literal, const SourceFile& file) {
  List list;
  list.is_tuple = literal.kind == SyntaxKind::kTuple;
  for (const Syntax& item : literal.of) list.items.push_back(ReadLiteral(item, file));
  return list;
}

// `annotate(List[int], [])`, `torch.device("cpu")`; nothing else is called for a default.
Value ReadCall(const Syntax& call, const SourceFile& file) {
  if (call.of.size() == 3 && PathOf(call.of[0]) == "annotate") return ReadLiteral(call.of[2], file);
  Decline("a default or constant that is computed", {&file, call.offset});
}

Value Negative(const Value& value, CodePlace place) {
  if (auto* number = value.TryGet<double>()) return -*number;
  Decline("a default or constant that is computed", place);
}

// Of "1.5-2.j", a sum for torch's parser.
Value ReadComplex(const Syntax& sum, const SourceFile& file) {
  const Value real = ReadNumber(sum.of[0], file);
  const auto imaginary = ReadNumber(sum.of[1], file).Get<std::complex<double>>();
  if (auto* number = real.TryGet<double>()) return sum.text == "-" ? *number - imaginary : *number + imaginary;
  Decline("a default or constant that is computed", {&file, sum.offset});
}

}  // namespace

Value ReadNumber(const Syntax& number, const SourceFile& file) {
  const std::string& text = number.text;
  const bool is_imaginary = text.ends_with('j');
  const char* end = text.data() + text.size() - (is_imaginary ? 1 : 0);
  const bool is_real = is_imaginary || text.find_first_of(".eE") != std::string::npos;
  double real = 0;
  int64_t integer = 0;
  const auto result = is_real ? std::from_chars(text.data(), end, real) : std::from_chars(text.data(), end, integer);
  if (result.ec != std::errc() || result.ptr != end) Decline("the number `" + text + "`", {&file, number.offset});
  if (is_imaginary) return std::complex<double>(0, real);
  return is_real ? Value(real) : Value(integer);
}

Value ReadLiteral(const Syntax& literal, const SourceFile& file) {
  switch (literal.kind) {
    case SyntaxKind::kNone: return {};
    case SyntaxKind::kTrue: return true;
    case SyntaxKind::kFalse: return false;
    case SyntaxKind::kNumber: return ReadNumber(literal, file);
    case SyntaxKind::kString: return literal.text;
    case SyntaxKind::kList:
    case SyntaxKind::kTuple: return ReadItems(literal, file);
    case SyntaxKind::kApply: return ReadCall(literal, file);
    case SyntaxKind::kOperator:
      if (literal.of.size() == 2) return ReadComplex(literal, file);
      return Negative(ReadLiteral(literal.of[0], file), {&file, literal.offset});
    case SyntaxKind::kName:
      if (literal.text == "inf") return kInfinity;
      if (literal.text == "nan") return std::numeric_limits<double>::quiet_NaN();
      break;
    default: break;
  }
  Decline("a default or constant that is no literal", {&file, literal.offset});
}

TypeRef Program::ReadGeneric(const Syntax& type, const SourceFile& file) {
  const std::string name = PathOf(type.of[0]);
  const bool is_empty_tuple = type.of.size() == 2 && type.of[1].kind == SyntaxKind::kTuple && type.of[1].of.empty();
  std::vector<TypeRef> of;
  for (size_t i = 1; i < type.of.size() && !is_empty_tuple; ++i) of.push_back(ReadType(type.of[i], file));
  if (name == "Tuple") return types_.Tuple(std::move(of));
  if (name == "List" && of.size() == 1) return types_.List(of[0]);
  if (name == "Optional" && of.size() == 1) return types_.Optional(of[0]);
  if (name == "Future" && of.size() == 1) return types_.Future(of[0]);
  if (name == "Dict" && of.size() == 2) return types_.Dict(of[0], of[1]);
  Decline("the type `" + name + "[...]`", {&file, type.offset});
}

TypeRef Program::ReadType(const Syntax& type, const SourceFile& file) {
  if (type.kind == SyntaxKind::kSubscript) return ReadGeneric(type, file);
  const std::string path = PathOf(type);
  TypeRef found = types_.FindBasic(path);
  if (path == "torch.Tensor") found = types_.Basic(TypeCase::kTensor);
  if (!found && !path.empty()) found = FindType(path);
  if (!found) Decline("the type `" + path + "`", {&file, type.offset});
  return found;
}

OpSchema ReadDeclaration(const Syntax& definition, const SourceFile& file, bool has_self, Program& program) {
  OpSchema out;
  out.name = definition.text;
  const std::vector<Syntax>& parameters = definition.of[1].of;
  for (size_t i = has_self ? 1 : 0; i < parameters.size(); ++i) {
    const Syntax& parameter = parameters[i];
    OpArgument& argument = out.arguments.emplace_back();
    argument.name = parameter.text;
    argument.is_keyword_only = parameter.is_keyword_only;
    if (parameter.of[0].IsMissing()) Decline("a parameter without a type", {&file, parameter.offset});
    argument.type = program.ReadType(parameter.of[0], file);
    if (parameter.of.size() > 1) argument.default_value = ReadLiteral(parameter.of[1], file);
  }
  if (!definition.of[0].IsMissing()) out.returns.push_back(program.ReadType(definition.of[0], file));
  return out;
}

}  // namespace fakeprop::script
