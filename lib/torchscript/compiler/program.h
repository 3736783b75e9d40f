// The classes and functions of an archive's code, read and compiled when they are first needed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/torchscript/compiler/ir.h"
#include "lib/torchscript/compiler/op_schema.h"
#include "lib/torchscript/compiler/parser.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop::script {

struct ScriptFunction {
  std::string path;  // "__torch__.zoo.MLP.forward"
  std::string name;
  const SourceFile* file = nullptr;
  size_t begin = 0;
  ScriptClass* self = nullptr;  // of a method
  bool is_started = false;
  bool is_defined = false;
  OpSchema schema;
  std::unique_ptr<IrGraph> graph;
  std::unique_ptr<IrGraph> inlinable;  // the graph as calls get it (inline.h)
};

struct ScriptClass {
  std::string path;
  bool is_module = false;
  TypeRef type = nullptr;
  std::vector<std::pair<std::string, TypeRef>> attributes;
  std::map<std::string, ScriptFunction> methods;
  std::vector<std::string> method_names;  // in the order of the code
  std::map<std::string, OpSchema> interface_methods;
  std::vector<std::pair<std::string, Value>> enum_values;

  TypeRef FindAttribute(std::string_view name) const;
};

class Program {
 public:
  Program(const ScriptSource& source, const AddScriptLibrary& add_library)
      : source_(source), operators_(types_, source.version, add_library) {}

  TypeTable& types() { return types_; }
  OperatorTable& operators() { return operators_; }
  const ScriptSource& source() const { return source_; }

  // The class, named tuple, enum or interface at this path. Null if there is none.
  TypeRef FindType(const std::string& path);
  ScriptFunction* FindFunction(const std::string& path);
  // Compiles a function, unless that was done before.
  void Define(ScriptFunction& function, CodePlace caller);
  // The type that an expression of the code names.
  TypeRef ReadType(const Syntax& type, const SourceFile& file);
  // Holds it as long as the program.
  const CallFrame* Keep(CallFrame frame) { return &frames_.emplace_back(std::move(frame)); }

 private:
  struct File {
    SourceFile source;
    std::map<std::string, size_t> definitions;
  };

  const File* Load(const std::string& qualifier);
  TypeRef ReadGeneric(const Syntax& type, const SourceFile& file);
  TypeRef Import(const std::string& path, const File& file, size_t begin);
  TypeRef ImportClass(const std::string& path, const Syntax& definition, const SourceFile& file);
  TypeRef ImportNamedTuple(const std::string& path, const Syntax& definition, const SourceFile& file);
  TypeRef ImportEnum(const std::string& path, const Syntax& definition, const SourceFile& file);
  TypeRef ImportInterface(const std::string& path, const Syntax& definition, const SourceFile& file);
  ScriptClass& AddClass(TypeCase kind, const std::string& path);

  const ScriptSource& source_;
  TypeTable types_;
  OperatorTable operators_;
  std::map<std::string, std::unique_ptr<File>> files_;  // by qualifier: "__torch__.zoo"
  std::map<std::string, TypeRef> found_;
  std::map<std::string, ScriptFunction> functions_;
  std::vector<std::unique_ptr<ScriptClass>> classes_;
  std::deque<CallFrame> frames_;
  int depth_ = 0;  // of functions that are being compiled
};

// The parameters and result of a definition, without `self`.
OpSchema ReadDeclaration(const Syntax& definition, const SourceFile& file, bool has_self, Program& program);
Value ReadNumber(const Syntax& number, const SourceFile& file);
// The value of a literal: a default, or a constant of a class.
Value ReadLiteral(const Syntax& literal, const SourceFile& file);

}  // namespace fakeprop::script
