// TorchScript code as the plug-in returns it: torch's own graph of one method, with calls inlined, as plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

// The source for reading an archive's code. No data of tensors is needed.
struct ScriptSource {
  std::string module_class;  // "__torch__.zoo.MLP"
  std::string method;        // "forward"
  uint64_t version = 0;      // the version of the archive's format, which decides the meaning of operators in the code
  // What the code may name as CONSTANTS.c0 ...: the class of an object, or an empty text for a tensor.
  std::vector<std::string> constants;
  // Classes of modules whose state their own code sets (`__setstate__`).
  std::vector<std::string> classes_with_setstate;
  // The text of a member of the archive, such as "code/__torch__/zoo.py"; nothing if there is none.
  std::function<std::optional<std::string>(const std::string& member)> read;
};

// Adds the schemas of a library ("torchvision") whose operators the code calls. Returns false if it is not known.
using AddScriptLibrary = std::function<bool(std::string_view library)>;

// The member with the code of a qualifier: "code/__torch__/zoo.py" of "__torch__.zoo".
inline std::string CodeMember(std::string qualifier) {
  std::replace(qualifier.begin(), qualifier.end(), '.', '/');
  return "code/" + qualifier + ".py";
}

// A type in the detail that inputs need: "Tensor", "int", "Optional" of one type, "Tuple" of several, "List", "Dict",
// and classes by name.
struct ScriptType {
  std::string name;
  std::vector<ScriptType> of;
};

// A value of the graph, by its index in ScriptGraph::values.
struct ScriptValue {
  std::string name;  // torch's own name: "input.7"
  std::string type;  // "Tensor", "Optional[int]", "__torch__.zoo.MLP"
  bool is_module = false;
};

// A place in a member of the archive. Texts are indices into ScriptGraph::texts, or -1 if they are not known.
struct ScriptPlace {
  int32_t member = -1;    // "code/__torch__/zoo.py"
  int32_t function = -1;  // the function of the place: "forward"
  uint32_t offset = 0;
};

struct ScriptBlock;

struct ScriptNode {
  std::string kind;  // "aten::add.Tensor", "prim::If"
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<ScriptBlock> blocks;
  std::string attribute;  // prim::GetAttr, prim::SetAttr: the attribute's name; prim::CreateObject: the class
  // The value of a prim::Constant. For prim::isinstance a list of the types' names. For prim::EnumName and
  // prim::EnumValue a dict from the text of each enum value to the result.
  Value constant;
  int32_t archive_constant = -1;    // prim::Constant of a tensor or object: its number among the archive's constants
  int32_t module_path = -1;         // the submodule whose method it comes from, "layer1.0.conv1": index into texts
  std::vector<ScriptPlace> places;  // outermost call first, the node's own last
};

struct ScriptBlock {
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<ScriptNode> nodes;
};

// A parameter of the method, after the module itself.
struct ScriptInput {
  std::string name;
  ScriptType type;
  std::optional<Value> default_value;
};

struct ScriptGraph {
  std::vector<ScriptValue> values;
  std::map<std::string, ScriptBlock> setstates;  // by class; the inputs are the module and its state
  ScriptBlock body;                              // its first input is the module itself
  std::vector<ScriptInput> inputs;               // one for each of the body's inputs but the first
  std::vector<std::string> texts;
  // Set, and nothing else is, where the module does not have the method: the names of those that it has.
  std::optional<std::vector<std::string>> other_methods;
};

}  // namespace fakeprop
