// The interface between the core and the plug-in library. Both sides compile this file.
//
// Objects (Call, Value, Effects) are passed as they are: both sides are built from the same headers by the same
// compiler, which the interface version ensures, and share one malloc. Exceptions are not passed, because each side has
// its own copy of OpError's type, and the program its own libstdc++; errors are passed as data. The plug-in is never
// closed, because objects that it made can need its code later, such as the deleter of a Constant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"
#include "lib/schema/schema.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// An OpError as data.
struct PluginError {
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
class LibTorchPlugin {
 public:
  virtual ~LibTorchPlugin() = default;
  virtual bool Knows(std::string_view full_name) noexcept = 0;
  virtual std::optional<PluginError> Run(Call& call) noexcept = 0;
  virtual std::optional<PluginError> RunWithoutRule(Call& call) noexcept = 0;
  virtual bool SurvivesWithoutRule(Call& call) noexcept = 0;
  virtual std::string WordsOfEager(const Call& call) noexcept = 0;
  // Loads a library. `loaded` gets the operators that it registered. The message of the error is the loader's.
  virtual std::optional<PluginError> LoadOperatorLibrary(
      const std::string& path, std::vector<LoadedOperator>& loaded) noexcept = 0;
  virtual std::optional<PluginError> ImportScript(const ScriptSource& source, ScriptGraph& out) noexcept = 0;
};

// The plug-in's one exported function, `fakeprop_open_libtorch`: null if the version is not its own
// (lib/libtorch_fallback/interface_version.h). The object lives as long as the process.
using OpenLibTorchPlugin = LibTorchPlugin* (*)(uint64_t interface_version);

}  // namespace fakeprop
