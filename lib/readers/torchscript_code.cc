#include "lib/readers/torchscript_code.h"

#include "lib/error/error.h"
#include "lib/torchscript/compiler/compile_script.h"

namespace fakeprop {
namespace {

// An error that says that there is no other compiler gets the reason why one was needed.
ScriptGraph Import(const TorchScriptOptions& options, const ScriptSource& source, const std::string& reason) {
  const std::string unknown = "the code needs LibTorch to compile it: " + reason;
  if (!options.import_script) Fail(ErrorClass::kUnsupportedOperator, unknown);
  try {
    return options.import_script(source);
  } catch (const OpError& error) {
    if (error.error_class() != ErrorClass::kUnsupportedOperator) throw;
    Fail(ErrorClass::kUnsupportedOperator,
        unknown + "; " + error.message() + "; `pip install 'fakeprop[torch]'` installs its plug-in");
  }
}

}  // namespace

TorchScriptOptions WithOwnCompiler(const TorchScriptOptions& options) {
  TorchScriptOptions out = options;
  out.import_script = [&options](const ScriptSource& source) {
    std::string reason;
    if (auto graph = CompileScript(source, reason, options.add_library)) return std::move(*graph);
    return Import(options, source, reason);
  };
  return out;
}

}  // namespace fakeprop
