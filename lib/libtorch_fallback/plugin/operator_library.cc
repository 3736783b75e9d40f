#include "lib/libtorch_fallback/plugin/operator_library.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <exception>
#include <set>
#include <sstream>

#include "lib/dispatch/fallback.h"
#include "lib/dispatch/forked.h"
#include "lib/schema/generate/kernel_flags.h"

namespace fakeprop::libtorch {
namespace {

std::set<std::string> RegisteredNames() {
  std::set<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) names.insert(c10::toString(name));
  return names;
}

constexpr int kHow = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
constexpr size_t kMessageBytes = 512;

// glibc declares that dlopen throws nothing, so that the compiler would leave out what is around a call of it.
void* (*volatile open_library)(const char*, int) = dlopen;

char* trial_message = nullptr;  // kMessageBytes, shared with the parent

// The first line of the exception that ends the trial.
[[noreturn]] void TellParent() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    const std::string_view what = e.what();
    const size_t size = std::min(what.find('\n'), what.size());
    what.copy(trial_message, std::min(size, kMessageBytes - 1));
  } catch (...) {}
  _exit(1);
}

// What a library's constructors throw ends the process, or leaves the loader as it must not be. So a child loads the
// library first.
void RequireLoadable(const std::string& file) {
  void* page = mmap(nullptr, kMessageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  trial_message = static_cast<char*>(page);
  const bool ends_well = dispatch::RunForked([&] {
    std::set_terminate(TellParent);
    try {
      open_library(file.c_str(), kHow);
    } catch (...) {
      TellParent();
    }
    return std::string();
  }).has_value();
  const std::string message = trial_message;
  munmap(page, kMessageBytes);
  if (!ends_well)
    Fail(ErrorClass::kValueError,
        "its constructors " + (message.empty() ? "end the process" : "throw an exception: " + message));
}

}  // namespace

std::vector<LoadedOperator> LoadOperators(const std::string& path) {
  const std::set<std::string> before = RegisteredNames();
  // A bare name would be looked for among the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (!dlopen(file.c_str(), kHow | RTLD_NOLOAD)) RequireLoadable(file);
  if (!dlopen(file.c_str(), kHow)) {
    const char* reason = dlerror();
    Fail(ErrorClass::kValueError, reason ? reason : "the loader gives no reason");
  }
  dispatch::RegisterFakeFallback();
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
