// Tensors of quantized dtypes: made from float32 and turned back.
// Source: aten/src/ATen/native/quantized/QTensor.cpp, aten/src/ATen/quantized/Quantizer.cpp (torch 2.13). Python's fake
// kernels refuse these or keep the input's dtype, which no kernel does.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

bool IsQuantized(ScalarType dtype) {
  return dtype == ScalarType::QInt8 || dtype == ScalarType::QUInt8 || dtype == ScalarType::QInt32;
}

// A tensor of a quantized dtype, in the memory format that the input suggests. Source: new_qtensor.
TensorMeta QuantizedMeta(const Call& call, const TensorMeta& self) {
  const ScalarType dtype = *call.OptionalDtype("dtype");
  if (!IsQuantized(dtype)) FailDtype(call, "makes tensors of a quantized dtype, not " + std::string(DtypeName(dtype)));
  if (self.dtype != ScalarType::Float) FailDtype(call, "takes float32 tensors, not " + ToString(self));
  return MetaInFormat(self.size_span(), dtype, call.device(), SuggestMemoryFormat(self));
}

void Quantize(Call& call) { call.ReturnNew(QuantizedMeta(call, call.Meta(0))); }

void QuantizeList(Call& call) {
  std::vector<TensorMeta> metas;
  for (const Tensor* t : call.Tensors(0)) metas.push_back(QuantizedMeta(call, t->meta));
  call.ReturnNewList(std::move(metas));
}

// (self, scales, zero_points, axis, dtype)
void QuantizePerChannel(Call& call) {
  const TensorMeta& self = call.Meta(0);
  const int64_t axis = call.Int(3);
  if (axis < 0 || axis >= self.rank())
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " has no axis " + std::to_string(axis) + " in " + ToString(self));
  for (int i : {1, 2}) {
    RequireRank(call, i, 1);
    if (!Expect(Eq(call.Meta(i).sizes[0], self.sizes[axis])))
      FailShape(call, "takes a scale and a zero point for each of " + self.sizes[axis].ToString() + " channels");
  }
  Quantize(call);
}

// A tensor that is no quantized one is cast to float32.
void Dequantize(Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (self.dtype == ScalarType::Float) {
    call.ReturnArgument(call.TensorArg(0));
  } else {
    ReturnLike(call, self, ScalarType::Float);
  }
}

// (input, numel, n_bins, ratio, bit_width): the range found.
void ChooseOptimized(Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (input.dtype != ScalarType::Float) FailDtype(call, "takes float32 tensors, not " + ToString(input));
  if (!Expect(Ne(Numel(input.size_span()), 0))) FailValue(call, "takes no empty tensor, but got " + ToString(input));
  if (!Expect(Le(call.DimArg(1), Numel(input.size_span()))))
    FailValue(call, "looks at " + call.DimArg(1).ToString() + " elements, which " + ToString(input) + " does not have");
  const Dims one = {1};
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, one, call.Meta(0).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::quantize_per_tensor", Quantize},
    {"aten::quantize_per_tensor.tensor_qparams", Quantize},
    {"aten::quantize_per_tensor.tensors", QuantizeList},
    {"aten::quantize_per_tensor_dynamic", Quantize},
    {"aten::quantize_per_channel", QuantizePerChannel},
    {"aten::dequantize.self", Dequantize},
    {"aten::choose_qparams_optimized", ChooseOptimized, Devices::kOne, Grad::kNone},
};

}  // namespace

RuleRows QuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
