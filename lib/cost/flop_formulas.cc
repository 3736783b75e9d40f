#include "lib/cost/flop_formulas.h"

#include <array>
#include <cmath>
#include <set>
#include <string>

#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

using Flops = std::optional<Dim>;

Dim Product(DimSpan dims) { return Numel(dims); }
DimSpan Sizes(const Tensor& t) { return t.meta.size_span(); }
Dim Elements(const Tensor& t) { return Numel(Sizes(t)); }

const Tensor* FirstResult(const CountedCall& call) { return call.results().empty() ? nullptr : call.results()[0]; }

// A product of matrices, of any rank: each element of the result takes `inner` multiply-adds.
Flops ProductFlops(const Tensor* result, Dim inner) {
  return result ? Flops(Elements(*result) * Dim(2) * inner) : std::nullopt;
}

// The two operands are arguments `first` and `first + 1`: mm, bmm at 0; addmm, baddbmm at 1.
template <size_t first>
Flops MatrixProduct(const CountedCall& call) {
  const Tensor* a = call.TensorAt(first);
  return a && a->meta.rank() > 0 ? ProductFlops(FirstResult(call), a->meta.sizes.back()) : std::nullopt;
}

// torch.matmul, dot, inner: the last dimension of the first operand is contracted.
Flops Matmul(const CountedCall& call) { return MatrixProduct<0>(call); }

Flops Linear(const CountedCall& call) {
  const Tensor* weight = call.FindTensor("weight");
  return weight && weight->meta.rank() > 0 ? ProductFlops(FirstResult(call), weight->meta.sizes.back()) : std::nullopt;
}

// conv_flop_count of flop_counter.py: prod(spatial) * prod(filter) * batch * c_out * c_in * 2. `x` may have no batch.
Dim Convolution(DimSpan x, DimSpan weight, DimSpan out, bool transposed) {
  const size_t spatial = weight.size() - 2;
  const DimSpan at = transposed ? x : out;
  const Dim batch = x.size() == weight.size() ? x[0] : Dim(1);
  return Product(at.subspan(at.size() - spatial)) * Product(weight) * batch * Dim(2);
}

Flops ForwardConvolution(const CountedCall& call, bool transposed) {
  const Tensor *x = call.TensorAt(0), *weight = call.FindTensor("weight"), *out = FirstResult(call);
  if (!x || !weight || !out || weight->meta.rank() < 2 || x->meta.rank() < weight->meta.rank() - 1) return std::nullopt;
  return Convolution(Sizes(*x), Sizes(*weight), Sizes(*out), transposed);
}

Flops PlainConvolution(const CountedCall& call) { return ForwardConvolution(call, false); }
Flops TransposedConvolution(const CountedCall& call) { return ForwardConvolution(call, true); }
Flops AnyConvolution(const CountedCall& call) { return ForwardConvolution(call, call.IsTrue("transposed")); }

// The sizes with the first two exchanged.
Dims Exchanged(DimSpan sizes) {
  Dims exchanged(sizes.begin(), sizes.end());
  if (exchanged.size() > 1) std::swap(exchanged[0], exchanged[1]);
  return exchanged;
}

// conv_backward_flop of flop_counter.py.
Flops ConvolutionBackward(const CountedCall& call) {
  const Tensor *grad = call.TensorAt(0), *x = call.TensorAt(1), *weight = call.TensorAt(2);
  const Value* mask = call.Find("output_mask");
  const List* results = call.result().TryList();
  if (!grad || !x || !weight || !mask || !mask->TryList() || !results || results->items.size() < 2) return std::nullopt;
  const auto wants = [&](size_t i) {
    const bool* truth = i < mask->TryList()->items.size() ? mask->TryList()->items[i].TryGet<bool>() : nullptr;
    return truth && *truth;
  };
  const bool transposed = call.IsTrue("transposed");
  Dim flops = 0;
  if (wants(0)) flops += Convolution(Sizes(*grad), Sizes(*weight), Sizes(*x), !transposed);
  if (!wants(1)) return flops;
  const Dims grad_t = Exchanged(Sizes(*grad)), x_t = Exchanged(Sizes(*x)), weight_t = Exchanged(Sizes(*weight));
  const DimSpan g(grad_t.data(), grad_t.size()), i(x_t.data(), x_t.size()), w(weight_t.data(), weight_t.size());
  return flops + (transposed ? Convolution(g, i, w, false) : Convolution(i, g, w, false));
}

struct AttentionSizes {
  Dim batch, queries, keys, depth, value_depth;  // batch: of queries, times heads
};

