// A graph of torch.fx, as its objects in a Python process: several times as quick to read as its text.
#pragma once

#include "lib/api/python_abi.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// All are borrowed, and the caller holds Python's lock.
struct FxObjects {
  PyObject* nodes;     // a list of torch.fx.Node
  PyObject* kinds;     // types: Node, int, bool, NoneType, float, str, tuple, list, immutable_list
  PyObject* target;    // a function: from a target that is no str to its name
  PyObject* describe;  // a function: from an argument of another type to its JSON
  PyObject* inputs;    // a dict whose keys are nodes that count as placeholders
  PyObject* rest;      // a function: the JSON of the document without "nodes". Called after all others
};

// The document (fakeprop.fx/1) that the graph is as text. Throws PythonError if a call of Python fails, and JsonError
// if one gave malformed JSON.
JsonTree ReadFxObjects(const FxObjects& objects);

}  // namespace fakeprop
