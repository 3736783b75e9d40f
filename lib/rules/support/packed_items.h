// A packed object of a quantized layer, as a value. Nothing is packed here, since only metadata counts: the object is a
// tuple of what its prepack operator was given (lib/rules/quantized/packed_parameters.cc).
//
//   a linear layer     (weight, bias)
//   a convolution      (weight, bias, stride, padding, output_padding, dilation, groups, transposed)
//   an embedding       (weight,)
//   a recurrent cell   (layer for the input, layer for the state, ...), two linear layers
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

class PackedItems {
 public:
  // Throws an OpError of class TypeError if the argument is no such tuple.
  PackedItems(const Call& call, ArgumentName name);
  PackedItems(const Call& call, ArgumentName name, const Value& value);

  size_t size() const { return items_->size(); }
  const Value& operator[](size_t i) const { return (*items_)[i]; }
  // A tensor, which is not given where the object has None.
  Operand Tensor(size_t i) const;
  Dims Numbers(size_t i) const;
  // The layer that a recurrent cell holds.
  PackedItems Inner(size_t i) const;

 private:
  [[noreturn]] void FailType() const;

  const Call* call_;
  int position_;
  const std::vector<Value>* items_;
};

// Demands a row of as many elements as the packed weight has columns: one row of it for each output.
void RequireColumns(const Operand& input, const TensorMeta& weight);

// Rule: the packed object of this call's arguments.
void ReturnPacked(Call& call);
Output& ReturnPacked(Call& call, std::vector<Value> items);

}  // namespace fakeprop::rules
