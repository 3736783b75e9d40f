#include <windows.h>

#include <system_error>

#include "lib/base/shared_library.h"

namespace fakeprop {

void* OpenSharedLibrary(const std::string& path, std::string& reason) {
  const HMODULE library = LoadLibraryA(path.c_str());
  if (!library) reason = path + ": " + std::system_category().message(static_cast<int>(GetLastError()));
  return reinterpret_cast<void*>(library);
}

void* FindSymbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace fakeprop
