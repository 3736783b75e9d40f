#include "lib/training/saved_composites.h"

#include <algorithm>
#include <iterator>

#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

constexpr int64_t kFloatBytes = 4, kIndexBytes = 8;

Dim Product(DimSpan sizes) { return Numel(sizes); }

bool IsOne(Dim size) { return size.TryNumber() == 1; }

// Statistics are kept in float32 if the data has less.
int64_t StatisticBytes(const Tensor& t) { return std::max<int64_t>(ItemSize(t.meta.dtype), kFloatBytes); }

void AddStatistics(const Tensor& t, Dim groups, SavedTensors& saved) {
  for (int i = 0; i < 2; ++i) saved.hidden.push_back(groups * StatisticBytes(t));
}

void LayerNorm(const CountedCall& call, SavedTensors& saved) {
  const Tensor* input = call.TensorAt(0);
  const Value* shape = call.Find("normalized_shape");
  if (!input || !shape || !shape->TryList()) return;
  const size_t rows = input->meta.sizes.size() - std::min(shape->TryList()->items.size(), input->meta.sizes.size());
  AddStatistics(*input, Product(input->meta.size_span().first(rows)), saved);
}

// Source: rms_norm_composite in aten/src/ATen/native/layer_norm.cpp: the roots, and the product before the scale.
void RmsNorm(const CountedCall& call, SavedTensors& saved) {
  LayerNorm(call, saved);
  if (!saved.hidden.empty()) saved.hidden.pop_back();
  if (call.FindTensor("weight")) saved.hidden.push_back(DenseBytes(*call.TensorAt(0)));
}

void GroupNorm(const CountedCall& call, SavedTensors& saved) {
  const Tensor* input = call.TensorAt(0);
  const Value* groups = call.Find("num_groups");
  if (!input || input->meta.sizes.empty() || !groups || !groups->TryGet<Dim>()) return;
  AddStatistics(*input, input->meta.sizes[0] * *groups->TryGet<Dim>(), saved);
}

void BatchNorm(const CountedCall& call, SavedTensors& saved) {
  const Tensor* input = call.TensorAt(0);
  if (input && input->meta.sizes.size() > 1 && call.IsTrue("training"))
    AddStatistics(*input, input->meta.sizes[1], saved);
}

void InstanceNorm(const CountedCall& call, SavedTensors& saved) {
  const Tensor* input = call.TensorAt(0);
  if (input && input->meta.sizes.size() > 1) AddStatistics(*input, input->meta.sizes[0] * input->meta.sizes[1], saved);
}

// On cuda a mask of bools; elsewhere the noise, which is multiplied with the input.
void Dropout(const CountedCall& call, SavedTensors& saved) {
  const Tensor* input = call.TensorAt(0);
  if (!input || !call.IsTrue("train")) return;
  const bool has_mask = input->meta.device.type() == DeviceType::CUDA;
  saved.hidden.push_back(has_mask ? Product(input->meta.size_span()) : DenseBytes(*input));
}

void MaxPool(const CountedCall& call, SavedTensors& saved) {
  if (!call.results().empty()) saved.hidden.push_back(Product(call.results()[0]->meta.size_span()) * kIndexBytes);
}

// log_softmax, whose result nll_loss saves as well.
void CrossEntropy(const CountedCall& call, SavedTensors& saved) {
  if (const Tensor* input = call.TensorAt(0)) saved.hidden.push_back(DenseBytes(*input));
}

bool Collapses(const Tensor& t, size_t dims) {
  for (size_t d = 0; d + 1 < dims; ++d) {
    const Dim whole = t.meta.sizes[d + 1] * t.meta.strides[d + 1];
    if (!IsOne(t.meta.sizes[d]) && t.meta.strides[d].Hint() != whole.Hint()) return false;
  }
  return true;
}

// The copy that reshaping an operand of a product makes; `batch` has the sizes of the result.
void AddReshaped(const Tensor& t, const Tensor& result, bool is_folded, SavedTensors& saved) {
  const size_t rank = t.meta.sizes.size(), kept = is_folded ? 1 : 2;
  if (rank < 3) return;
  Dim expanded = DenseBytes(t);
  bool is_expanded = false;
  for (size_t d = 0; !is_folded && d + 2 < rank; ++d) {
    const Dim batch = result.meta.sizes[result.meta.sizes.size() - rank + d];
    is_expanded |= IsOne(t.meta.sizes[d]) && !IsOne(batch);
    if (IsOne(t.meta.sizes[d])) expanded *= batch;
  }
  if (!is_expanded && Collapses(t, rank - kept)) return;
  if (std::erase(saved.tensors, &t)) saved.hidden.push_back(expanded);
}

// Source: _matmul_impl in aten/src/ATen/native/LinearAlgebra.cpp: a product with a matrix is folded into one of
// matrices, others are batches.
void Matmul(const CountedCall& call, SavedTensors& saved) {
  const Tensor* a = call.TensorAt(0);
  const Tensor* b = call.TensorAt(1);
  if (!a || !b || call.results().empty()) return;
  const bool is_folded = a->meta.sizes.size() <= 2 || b->meta.sizes.size() <= 2;
  for (const Tensor* t : {a, b}) AddReshaped(*t, *call.results()[0], is_folded, saved);
}

