// An operator's schema, parsed from the text that LibTorch registered (lib/schema/schema_table.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/check.h"
#include "lib/meta/value.h"
#include "lib/schema/argument_name.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop {

enum class TypeKind {
  kTensor,
  kInt,
  kSymInt,
  kFloat,
  kBool,
  kScalar,
  kString,
  kDtype,
  kDevice,
  kLayout,
  kMemoryFormat,
  kGenerator,
  kStream,
  kStorage,
  kDimname,
  kQScheme,
  kComplex,
  kDict,
  kTuple,
  kFuture,
  kObject,
  kAny,
};

struct Type {
  TypeKind kind = TypeKind::kAny;
  bool is_optional = false;          // T?
  bool is_list = false;              // T[] or T[n]
  bool is_element_optional = false;  // T?[]
  std::string_view text;             // as written
};

struct SchemaArgument {
  std::string_view name;
  std::string_view former_name;  // in older versions of torch; empty if it was the same
  Type type;
  bool is_keyword_only = false;
  bool is_write = false;       // (a!): the operator changes it
  std::string_view alias_set;  // "a", "a|b", "a -> *"; empty if it aliases nothing
  std::optional<Value> default_value;

  // Returns true for a tensor that takes a result. Other tensors can be written too (running statistics).
  bool IsOut() const { return is_write && is_keyword_only; }
};

struct SchemaReturn {
  std::string_view name;
  Type type;
  bool is_write = false;       // (a!): the result is the argument of that alias set itself
  std::string_view alias_set;  // (a): the result is a view of the argument of that alias set
};

struct Schema {
  std::string_view text;       // "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
  std::string_view name;       // "aten::add"
  std::string_view overload;   // "Tensor", empty for the default one
  std::string_view full_name;  // "aten::add.Tensor", "aten::relu"
  uint32_t flags = 0;
  bool varies = false;  // an older version of torch has other arguments
  std::vector<SchemaArgument> arguments;
  std::vector<uint32_t> argument_hashes;  // of their names
  std::vector<SchemaReturn> returns;

  bool Has(SchemaFlag flag) const { return flags & flag; }
  // The index of the argument that has or had this name, or -1.
  int FindArgument(std::string_view argument) const;
  // The same for a name in a rule, at the cost of a few comparisons.
  int IndexOf(ArgumentName argument) const {
    if (argument.position >= 0) return argument.position;
    for (size_t i = 0; i < argument_hashes.size(); ++i)
      if (argument_hashes[i] == argument.hash) return static_cast<int>(i);
    return -1;
  }
  // Returns true if the operator writes to any of its arguments.
  bool Writes() const;
  // Returns true if the first argument, mostly `self`, is written and returned: `add_`, `relu_`, `t_`.
  bool IsInplace() const;
  // Returns true if the last arguments are keyword-only, written and returned: `add.out`.
  bool IsOut() const;
};

// The text is not a schema. `at` is the position of the error.
class SchemaError : public InternalError {
 public:
  SchemaError(std::string what, size_t at) : InternalError(std::move(what)), at(at) {}
  size_t at;
};

// Parses one schema as LibTorch prints it. `text` must outlive the result. Throws SchemaError.
Schema ParseSchema(std::string_view text, uint32_t flags);

}  // namespace fakeprop
