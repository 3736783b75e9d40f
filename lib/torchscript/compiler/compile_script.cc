#include "lib/torchscript/compiler/compile_script.h"

#include <algorithm>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/graph_writer.h"
#include "lib/torchscript/compiler/inline.h"

namespace fakeprop {
namespace {

using script::Program;
using script::ScriptClass;

ScriptClass& FindClass(Program& program, const std::string& path) {
  const script::TypeRef type = program.FindType(path);
  if (!type || !type->Is(script::TypeCase::kClass) || !type->cls)
    script::Decline("the class `" + path + "`, which the code does not have");
  return *type->cls;
}

ScriptBlock Compile(Program& program, ScriptClass& cls, script::ScriptFunction& method, ScriptGraph& out) {
  program.Define(method, {});
  const auto graph = method.graph->Copy();
  script::InlineCalls(*graph, program);
  return script::WriteGraph(*graph, cls, program, out);
}

ScriptGraph CompileAll(const ScriptSource& source, Program& program) {
  ScriptClass& root = FindClass(program, source.module_class);
  const auto method = root.methods.find(source.method);
  ScriptGraph out;
  if (method == root.methods.end()) {
    out.other_methods = root.method_names;
    return out;
  }
  out.body = Compile(program, root, method->second, out);
  out.inputs = script::WriteInputs(method->second.schema);
  for (const std::string& name : source.classes_with_setstate) {
    ScriptClass& cls = FindClass(program, name);
    const auto setstate = cls.methods.find("__setstate__");
    if (setstate != cls.methods.end()) out.setstates[name] = Compile(program, cls, setstate->second, out);
  }
  return out;
}

// "`code/__torch__/zoo.py`, line 12: a `del` statement".
std::string Words(const script::Declined& declined) {
  if (!declined.place.file) return declined.what;
  const std::string& text = declined.place.file->text;
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(declined.place.offset, text.size()));
  const auto line = std::count(text.begin(), end, '\n') + 1;
  return "`" + declined.place.file->member + "`, line " + std::to_string(line) + ": " + declined.what;
}

}  // namespace

std::optional<ScriptGraph> CompileScript(
    const ScriptSource& source, std::string& reason, const AddScriptLibrary& add_library) {
  Program program(source, add_library);
  try {
    return CompileAll(source, program);
  } catch (const script::Declined& declined) {
    reason = Words(declined);
    return std::nullopt;
  }
}

}  // namespace fakeprop
