// Matrix products with weights packed as 4-bit or 8-bit integers.
// Source: torch/_meta_registrations.py; aten/src/ATen/native/LinearAlgebra.cpp, native/cpu/int4mm_kernel.cpp (2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// What the kernels compute in.
constexpr DtypeClass kComputed{kHalfDtypes | ScalarType::Float, "takes float32, float16 or bfloat16, not {tensor}"};

Operand OfDtype(const Operand& weight, ScalarType dtype) {
  return weight.Takes(dtype, {"takes a weight of {}, not {tensor}", dtype});
}

// The packed weight, for cuda.
void PackInt4(Call& call) {
  const Operand self = call.In("self");
  const auto [rows, columns] = self.Sizes<2>();
  OfDtype(self, ScalarType::Byte);
  const int64_t tiles = call.Int("innerKTiles");
  RequireValue(call, tiles >= 2, {"takes 2, 4 or 8 inner tiles, not {}", tiles});
  ReturnContiguous(call, {FloorDiv(rows, 8), FloorDiv(columns * 2, tiles * 16), 32, tiles / 2}, ScalarType::Int);
}

void PackInt4Cpu(Call& call) {
  const Operand self = call.In("self");
  const auto [rows, columns] = self.Sizes<2>();
  OfDtype(self, ScalarType::Int);
  self.Require(
      Divides(16, rows) && Divides(2, columns), "takes rows by multiples of 16 and columns by pairs, not {tensor}");
  ReturnContiguous(call, {rows, FloorDiv(columns, 2)}, ScalarType::Byte);
}

// The left operand: a matrix in a dtype that the kernels take.
Operand LeftOf(const Call& call) { return call.In("self").Rank(2).Takes(kComputed); }

// The right operand: the packed weight.
Operand WeightOf(const Call& call, ScalarType dtype, int64_t rank) {
  return OfDtype(call.In("mat2").Rank(rank), dtype);
}

void ReturnProduct(Call& call, const Operand& x, Dim n) { ReturnContiguous(call, {x->sizes[0], n}, x->dtype); }

void Int4Product(Call& call) {
  const Operand x = LeftOf(call);
  const bool is_xpu = call.device().type() == DeviceType::XPU;
  const Dim columns = WeightOf(call, ScalarType::Int, is_xpu ? 2 : 4)->sizes[0];
  ReturnProduct(call, x, is_xpu ? columns : columns * 8);
}

void Int4ProductCpu(Call& call) {
  const Operand x = LeftOf(call), weight = WeightOf(call, ScalarType::Byte, 2);
  const int64_t group = call.Int("qGroupSize");
  RequireValue(call, group == 32 || group == 64 || group == 128 || group == 256,
      {"takes groups of 32, 64, 128 or 256, not {}", group});
  weight.Size(1, FloorDiv(x->sizes[1], 2), {"cannot multiply {} and the packed {tensor}", *x});
  ReturnProduct(call, x, weight->sizes[0]);
}

// For xpu.
void Int4ProductScalesZeros(Call& call) {
  const Operand x = LeftOf(call);
  ReturnProduct(call, x, WeightOf(call, ScalarType::Int, 2)->sizes[0]);
}

void Int8Product(Call& call) {
  const Operand x = LeftOf(call), weight = WeightOf(call, ScalarType::Char, 2);
  weight.Size(1, x->sizes[1], {"cannot multiply {} and the transposed {tensor}", *x});
  const Dim rows = weight->sizes[0];
  call.In("scales").Sizes({rows});
  ReturnProduct(call, x, rows);
}

// Everything goes into one row of floats, as in builds without KleidiAI's kernels.
void PackDynamicInt4(Call& call) {
  const Operand weights = OfDtype(call.In("weights"), ScalarType::Byte);
  Dim numel = weights.Numel() + Numel(call.In("scales_zeros")->size_span());
  if (const Operand bias = call.OptionalIn("bias")) numel += bias.Numel();
  ReturnContiguous(call, {numel}, ScalarType::Float);
}

void DynamicInt4Product(Call& call) {
  const Operand x = call.In("inp").Rank(2);
  const bool takes =
      x->dtype == ScalarType::Float ||
      (x->dtype == ScalarType::BFloat16 && GuardOrFalse(Eq(call.DimArg("block_size"), call.DimArg("in_features"))));
  RequireDtype(call, takes, {"takes float32, or bfloat16 in one block, not {}", *x});
  ReturnProduct(call, x, call.DimArg("out_features"));
}

// Clamps a weight to what float16 holds, in place.
void SaturateToHalf(Call& call) {
  const Operand weight = call.In("weight").Takes(ScalarType::Float, "takes a weight of float32, not {}");
  weight.RankAtLeast(2, "takes a weight of rows and columns, not {tensor}");
  call.Write(weight.tensor());
  call.ReturnArgument(weight.tensor());
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
