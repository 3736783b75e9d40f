// Packed weights of quantized layers: made, taken apart, and asked for their parameters.
// Source: aten/src/ATen/native/quantized/cpu/{qlinear_prepack,qlinear_unpack,qconv_prepack,qconv_unpack_impl,
// qembeddingbag_prepack}.cpp, aten/src/ATen/native/quantized/qconv_unpack.cpp, aten/src/ATen/native/RNN.cpp
// (torch 2.15).
#include <algorithm>

#include "lib/meta/lists.h"
#include "lib/meta/ordered_strides.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/packed_items.h"

namespace fakeprop::rules {
namespace {

void ReturnBias(Call& call, const Operand& bias) {
  if (bias) call.ReturnArgument(bias.tensor());
  else call.ReturnNone();
}

void RequireBias(const Operand& bias, Dim outputs) {
  bias.Sizes({outputs}, {"takes a bias of {} elements, not {tensor}", outputs});
}

// ---- linear layers

template <ScalarType kDtype>
void PackLinear(Call& call) {
  const Operand weight = call.In("W").Takes(kDtype, {"takes a weight of {}, not {tensor}", kDtype}).Rank(2);
  RequireBias(call.OptionalIn("B"), weight->sizes[0]);
  ReturnPacked(call);
}

void UnpackLinear(Call& call) {
  const PackedItems packed(call, "W_prepack");
  ReturnContiguous(call, packed.Tensor(0));
  ReturnBias(call, packed.Tensor(1));
}

// ---- convolutions

// Where the tuple of a convolution has its parameters.
enum Parameter { kStride = 2, kPadding, kOutputPadding, kDilation, kGroups, kTransposed };

// Numbers in a tuple, as nothing can change them.
Value TupleOf(const Dims& numbers) {
  List tuple{{}, true};
  for (const Dim number : numbers) tuple.items.emplace_back(number);
  return tuple;
}

void RequireCount(const Call& call, ArgumentName name, size_t count) {
  RequireValue(call, call.DimList(name).size() == count,
      {"takes `{}` of {} numbers, not {}", call.NameOf(name), count, call.DimList(name)});
}

template <size_t kSpatial, bool kIsTransposed>
void PackConvolution(Call& call) {
  const Operand weight = call.In("weight").Takes(ScalarType::QInt8, "takes a weight of qint8, not {tensor}");
  weight.Rank(kSpatial + 2);
  const Operand bias = call.OptionalIn("bias");
  RequireBias(bias, kIsTransposed ? weight->sizes[1] * call.DimArg("groups") : weight->sizes[0]);
  for (const ArgumentName name : ArgumentNames{"stride", "padding", "dilation"}) RequireCount(call, name, kSpatial);
  if (kIsTransposed) RequireCount(call, "output_padding", kSpatial);
  const int output_padding = call.schema().FindArgument("output_padding");
  ReturnPacked(
      call, {call.Arg("weight"), call.Arg("bias"), TupleOf(call.DimList("stride")), TupleOf(call.DimList("padding")),
                TupleOf(kIsTransposed ? call.DimList(output_padding) : Dims(kSpatial, Dim(0))),
                TupleOf(call.DimList("dilation")), call.Arg("groups"), kIsTransposed});
}

// fbgemm, which runs where there is an output padding, gives the weight of a transposed convolution back with its input
// channels last.
TensorMeta UnpackedWeight(const PackedItems& packed) {
  const Operand weight = packed.Tensor(0);
  TensorMeta dense = ContiguousMeta(weight->size_span(), weight->dtype, weight->device);
  const Dims padding = packed.Numbers(kOutputPadding);
  const bool is_padded = std::ranges::any_of(padding, [](Dim n) { return !GuardOrFalse(Eq(n, 0)); });
  if (!packed[kTransposed].Get<bool>() || !is_padded || dense.rank() == 5) return dense;
  std::vector<int64_t> order = {0};
  for (int64_t d = dense.rank(); d-- > 1;) order.push_back(d);
  dense.strides = StridesInOrder(dense.sizes, order, EmptyDims::kMakeZeros);
  return dense;
}

void UnpackConvolution(Call& call) {
  const PackedItems packed(call, "packed_weights");
  call.ReturnNew(UnpackedWeight(packed));
  ReturnBias(call, packed.Tensor(1));
}

template <Parameter kParameter>
void ReturnParameter(Call& call) {
  const PackedItems packed(call, "packed_weights");
  if (kParameter == kTransposed) call.ReturnNumber(int64_t{packed[kParameter].Get<bool>()});
  else if (kParameter == kGroups) call.ReturnNumber(packed[kParameter]);
  else call.ReturnNumber(IntListOf(packed.Numbers(kParameter)));
}

// ---- embeddings

void PackEmbedding(Call& call) {
  call.In("weight").Rank(2).Takes(
      {ScalarType::QUInt8, ScalarType::QUInt4x2}, "takes a weight of quint8 or quint4x2, not {tensor}");
  ReturnPacked(call);
}

void UnpackEmbedding(Call& call) { ReturnContiguous(call, PackedItems(call, "W_prepack").Tensor(0)); }

constexpr RuleRow kRows[] = {
    {"quantized::linear_prepack", PackLinear<ScalarType::QInt8>, Grad::kNone},
    {"quantized::linear_prepack_fp16", PackLinear<ScalarType::Float>, Grad::kNone},
    {"quantized::linear_unpack", UnpackLinear, Grad::kNone},
    {"quantized::linear_unpack_fp16", UnpackLinear, Grad::kNone},

    {"quantized::conv1d_prepack", PackConvolution<1, false>, Grad::kNone},
    {"quantized::conv2d_prepack", PackConvolution<2, false>, Grad::kNone},
    {"quantized::conv_prepack", PackConvolution<2, false>, Grad::kNone},
    {"quantized::conv3d_prepack", PackConvolution<3, false>, Grad::kNone},
    {"quantized::conv_transpose1d_prepack", PackConvolution<1, true>, Grad::kNone},
    {"quantized::conv_transpose2d_prepack", PackConvolution<2, true>, Grad::kNone},
    {"quantized::conv_transpose3d_prepack", PackConvolution<3, true>, Grad::kNone},
    {"quantized::conv1d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv2d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv3d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv_transpose1d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv_transpose2d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv_transpose3d_unpack", UnpackConvolution, Grad::kNone},
    {"quantized::conv2d_stride", ReturnParameter<kStride>},
    {"quantized::conv2d_padding", ReturnParameter<kPadding>},
    {"quantized::conv2d_output_padding", ReturnParameter<kOutputPadding>},
    {"quantized::conv2d_dilation", ReturnParameter<kDilation>},
    {"quantized::conv2d_groups", ReturnParameter<kGroups>},
    {"quantized::conv2d_transpose", ReturnParameter<kTransposed>},
    {"quantized::conv3d_stride", ReturnParameter<kStride>},
    {"quantized::conv3d_padding", ReturnParameter<kPadding>},
    {"quantized::conv3d_output_padding", ReturnParameter<kOutputPadding>},
    {"quantized::conv3d_dilation", ReturnParameter<kDilation>},
    {"quantized::conv3d_groups", ReturnParameter<kGroups>},
    {"quantized::conv3d_transpose", ReturnParameter<kTransposed>},
    {"quantized::conv_transpose2d_stride", ReturnParameter<kStride>},
    {"quantized::conv_transpose2d_padding", ReturnParameter<kPadding>},
    {"quantized::conv_transpose2d_output_padding", ReturnParameter<kOutputPadding>},
    {"quantized::conv_transpose2d_dilation", ReturnParameter<kDilation>},
    {"quantized::conv_transpose2d_groups", ReturnParameter<kGroups>},
    {"quantized::conv_transpose2d_transpose", ReturnParameter<kTransposed>},
    {"quantized::conv_transpose3d_stride", ReturnParameter<kStride>},
    {"quantized::conv_transpose3d_padding", ReturnParameter<kPadding>},
    {"quantized::conv_transpose3d_output_padding", ReturnParameter<kOutputPadding>},
    {"quantized::conv_transpose3d_dilation", ReturnParameter<kDilation>},
    {"quantized::conv_transpose3d_groups", ReturnParameter<kGroups>},
    {"quantized::conv_transpose3d_transpose", ReturnParameter<kTransposed>},

    {"quantized::embedding_bag_prepack", PackEmbedding, Grad::kNone},
    {"quantized::embedding_bag_unpack", UnpackEmbedding, Grad::kNone},

    {"quantized::make_quantized_cell_params_dynamic", ReturnPacked, Grad::kNone},
    {"quantized::make_quantized_cell_params_fp16", ReturnPacked, Grad::kNone},
};

}  // namespace

RuleRows PackedParametersRules() { return kRows; }

}  // namespace fakeprop::rules
