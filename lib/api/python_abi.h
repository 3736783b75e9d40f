// The functions of Python's stable ABI that we call. A process that Python runs has them. They are weak: the library
// also loads where there is no Python, and is built without Python's headers.
#pragma once

#include <cstdint>

#ifdef _WIN32  // python_abi_windows.cc has them
#define FAKEPROP_OF_PYTHON
#else
#define FAKEPROP_OF_PYTHON [[gnu::weak]]
#endif

extern "C" {
struct _object;
using PyObject = _object;

FAKEPROP_OF_PYTHON void Py_IncRef(PyObject* object);
FAKEPROP_OF_PYTHON void Py_DecRef(PyObject* object);
FAKEPROP_OF_PYTHON PyObject* PyObject_Type(PyObject* object);
FAKEPROP_OF_PYTHON PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
FAKEPROP_OF_PYTHON PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...);
FAKEPROP_OF_PYTHON PyObject* PyObject_CallMethodObjArgs(PyObject* object, PyObject* name, ...);
FAKEPROP_OF_PYTHON PyObject* PyUnicode_InternFromString(const char* text);
FAKEPROP_OF_PYTHON const char* PyUnicode_AsUTF8AndSize(PyObject* text, intptr_t* size);
FAKEPROP_OF_PYTHON long long PyLong_AsLongLongAndOverflow(PyObject* number, int* overflow);
FAKEPROP_OF_PYTHON double PyFloat_AsDouble(PyObject* number);
FAKEPROP_OF_PYTHON intptr_t PyTuple_Size(PyObject* tuple);
FAKEPROP_OF_PYTHON PyObject* PyTuple_GetItem(PyObject* tuple, intptr_t index);
FAKEPROP_OF_PYTHON intptr_t PyList_Size(PyObject* list);
FAKEPROP_OF_PYTHON PyObject* PyList_GetItem(PyObject* list, intptr_t index);
FAKEPROP_OF_PYTHON intptr_t PyDict_Size(PyObject* dict);
FAKEPROP_OF_PYTHON int PyDict_Next(PyObject* dict, intptr_t* position, PyObject** key, PyObject** value);
FAKEPROP_OF_PYTHON PyObject* PyDict_GetItemWithError(PyObject* dict, PyObject* key);
}
#undef FAKEPROP_OF_PYTHON

namespace fakeprop {

// An error that Python has set. Python's code sees it as an exception once we return.
struct PythonError {};

// A reference that we own.
class PythonRef {
 public:
  // Throws PythonError for null, which functions return after an error.
  explicit PythonRef(PyObject* owned) : object_(owned) {
    if (!object_) throw PythonError();
  }
  PythonRef(PythonRef&& other) : object_(other.object_) { other.object_ = nullptr; }
  ~PythonRef() {
    if (object_) Py_DecRef(object_);
  }
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

}  // namespace fakeprop
