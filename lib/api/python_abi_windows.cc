#include <windows.h>

#include <psapi.h>

#include "lib/api/python_abi.h"

// A library for Windows cannot leave functions to the process that opens it. So each of Python's functions jumps to
// where it is found, when the library is opened, among what the process has opened: python3.dll or python312.dll.
// A jump leaves all arguments where they are.
#define FAKEPROP_PYTHON_FUNCTIONS(take)                                                                         \
  take(Py_IncRef) take(Py_DecRef) take(PyObject_Type) take(PyObject_GetAttr) take(PyObject_CallFunctionObjArgs) \
      take(PyObject_CallMethodObjArgs) take(PyUnicode_InternFromString) take(PyUnicode_AsUTF8AndSize)           \
          take(PyLong_AsLongLongAndOverflow) take(PyFloat_AsDouble) take(PyTuple_Size) take(PyTuple_GetItem)    \
              take(PyList_Size) take(PyList_GetItem) take(PyDict_Size) take(PyDict_Next) take(PyDict_GetItemWithError)

#define FAKEPROP_JUMP(name)                    \
  extern "C" void* name##_of_python = nullptr; \
  asm(".globl " #name "\n" #name ": jmpq *" #name "_of_python(%rip)\n");
FAKEPROP_PYTHON_FUNCTIONS(FAKEPROP_JUMP)
#undef FAKEPROP_JUMP

namespace fakeprop {
namespace {

bool FindPython(HMODULE module) {
  if (!GetProcAddress(module, "Py_IncRef")) return false;
#define FAKEPROP_FIND(name) name##_of_python = reinterpret_cast<void*>(GetProcAddress(module, #name));
  FAKEPROP_PYTHON_FUNCTIONS(FAKEPROP_FIND)
#undef FAKEPROP_FIND
  return true;
}

[[maybe_unused]] const bool has_python = [] {
  HMODULE modules[1024];
  DWORD bytes = 0;
  if (!K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes)) return false;
  for (size_t i = 0; i < bytes / sizeof modules[0] && i < std::size(modules); ++i)
    if (FindPython(modules[i])) return true;
  return false;
}();

}  // namespace
}  // namespace fakeprop