std::optional<AttentionSizes> SizesOfAttention(const Tensor* query, const Tensor* key, const Tensor* value) {
  for (const Tensor* t : {query, key, value})
    if (!t || t->meta.rank() < 2) return std::nullopt;
  const size_t last = query->meta.sizes.size() - 1;
  return AttentionSizes{Product(Sizes(*query).first(last - 1)), query->meta.sizes[last - 1],
      Sizes(*key)[key->meta.rank() - 2], query->meta.sizes[last], value->meta.sizes.back()};
}

Flops AttentionFlops(const std::optional<AttentionSizes>& s) {
  if (!s) return std::nullopt;
  return s->batch * s->queries * s->keys * Dim(2) * (s->depth + s->value_depth);
}
Flops AttentionBackwardFlops(const std::optional<AttentionSizes>& s) {
  if (!s) return std::nullopt;
  return s->batch * s->queries * s->keys * Dim(2) * (s->depth * Dim(3) + s->value_depth * Dim(2));
}

// sdpa_flop_count of flop_counter.py: causal masks do not count.
Flops Attention(const CountedCall& call) {
  return AttentionFlops(SizesOfAttention(call.TensorAt(0), call.TensorAt(1), call.TensorAt(2)));
}
Flops AttentionBackward(const CountedCall& call) {
  return AttentionBackwardFlops(SizesOfAttention(call.TensorAt(1), call.TensorAt(2), call.TensorAt(3)));
}

// Kernels of (batch, sequence, heads, depth). Sequences of one packed batch are too uneven for a formula.
std::optional<AttentionSizes> SizesOfKernel(const CountedCall& call, size_t first, std::string_view packed) {
  const Tensor *query = call.TensorAt(first), *key = call.TensorAt(first + 1), *value = call.TensorAt(first + 2);
  if (call.FindTensor(packed)) return std::nullopt;
  for (const Tensor* t : {query, key, value})
    if (!t || t->meta.rank() != 4) return std::nullopt;
  const auto& q = query->meta.sizes;
  return AttentionSizes{q[0] * q[1], q[2], key->meta.sizes[2], q[3], value->meta.sizes[3]};
}
Flops FlashKernel(const CountedCall& call) { return AttentionFlops(SizesOfKernel(call, 0, "cum_seq_q")); }
Flops FlashKernelBackward(const CountedCall& call) {
  return AttentionBackwardFlops(SizesOfKernel(call, 1, "cum_seq_q"));
}
Flops EfficientKernel(const CountedCall& call) { return AttentionFlops(SizesOfKernel(call, 0, "cu_seqlens_q")); }
Flops EfficientKernelBackward(const CountedCall& call) {
  return AttentionBackwardFlops(SizesOfKernel(call, 1, "cu_seqlens_q"));
}

// The matrices of a recurrent network meet every step of every sequence: weight_ih, weight_hh and weight_hr of each
// layer and direction. The gates' pointwise work is not in it, as in the decomposition to linear.
Flops Recurrent(const CountedCall& call) {
  const Tensor* input = call.TensorAt(0);
  const Value* weights = call.Find("params");
  if (!input || input->meta.rank() < 2 || !weights) return std::nullopt;
  const Dim steps = Product(Sizes(*input).first(input->meta.sizes.size() - 1));
  Dim flops = 0;
  ForEachTensor(*weights, [&](const Tensor& weight) {
    if (weight.meta.rank() == 2) flops += steps * Elements(weight) * Dim(2);
  });
  return flops;
}

// A cell: input and hidden state, each through one matrix.
Flops RecurrentCell(const CountedCall& call) {
  const Tensor *input = call.TensorAt(0), *ih = call.FindTensor("w_ih"), *hh = call.FindTensor("w_hh");
  if (!input || !ih || !hh || input->meta.rank() < 1) return std::nullopt;
  const Dim batch = input->meta.rank() == 2 ? input->meta.sizes[0] : Dim(1);
  return batch * Dim(2) * (Elements(*ih) + Elements(*hh));
}

