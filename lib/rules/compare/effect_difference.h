// A difference between two accounts of one operator call.
#pragma once

#include <string>

namespace fakeprop {

enum class EffectField : unsigned {
  kCount = 1,  // how many results there are, or items in one
  kShape = 2,
  kStride = 4,  // where it says where an element is: not in dimensions of size 1, nor of empty tensors
  kOffset = 8,
  kDtype = 16,
  kDevice = 32,
  kView = 64,       // pending conjugation or negation
  kAliasing = 128,  // the storage that a result stands on, or the argument that it is
  kValue = 256,     // of a result that is no tensor
  kWrite = 512,     // which arguments are written to
  kOutcome = 1024,  // an error or a result
  kRefusal = 2048,  // the same, where `a` is an error about dtypes
};

struct EffectDifference {
  EffectField field;
  std::string name;  // "stride", "stride of result 1", "shape of `self` afterwards"
  std::string a, b;  // as text
};

}  // namespace fakeprop
