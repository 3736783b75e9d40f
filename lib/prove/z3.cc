#include "lib/prove/z3.h"

#include <z3.h>

#include <cstdlib>
#include <filesystem>

#include "lib/base/shared_library.h"
#include "lib/base/site_packages.h"

namespace fakeprop {

// The functions of the library that we use.
struct Z3::Library {
  decltype(&Z3_mk_config) mk_config = nullptr;
  decltype(&Z3_del_config) del_config = nullptr;
  decltype(&Z3_mk_context) mk_context = nullptr;
  decltype(&Z3_del_context) del_context = nullptr;
  decltype(&Z3_set_error_handler) set_error_handler = nullptr;
  decltype(&Z3_eval_smtlib2_string) eval = nullptr;
  std::string reason;  // why it is not there; empty if it is
};

namespace {

// What the library is called where it is installed, and in the package z3-solver.
#if defined(_WIN32)
constexpr const char *kLibrary = "libz3.dll", *kInPackage = kLibrary;
#elif defined(__APPLE__)
constexpr const char *kLibrary = "libz3.dylib", *kInPackage = kLibrary;
#else
constexpr const char *kLibrary = "libz3.so.4", *kInPackage = "libz3.so";
#endif

// The file that FAKEPROP_Z3 names; else that of z3-solver, if pip installed it beside this program; else the system's.
std::string LibraryName() {
  if (const char* named = std::getenv("FAKEPROP_Z3"); named && *named) return named;
  for (const std::filesystem::path& packages : SitePackagesBeside(ExecutablePath()))
    if (const auto library = packages / "z3" / "lib" / kInPackage; std::filesystem::exists(library))
      return library.string();
  return kLibrary;
}

}  // namespace

std::unique_ptr<Z3> Z3::Open(const std::string& settings, std::string& reason) {
  static const Library library = [] {
    Library opened;
    const std::string name = LibraryName();
    void* handle = OpenSharedLibrary(name, opened.reason);
    if (!handle) return opened;
    auto find = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(FindSymbol(handle, symbol));
      if (!function) opened.reason = name + " has no " + symbol;
    };
    find(opened.mk_config, "Z3_mk_config");
    find(opened.del_config, "Z3_del_config");
    find(opened.mk_context, "Z3_mk_context");
    find(opened.del_context, "Z3_del_context");
    find(opened.set_error_handler, "Z3_set_error_handler");
    find(opened.eval, "Z3_eval_smtlib2_string");
    return opened;
  }();
  reason = library.reason;
  if (!reason.empty()) return nullptr;
  std::unique_ptr<Z3> z3(new Z3(library));
  z3->Run(settings);
  return z3;
}

Z3::Z3(const Library& library) : library_(library) {
  Z3_config config = library_.mk_config();
  Z3_context context = library_.mk_context(config);
  library_.del_config(config);
  // The output of commands has the errors. Without this handler Z3 would end the process.
  library_.set_error_handler(context, [](Z3_context, Z3_error_code) {});
  context_ = context;
}

Z3::~Z3() { library_.del_context(static_cast<Z3_context>(context_)); }

std::string Z3::Run(const std::string& commands) {
  const char* printed = library_.eval(static_cast<Z3_context>(context_), commands.c_str());
  return printed ? printed : "";
}

}  // namespace fakeprop