// 5 * N * log2(N) for each complex transform of N points, half of it if one side is real.
Flops Transform(const CountedCall& call, double factor, const Tensor* full) {
  const Value* dims = call.Find("dim");
  if (!full || !dims || !dims->TryList()) return std::nullopt;
  double points = 1;
  for (const Value& item : dims->TryList()->items) {
    const Dim* dim = item.TryGet<Dim>();
    const std::optional<int64_t> at = dim ? dim->TryNumber() : std::nullopt;
    if (!at) return std::nullopt;
    const int64_t index = *at < 0 ? *at + full->meta.rank() : *at;
    if (index < 0 || index >= full->meta.rank()) return std::nullopt;
    const std::optional<int64_t> size = full->meta.sizes[index].TryNumber();
    if (!size) return std::nullopt;
    points *= static_cast<double>(*size);
  }
  const double each = points > 1 ? factor * std::log2(points) : 0;
  return Elements(*full) * Dim(static_cast<int64_t>(std::llround(each)));
}
Flops ComplexTransform(const CountedCall& call) { return Transform(call, 5, call.TensorAt(0)); }
Flops RealToComplex(const CountedCall& call) { return Transform(call, 2.5, call.TensorAt(0)); }
Flops ComplexToReal(const CountedCall& call) { return Transform(call, 2.5, FirstResult(call)); }

// Two operands of torch.einsum become one batched product: every label once. A label of one operand alone that the
// result lacks is summed before.
Flops EinsumPair(const std::string& left, const std::string& right, const std::string& out,
    const std::array<const Tensor*, 2>& operands) {
  std::set<char> counted;
  Dim product = 2;
  const std::string* labels[] = {&left, &right};
  for (int i = 0; i < 2; ++i) {
    if (labels[i]->size() != operands[i]->meta.sizes.size()) return std::nullopt;
    for (size_t d = 0; d < labels[i]->size(); ++d) {
      const char label = (*labels[i])[d];
      const bool is_shared = labels[1 - i]->find(label) != std::string::npos;
      if (!is_shared && out.find(label) == std::string::npos) continue;
      if (counted.insert(label).second) product *= operands[i]->meta.sizes[d];
    }
  }
  return product;
}

Flops Einsum(const CountedCall& call) {
  const Value *text = call.Find("equation"), *tensors = call.Find("tensors");
  const std::string* equation = text ? text->TryGet<std::string>() : nullptr;
  if (!equation || !tensors) return std::nullopt;
  std::string labels;
  for (char c : *equation)
    if (c != ' ') labels += c;
  const std::vector<Tensor*> operands = TensorsOf(*tensors);
  const size_t comma = labels.find(','), arrow = labels.find("->");
  // Implicit results, dots and chains of three operands have no formula here.
  if (operands.size() != 2 || comma == std::string::npos || arrow == std::string::npos ||
      labels.find('.') != std::string::npos)
    return std::nullopt;
  return EinsumPair(labels.substr(0, comma), labels.substr(comma + 1, arrow - comma - 1), labels.substr(arrow + 2),
      {operands[0], operands[1]});
}

// A sum over the window for each element of the result.
Flops Pooling(const CountedCall& call) {
  const Tensor* out = FirstResult(call);
  const Value* kernel = call.Find("kernel_size");
  if (!out || !kernel || !kernel->TryList()) return std::nullopt;
  const std::vector<Value>& sizes = kernel->TryList()->items;
  std::string_view name = call.schema().name;
  if (name.ends_with("_with_indices")) name.remove_suffix(13);
  const size_t rank = name.ends_with("1d") ? 1 : name.ends_with("2d") ? 2 : 3;
  Dim window = 1;
  for (size_t i = 0; i < rank && !sizes.empty(); ++i)
    if (const Dim* size = sizes[sizes.size() == 1 ? 0 : std::min(i, sizes.size() - 1)].TryGet<Dim>()) window *= *size;
  return Elements(*out) * window;
}

// torch.stft: a window and a transform of n_fft real points for each frame.
Flops Stft(const CountedCall& call) {
  const Tensor* out = FirstResult(call);
  const Value* n_fft = call.Find("n_fft");
  const Dim* size = n_fft ? n_fft->TryGet<Dim>() : nullptr;
  const std::optional<int64_t> points = size ? size->TryNumber() : std::nullopt;
  if (!out || !points || *points < 1 || out->meta.rank() < 2) return std::nullopt;
  const size_t rank = out->meta.sizes.size();
  const bool is_real_view = rank > 2 && !call.IsTrue("return_complex");
  const Dim frames =
      Product(Sizes(*out).first(rank - (is_real_view ? 3 : 2))) * out->meta.sizes[rank - (is_real_view ? 2 : 1)];
  const double each = static_cast<double>(*points) * (2.5 * std::log2(static_cast<double>(*points)) + 1);
  return frames * Dim(static_cast<int64_t>(std::llround(each)));
}

// Statistics are computed only in training.
Flops BatchNorm(const CountedCall& call) {
  const Tensor* input = call.TensorAt(0);
  if (!input) return std::nullopt;
  return Elements(*input) * Dim((call.IsTrue("training") ? 6 : 2) + (call.FindTensor("weight") ? 2 : 0));
}

