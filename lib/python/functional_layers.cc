// torch.nn.functional: embeddings, normalisation, padding and resizing. Source: torch/nn/functional.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/registry.h"
#include "lib/python/scaled_size.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop {
namespace {

// Writes that autograd does not see.
class NoGrad {
 public:
  explicit NoGrad(Python& python) : state_(python.host().state()), enabled_(state_.grad_enabled) {
    state_.grad_enabled = false;
  }
  ~NoGrad() { state_.grad_enabled = enabled_; }

 private:
  ExecutionState& state_;
  bool enabled_;
};

Value Negative(const Bindings& a, std::string_view name, Dim size) {
  if (a.IsNone(name)) return Value(-1);
  const int64_t index = a.Int(name);
  if (!Guard(And(Lt(Dim(index), size), Le(-size, Dim(index)))))
    Fail(ErrorClass::kValueError,
        "`" + std::string(name) + "` is " + std::to_string(index) + ", outside the " + size.ToString() + " embeddings");
  return index < 0 ? Value(size + Dim(index)) : Value(index);
}

Value Embedding(Python& python, const Bindings& a) {
  Value padding = Negative(a, "padding_idx", SizeIn(a.TensorOf("weight").meta, 0));
  Value input = a["input"];
  if (!a.IsNone("max_norm")) {
    input = python.Call("aten.contiguous", {input});
    const NoGrad guard(python);
    python.Call("aten.embedding_renorm_", {a["weight"], input, a["max_norm"], a["norm_type"]});
  }
  return python.Call("aten.embedding", {a["weight"], input, padding, a["scale_grad_by_freq"], a["sparse"]});
}

[[noreturn]] void FailBag(const std::string& why) { Fail(ErrorClass::kValueError, "embedding_bag: " + why); }

Value BagMode(const Bindings& a) {
  const std::string_view mode = a.String("mode");
  if (mode == "sum") return 0;
  if (mode == "mean") return 1;
  if (mode != "max") FailBag("the mode is sum, mean or max, not `" + std::string(mode) + "`");
  if (a.Bool("scale_grad_by_freq")) FailBag("the mode max does not scale gradients by frequency");
  if (a.Bool("sparse")) FailBag("the mode max has no sparse gradients");
  return 2;
}

// An input of rank 2 is a batch of bags of one length: flattened, with offsets that say where each begins.
Value EmbeddingBag(Python& python, const Bindings& a) {
  const TensorMeta meta = a.TensorOf("input").meta;
  Value input = a["input"], offsets = a["offsets"], weights = a["per_sample_weights"], last = a["include_last_offset"];
  if (const Tensor* t = weights.TryTensor(); t && !ExpectSame(t->meta.size_span(), meta.size_span()))
    FailBag("the weights of samples have the sizes " + ToString(t->meta.size_span()) + ", the input " +
            ToString(meta.size_span()));
  if (meta.rank() == 2) {
    if (!offsets.IsNone()) FailBag("an input of rank 2 takes no offsets");
    offsets =
        python.Operator("aten::arange.start_step", {Value(0), Value(Numel(meta.size_span())), Value(meta.sizes[1]),
                                                       Value(meta.dtype), Value(), Value(meta.device)});
    last = Value(false);
    input = python.Call("aten.reshape", {input, Value(List{{Value(-1)}, false})});
    if (weights.TryTensor()) weights = python.Call("aten.reshape", {weights, Value(List{{Value(-1)}, false})});
  } else if (meta.rank() != 1) {
    FailBag("the input has rank 1 or 2, not " + std::to_string(meta.rank()));
  } else if (!offsets.TryTensor() || AsTensor(offsets).meta.rank() != 1) {
    FailBag("an input of rank 1 needs offsets of rank 1");
  }
  const Value mode = BagMode(a);
  if (weights.TryTensor() && a.String("mode") != "sum") FailBag("only the mode sum takes weights of samples");
  if (!a.IsNone("max_norm")) {
    const NoGrad guard(python);
    python.Call("aten.embedding_renorm_", {a["weight"], input, a["max_norm"], a["norm_type"]});
  }
  const Value results = python.Operator("aten::embedding_bag.padding_idx",
      {a["weight"], input, offsets, a["scale_grad_by_freq"], mode, a["sparse"], weights, last, a["padding_idx"]});
  return AsItems(results)[0];
}

// Several values for each channel are needed to learn statistics from.
void CheckBatch(const TensorMeta& meta, std::string_view what) {
  Dim values = 1;
  for (size_t d = 0; d < meta.sizes.size(); ++d)
    if (d != 1) values *= meta.sizes[d];
  if (Known(Eq(values, 1)))
    Fail(ErrorClass::kValueError, std::string(what) +
                                      " needs more than one value for each channel to train, but the input is " +
                                      ToString(meta.size_span()));
}

Value BatchNorm(Python& python, const Bindings& a) {
  if (a.Bool("training")) CheckBatch(a.TensorOf("input").meta, "batch_norm");
  return python.Call("aten.batch_norm", {a["input"], a["weight"], a["bias"], a["running_mean"], a["running_var"],
                                            a["training"], a["momentum"], a["eps"], Value(true)});
}

Value InstanceNorm(Python& python, const Bindings& a) {
  const TensorMeta& meta = a.TensorOf("input").meta;
  Dim spatial = 1;
  for (size_t d = 2; d < meta.sizes.size(); ++d) spatial *= meta.sizes[d];
  if (a.Bool("use_input_stats") && Known(Eq(spatial, 1)))
    Fail(ErrorClass::kValueError,
        "instance_norm needs more than one element in space to train, but the input is " + ToString(meta.size_span()));
  return python.Call("aten.instance_norm", {a["input"], a["weight"], a["bias"], a["running_mean"], a["running_var"],
                                               a["use_input_stats"], a["momentum"], a["eps"], Value(true)});
}

// The average of squares over neighbouring channels divides the input.
Value LocalResponseNorm(Python& python, const Bindings& a) {
  const TensorMeta meta = a.TensorOf("input").meta;
  if (meta.rank() < 3)
    Fail(ErrorClass::kValueError, "local_response_norm needs rank 3 or more, not " + std::to_string(meta.rank()));
  if (IsKnownEmpty(meta)) return a["input"];
  const Dim size = a.Int("size"), before = FloorDiv(size, 2), after = FloorDiv(size - Dim(1), 2);
  Value div = python.Call("aten.mul", {a["input"], a["input"]});
  if (meta.rank() == 3) {
    div = python.Call("aten.unsqueeze", {div, Value(1)});
    div = python.Call("F.pad", {div, IntListOf({0, 0, before, after})});
    div =
        python.Call("aten.squeeze", {python.Call("aten.avg_pool2d", {div, IntListOf({size, 1}), Value(1)}), Value(1)});
  } else {
    div = python.Call("aten.view", {div, IntListOf({meta.sizes[0], 1, meta.sizes[1], meta.sizes[2], -1})});
    div = python.Call("F.pad", {div, IntListOf({0, 0, 0, 0, before, after})});
    div = python.Call(
        "aten.squeeze", {python.Call("aten.avg_pool3d", {div, IntListOf({size, 1, 1}), Value(1)}), Value(1)});
    div = python.Call("aten.view", {div, IntListOf(meta.sizes)});
  }
  div = python.Call(
      "aten.pow", {python.Call("aten.add", {python.Call("aten.mul", {div, a["alpha"]}), a["k"]}), a["beta"]});
  return python.Call("aten.div", {a["input"], div});
}

std::string NearestOperator(std::string_view mode) {
  return mode == "nearest" ? "aten.upsample_nearest" : "aten._upsample_nearest_exact";
}

// What a mode is called by the operators for an input of this rank; empty where they do not go together.
std::string InterpolationOperator(std::string_view mode, int64_t rank, bool antialias) {
  const std::string dims = std::to_string(rank - 2) + "d";
  if (rank < 3 || rank > 5) return {};
  if (mode == "nearest" || mode == "nearest-exact") return NearestOperator(mode) + dims;
  if (mode == "area") return "aten.adaptive_avg_pool" + dims;
  if (mode == "linear" && rank == 3) return "aten.upsample_linear1d";
  if (mode == "trilinear" && rank == 5) return "aten.upsample_trilinear3d";
  if (rank != 4) return {};
  if (mode == "bilinear") return antialias ? "aten._upsample_bilinear2d_aa" : "aten.upsample_bilinear2d";
  if (mode == "bicubic") return antialias ? "aten._upsample_bicubic2d_aa" : "aten.upsample_bicubic2d";
  if (mode == "lanczos" && antialias) return "aten._upsample_lanczos2d_aa";
  return {};
}

Value PerDimension(const Value& given, int64_t count, std::string_view what) {
  if (given.IsNone()) return given;
  const List* list = given.TryList();
  if (!list) return List{std::vector<Value>(static_cast<size_t>(count), given), false};
  if (static_cast<int64_t>(list->items.size()) != count)
    Fail(ErrorClass::kValueError, "interpolate: the input has " + std::to_string(count) + " dimensions in space, but " +
                                      std::string(what) + " is " + ToString(given));
  return given;
}

Value SizesFromScales(Python& python, const TensorMeta& meta, const List& scales) {
  List sizes;
  for (size_t i = 0; i < scales.items.size(); ++i)
    sizes.items.push_back(ScaledSize(python, meta.sizes[i + 2], scales.items[i]));
  return sizes;
}

Value Interpolate(Python& python, const Bindings& a) {
  const TensorMeta meta = a.TensorOf("input").meta;
  const std::string_view mode = a.String("mode");
  const bool blends = !(mode == "nearest" || mode == "area" || mode == "nearest-exact");
  if (!blends && !a.IsNone("align_corners"))
    Fail(ErrorClass::kValueError, "interpolate: align_corners goes with linear and cubic modes only");
  if (a.IsNone("size") == a.IsNone("scale_factor"))
    Fail(ErrorClass::kValueError, a.IsNone("size") ? "interpolate needs a size or a scale factor"
                                                   : "interpolate takes a size or a scale factor, not both");
  Value size = PerDimension(a["size"], meta.rank() - 2, "the size");
  Value scales = PerDimension(a["scale_factor"], meta.rank() - 2, "the scale factor");
  const bool recompute = python.Truth(a["recompute_scale_factor"]);
  if (recompute && !size.IsNone())
    Fail(ErrorClass::kValueError, "interpolate: recompute_scale_factor means nothing with a size");
  const std::string op = InterpolationOperator(mode, meta.rank(), a.Bool("antialias"));
  if (op.empty())
    Fail(ErrorClass::kUnsupportedOperator,
        "interpolate has no mode `" + std::string(mode) + "` for an input of rank " + std::to_string(meta.rank()));
  if (scales.TryList() && (recompute || mode == "area")) {
    size = SizesFromScales(python, meta, *scales.TryList());
    scales = Value();
  }
  if (mode == "area") return python.Call(op, {a["input"], size});
  const std::string name = "aten::" + op.substr(5) + ".vec";
  if (!blends) return python.Operator(name, {a["input"], size, scales});
  return python.Operator(name, {a["input"], size, Value(a.Bool("align_corners")), scales});
}

Value GridSample(Python& python, const Bindings& a) {
  auto number = [&](std::string_view what, std::initializer_list<std::string_view> names) {
    int64_t i = 0;
    for (std::string_view name : names) {
      if (name == a.String(what)) return Value(i);
      ++i;
    }
    Fail(ErrorClass::kValueError,
        "grid_sample: there is no " + std::string(what) + " `" + std::string(a.String(what)) + "`");
  };
  return python.Operator("aten::grid_sampler",
      {a["input"], a["grid"], number("mode", {"bilinear", "nearest", "bicubic"}),
          number("padding_mode", {"zeros", "border", "reflection"}), Value(a.Bool("align_corners"))});
}

Value Pad(Python& python, const Bindings& a) {
  return python.Operator("aten::pad", {a["input"], a["pad"], a["mode"], a["value"]});
}

constexpr FunctionRow kRows[] = {
    {"embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)",
        {}, Embedding},
    {"embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode='mean',"
     " sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None)",
        {}, EmbeddingBag},
    {"batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)",
        {}, BatchNorm},
    {"instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
     "momentum=0.1,"
     " eps=1e-05)",
        {}, InstanceNorm},
    {"layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)",
        "aten.layer_norm(input, normalized_shape, weight, bias, eps)"},
    {"rms_norm(input, normalized_shape, weight=None, eps=None)", "aten.rms_norm(input, normalized_shape, weight, eps)"},
    {"group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)",
        "aten.group_norm(input, num_groups, weight, bias, eps)"},
    {"local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0)", {}, LocalResponseNorm},
    {"pad(input, pad, mode='constant', value=None)", {}, Pad},
    {"interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None,"
     " antialias=False)",
        {}, Interpolate},
    {"upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None)",
        "F.interpolate(input, size, scale_factor, mode, align_corners)"},
    {"upsample_nearest(input, size=None, scale_factor=None)", "F.interpolate(input, size, scale_factor, 'nearest')"},
    {"upsample_bilinear(input, size=None, scale_factor=None)",
        "F.interpolate(input, size, scale_factor, 'bilinear', True)"},
    {"grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)", {}, GridSample},
    {"affine_grid(theta, size, align_corners=None)",
        "aten.affine_grid_generator(theta, size, False if align_corners is None else align_corners)"},
    {"normalize(input, p=2.0, dim=1, eps=1e-12, out=None)",
        "aten.div(input, aten.expand_as(aten.clamp_min(torch.norm(input, p, dim, True), eps), input), out=out)"},
    {"unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
        "aten.im2col(input, repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2), repeat(stride, 2))"},
    {"grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None)",
        "aten._grouped_mm(mat_a, mat_b, offs, bias, out_dtype)"},
    {"fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
        "aten.col2im(input, repeat(output_size, 2), repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2),"
        " repeat(stride, 2))"},
};

}  // namespace

FunctionTable FunctionalLayers() { return {"torch.nn.functional.", kRows}; }

}  // namespace fakeprop
