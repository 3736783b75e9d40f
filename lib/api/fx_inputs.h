// The inputs of a graph of torch.fx, as values in a Python process: quicker to read than a spec in text.
#pragma once

#include "lib/api/python_abi.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// All are borrowed, and the caller holds Python's lock.
struct FxInputs {
  PyObject* values;    // a dict: from names of inputs to their values
  PyObject* describe;  // a function: from a value and its name to the JSON of its entry, without "view_of"
  PyObject* rest;      // a function: the JSON of the document without "inputs". Called after all others
  PyObject* mode;      // a FakeTensorMode
  // What tells a plain tensor: FakeTensor, torch.strided, None, True, int, and torch._C._storage_address
  PyObject* constants;
  PyObject* names;  // a dict: the names of dtypes and devices. Others are left to `describe`
};

// The input spec (fakeprop.inputs/1). A plain tensor whose sizes are numbers is read here, any other value by
// `describe`. Tensors on the storage of an earlier one are views of it. Throws PythonError if a call of Python fails,
// and JsonError if one gave malformed JSON.
JsonTree ReadFxInputs(const FxInputs& inputs);

}  // namespace fakeprop
