// The interface between the interpreter and LibTorch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/rules/core/call.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// Serves operators without a rule by LibTorch (lib/libtorch_fallback). It is opened when it is first needed.
class LibTorchFallback {
 public:
  virtual ~LibTorchFallback() = default;
  // Returns true if the operator is registered in LibTorch or a loaded library.
  virtual bool Knows(std::string_view full_name) = 0;
  // Runs composite or Meta kernels on fake tensors of the call's arguments and states the effects; throws OpError.
  virtual void Run(Call& call) = 0;
  // The same without our rule for the operator itself. Operators that it calls still use their rules.
  virtual void RunWithoutRule(Call& call) = 0;
  // Returns true if the process would survive RunWithoutRule, which is tried in a child process. Some kernels read
  // beyond arguments that a rule refuses.
  virtual bool SurvivesWithoutRule(Call&) { return true; }
  // The first line of eager PyTorch's message for a call that it refuses. Empty if it does not refuse the call, or
  // cannot be asked.
  virtual std::string WordsOfEager(const Call&) { return {}; }
  // Loads a library of custom operators, adds the schemas that it registers (lib/schema/schema_table.h), and returns
  // their names. Throws OpError with the loader's reason.
  virtual std::vector<std::string> LoadOperatorLibrary(const std::string& path) {
    Fail(ErrorClass::kUnsupportedOperator, "nothing here can load `" + path + "`");
  }
  // Compiles the code of a TorchScript archive and returns one method, with calls inlined. Does not run the code.
  // Throws OpError, of class UnsupportedOperator if there is no compiler.
  virtual ScriptGraph ImportScript(const ScriptSource&) {
    Fail(ErrorClass::kUnsupportedOperator, "there is no compiler");
  }
};

}  // namespace fakeprop
