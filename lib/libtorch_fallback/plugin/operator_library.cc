#include "lib/libtorch_fallback/plugin/operator_library.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>

#include <set>
#include <sstream>

#include "lib/schema/generate/kernel_flags.h"

namespace fakeprop::libtorch {
namespace {

std::set<std::string> RegisteredNames() {
  std::set<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) names.insert(c10::toString(name));
  return names;
}

}  // namespace

std::vector<LoadedOperator> LoadOperators(const std::string& path) {
  const std::set<std::string> before = RegisteredNames();
  // A bare name would be looked for among the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (!dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
    const char* reason = dlerror();
    Fail(ErrorClass::kValueError, reason ? reason : "the loader gives no reason");
  }
  std::vector<LoadedOperator> loaded;
  for (const std::string& name : RegisteredNames()) {
    if (before.count(name)) continue;
    const size_t dot = name.find('.', name.find("::") + 2);
    const auto op = c10::Dispatcher::singleton().findSchema(
        {name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    if (!op) continue;  // kernels without a schema
    std::ostringstream schema;
    schema << op->schema();
    loaded.push_back({schema.str(), KernelFlags(*op)});
  }
  return loaded;
}

}  // namespace fakeprop::libtorch
