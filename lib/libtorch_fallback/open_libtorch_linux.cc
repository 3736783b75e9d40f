#include "lib/libtorch_fallback/open_libtorch.h"

#include <filesystem>

#include "lib/base/shared_library.h"
#include "lib/base/site_packages.h"
#include "lib/libtorch_fallback/deep_stack.h"
#include "lib/libtorch_fallback/find_plugin.h"
#include "lib/libtorch_fallback/interface_version.h"
#include "lib/libtorch_fallback/room.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

// What LibTorch takes when it is opened, and some more: its constructors end a process that has less.
constexpr size_t kBytesToOpen = size_t{96} << 20;

// The plug-in with its errors made exceptions again.
class PluginFallback : public LibTorchFallback {
 public:
  explicit PluginFallback(LibTorchPlugin& plugin) : plugin_(plugin) {}

  bool Knows(std::string_view full_name) override { return plugin_.Knows(full_name); }

  void Run(Call& call) override { Raise(plugin_.Run(call)); }
  void RunWithoutRule(Call& call) override { Raise(plugin_.RunWithoutRule(call)); }
  bool SurvivesWithoutRule(Call& call) override { return plugin_.SurvivesWithoutRule(call); }
  std::string WordsOfEager(const Call& call) override { return plugin_.WordsOfEager(call); }

  std::vector<std::string> LoadOperatorLibrary(const std::string& path) override {
    std::vector<LoadedOperator> loaded;
    Raise(plugin_.LoadOperatorLibrary(path, loaded));
    std::vector<std::string> names;
    for (LoadedOperator& op : loaded) {
      const Schema* schema = AddSchema(op.schema, op.flags);
      if (!schema) Fail(ErrorClass::kValueError, "`" + op.schema + "` is known by another schema already");
      names.emplace_back(schema->full_name);
    }
    return names;
  }

  // The compiler calls itself once for each level of what it reads.
  ScriptGraph ImportScript(const ScriptSource& source) override {
    ScriptGraph graph;
    std::optional<PluginError> error;
    RunOnDeepStack([&] { error = plugin_.ImportScript(source, graph); });
    if (error && error->error_class == ErrorClass::kOverflow) throw std::bad_alloc();  // a file is read: all is memory
    Raise(std::move(error));
    return graph;
  }

 private:
  static void Raise(std::optional<PluginError> error) {
    if (error) Fail(error->error_class, std::move(error->message), std::move(error->operands));
  }

  LibTorchPlugin& plugin_;
};

// Opens the libraries of an installed torch, which the plug-in then takes by their names, wherever they are.
bool OpenTorch(const fs::path& torch, std::string& reason) {
  for (const char* name : {"libc10.so", "libtorch_cpu.so"})
    if (!OpenSharedLibrary(torch / "lib" / name, reason)) return false;
  return true;
}

LibTorchPlugin* OpenLibrary(const fs::path& path, std::string& reason) {
  // Its symbols stay its own: the plug-in has copies of core code, and neither side may take the other's.
  // Opened by its real place, from which it finds LibTorch: in runfiles it is a link.
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  void* library = OpenSharedLibrary(error ? path : real, reason);
  if (!library) return nullptr;
  auto open = reinterpret_cast<OpenLibTorchPlugin>(FindSymbol(library, "fakeprop_open_libtorch"));
  LibTorchPlugin* plugin = open ? open(PluginInterfaceVersion()) : nullptr;
  if (!plugin)
    reason = path.string() + (open ? " was built for another version of fakeprop" : " is no fakeprop plug-in");
  return plugin;
}

struct Opened {
  std::unique_ptr<LibTorchFallback> libtorch;
  std::string reason;
};

Opened Open() {
  Opened opened;
  const auto found = FindPlugin(ExecutablePath(), opened.reason);
  if (!found) return opened;
  opened.reason.clear();
  NeedRoom(kBytesToOpen);
  if (!found->torch.empty() && !OpenTorch(found->torch, opened.reason)) return opened;
  if (LibTorchPlugin* plugin = OpenLibrary(found->plugin, opened.reason))
    opened.libtorch = std::make_unique<PluginFallback>(*plugin);
  return opened;
}

}  // namespace

LibTorchFallback* OpenLibTorch(std::string& reason) {
  static const Opened opened = Open();
  reason = opened.reason;
  return opened.libtorch.get();
}

}  // namespace fakeprop
