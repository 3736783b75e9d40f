// The door between the interpreter and LibTorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// Serves what no rule does, with LibTorch (lib/libtorch_fallback); opened on first need.
class LibTorchFallback {
 public:
  virtual ~LibTorchFallback() = default;
  // Whether the operator is registered in LibTorch or a loaded library.
  virtual bool Knows(std::string_view full_name) = 0;
  // Runs composite or Meta kernels on fake tensors of the call's arguments and states the effects; throws OpError.
  virtual void Run(Call& call) = 0;
  // The same without our rule for the operator itself; those that it is composed of keep theirs.
  virtual void RunWithoutRule(Call& call) = 0;
  // Whether the process would outlive that, tried out in a child. Some kernels read beyond arguments that a rule
  // refuses.
  virtual bool SurvivesWithoutRule(Call&) { return true; }
  // Loads a library of custom operators and takes the schemas in that it registers (lib/schema/schema_table.h); gives
  // their names. Throws OpError with the loader's reason.
  virtual std::vector<std::string> LoadLibrary(const std::string& path) {
    Fail(ErrorClass::kUnsupportedOperator, "nothing here can load `" + path + "`");
  }
  // Compiles the code of a TorchScript archive and gives one method, calls inlined; runs none of it. Throws OpError, of
  // class UnsupportedOperator where there is no compiler.
  virtual ScriptGraph ImportScript(const ScriptSource&) {
    Fail(ErrorClass::kUnsupportedOperator, "there is no compiler");
  }
};

}  // namespace fakeprop
