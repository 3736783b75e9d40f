// Tensors of quantized dtypes: made from float32 and turned back.
// Source: aten/src/ATen/native/quantized/QTensor.cpp, aten/src/ATen/quantized/Quantizer.cpp (torch 2.13). Python's fake
// kernels refuse these or keep the input's dtype, which no kernel does.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/required_arguments.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kQuantized{
    {ScalarType::QInt8, ScalarType::QUInt8, ScalarType::QInt32}, "makes tensors of a quantized dtype, not {}"};

// A tensor of a quantized dtype, in the memory format that the input suggests. Source: new_qtensor.
TensorMeta QuantizedMeta(const Call& call, const Operand& self) {
  const ScalarType dtype = RequiredDtype(call);
  RequireDtype(call, dtype, kQuantized);
  self.Takes(ScalarType::Float, {"takes float32 tensors, not {}", *self});
  return MetaInFormat(self->size_span(), dtype, call.device(), SuggestMemoryFormat(self));
}

void Quantize(Call& call) { call.ReturnNew(QuantizedMeta(call, call.In("self"))); }

void QuantizeList(Call& call) {
  std::vector<TensorMeta> metas;
  for (const Operand& t : call.ListIn("tensors")) metas.push_back(QuantizedMeta(call, t));
  call.ReturnNewList(std::move(metas));
}

void QuantizePerChannel(Call& call) {
  const Operand self = call.In("self");
  const int64_t axis = call.Int("axis");
  RequireIndex(call, axis >= 0 && axis < self->rank(), {"has no axis {} in {}", axis, *self});
  const Dim channels = self->sizes[axis];
  for (const Operand& t : {call.In("scales"), call.In("zero_points")})
    t.Rank(1).Sizes({channels}, {"takes a scale and a zero point for each of {} channels", channels});
  Quantize(call);
}

// Of a plain tensor this is a cast to float32.
void Dequantize(Call& call) {
  const Operand self = call.In("self");
  if (IsQuantized(self)) return void(call.ReturnNew(SuggestedMeta(self, ScalarType::Float)));
  if (self->dtype == ScalarType::Float) return ReturnSelf(call);
  ReturnLike(call, self, ScalarType::Float);
}

void DequantizeList(Call& call) {
  std::vector<TensorMeta> metas;
  for (const Operand& t : call.ListIn("tensors").Takes(kQuantizedTypes, "takes quantized tensors, not {tensor}"))
    metas.push_back(SuggestedMeta(t, ScalarType::Float));
  call.ReturnNewList(std::move(metas));
}

ScalarType StoredDtype(ScalarType dtype) {
  if (dtype == ScalarType::QInt8) return ScalarType::Char;
  return dtype == ScalarType::QUInt8 ? ScalarType::Byte : ScalarType::Int;
}

Operand QuantizedSelf(const Call& call) {
  return call.In("self").Takes(kQuantizedTypes, "takes quantized tensors, not {tensor}");
}

void IntRepr(Call& call) {
  const Operand self = QuantizedSelf(call);
  call.ReturnNew(SuggestedMeta(self, StoredDtype(self->dtype)));
}

// Scales and zero points are no metadata here.
void OfData(Call& call) {
  QuantizedSelf(call);
  DataDependent(call);
}

// The range found: its two ends.
void ChooseOptimized(Call& call) {
  const Operand input = call.In("input");
  const Dim numel = input.Numel();
  input.Takes(ScalarType::Float, {"takes float32 tensors, not {}", *input});
  RequireValue(call, Ne(numel, 0), {"takes no empty tensor, but got {}", *input});
  const Dim count = call.DimArg("numel");
  RequireValue(call, Le(count, numel), {"looks at {} elements, which {} does not have", count, *input});
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{1}, input->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::quantize_per_tensor", Quantize},
    {"aten::quantize_per_tensor.tensor_qparams", Quantize},
    {"aten::quantize_per_tensor.tensors", QuantizeList},
    {"aten::quantize_per_tensor_dynamic", Quantize},
    {"aten::quantize_per_channel", QuantizePerChannel},
    {"aten::dequantize.self", Dequantize},
    {"aten::dequantize.tensors", DequantizeList},
    {"aten::int_repr", IntRepr, Grad::kNone},
    {"aten::q_scale", OfData},
    {"aten::q_zero_point", OfData},
    {"aten::choose_qparams_optimized", ChooseOptimized, Grad::kNone},
};

}  // namespace

RuleRows QuantizeRules() { return kRows; }

}  // namespace fakeprop::rules
