// A difference between two results of one operator call.
#pragma once

#include <string>

namespace fakeprop {

enum class EffectField : unsigned {
  kCount = 1,  // the number of results, or of items in a result
  kShape = 2,
  kStride = 4,  // except in dimensions of size 1 and in empty tensors, where strides do not matter
  kOffset = 8,
  kDtype = 16,
  kDevice = 32,
  kView = 64,       // pending conjugation or negation
  kAliasing = 128,  // the storage of a result, or the argument that it is
  kValue = 256,     // a result that is not a tensor
  kWrite = 512,     // which arguments are written to
  kOutcome = 1024,  // an error or a result
  kRefusal = 2048,  // the same, if `a` is an error about dtypes
};

struct EffectDifference {
  EffectField field;
  std::string name;  // "stride", "stride of result 1", "shape of `self` afterwards"
  std::string a, b;  // the two values as text
};

}  // namespace fakeprop