// A fused kernel keeps the logarithm of a sum for each query; without one (dropout on cpu) the weights are kept.
void Attention(const CountedCall& call, SavedTensors& saved) {
  const Tensor* query = call.FindTensor("query");
  const Tensor* key = call.FindTensor("key");
  if (!query || !key || query->meta.sizes.size() < 3) return;
  const size_t rank = query->meta.sizes.size();
  const Dim queries = Product(query->meta.size_span().first(rank - 1));
  const Value* dropout = call.Find("dropout_p");
  const double* p = dropout ? dropout->TryGet<double>() : nullptr;
  const bool is_fused = rank == 4 && (query->meta.device.type() == DeviceType::CUDA || !p || *p == 0);
  if (is_fused) return saved.hidden.push_back(queries * kFloatBytes);
  const Dim weights = queries * key->meta.sizes[rank - 2] * ItemSize(query->meta.dtype);
  for (const Tensor* scaled : {query, key})
    if (std::erase(saved.tensors, scaled)) saved.hidden.push_back(DenseBytes(*scaled));
  saved.hidden.push_back(weights);
  if (p && *p > 0) saved.hidden.insert(saved.hidden.end(), {weights, weights});
}

// Pooling to one element is a mean, which needs its input no more.
void AveragePool(const CountedCall& call, SavedTensors& saved) {
  if (call.results().empty() || call.results()[0]->meta.sizes.size() < 3) return;
  const DimSpan sizes = call.results()[0]->meta.size_span();
  if (std::all_of(sizes.end() - 2, sizes.end(), IsOne)) saved.tensors.clear();
}

// The gates and the states of each step, as the loop over steps keeps them.
template <int kGates>
void Recurrent(const CountedCall& call, SavedTensors& saved) {
  if (!call.results().empty()) saved.hidden.push_back(DenseBytes(*call.results()[0]) * kGates);
}

// Sorted by name.
constexpr SavedComposite kComposites[] = {
    {"aten::adaptive_avg_pool1d", "self"},
    {"aten::adaptive_avg_pool2d", "self", AveragePool},
    {"aten::adaptive_avg_pool3d", "self"},
    {"aten::avg_pool1d", "self"},
    {"aten::batch_norm", "input weight", BatchNorm},
    {"aten::contiguous", ""},
    {"aten::conv1d", "input weight"},
    {"aten::conv2d", "input weight"},
    {"aten::conv3d", "input weight"},
    {"aten::conv_transpose1d", "input weight"},
    {"aten::conv_transpose2d", "input weight"},
    {"aten::conv_transpose3d", "input weight"},
    {"aten::cross_entropy_loss", "target", CrossEntropy},
    {"aten::dropout", "", Dropout},
    {"aten::einsum", "tensors"},
    {"aten::expand_as", ""},
    {"aten::flatten", ""},
    {"aten::group_norm", "input weight", GroupNorm},
    {"aten::gru", "input params", Recurrent<6>},
    {"aten::gru_cell", "input hx w_ih w_hh", Recurrent<6>},
    {"aten::instance_norm", "input weight", InstanceNorm},
    {"aten::layer_norm", "input weight bias", LayerNorm},
    {"aten::linear", "input?weight weight?input"},
    {"aten::log_softmax", "result"},
    {"aten::lstm", "input params", Recurrent<8>},
    {"aten::lstm_cell", "input hx w_ih w_hh", Recurrent<5>},
    {"aten::matmul", "self?other other?self", Matmul},
    {"aten::max_pool1d", "self", MaxPool},
    {"aten::max_pool2d", "self", MaxPool},
    {"aten::max_pool3d", "self", MaxPool},
    {"aten::nll_loss", "self target weight"},
    {"aten::nll_loss_nd", "self target weight"},
    {"aten::pad", ""},
    {"aten::reshape", ""},
    {"aten::rms_norm", "input weight", RmsNorm},
    {"aten::rnn_relu", "input params", Recurrent<2>},
    {"aten::rnn_tanh", "input params", Recurrent<2>},
    {"aten::scaled_dot_product_attention", "query key value attn_mask result", Attention},
    {"aten::selu", "result"},
    {"aten::softmax", "result"},
    {"aten::square", "self"},
    {"aten::to", ""},
    {"aten::type_as", ""},
    {"aten::upsample_bilinear2d", ""},
    {"aten::upsample_nearest2d", ""},
};

}  // namespace

const SavedComposite* FindComposite(std::string_view name) {
  const auto row = std::lower_bound(std::begin(kComposites), std::end(kComposites), name,
      [](const SavedComposite& a, std::string_view b) { return a.op < b; });
  return row != std::end(kComposites) && row->op == name ? row : nullptr;
}

}  // namespace fakeprop
