// The functions of Python's stable ABI that we call. A process that Python runs has them. They are weak: the library
// also loads where there is no Python, and is built without Python's headers.
#pragma once

#include <cstdint>

extern "C" {
struct _object;
using PyObject = _object;

[[gnu::weak]] void Py_IncRef(PyObject* object);
[[gnu::weak]] void Py_DecRef(PyObject* object);
[[gnu::weak]] PyObject* PyObject_Type(PyObject* object);
[[gnu::weak]] PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
[[gnu::weak]] PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...);
[[gnu::weak]] PyObject* PyObject_CallMethodObjArgs(PyObject* object, PyObject* name, ...);
[[gnu::weak]] PyObject* PyUnicode_InternFromString(const char* text);
[[gnu::weak]] const char* PyUnicode_AsUTF8AndSize(PyObject* text, intptr_t* size);
[[gnu::weak]] long long PyLong_AsLongLongAndOverflow(PyObject* number, int* overflow);
[[gnu::weak]] double PyFloat_AsDouble(PyObject* number);
[[gnu::weak]] intptr_t PyTuple_Size(PyObject* tuple);
[[gnu::weak]] PyObject* PyTuple_GetItem(PyObject* tuple, intptr_t index);
[[gnu::weak]] intptr_t PyList_Size(PyObject* list);
[[gnu::weak]] PyObject* PyList_GetItem(PyObject* list, intptr_t index);
[[gnu::weak]] intptr_t PyDict_Size(PyObject* dict);
[[gnu::weak]] int PyDict_Next(PyObject* dict, intptr_t* position, PyObject** key, PyObject** value);
[[gnu::weak]] PyObject* PyDict_GetItemWithError(PyObject* dict, PyObject* key);
}

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
