#include "lib/fuzzer/known_differences.h"

#include <algorithm>

namespace fakeprop::fuzzer {
namespace {

constexpr unsigned kOutcome =
    static_cast<unsigned>(EffectField::kOutcome) | static_cast<unsigned>(EffectField::kRefusal);

constexpr unsigned kAliasing = static_cast<unsigned>(EffectField::kAliasing);
constexpr unsigned kGeometry = static_cast<unsigned>(EffectField::kShape) |
                               static_cast<unsigned>(EffectField::kStride) |
                               static_cast<unsigned>(EffectField::kOffset);

// Reasons that several share.
constexpr std::string_view kWindow =
    "as FakeTensorMode, whose out form resizes to one dimension; the kernel keeps what holds as many elements";
constexpr std::string_view kLifted = "as FakeTensorMode, which hands a fake tensor on as an alias";
constexpr std::string_view kDtypeOfPart =
    "the CPU kernel looks at the dtype of what it reads; what FakeTensorMode runs in its place does not";

constexpr std::string_view kNotTheWeights =
    "the kernel takes its sizes from kernel_size, whatever the weight's are, and reads beyond it";
constexpr std::string_view kObserverIsOff = "the observer is off, and the kernel looks at nothing";
constexpr std::string_view kNothingToDo = "without elements the kernel returns before it looks at its other arguments";
constexpr std::string_view kReadsData = "takes data in hand, if of no tensor with elements";
constexpr std::string_view kReadsBeyond = "oneDNN's layer reads beyond weights of other sizes and checks none";

// Sorted by operator.
constexpr Known kKnown[] = {
    {"*", kOutcome, "does not support bool input",
        "a dtype that the CPU kernel is not compiled for; FakeTensorMode does not look"},
    {"*", kOutcome, "LibTorch asserts", "an assertion within LibTorch is no answer"},
    {"*", kOutcome, "not implemented for '",
        "a dtype that the CPU kernel is not compiled for; FakeTensorMode does not look"},
    {"*", kOutcome, "expected scalar type", kDtypeOfPart},
    {"*", kOutcome, "to have one of the following scalar types", kDtypeOfPart},
    {"*", kOutcome, "expect parameter to have scalar type", kDtypeOfPart},
    {"*", kOutcome, "DFTI ERROR", "MKL has no transform without elements; others do"},
    {"*", kOutcome, "tensor does not have a device",
        "a kernel of LibTorch's trips over a gradient that it was told not to make"},
    {"*", kOutcome, "cannot be converted to Scalar",
        "the one element of a tensor is data; its size is left to the kernel"},
    {"*", kOutcome, "no pinned memory allocator", "memory is pinned where there is an accelerator"},
    {"aten::_fused_moving_avg_obs_fq_helper", kOutcome, "", kObserverIsOff},
    {"aten::_fused_moving_avg_obs_fq_helper_functional", kOutcome, "", kObserverIsOff},
    {"aten::_fused_rms_norm", kOutcome, "", "the kernel takes the length of normalized_shape, and never its sizes"},
    {"aten::_pad_circular", kOutcome, "", "the kernel goes by pairs, and drops a padding that has none"},
    {"aten::_test_parallel_materialize", kOutcome, "", kReadsData},
    {"aten::arange", kGeometry, "", kWindow},
    {"aten::arange.start", kGeometry, "", kWindow},
    {"aten::arange.start_step", kGeometry, "", kWindow},
    {"aten::bernoulli.Tensor", kOutcome, "", kNothingToDo},
    {"aten::fbgemm_linear_quantize_weight", kOutcome, "", kReadsData},
    {"aten::from_file", kOutcome, "unable to open file", "what a file holds is not looked at, nor whether it is there"},
    {"aten::fused_moving_avg_obs_fake_quant", kOutcome, "", kObserverIsOff},
    {"aten::ldexp.Tensor", kGeometry, "",
        "as FakeTensorMode; the kernel multiplies by powers that are dense for some dtypes"},
    {"aten::lift", kAliasing, "", kLifted},
    {"aten::lift_fresh", kAliasing, "", kLifted},
    {"aten::lstm.input", kOutcome, "", kReadsBeyond},
    {"aten::range", kGeometry, "", kWindow},
    {"aten::rrelu_with_noise_backward", kOutcome, "", kNothingToDo},
    {"aten::scaled_dot_product_attention", kOutcome, "", kNothingToDo},
    {"aten::slow_conv3d", kOutcome, "", kNotTheWeights},
    {"aten::slow_conv3d_forward", kOutcome, "", kNotTheWeights},
    {"aten::slow_conv_transpose2d", kOutcome, "", kNotTheWeights},
    {"aten::slow_conv_transpose3d", kOutcome, "", kNotTheWeights},
};

constexpr KnownGradient kKnownGradients[] = {
    {"is not differentiable with respect to argument",
        "autograd refuses inputs without a formula; here they do not count"},
    {"Autograd not support dtype", "autograd refuses integers among the tensors of a list; here they do not count"},
    {"does not support automatic differentiation for outputs with complex dtype",
        "autograd refuses complex results of a few operators; here they follow"},
};

constexpr std::string_view kDataDependent[] = {"aten::_choose_qparams_per_tensor", "aten::argwhere", "aten::corrcoef",
    "aten::cov", "aten::is_nonzero", "aten::item", "aten::nonzero_numpy", "aten::where"};

bool Explains(const Known& known, const EffectDifference& d) {
  if (!(known.fields & static_cast<unsigned>(d.field))) return false;
  return d.b.find(known.words) != std::string::npos;
}

}  // namespace

std::span<const Known> AllKnown() { return kKnown; }

const Known* FindKnown(std::string_view row_op, std::span<const EffectDifference> differences) {
  for (const Known& known : kKnown) {
    if (known.op != row_op && known.op != "*") continue;
    if (std::all_of(
            differences.begin(), differences.end(), [&](const EffectDifference& d) { return Explains(known, d); }))
      return &known;
  }
  return nullptr;
}

const KnownGradient* FindKnownGradient(std::string_view difference) {
  for (const KnownGradient& known : kKnownGradients)
    if (difference.find(known.words) != std::string_view::npos) return &known;
  return nullptr;
}

bool IsKnownDataDependent(std::string_view op_name) {
  return std::find(std::begin(kDataDependent), std::end(kDataDependent), op_name) != std::end(kDataDependent);
}

}  // namespace fakeprop::fuzzer
