// Source: torch/csrc/jit/serialization/import_source.cpp (torch 2.15).
#include "lib/torchscript/compiler/program.h"

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"

namespace fakeprop::script {
namespace {

constexpr int kMostCalls = 100;

}  // namespace

TypeRef ScriptClass::FindAttribute(std::string_view name) const {
  for (const auto& [attribute, type] : attributes)
    if (attribute == name) return type;
  return nullptr;
}

const Program::File* Program::Load(const std::string& qualifier) {
  if (qualifier.empty()) return nullptr;
  auto [it, is_new] = files_.try_emplace(qualifier);
  if (!is_new) return it->second.get();
  const std::string member = CodeMember(qualifier);
  std::optional<std::string> text = source_.read(member);
  if (!text) return nullptr;
  auto file = std::make_unique<File>(File{{member, std::move(*text)}, {}});
  file->definitions = FindDefinitions(file->source);
  return (it->second = std::move(file)).get();
}

TypeRef Program::FindType(const std::string& path) {
  auto it = found_.find(path);
  if (it != found_.end()) return it->second;
  if (const TypeRef custom = types_.FindCustomClass(path)) return custom;
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const File* file = Load(path.substr(0, dot));
  if (!file) return nullptr;
  const auto definition = file->definitions.find(path.substr(dot + 1));
  if (definition == file->definitions.end()) return nullptr;
  if (file->source.text.compare(definition->second, 6, "class ") != 0) return nullptr;
  return Import(path, *file, definition->second);
}

ScriptFunction* Program::FindFunction(const std::string& path) {
  auto it = functions_.find(path);
  if (it != functions_.end()) return &it->second;
  const size_t dot = path.rfind('.');
  const File* file = dot == std::string::npos ? nullptr : Load(path.substr(0, dot));
  if (!file) return nullptr;
  const auto definition = file->definitions.find(path.substr(dot + 1));
  if (definition == file->definitions.end()) return nullptr;
  ScriptFunction& function = functions_[path];
  function.path = path;
  function.name = path.substr(dot + 1);
  function.file = &file->source;
  function.begin = definition->second;
  return &function;
}

ScriptClass& Program::AddClass(TypeCase kind, const std::string& path) {
  ScriptClass& cls = *classes_.emplace_back(std::make_unique<ScriptClass>());
  IrType* type = types_.Add(kind, path);
  type->cls = &cls;
  cls.path = path;
  cls.type = type;
  found_[path] = type;
  return cls;
}

TypeRef Program::Import(const std::string& path, const File& file, size_t begin) {
  if (++depth_ > kMostCalls)
    Decline("classes that refer to each other more than " + std::to_string(kMostCalls) + " deep");
  const Syntax definition = ParseClassAt(file.source, begin);
  const std::string& base = definition.of[0].text;
  TypeRef type = nullptr;
  if (definition.of[0].IsMissing() || base == "Module") type = ImportClass(path, definition, file.source);
  else if (base == "NamedTuple") type = ImportNamedTuple(path, definition, file.source);
  else if (base == "Enum") type = ImportEnum(path, definition, file.source);
  else if (base == "Interface" || base == "ModuleInterface") type = ImportInterface(path, definition, file.source);
  else Decline("the base class `" + base + "`", {&file.source, definition.offset});
  --depth_;
  return type;
}

TypeRef Program::ImportClass(const std::string& path, const Syntax& definition, const SourceFile& file) {
  ScriptClass& cls = AddClass(TypeCase::kClass, path);
  cls.is_module = definition.of[0].text == "Module";
  for (size_t i = 1; i < definition.of.size(); ++i) {
    const Syntax& statement = definition.of[i];
    if (statement.kind == SyntaxKind::kFunction) {
      cls.method_names.push_back(statement.text);
      ScriptFunction& method = cls.methods[statement.text];
      method.path = path + "." + statement.text;
      method.name = statement.text;
      method.file = &file;
      method.begin = statement.offset;
      method.self = &cls;
    } else if (statement.kind == SyntaxKind::kDeclare) {
      // One with a value is a constant, whose uses have its value already.
      if (statement.of.size() == 2 && cls.FindAttribute(statement.of[0].text))
        Decline("an attribute that a class has twice", {&file, statement.offset});
      if (statement.of.size() == 2) cls.attributes.emplace_back(statement.of[0].text, ReadType(statement.of[1], file));
    } else if (statement.kind == SyntaxKind::kAssign && statement.of[0].kind == SyntaxKind::kSubscript) {
      cls.attributes.emplace_back(statement.of[0].of.at(1).text, ReadType(statement.of[1], file));
    } else if (statement.kind != SyntaxKind::kAssign || !statement.of[0].text.starts_with("__")) {
      Decline("a statement in a class", {&file, statement.offset});
    }
  }
  return cls.type;
}

TypeRef Program::ImportNamedTuple(const std::string& path, const Syntax& definition, const SourceFile& file) {
  std::vector<std::string> fields;
  std::vector<TypeRef> of;
  for (size_t i = 1; i < definition.of.size(); ++i) {
    const Syntax& field = definition.of[i];
    if (field.kind != SyntaxKind::kDeclare || field.of.size() != 2)
      Decline("a field of a named tuple with a default", {&file, field.offset});
    fields.push_back(field.of[0].text);
    of.push_back(ReadType(field.of[1], file));
  }
  return found_[path] = types_.NamedTuple(path, std::move(fields), std::move(of));
}

TypeRef Program::ImportEnum(const std::string& path, const Syntax& definition, const SourceFile& file) {
  ScriptClass& cls = AddClass(TypeCase::kEnum, path);
  for (size_t i = 1; i < definition.of.size(); ++i) {
    const Syntax& value = definition.of[i];
    if (value.kind != SyntaxKind::kAssign) Decline("a statement in an enum", {&file, value.offset});
    cls.enum_values.emplace_back(value.of[0].text, ReadLiteral(value.of[1], file));
  }
  if (cls.enum_values.empty()) Decline("an enum without values", {&file, definition.offset});
  return cls.type;
}

TypeRef Program::ImportInterface(const std::string& path, const Syntax& definition, const SourceFile& file) {
  ScriptClass& cls = AddClass(TypeCase::kInterface, path);
  cls.is_module = definition.of[0].text == "ModuleInterface";
  for (size_t i = 1; i < definition.of.size(); ++i) {
    const Syntax& method = definition.of[i];
    if (method.kind != SyntaxKind::kFunction) Decline("a statement in an interface", {&file, method.offset});
    OpSchema schema = ReadDeclaration(ParseFunctionAt(file, method.offset), file, true, *this);
    OpArgument self;
    self.name = "self";
    self.type = cls.type;
    schema.arguments.insert(schema.arguments.begin(), self);
    cls.interface_methods[method.text] = std::move(schema);
  }
  return cls.type;
}

void Program::Define(ScriptFunction& function, CodePlace caller) {
  if (function.is_defined) return;
  if (function.is_started) Decline("a recursive call of `" + function.path + "`", caller);
  if (++depth_ > kMostCalls) Decline("calls nested more than " + std::to_string(kMostCalls) + " deep", caller);
  function.is_started = true;
  CompileFunction(function, *this);
  function.is_defined = true;
  --depth_;
}

}  // namespace fakeprop::script