// Bilinear: 3 interpolations of 3 operations; linear: 1; cubic: 5 of 7.
template <int each>
Flops EachResult(const CountedCall& call) {
  return FirstResult(call) ? Flops(Elements(*FirstResult(call)) * Dim(each)) : std::nullopt;
}

constexpr FlopRow kFormulas[] = {
    {"aten::mm", MatrixProduct<0>, true},
    {"aten::bmm", MatrixProduct<0>, true},
    {"aten::addmm", MatrixProduct<1>, true},
    {"aten::baddbmm", MatrixProduct<1>, true},
    {"aten::_scaled_mm", MatrixProduct<0>, true},
    {"aten::linear", Linear, true},
    {"aten::matmul", Matmul, true},
    {"aten::einsum", Einsum, true},
    {"aten::mv", MatrixProduct<0>},
    {"aten::addmv", MatrixProduct<1>},
    {"aten::dot", MatrixProduct<0>},
    {"aten::vdot", MatrixProduct<0>},
    {"aten::inner", MatrixProduct<0>},
    {"aten::_int_mm", MatrixProduct<0>},
    {"aten::convolution", AnyConvolution, true},
    {"aten::_convolution", AnyConvolution, true},
    {"aten::convolution_overrideable", AnyConvolution, true},
    {"aten::cudnn_convolution", PlainConvolution, true},
    {"aten::_slow_conv2d_forward", PlainConvolution, true},
    {"aten::conv1d", PlainConvolution, true},
    {"aten::conv2d", PlainConvolution, true},
    {"aten::conv3d", PlainConvolution, true},
    {"aten::conv_transpose1d", TransposedConvolution, true},
    {"aten::conv_transpose2d", TransposedConvolution, true},
    {"aten::conv_transpose3d", TransposedConvolution, true},
    {"aten::convolution_backward", ConvolutionBackward, true},
    {"aten::scaled_dot_product_attention", Attention, true},
    {"aten::_scaled_dot_product_efficient_attention", Attention, true},
    {"aten::_scaled_dot_product_flash_attention", Attention, true},
    {"aten::_scaled_dot_product_cudnn_attention", Attention, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", Attention},
    {"aten::_scaled_dot_product_fused_attention_overrideable", Attention},
    {"aten::_scaled_dot_product_efficient_attention_backward", AttentionBackward, true},
    {"aten::_scaled_dot_product_flash_attention_backward", AttentionBackward, true},
    {"aten::_scaled_dot_product_cudnn_attention_backward", AttentionBackward, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", AttentionBackward},
    {"aten::_flash_attention_forward", FlashKernel, true},
    {"aten::_flash_attention_backward", FlashKernelBackward, true},
    {"aten::_efficient_attention_forward", EfficientKernel, true},
    {"aten::_efficient_attention_backward", EfficientKernelBackward, true},
    {"aten::lstm", Recurrent},
    {"aten::gru", Recurrent, true},
    {"aten::rnn_tanh", Recurrent, true},
    {"aten::rnn_relu", Recurrent, true},
    {"aten::lstm_cell", RecurrentCell, true},
    {"aten::gru_cell", RecurrentCell, true},
    {"aten::rnn_tanh_cell", RecurrentCell, true},
    {"aten::rnn_relu_cell", RecurrentCell, true},
    {"aten::_fft_c2c", ComplexTransform},
    {"aten::_fft_r2c", RealToComplex},
    {"aten::_fft_c2r", ComplexToReal},
    {"aten::stft", Stft},
    {"aten::batch_norm", BatchNorm},
    {"aten::cudnn_batch_norm", BatchNorm},
    {"aten::avg_pool1d", Pooling},
    {"aten::avg_pool2d", Pooling},
    {"aten::avg_pool3d", Pooling},
    {"aten::max_pool1d", Pooling},
    {"aten::max_pool2d", Pooling},
    {"aten::max_pool3d", Pooling},
    {"aten::max_pool2d_with_indices", Pooling},
    {"aten::max_pool3d_with_indices", Pooling},
    {"aten::upsample_linear1d", EachResult<3>},
    {"aten::upsample_bilinear2d", EachResult<9>},
    {"aten::upsample_trilinear3d", EachResult<21>},
    {"aten::upsample_bicubic2d", EachResult<35>},
};

}  // namespace

std::span<const FlopRow> FlopFormulas() { return kFormulas; }

}  // namespace fakeprop
