// What the core and the plug-in library say to each other. Both sides compile this file.
//
// Objects cross as they are (Call, Value, Effects): both sides are built from the same headers by the same compiler,
// which the interface version checks, and share one libstdc++ and one libc10. Exceptions do not cross: each side has
// its own copy of OpError's type, so errors are handed over as data. The plug-in is never closed, for what it made (a
// Constant's deleter, say) is code of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/schema.h"
#include "lib/graph/script.h"
#include "lib/rules/call.h"

namespace fakeprop {

// An OpError as data.
struct TailError {
  ErrorClass error_class;
  std::string message;
  std::vector<const Tensor*> operands;
};

// A custom operator that a library registered.
struct LoadedOperator {
  std::string schema;  // "mylib::scale(Tensor x, float by) -> Tensor"
  uint32_t flags = 0;  // SchemaFlag
};

// Nothing here throws.
class TailPlugin {
 public:
  virtual ~TailPlugin() = default;
  virtual bool Knows(std::string_view full_name) noexcept = 0;
  virtual std::optional<TailError> Run(Call& call) noexcept = 0;
  virtual std::optional<TailError> RunWithoutRule(Call& call) noexcept = 0;
  virtual bool SurvivesWithoutRule(Call& call) noexcept = 0;
  // Loads a library; `loaded` gets what it registered. The message of the error is the loader's.
  virtual std::optional<TailError> LoadLibrary(
      const std::string& path, std::vector<LoadedOperator>& loaded) noexcept = 0;
  virtual std::optional<TailError> ImportScript(const ScriptSource& source, ScriptGraph& out) noexcept = 0;
};

// Raised when a function above changes; the sizes of what crosses make up the rest, so that a plug-in of another build
// is refused rather than misread.
constexpr int TailInterfaceVersion() {
  constexpr size_t kSizes[] = {sizeof(Call), sizeof(Value), sizeof(Tensor), sizeof(Storage), sizeof(Output),
      sizeof(Mutation), sizeof(Effects), sizeof(Dim), sizeof(WalkState), sizeof(Schema), sizeof(SchemaArgument),
      sizeof(TailError), sizeof(ScriptNode), sizeof(ScriptGraph)};
  uint32_t version = 5;
  for (size_t size : kSizes) version = version * 31 + static_cast<uint32_t>(size);
  return static_cast<int>(version & 0x7fffffff);
}

// The plug-in's one exported function, `fakeprop_open_tail`: null where the version is not its own. The object lives as
// long as the process.
using OpenTailPlugin = TailPlugin* (*)(int interface_version);

}  // namespace fakeprop
