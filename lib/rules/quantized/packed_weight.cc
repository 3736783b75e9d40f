// Matrix products with weights packed as 4-bit or 8-bit integers.
// Source: torch/_meta_registrations.py; aten/src/ATen/native/LinearAlgebra.cpp, native/cpu/int4mm_kernel.cpp (2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

void RequireDtype(const Call& call, int argument, ScalarType dtype) {
  const TensorMeta& t = call.Meta(argument);
  if (t.dtype != dtype) FailDtype(call, "takes a weight of " + std::string(DtypeName(dtype)) + ", not " + ToString(t));
}

// The packed weight of (self, innerKTiles), for cuda.
void PackInt4(Call& call) {
  RequireRank(call, 0, 2);
  RequireDtype(call, 0, ScalarType::Byte);
  const Dims& sizes = call.Meta(0).sizes;
  const int64_t tiles = call.Int(1);
  if (tiles < 2) FailValue(call, "takes 2, 4 or 8 inner tiles, not " + std::to_string(tiles));
  const Dims packed = {FloorDiv(sizes[0], 8), FloorDiv(sizes[1] * 2, tiles * 16), 32, tiles / 2};
  ReturnContiguous(call, packed, ScalarType::Int);
}

void PackInt4Cpu(Call& call) {
  RequireRank(call, 0, 2);
  RequireDtype(call, 0, ScalarType::Int);
  const Dims& sizes = call.Meta(0).sizes;
  if (!Expect(Eq(Mod(sizes[0], 16), 0)) || !Expect(Eq(Mod(sizes[1], 2), 0)))
    FailShape(call, "takes rows by multiples of 16 and columns by pairs, not " + ToString(call.Meta(0)));
  const Dims packed = {sizes[0], FloorDiv(sizes[1], 2)};
  ReturnContiguous(call, packed, ScalarType::Byte);
}

// The rows of the product, in a dtype that its kernels take.
Dim RequireRows(const Call& call) {
  const TensorMeta& x = call.Meta(0);
  RequireRank(call, 0, 2);
  if (x.dtype != ScalarType::Float && !IsHalf(x.dtype))
    FailDtype(call, "takes float32, float16 or bfloat16, not " + ToString(x));
  return x.sizes[0];
}

void ReturnProduct(Call& call, Dim rows, Dim columns) {
  const Dims sizes = {rows, columns};
  ReturnContiguous(call, sizes, call.Meta(0).dtype);
}

// (self, mat2, qGroupSize, qScaleAndZeros)
void Int4Product(Call& call) {
  const Dim rows = RequireRows(call);
  const bool is_xpu = call.device().type() == DeviceType::XPU;
  RequireRank(call, 1, is_xpu ? 2 : 4);
  RequireDtype(call, 1, ScalarType::Int);
  const Dim columns = call.Meta(1).sizes[0];
  ReturnProduct(call, rows, is_xpu ? columns : columns * 8);
}

void Int4ProductCpu(Call& call) {
  const Dim rows = RequireRows(call);
  RequireRank(call, 1, 2);
  RequireDtype(call, 1, ScalarType::Byte);
  const int64_t group = call.Int(2);
  if (group != 32 && group != 64 && group != 128 && group != 256)
    FailValue(call, "takes groups of 32, 64, 128 or 256, not " + std::to_string(group));
  if (!Expect(Eq(call.Meta(1).sizes[1], FloorDiv(call.Meta(0).sizes[1], 2))))
    FailShape(call, "cannot multiply " + ToString(call.Meta(0)) + " and the packed " + ToString(call.Meta(1)));
  ReturnProduct(call, rows, call.Meta(1).sizes[0]);
}

// (self, mat2, qGroupSize, qScale, qZeros), for xpu
void Int4ProductScalesZeros(Call& call) {
  const Dim rows = RequireRows(call);
  RequireRank(call, 1, 2);
  RequireDtype(call, 1, ScalarType::Int);
  ReturnProduct(call, rows, call.Meta(1).sizes[0]);
}

// (self, mat2, scales)
void Int8Product(Call& call) {
  const Dim rows = RequireRows(call);
  RequireRank(call, 1, 2);
  RequireDtype(call, 1, ScalarType::Char);
  const TensorMeta& weight = call.Meta(1);
  const TensorMeta& scales = call.Meta(2);
  if (!Expect(Eq(weight.sizes[1], call.Meta(0).sizes[1])))
    FailShape(call, "cannot multiply " + ToString(call.Meta(0)) + " and the transposed " + ToString(weight));
  if (scales.rank() != 1 || !Expect(Eq(scales.sizes[0], weight.sizes[0])))
    FailShape(call, "takes a scale for each of " + weight.sizes[0].ToString() + " rows, not " + ToString(scales));
  ReturnProduct(call, rows, weight.sizes[0]);
}

// (weights, scales_zeros, bias, block_size, in_features, out_features): all in one row of floats, as where KleidiAI's
// kernels are missing.
void PackDynamicInt4(Call& call) {
  RequireDtype(call, 0, ScalarType::Byte);
  Dim numel = Numel(call.Meta(0).size_span()) + Numel(call.Meta(1).size_span());
  if (const Tensor* bias = call.OptionalTensor(2)) numel += Numel(bias->meta.size_span());
  const Dims sizes = {numel};
  ReturnContiguous(call, sizes, ScalarType::Float);
}

// (inp, packed_weights, block_size, in_features, out_features)
void DynamicInt4Product(Call& call) {
  RequireRank(call, 0, 2);
  const TensorMeta& x = call.Meta(0);
  const bool takes = x.dtype == ScalarType::Float ||
                     (x.dtype == ScalarType::BFloat16 && GuardOrFalse(Eq(call.DimArg(2), call.DimArg(3))));
  if (!takes) FailDtype(call, "takes float32, or bfloat16 in one block, not " + ToString(x));
  ReturnProduct(call, x.sizes[0], call.DimArg(4));
}

// Clamps a weight to what float16 holds, in place.
void SaturateToHalf(Call& call) {
  Tensor& weight = call.TensorArg(0);
  if (weight.meta.dtype != ScalarType::Float)
    FailDtype(call, "takes a weight of float32, not " + std::string(DtypeName(weight.meta.dtype)));
  if (weight.meta.rank() < 2) FailShape(call, "takes a weight of rows and columns, not " + ToString(weight.meta));
  call.Write(weight);
  call.ReturnArgument(weight);
}

constexpr RuleRow kRows[] = {
    {"aten::_saturate_weight_to_fp16", SaturateToHalf},
    {"aten::_convert_weight_to_int4pack", PackInt4},
    {"aten::_convert_weight_to_int4pack_for_cpu", PackInt4Cpu},
    {"aten::_weight_int4pack_mm", Int4Product},
    {"aten::_weight_int4pack_mm_for_cpu", Int4ProductCpu},
    {"aten::_weight_int4pack_mm_with_scales_and_zeros", Int4ProductScalesZeros},
    {"aten::_weight_int8pack_mm", Int8Product},
    {"aten::_dyn_quant_pack_4bit_weight", PackDynamicInt4},
    {"aten::_dyn_quant_matmul_4bit", DynamicInt4Product},
};

}  // namespace

RuleRows PackedWeightRules() { return kRows; }

}  // namespace fakeprop::rules
