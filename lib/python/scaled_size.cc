#include "lib/python/scaled_size.h"

#include "lib/python/python_arguments.h"

namespace fakeprop {

Value ScaledSize(Python& python, Dim size, const Value& factor) {
  if (const auto number = size.TryNumber()) return Value(ToInt(static_cast<double>(*number) * AsFloat(factor)));
  return python.Call("torch.sym_int", {python.Call("_operator.mul", {Value(size), factor})});
}

}  // namespace fakeprop
