#include <dlfcn.h>

#include "lib/base/shared_library.h"

namespace fakeprop {

void* OpenSharedLibrary(const std::string& path, std::string& reason) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) reason = dlerror();
  return library;
}

void* FindSymbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace fakeprop
