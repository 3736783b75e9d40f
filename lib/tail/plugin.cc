// The plug-in's face: everything that LibTorch throws ends here, as data.
#include <c10/util/Exception.h>

#include <new>
#include <stdexcept>

#include "lib/dispatch/errors.h"
#include "lib/dispatch/forked.h"
#include "lib/tail/interface.h"
#include "lib/tail/library.h"
#include "lib/tail/run.h"
#include "lib/tail/script_import.h"

namespace fakeprop::tail {

using dispatch::RunForked;
using dispatch::ToOpError;

namespace {

TailError DataOf(const OpError& e) { return {e.error_class(), e.message(), e.operands()}; }

// Lists as long as some number of the call: no tensor's data is ever made.
TailError TooLarge() { return {ErrorClass::kOverflow, "the call makes lists beyond memory", {}}; }

class Plugin final : public TailPlugin {
 public:
  bool Knows(std::string_view full_name) noexcept override {
    try {
      return IsRegistered(full_name);
    } catch (...) {
      return false;
    }
  }

  std::optional<TailError> Run(Call& call) noexcept override { return TryRun(call, Rules::kAll); }
  std::optional<TailError> RunWithoutRule(Call& call) noexcept override { return TryRun(call, Rules::kInnerOnly); }
  std::optional<TailError> LoadLibrary(const std::string& path, std::vector<LoadedOperator>& loaded) noexcept override {
    return Try([&] { loaded = LoadOperators(path); });
  }

  bool SurvivesWithoutRule(Call& call) noexcept override {
    const auto run = [&] {
      TryRun(call, Rules::kInnerOnly);
      return std::string();
    };
    return RunForked(run).has_value();
  }

  std::optional<TailError> ImportScript(const ScriptSource& source, ScriptGraph& out) noexcept override {
    return Try([&] { out = tail::ImportScript(source); });
  }

 private:
  static std::optional<TailError> TryRun(Call& call, Rules rules) noexcept {
    return Try([&] { RunCall(call, rules); });
  }

  template <typename Body>
  static std::optional<TailError> Try(Body body) noexcept {
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
      return TailError{ErrorClass::kInternal, e.what(), {}};
    } catch (...) {
      return TailError{ErrorClass::kInternal, "LibTorch threw something that is no exception", {}};
    }
  }
};

}  // namespace
}  // namespace fakeprop::tail

extern "C" __attribute__((visibility("default"))) fakeprop::TailPlugin* fakeprop_open_tail(int interface_version) {
  if (interface_version != fakeprop::TailInterfaceVersion()) return nullptr;
  static auto* const plugin = new fakeprop::tail::Plugin;
  try {
    fakeprop::tail::Prepare();
  } catch (...) {
    return nullptr;
  }
  return plugin;
}
