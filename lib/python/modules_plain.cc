// Modules of torch.nn that have no tensors, or only the weights of a loss. Source: torch/nn/modules/*.py (torch 2.13).
#include "lib/meta/lists.h"
#include "lib/python/module.h"

namespace fakeprop {
namespace {

// A loss keeps the weights that it was given as buffers.
void Weight(ModuleInstance& m) { m.FileTensor("weight"); }
void Weights(ModuleInstance& m) {
  m.FileTensor("weight");
  m.FileTensor("pos_weight");
}
void Samples(ModuleInstance& m) { m.FileTensor("_random_samples"); }

// Numbers of sides of each dimension, the last one first.
Value Pad(ModuleInstance& m, int64_t dims, Value mode, Value value) {
  const Value padding = m.Call("repeat", {m["padding"], Value(2 * dims)});
  return m.Call("F.pad", {m["input"], padding, std::move(mode), std::move(value)});
}
template <int64_t kDims>
Value ConstantPad(ModuleInstance& m) {
  return Pad(m, kDims, Value("constant"), m["value"]);
}
template <int64_t kDims>
Value ZeroPad(ModuleInstance& m) {
  return Pad(m, kDims, Value("constant"), Value(0.0));
}
template <int64_t kDims>
Value ReflectionPad(ModuleInstance& m) {
  return Pad(m, kDims, Value("reflect"), Value());
}
template <int64_t kDims>
Value ReplicationPad(ModuleInstance& m) {
  return Pad(m, kDims, Value("replicate"), Value());
}

template <int64_t kDims>
Value CircularPad(ModuleInstance& m) {
  const int64_t rank = m.names().TensorOf("input").meta.rank();
  if (rank != kDims + 1 && rank != kDims + 2)
    Fail(ErrorClass::kValueError, "circular padding of " + std::to_string(kDims) +
                                      " dimensions takes an input of rank " + std::to_string(kDims + 1) + " or " +
                                      std::to_string(kDims + 2) + ", not " + std::to_string(rank));
  return Pad(m, kDims, Value("circular"), Value());
}

Value Softmax2d(ModuleInstance& m) {
  const int64_t rank = m.names().TensorOf("input").meta.rank();
  if (rank != 3 && rank != 4)
    Fail(ErrorClass::kValueError, "Softmax2d takes an input of rank 3 or 4, not " + std::to_string(rank));
  return m.Call("aten.softmax", {m["input"], Value(-3)});
}

// The distance may be a module of its own, as nn.PairwiseDistance is by default.
Value TripletMarginWithDistance(ModuleInstance& m) {
  if (!m["distance_function"].Is<Dict>()) {
    PythonArguments arguments{{m["anchor"], m["positive"], m["negative"]}, {}};
    for (const char* name : {"distance_function", "margin", "swap", "reduction"})
      arguments.keywords.emplace_back(name, m[name]);
    return m.python().Call("F.triplet_margin_with_distance_loss", std::move(arguments));
  }
  auto distance = [&](const char* x, const char* y) {
    return m.RunChild("distance_function", m["distance_function"], {{m[x], m[y]}, {}});
  };
  Value positive = distance("anchor", "positive"), negative = distance("anchor", "negative");
  if (m.names().Bool("swap")) negative = m.Call("aten.minimum", {negative, distance("positive", "negative")});
  return m.Call("triplet_of_distances", {positive, negative, m["margin"], m["reduction"]});
}

Value Identity(ModuleInstance& m) { return m["input"]; }

// The legacy function writes into a new tensor of the input's sizes.
Value CrossMapLrn(ModuleInstance& m) {
  const TensorMeta& meta = m.names().TensorOf("input").meta;
  if (meta.rank() != 4)
    Fail(ErrorClass::kValueError, "CrossMapLRN2d expects an input of rank 4, not " + ToString(meta));
  return m.Call("aten.mul", {m.Call("aten.new_empty", {m["input"], IntListOf(meta.sizes)}), m["input"]});
}

Value AdaptiveLogSoftmax(ModuleInstance&) {
  Fail(ErrorClass::kDynamicOutputShape,
      "which rows AdaptiveLogSoftmaxWithLoss computes for which cluster depends on the target's data");
}

constexpr ModuleRow kRows[] = {
    {"Identity()", "input", {}, nullptr, Identity},
    {"ReLU(inplace=False)", "input", "F.relu(input, inplace)"},
    {"ReLU6(inplace=False)", "input", "F.relu6(input, inplace)"},
    {"RReLU(lower=0.125, upper=0.3333333333333333, inplace=False)", "input",
        "F.rrelu(input, lower, upper, training, inplace)"},
    {"ELU(alpha=1.0, inplace=False)", "input", "F.elu(input, alpha, inplace)"},
    {"CELU(alpha=1.0, inplace=False)", "input", "F.celu(input, alpha, inplace)"},
    {"SELU(inplace=False)", "input", "F.selu(input, inplace)"},
    {"SiLU(inplace=False)", "input", "F.silu(input, inplace)"},
    {"Mish(inplace=False)", "input", "F.mish(input, inplace)"},
    {"GELU(approximate='none')", "input", "aten.gelu(input, approximate=approximate)"},
    {"GLU(dim=-1)", "input", "aten.glu(input, dim)"},
    {"Hardshrink(lambd=0.5)", "input", "aten.hardshrink(input, lambd)"},
    {"Hardsigmoid(inplace=False)", "input", "F.hardsigmoid(input, inplace)"},
    {"Hardswish(inplace=False)", "input", "F.hardswish(input, inplace)"},
    {"Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)", "input", "F.hardtanh(input, min_val, max_val, inplace)"},
    {"LeakyReLU(negative_slope=0.01, inplace=False)", "input", "F.leaky_relu(input, negative_slope, inplace)"},
    {"LogSigmoid()", "input", "aten.log_sigmoid(input)"},
    {"LogSoftmax(dim=None)", "input", "F.log_softmax(input, dim)"},
    {"Sigmoid()", "input", "aten.sigmoid(input)"},
    {"Softmax(dim=None)", "input", "F.softmax(input, dim)"},
    {"Softmax2d()", "input", {}, nullptr, Softmax2d},
    {"Softmin(dim=None)", "input", "F.softmin(input, dim)"},
    {"Softplus(beta=1.0, threshold=20.0)", "input", "aten.softplus(input, beta, threshold)"},
    {"Softshrink(lambd=0.5)", "input", "aten.softshrink(input, lambd)"},
    {"Softsign()", "input", "F.softsign(input)"},
    {"Tanh()", "input", "aten.tanh(input)"},
    {"Tanhshrink()", "input", "F.tanhshrink(input)"},
    {"Threshold(threshold, value, inplace=False)", "input", "F.threshold(input, threshold, value, inplace)"},

    {"Dropout(p=0.5, inplace=False)", "input", "F.dropout(input, p, training, inplace)"},
    {"Dropout1d(p=0.5, inplace=False)", "input", "F.dropout1d(input, p, training, inplace)"},
    {"Dropout2d(p=0.5, inplace=False)", "input", "F.dropout2d(input, p, training, inplace)"},
    {"Dropout3d(p=0.5, inplace=False)", "input", "F.dropout3d(input, p, training, inplace)"},
    {"AlphaDropout(p=0.5, inplace=False)", "input", "F.alpha_dropout(input, p, training)"},
    {"FeatureAlphaDropout(p=0.5, inplace=False)", "input", "F.feature_alpha_dropout(input, p, training)"},

    {"AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)", "input",
        "aten.avg_pool1d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, "
        "count_include_pad)"},
    {"AvgPool2d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        "input",
        "aten.avg_pool2d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, "
        "count_include_pad,"
        " divisor_override)"},
    {"AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        "input",
        "aten.avg_pool3d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, "
        "count_include_pad,"
        " divisor_override)"},
    {"MaxPool1d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)", "input",
        "F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)"},
    {"MaxPool2d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)", "input",
        "F.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)"},
    {"MaxPool3d(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)", "input",
        "F.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)"},
    {"MaxUnpool1d(kernel_size, stride=None, padding=0)", "input, indices, output_size=None",
        "F.max_unpool1d(input, indices, kernel_size, stride, padding, output_size)"},
    {"MaxUnpool2d(kernel_size, stride=None, padding=0)", "input, indices, output_size=None",
        "F.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)"},
    {"MaxUnpool3d(kernel_size, stride=None, padding=0)", "input, indices, output_size=None",
        "F.max_unpool3d(input, indices, kernel_size, stride, padding, output_size)"},
    {"LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False)", "input",
        "F.lp_pool1d(input, norm_type, kernel_size, stride, ceil_mode)"},
    {"LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False)", "input",
        "F.lp_pool2d(input, norm_type, kernel_size, stride, ceil_mode)"},
    {"LPPool3d(norm_type, kernel_size, stride=None, ceil_mode=False)", "input",
        "F.lp_pool3d(input, norm_type, kernel_size, stride, ceil_mode)"},
    {"FractionalMaxPool2d(kernel_size, output_size=None, output_ratio=None, return_indices=False)", "input",
        "F.fractional_max_pool2d(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)",
        Samples},
    {"FractionalMaxPool3d(kernel_size, output_size=None, output_ratio=None, return_indices=False)", "input",
        "F.fractional_max_pool3d(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)",
        Samples},
    {"AdaptiveAvgPool1d(output_size)", "input", "aten.adaptive_avg_pool1d(input, output_size)"},
    {"AdaptiveAvgPool2d(output_size)", "input", "F.adaptive_avg_pool2d(input, output_size)"},
    {"AdaptiveAvgPool3d(output_size)", "input", "F.adaptive_avg_pool3d(input, output_size)"},
    {"AdaptiveMaxPool1d(output_size, return_indices=False)", "input",
        "F.adaptive_max_pool1d(input, output_size, return_indices)"},
    {"AdaptiveMaxPool2d(output_size, return_indices=False)", "input",
        "F.adaptive_max_pool2d(input, output_size, return_indices)"},
    {"AdaptiveMaxPool3d(output_size, return_indices=False)", "input",
        "F.adaptive_max_pool3d(input, output_size, return_indices)"},

    {"ConstantPad1d(padding, value)", "input", {}, nullptr, ConstantPad<1>},
    {"ConstantPad2d(padding, value)", "input", {}, nullptr, ConstantPad<2>},
    {"ConstantPad3d(padding, value)", "input", {}, nullptr, ConstantPad<3>},
    {"ZeroPad1d(padding)", "input", {}, nullptr, ZeroPad<1>},
    {"ZeroPad2d(padding)", "input", {}, nullptr, ZeroPad<2>},
    {"ZeroPad3d(padding)", "input", {}, nullptr, ZeroPad<3>},
    {"ReflectionPad1d(padding)", "input", {}, nullptr, ReflectionPad<1>},
    {"ReflectionPad2d(padding)", "input", {}, nullptr, ReflectionPad<2>},
    {"ReflectionPad3d(padding)", "input", {}, nullptr, ReflectionPad<3>},
    {"ReplicationPad1d(padding)", "input", {}, nullptr, ReplicationPad<1>},
    {"ReplicationPad2d(padding)", "input", {}, nullptr, ReplicationPad<2>},
    {"ReplicationPad3d(padding)", "input", {}, nullptr, ReplicationPad<3>},
    {"CircularPad1d(padding)", "input", {}, nullptr, CircularPad<1>},
    {"CircularPad2d(padding)", "input", {}, nullptr, CircularPad<2>},
    {"CircularPad3d(padding)", "input", {}, nullptr, CircularPad<3>},

    {"Flatten(start_dim=1, end_dim=-1)", "input", "aten.flatten(input, start_dim, end_dim)"},
    {"Unflatten(dim, unflattened_size)", "input", "aten.unflatten(input, dim, unflattened_size)"},
    {"PixelShuffle(upscale_factor)", "input", "aten.pixel_shuffle(input, upscale_factor)"},
    {"PixelUnshuffle(downscale_factor)", "input", "aten.pixel_unshuffle(input, downscale_factor)"},
    {"ChannelShuffle(groups)", "input", "aten.channel_shuffle(input, groups)"},
    {"Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)", "input",
        "F.fold(input, output_size, kernel_size, dilation, padding, stride)"},
    {"Unfold(kernel_size, dilation=1, padding=0, stride=1)", "input",
        "F.unfold(input, kernel_size, dilation, padding, stride)"},
    {"Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None)", "input",
        "F.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)"},
    {"UpsamplingNearest2d(size=None, scale_factor=None)", "input",
        "F.interpolate(input, size, scale_factor, 'nearest')"},
    {"UpsamplingBilinear2d(size=None, scale_factor=None)", "input",
        "F.interpolate(input, size, scale_factor, 'bilinear', True)"},
    {"LocalResponseNorm(size, alpha=0.0001, beta=0.75, k=1.0)", "input",
        "F.local_response_norm(input, size, alpha, beta, k)"},
    {"CrossMapLRN2d(size, alpha=0.0001, beta=0.75, k=1)", "input", {}, nullptr, CrossMapLrn},
    {"AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value=4.0, head_bias=False)", "input, target_",
        {}, nullptr, AdaptiveLogSoftmax},
    {"CosineSimilarity(dim=1, eps=1e-08)", "x1, x2", "aten.cosine_similarity(x1, x2, dim, eps)"},
    {"PairwiseDistance(p=2.0, eps=1e-06, keepdim=False)", "x1, x2", "aten.pairwise_distance(x1, x2, p, eps, keepdim)"},

    {"L1Loss(reduction='mean')", "input, target", "F.l1_loss(input, target, reduction=reduction)"},
    {"MSELoss(reduction='mean')", "input, target", "F.mse_loss(input, target, reduction=reduction)"},
    {"SmoothL1Loss(reduction='mean', beta=1.0)", "input, target",
        "F.smooth_l1_loss(input, target, reduction=reduction, beta=beta)"},
    {"HuberLoss(reduction='mean', delta=1.0)", "input, target", "F.huber_loss(input, target, reduction, delta)"},
    {"KLDivLoss(reduction='mean', log_target=False)", "input, target",
        "F.kl_div(input, target, reduction=reduction, log_target=log_target)"},
    {"BCELoss(weight=None, reduction='mean')", "input, target",
        "F.binary_cross_entropy(input, target, weight, reduction=reduction)", Weight},
    {"BCEWithLogitsLoss(weight=None, reduction='mean', pos_weight=None)", "input, target",
        "F.binary_cross_entropy_with_logits(input, target, weight, pos_weight=pos_weight, reduction=reduction)",
        Weights},
    {"CrossEntropyLoss(weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0)", "input, target",
        "F.cross_entropy(input, target, weight, ignore_index=ignore_index, reduction=reduction, "
        "label_smoothing=label_smoothing)",
        Weight},
    {"NLLLoss(weight=None, ignore_index=-100, reduction='mean')", "input, target",
        "F.nll_loss(input, target, weight, ignore_index=ignore_index, reduction=reduction)", Weight},
    {"NLLLoss2d(weight=None, ignore_index=-100, reduction='mean')", "input, target",
        "F.nll_loss(input, target, weight, ignore_index=ignore_index, reduction=reduction)", Weight},
    {"PoissonNLLLoss(log_input=True, full=False, eps=1e-08, reduction='mean')", "input, target",
        "F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=reduction)"},
    {"GaussianNLLLoss(full=False, eps=1e-06, reduction='mean')", "input, target, var",
        "F.gaussian_nll_loss(input, target, var, full, eps, reduction)"},
    {"CTCLoss(blank=0, reduction='mean', zero_infinity=False)", "log_probs, targets, input_lengths, target_lengths",
        "F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)"},
    {"CosineEmbeddingLoss(margin=0.0, reduction='mean')", "input1, input2, target",
        "F.cosine_embedding_loss(input1, input2, target, margin, reduction=reduction)"},
    {"HingeEmbeddingLoss(margin=1.0, reduction='mean')", "input, target",
        "F.hinge_embedding_loss(input, target, margin, reduction=reduction)"},
    {"MarginRankingLoss(margin=0.0, reduction='mean')", "input1, input2, target",
        "F.margin_ranking_loss(input1, input2, target, margin, reduction=reduction)"},
    {"MultiLabelMarginLoss(reduction='mean')", "input, target",
        "F.multilabel_margin_loss(input, target, reduction=reduction)"},
    {"MultiLabelSoftMarginLoss(weight=None, reduction='mean')", "input, target",
        "F.multilabel_soft_margin_loss(input, target, weight, reduction=reduction)", Weight},
    {"MultiMarginLoss(p=1, margin=1.0, weight=None, reduction='mean')", "input, target",
        "F.multi_margin_loss(input, target, p, margin, weight, reduction=reduction)", Weight},
    {"SoftMarginLoss(reduction='mean')", "input, target", "F.soft_margin_loss(input, target, reduction=reduction)"},
    {"TripletMarginLoss(margin=1.0, p=2.0, eps=1e-06, swap=False, reduction='mean')", "anchor, positive, negative",
        "F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=reduction)"},
    {"TripletMarginWithDistanceLoss(distance_function=None, margin=1.0, swap=False, reduction='mean')",
        "anchor, positive, negative", {}, nullptr, TripletMarginWithDistance},
};

}  // namespace

std::span<const ModuleRow> PlainModules() { return kRows; }

}  // namespace fakeprop
