// What operators, functions and methods take and return, in TorchScript's types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/meta/value.h"
#include "lib/torchscript/compiler/ir_type.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop::script {

struct OpArgument {
  std::string name;
  TypeRef type = nullptr;
  size_t repeats = 0;  // 2 for int[2]: one number stands for so many
  std::optional<Value> default_value;
  bool is_keyword_only = false;
  bool is_write = false;
  bool is_aliased = false;  // a result can be the argument, or a view of it
  bool escapes = false;     // the operator puts it into a container
};

struct OpSchema {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"
  std::vector<OpArgument> arguments;
  std::vector<TypeRef> returns;
  std::vector<std::string> return_names;
  bool takes_any_number = false;  // of further arguments
  bool gives_unknown = false;     // results that come out of a container
  bool is_outdated = false;       // another operator had this name in the archive's version
  bool is_known = true;           // false if it has a type that this compiler does not know

  bool Writes() const;
};

// The operators of LibTorch and of other libraries, each with its overloads in the order in which torch tries them.
class OperatorTable {
 public:
  // For an archive of this version. `add_library` can be null.
  OperatorTable(TypeTable& types, uint64_t version, AddScriptLibrary add_library)
      : types_(types), version_(version), add_library_(std::move(add_library)) {}

  // "aten::add" -> all of its overloads; none if there is no such operator.
  const std::vector<OpSchema>& Find(std::string_view name);
  // The name as nodes keep it: it lives as long as the table.
  std::string_view NameOf(std::string_view name);

 private:
  using Found = std::map<std::string, std::vector<OpSchema>, std::less<>>;

  OpSchema Convert(std::string_view text);
  Found::iterator Load(std::string_view name);

  TypeTable& types_;
  uint64_t version_;
  AddScriptLibrary add_library_;
  Found found_;
};

// The type of a constant: that of a default, or of a value that was computed. Null if it has none.
TypeRef TypeOfConstant(const Value& value, TypeTable& types);

}  // namespace fakeprop::script
