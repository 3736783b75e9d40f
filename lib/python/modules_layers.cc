// Modules of torch.nn with weights. Source:
// torch/nn/modules/{linear,conv,batchnorm,instancenorm,normalization,sparse}.py (torch 2.13).
#include "lib/meta/lists.h"
#include "lib/python/module.h"

namespace fakeprop {
namespace {

Dim DimOf(const Value& value) {
  if (auto d = value.TryGet<Dim>()) return *d;
  Fail(ErrorClass::kTypeError, "a module was made with " + ToString(value) + " where an int belongs");
}

// One number or several, as several.
std::vector<Dim> DimsOf(const Value& value, int64_t count) {
  std::vector<Dim> dims;
  if (const List* list = value.TryList()) {
    for (const Value& item : list->items) dims.push_back(DimOf(item));
    if (static_cast<int64_t>(dims.size()) == 1) dims.resize(static_cast<size_t>(count), dims[0]);
    if (static_cast<int64_t>(dims.size()) != count)
      Fail(ErrorClass::kTypeError,
          "a module was made with " + ToString(value) + " where " + std::to_string(count) + " numbers belong");
    return dims;
  }
  return std::vector<Dim>(static_cast<size_t>(count), DimOf(value));
}

// `bias` of the constructor says whether there is one; after this the name is the tensor.
void Bias(ModuleInstance& m, const Dims& sizes) {
  if (m.names().Bool("bias")) m.Parameter("bias", sizes);
  else m.SetNone("bias");
}

void LinearTensors(ModuleInstance& m) {
  const Dim in = DimOf(m["in_features"]), out = DimOf(m["out_features"]);
  m.Parameter("weight", {out, in});
  Bias(m, {out});
}

void BilinearTensors(ModuleInstance& m) {
  const Dim out = DimOf(m["out_features"]);
  m.Parameter("weight", {out, DimOf(m["in1_features"]), DimOf(m["in2_features"])});
  Bias(m, {out});
}

void PReluTensors(ModuleInstance& m) { m.Parameter("weight", {DimOf(m["num_parameters"])}); }

void EmbeddingTensors(ModuleInstance& m) {
  m.Parameter("weight", {DimOf(m["num_embeddings"]), DimOf(m["embedding_dim"])});
}

template <int64_t kDims, bool kTransposed>
void ConvTensors(ModuleInstance& m) {
  const Dim in = DimOf(m["in_channels"]), out = DimOf(m["out_channels"]), groups = DimOf(m["groups"]);
  Dims sizes = kTransposed ? Dims{in, FloorDiv(out, groups)} : Dims{out, FloorDiv(in, groups)};
  for (Dim k : DimsOf(m["kernel_size"], kDims)) sizes.push_back(k);
  m.Parameter("weight", sizes);
  Bias(m, {out});
}

// _reversed_padding_repeated_twice of torch/nn/modules/conv.py
List PaddingOfBothSides(ModuleInstance& m, int64_t dims) {
  List out;
  const std::vector<Dim> kernel = DimsOf(m["kernel_size"], dims), dilation = DimsOf(m["dilation"], dims);
  const bool same = m["padding"].Is<std::string>() && m["padding"].Get<std::string>() == "same";
  for (int64_t d = dims - 1; d >= 0; --d) {
    Dim left = 0, right = 0;
    if (same) {
      const Dim total = dilation[static_cast<size_t>(d)] * (kernel[static_cast<size_t>(d)] - Dim(1));
      left = FloorDiv(total, 2);
      right = total - left;
    } else if (!m["padding"].Is<std::string>()) {
      left = right = DimsOf(m["padding"], dims)[static_cast<size_t>(d)];
    }
    out.items.push_back(Value(left));
    out.items.push_back(Value(right));
  }
  return out;
}

template <int64_t kDims>
Value Conv(ModuleInstance& m) {
  const std::string op = "aten.conv" + std::to_string(kDims) + "d";
  const std::string_view mode = m.names().String("padding_mode");
  if (mode == "zeros")
    return m.Call(op, {m["input"], m["weight"], m["bias"], m["stride"], m["padding"], m["dilation"], m["groups"]});
  const Value padded = m.Call("F.pad", {m["input"], Value(PaddingOfBothSides(m, kDims)), m["padding_mode"]});
  return m.Call(op, {padded, m["weight"], m["bias"], m["stride"], Value(0), m["dilation"], m["groups"]});
}

// What has to be added to the output for it to have the size that is asked for.
Value OutputPadding(ModuleInstance& m, int64_t dims) {
  const List* asked = m["output_size"].TryList();
  if (!asked) return m["output_padding"];
  const Dims& input = m.names().TensorOf("input").meta.sizes;
  const size_t count = static_cast<size_t>(dims);
  SizeIn(m.names().TensorOf("input").meta, m.names().TensorOf("input").meta.rank() - dims);
  const size_t before = input.size() - count;
  std::vector<Value> wanted = asked->items;
  if (wanted.size() == before + count)
    wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(before));
  if (wanted.size() != count)
    Fail(ErrorClass::kValueError, "the output size of a transposed convolution has " + std::to_string(count) +
                                      " numbers, not " + ToString(m["output_size"]));
  const auto stride = DimsOf(m["stride"], dims), padding = DimsOf(m["padding"], dims),
             kernel = DimsOf(m["kernel_size"], dims), dilation = DimsOf(m["dilation"], dims);
  List out;
  for (size_t d = 0; d < count; ++d) {
    const Dim least =
        (input[before + d] - Dim(1)) * stride[d] - Dim(2) * padding[d] + dilation[d] * (kernel[d] - Dim(1)) + Dim(1);
    const Dim size = DimOf(wanted[d]);
    if (!Guard(And(Le(least, size), Lt(size, least + stride[d]))))
      Fail(ErrorClass::kValueError, "an output size of " + size.ToString() + " is asked for, but it has to be from " +
                                        least.ToString() + " to " + (least + stride[d] - Dim(1)).ToString());
    out.items.push_back(Value(size - least));
  }
  return out;
}

template <int64_t kDims>
Value ConvTranspose(ModuleInstance& m) {
  return m.Call("aten.conv_transpose" + std::to_string(kDims) + "d",
      {m["input"], m["weight"], m["bias"], m["stride"], m["padding"], OutputPadding(m, kDims), m["groups"],
          m["dilation"]});
}

// weight and bias of a normalisation, and its running statistics.
void NormTensors(ModuleInstance& m, std::string_view size) {
  const Dims sizes = {DimOf(m[size])};
  if (m.names().Bool("affine")) {
    m.Parameter("weight", sizes);
    Bias(m, sizes);
  } else {
    m.SetNone("weight");
    m.SetNone("bias");
  }
}

void StatisticsTensors(ModuleInstance& m) {
  NormTensors(m, "num_features");
  m.SetNone("running_mean");
  m.SetNone("running_var");
  m.SetNone("num_batches_tracked");
  if (!m.names().Bool("track_running_stats")) return;
  m.Buffer("running_mean", {DimOf(m["num_features"])});
  m.Buffer("running_var", {DimOf(m["num_features"])});
  m.Buffer("num_batches_tracked", {}, ScalarType::Long);
}

void RequireRank(ModuleInstance& m, std::initializer_list<int64_t> ranks) {
  const int64_t rank = m.names().TensorOf("input").meta.rank();
  std::string text;
  for (int64_t r : ranks) {
    if (r == rank) return;
    text += (text.empty() ? "" : " or ") + std::to_string(r);
  }
  Fail(ErrorClass::kValueError,
      "the module takes an input of rank " + text + ", not " + ToString(m.names().TensorOf("input").meta));
}

Value BatchNorm(ModuleInstance& m) {
  const bool tracks = m.names().Bool("track_running_stats");
  Value momentum = m["momentum"].IsNone() ? Value(0.0) : m["momentum"];
  if (m.training() && tracks && m["num_batches_tracked"].TryTensor())
    m.Call("aten.add_", {m["num_batches_tracked"], Value(1)});
  const bool has_statistics = m["running_mean"].TryTensor() || m["running_var"].TryTensor();
  const bool uses_batch = m.training() || !has_statistics;
  const bool passes = !m.training() || tracks;
  return m.Call("F.batch_norm", {m["input"], passes ? m["running_mean"] : Value(), passes ? m["running_var"] : Value(),
                                    m["weight"], m["bias"], Value(uses_batch), momentum, m["eps"]});
}
Value BatchNorm1d(ModuleInstance& m) { return RequireRank(m, {2, 3}), BatchNorm(m); }
Value BatchNorm2d(ModuleInstance& m) { return RequireRank(m, {4}), BatchNorm(m); }
Value BatchNorm3d(ModuleInstance& m) { return RequireRank(m, {5}), BatchNorm(m); }

// An input without a batch gets one for the time of the call.
template <int64_t kDims>
Value InstanceNorm(ModuleInstance& m) {
  RequireRank(m, {kDims + 1, kDims + 2});
  const bool batched = m.names().TensorOf("input").meta.rank() == kDims + 2;
  const Value input = batched ? m["input"] : m.Call("aten.unsqueeze", {m["input"], Value(0)});
  const Value momentum = m["momentum"].IsNone() ? Value(0.0) : m["momentum"];
  const bool uses_input = m.training() || !m.names().Bool("track_running_stats");
  Value out = m.Call("F.instance_norm",
      {input, m["running_mean"], m["running_var"], m["weight"], m["bias"], Value(uses_input), momentum, m["eps"]});
  return batched ? out : m.Call("aten.squeeze", {out, Value(0)});
}

void GroupNormTensors(ModuleInstance& m) { NormTensors(m, "num_channels"); }

template <bool kHasBias>
void LayerNormTensors(ModuleInstance& m) {
  Dims sizes;
  if (const List* list = m["normalized_shape"].TryList()) {
    for (const Value& size : list->items) sizes.push_back(DimOf(size));
  } else {
    sizes.push_back(DimOf(m["normalized_shape"]));
  }
  m.names().Set("normalized_shape", IntListOf(sizes));
  const bool affine = m.names().Bool("elementwise_affine");
  if (affine) m.Parameter("weight", sizes);
  else m.SetNone("weight");
  if (!kHasBias) return;
  if (affine) Bias(m, sizes);
  else m.SetNone("bias");
}

constexpr ModuleRow kRows[] = {
    {"Linear(in_features, out_features, bias=True, device=None, dtype=None)", "input",
        "aten.linear(input, weight, bias)", LinearTensors},
    {"NonDynamicallyQuantizableLinear(in_features, out_features, bias=True, device=None, dtype=None)", "input",
        "aten.linear(input, weight, bias)", LinearTensors},
    {"Bilinear(in1_features, in2_features, out_features, bias=True, device=None, dtype=None)", "input1, input2",
        "aten.bilinear(input1, input2, weight, bias)", BilinearTensors},
    {"PReLU(num_parameters=1, init=0.25, device=None, dtype=None)", "input", "aten.prelu(input, weight)", PReluTensors},
    {"Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, "
     "scale_grad_by_freq=False,"
     " sparse=False, device=None, dtype=None)",
        "input", "F.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)",
        EmbeddingTensors},
    {"EmbeddingBag(num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean',"
     " sparse=False, include_last_offset=False, padding_idx=None, device=None, dtype=None)",
        "input, offsets=None, per_sample_weights=None",
        "F.embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, "
        "per_sample_weights,"
        " include_last_offset, padding_idx)",
        EmbeddingTensors},
    {"Conv1d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
     "padding_mode='zeros',"
     " device=None, dtype=None)",
        "input", {}, ConvTensors<1, false>, Conv<1>},
    {"Conv2d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
     "padding_mode='zeros',"
     " device=None, dtype=None)",
        "input", {}, ConvTensors<2, false>, Conv<2>},
    {"Conv3d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
     "padding_mode='zeros',"
     " device=None, dtype=None)",
        "input", {}, ConvTensors<3, false>, Conv<3>},
    {"ConvTranspose1d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, "
     "bias=True,"
     " dilation=1, padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, ConvTensors<1, true>, ConvTranspose<1>},
    {"ConvTranspose2d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, "
     "bias=True,"
     " dilation=1, padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, ConvTensors<2, true>, ConvTranspose<2>},
    {"ConvTranspose3d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, "
     "bias=True,"
     " dilation=1, padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, ConvTensors<3, true>, ConvTranspose<3>},
    {"BatchNorm1d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, BatchNorm1d},
    {"BatchNorm2d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, BatchNorm2d},
    {"BatchNorm3d(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, BatchNorm3d},
    {"SyncBatchNorm(num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, BatchNorm},
    {"InstanceNorm1d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, InstanceNorm<1>},
    {"InstanceNorm2d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, InstanceNorm<2>},
    {"InstanceNorm3d(num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, "
     "dtype=None,"
     " bias=True)",
        "input", {}, StatisticsTensors, InstanceNorm<3>},
    {"LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None)", "input",
        "F.layer_norm(input, normalized_shape, weight, bias, eps)", LayerNormTensors<true>},
    {"RMSNorm(normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None)", "x",
        "F.rms_norm(x, normalized_shape, weight, eps)", LayerNormTensors<false>},
    {"GroupNorm(num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, bias=True)", "input",
        "F.group_norm(input, num_groups, weight, bias, eps)", GroupNormTensors},
};

}  // namespace

std::span<const ModuleRow> LayerModules() { return kRows; }

}  // namespace fakeprop
