#include "lib/rules/compare/deviations.h"

#include <algorithm>

namespace fakeprop {
namespace {

constexpr unsigned Fields(std::initializer_list<EffectField> fields) {
  unsigned mask = 0;
  for (EffectField field : fields) mask |= static_cast<unsigned>(field);
  return mask;
}
constexpr unsigned kShape = Fields({EffectField::kShape});
constexpr unsigned kStride = Fields({EffectField::kStride});
constexpr unsigned kAliasing = Fields({EffectField::kAliasing});
constexpr unsigned kValue = Fields({EffectField::kValue});
constexpr unsigned kOutcome = Fields({EffectField::kOutcome});
constexpr unsigned kWrite = Fields({EffectField::kWrite});
constexpr unsigned kRefusal = Fields({EffectField::kRefusal});

// Reasons that several share.
constexpr std::string_view kUnchecked = "the CPU kernel refuses this; LibTorch's kernel without data does not check it";
constexpr std::string_view kFormat =
    "the CPU kernel keeps the memory format of its input; LibTorch's kernel without data does not";
constexpr std::string_view kOverlap =
    "the CPU kernel refuses to write where elements overlap; LibTorch's kernel without data does not look";
constexpr std::string_view kBeyond = "the CPU kernel refuses a view beyond the storage";
constexpr std::string_view kWindow =
    "as FakeTensorMode, whose out form resizes to one dimension; LibTorch's keeps what holds as many elements";

constexpr std::string_view kNothingDropped =
    "a composite that has nothing to drop writes nothing; the host goes by the schema";

constexpr Deviation kDeviations[] = {
    {"*", kRefusal, "the CPU kernel is not compiled for these dtypes; LibTorch's kernel without data does not look"},
    {"aten::_assert_tensor_metadata", kOutcome,
        "the CPU kernel looks at the device; LibTorch's without data stands on another"},
    {"aten::_ctc_loss", kOutcome, "as FakeTensorMode, which off the cpu refuses whatever is tagged to depend on data"},
    {"aten::_foreach_div_.List", kOutcome,
        "as FakeTensorMode, which lets lists mix devices; LibTorch's composite calls an operator that does not"},
    {"aten::_foreach_mul_.List", kOutcome,
        "as FakeTensorMode, which lets lists mix devices; LibTorch's composite calls an operator that does not"},
    {"aten::_fused_sdp_choice", kValue, "the choice is the CPU's: flash attention where its kernel takes the call"},
    {"aten::_philox_normal", kOutcome,
        "as FakeTensorMode, which looks at the keys' shape; LibTorch's composite does not"},
    {"aten::_to_copy", kStride,
        "as FakeTensorMode, which keeps strides as they are across devices; LibTorch's kernel packs them"},
    {"aten::addbmm", kShape, "the CPU kernel resizes what addbmm_ writes to, as it would an out tensor"},
    {"aten::addmm", kOutcome, kUnchecked},
    {"aten::alpha_dropout", kWrite, kNothingDropped},
    {"aten::arange.start_step", kShape, kWindow},
    {"aten::as_strided", kOutcome,
        "the CPU kernel refuses a view beyond the storage, which LibTorch's kernel without data does not look at"},
    {"aten::bernoulli_.float", kOutcome, kUnchecked},
    {"aten::copy", kOutcome, kOverlap},
    {"aten::dropout", kWrite, kNothingDropped},
    {"aten::empty_strided", kOutcome, kUnchecked},
    {"aten::exponential", kOutcome, kUnchecked},
    {"aten::feature_alpha_dropout", kWrite, kNothingDropped},
    {"aten::feature_dropout", kWrite, kNothingDropped},
    {"aten::fractional_max_pool2d", kOutcome, kUnchecked},
    {"aten::gelu", kOutcome, kUnchecked},
    {"aten::instance_norm", kOutcome, kUnchecked},
    {"aten::isin.Scalar_Tensor", kShape,
        "the CPU kernel gives one element; LibTorch's kernel without data takes it for an empty tensor"},
    {"aten::isin.Tensor_Tensor", kStride, "as FakeTensorMode, whose decomposition keeps the order of the strides"},
    {"aten::ldexp.Tensor", kStride, "as FakeTensorMode, whose powers keep the order of the exponent's strides"},
    {"aten::lift", kAliasing, "as FakeTensorMode, which hands a fake tensor on as an alias"},
    {"aten::lstm.input", kOutcome,
        "oneDNN's layer, by which LibTorch goes, reads beyond weights of other sizes and checks none"},
    {"aten::masked_fill_.Scalar", kOutcome, kUnchecked},
    {"aten::native_channel_shuffle", kStride, kFormat},
    {"aten::native_group_norm", kOutcome,
        "the CPU kernel takes channels-last input; LibTorch's composite asks for a view that its strides forbid"},
    {"aten::nll_loss_nd", kOutcome, kUnchecked},
    {"aten::normal_", kOutcome, kOverlap},
    {"aten::one_hot", kStride,
        "the CPU kernel's result is contiguous; LibTorch's composite without data keeps the input's order"},
    {"aten::pixel_shuffle", kStride, kFormat},
    {"aten::pixel_unshuffle", kStride, kFormat},
    {"aten::reflection_pad3d", kStride, kFormat},
    {"aten::reflection_pad3d_backward", kStride, kFormat},
    {"aten::replication_pad2d", kStride, kFormat},
    {"aten::replication_pad3d", kStride, kFormat},
    {"aten::set_.source_Tensor", kOutcome, kBeyond},
    {"aten::set_.source_Tensor_storage_offset", kOutcome, kBeyond},
    {"aten::slow_conv_transpose2d", kShape | kStride,
        "the CPU kernel keeps the memory format of its input; LibTorch's without data does not, and leaves the batch "
        "that it "
        "adds on its argument"},
    {"aten::sum", kOutcome, "as FakeTensorMode, whose out form casts to the dtype of `out`"},
    {"aten::upsample_bilinear2d", kStride,
        "as FakeTensorMode, which for cuda keeps channels-last only from 4 channels on"},
};

}  // namespace

std::span<const Deviation> AllDeviations() { return kDeviations; }

const Deviation* ExplainDifferences(std::string_view row_op, std::span<const EffectDifference> differences) {
  if (differences.empty()) return nullptr;
  for (const Deviation& deviation : kDeviations) {
    if (deviation.op != row_op && deviation.op != "*") continue;
    const bool explains = std::all_of(differences.begin(), differences.end(),
        [&](const EffectDifference& d) { return deviation.fields & static_cast<unsigned>(d.field); });
    if (explains) return &deviation;
  }
  return nullptr;
}

}  // namespace fakeprop
