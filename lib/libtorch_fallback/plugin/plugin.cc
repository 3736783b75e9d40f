// The plug-in's face: everything that LibTorch throws ends here, as data.
#include <c10/util/Exception.h>

#include <new>
#include <stdexcept>

#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/forked.h"
#include "lib/libtorch_fallback/interface_version.h"
#include "lib/libtorch_fallback/plugin/eager_error.h"
#include "lib/libtorch_fallback/plugin/operator_library.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/torchscript/frontend/import.h"

namespace fakeprop::libtorch {

using dispatch::RunForked;
using dispatch::ToOpError;

namespace {

PluginError DataOf(const OpError& e) { return {e.error_class(), e.message(), e.operands()}; }

// Lists as long as some number of the call: no tensor's data is ever made.
PluginError TooLarge() { return {ErrorClass::kOverflow, "the call makes lists beyond memory", {}}; }

class Plugin final : public LibTorchPlugin {
 public:
  bool Knows(std::string_view full_name) noexcept override {
    try {
      return IsRegistered(full_name);
    } catch (...) {
      return false;
    }
  }

  std::optional<PluginError> Run(Call& call) noexcept override { return TryRun(call, Rules::kAll); }
  std::optional<PluginError> RunWithoutRule(Call& call) noexcept override { return TryRun(call, Rules::kInnerOnly); }
  std::optional<PluginError> LoadOperatorLibrary(
      const std::string& path, std::vector<LoadedOperator>& loaded) noexcept override {
    return Try([&] { loaded = LoadOperators(path); });
  }

  bool SurvivesWithoutRule(Call& call) noexcept override {
    const auto run = [&] {
      TryRun(call, Rules::kInnerOnly);
      return std::string();
    };
    return RunForked(run).has_value();
  }

  std::string WordsOfEager(const Call& call) noexcept override {
    try {
      return libtorch::WordsOfEager(call);
    } catch (...) {
      return {};
    }
  }

  std::optional<PluginError> ImportScript(const ScriptSource& source, ScriptGraph& out) noexcept override {
    return Try([&] { out = libtorch::ImportScript(source); });
  }

 private:
  static std::optional<PluginError> TryRun(Call& call, Rules rules) noexcept {
    return Try([&] { RunCall(call, rules); });
  }

  template <typename Body>
  static std::optional<PluginError> Try(Body body) noexcept {
    try {
      body();
      return std::nullopt;
    } catch (const OpError& e) {
      return DataOf(e);
    } catch (const c10::Error& e) {
      return DataOf(ToOpError(e));  // thrown outside of the dispatcher, by what prepares and reads
    } catch (const std::bad_alloc&) {
      return TooLarge();
    } catch (const std::length_error&) {
      return TooLarge();
    } catch (const std::exception& e) {
      return PluginError{ErrorClass::kInternal, e.what(), {}};
    } catch (...) {
      return PluginError{ErrorClass::kInternal, "LibTorch threw something that is no exception", {}};
    }
  }
};

}  // namespace
}  // namespace fakeprop::libtorch

extern "C" __attribute__((visibility("default"))) fakeprop::LibTorchPlugin* fakeprop_open_libtorch(
    uint64_t interface_version) {
  if (interface_version != fakeprop::PluginInterfaceVersion()) return nullptr;
  static auto* const plugin = new fakeprop::libtorch::Plugin;
  try {
    fakeprop::libtorch::Prepare();
  } catch (...) {
    return nullptr;
  }
  return plugin;
}
