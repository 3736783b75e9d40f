// Flex attention. Source: the fake implementations in torch/_higher_order_ops/flex_attention.py (torch 2.13).
#include <algorithm>
#include <array>
#include <numeric>

#include "lib/higher_order/higher_order_autograd.h"
#include "lib/higher_order/higher_order_tables.h"
#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"

namespace fakeprop {
namespace {

using Values = std::vector<Value>;

Tensor* NewTensor(HigherOrderCall& call, TensorMeta meta) {
  const Device device = meta.device;
  const Dim nbytes = StorageNbytes(meta);
  return call.objects().NewTensor(std::move(meta), call.objects().NewStorage(nbytes, device));
}

Tensor* NewScalar(HigherOrderCall& call, const Tensor& like, ScalarType dtype) {
  return NewTensor(call, ContiguousMeta({}, dtype, like.meta.device));
}

// _permute_strides: packed in the order of another tensor's strides, with the last dimension innermost.
Tensor* NewInOrderOf(HigherOrderCall& call, const Dims& sizes, const Tensor& like) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
      [&](size_t i, size_t j) { return GuardOrFalse(Lt(like.meta.strides[i], like.meta.strides[j])); });
  TensorMeta meta = ContiguousMeta({sizes.data(), sizes.size()}, like.meta.dtype, like.meta.device);
  meta.strides = StridesInOrder(sizes, order, EmptyDims::kMakeZeros);
  const size_t last = sizes.size() - 1;
  if (!Known(Eq(meta.strides[last], 1))) {
    order.erase(std::find(order.begin(), order.end(), last));
    order.insert(order.begin(), last);
    meta.strides = StridesInOrder(sizes, order, EmptyDims::kMakeZeros);
  }
  return NewTensor(call, std::move(meta));
}

void CheckRank4(const HigherOrderCall& call, const Tensor& t, const char* what) {
  if (t.meta.rank() != 4)
    Fail(ErrorClass::kShapeMismatch, call.Name() + " takes a " + what + " of rank 4, not " + ToString(t.meta), {&t});
}

// As math_attention asks: batches are equal or keys broadcast, query heads come in groups.
void CheckAttention(const HigherOrderCall& call, const Tensor& query, const Tensor& key, const Tensor& value) {
  CheckRank4(call, query, "query"), CheckRank4(call, key, "key"), CheckRank4(call, value, "value");
  const Dims &q = query.meta.sizes, &k = key.meta.sizes, &v = value.meta.sizes;
  if (!Expect(Or(Eq(q[0], k[0]), And(Gt(q[0], 1), Eq(k[0], 1)))) || !Expect(Eq(k[0], v[0])))
    Fail(ErrorClass::kShapeMismatch,
        "the batches of query and key have to broadcast: " + q[0].ToString() + " and " + k[0].ToString(),
        {&query, &key, &value});
  if (!Expect(Eq(k[1], v[1])) || !Expect(Eq(k[2], v[2])) || !Expect(Eq(q[3], k[3])))
    Fail(ErrorClass::kShapeMismatch, "query, key and value do not fit together", {&query, &key, &value});
  for (const Tensor* t : {&key, &value})
    if (t->meta.device != query.meta.device)
      Fail(ErrorClass::kDeviceMismatch, call.Name() + " takes its tensors on one device", {&query, t});
}

Values ItemsOr(const HigherOrderCall& call, size_t i, std::string_view what) {
  return i < call.size() ? call.ItemsAt(i, what) : Values();
}

// Runs score_mod, mask_mod and the joint graph on the scalars that they are traced with, for their own mistakes and
// values: `head` first, then the indices of batch, head, query and key, then `tail`.
void RunOnScalars(HigherOrderCall& call, const Value& graph, const Tensor& like, Values head, const Values& tail) {
  if (!graph.Is<GraphRef>()) return;
  const Subgraph& subgraph = call.AsGraph(graph);
  const size_t indices = head.size() > 1 ? 1 : head.size();
  for (int i = 0; i < 4; ++i) head.insert(head.begin() + indices, NewScalar(call, like, ScalarType::Int));
  head.insert(head.end(), tail.begin(), tail.end());
  call.Run(subgraph, head);
}

bool CastsOn(const ExecutionState& state, const Device& device) {
  return device.is_cpu() ? state.cpu_autocast.enabled : device.is_cuda() && state.cuda_autocast.enabled;
}

Value CastForAutocast(HigherOrderCall& call, const Value& value, const Device& device) {
  const Tensor* t = value.TryTensor();
  if (t->meta.device.type() != device.type() || !IsFloat(t->meta.dtype) || t->meta.dtype == ScalarType::Double)
    return value;
  const ExecutionState& state = call.state();
  const ScalarType dtype = device.is_cpu() ? state.cpu_autocast.dtype : state.cuda_autocast.dtype;
  return call.CallOperator("aten::to.dtype", std::array<Value, 2>{value, dtype});
}

constexpr size_t kQueryIndices = 7;  // of the block mask

void CheckRecorded(const List& block_mask, const Values& mask_buffers) {
  if (block_mask.items.size() > kQueryIndices && block_mask.items[kQueryIndices].IsNone())
    Fail(ErrorClass::kAutogradError,
        "the block mask has no q_indices, which the gradient needs (compute_q_blocks=True)");
  for (const Value& buffer : mask_buffers)
    if (const Tensor* t = buffer.TryTensor(); t && t->RequiresGrad())
      Fail(ErrorClass::kAutogradError, "what the mask's graph captures may not require grad", {t});
}

const List& BlockMaskAt(const HigherOrderCall& call, size_t i) {
  const List* mask = call.At(i, "a block mask").TryList();
  if (!mask || mask->items.empty())
    Fail(ErrorClass::kTypeError, call.Name() + " takes a block mask as a tuple that ends in a graph");
  return *mask;
}

// flex_attention(query, key, value, score_graph, block_mask, scale, options, score_buffers, mask_buffers)
Value RunFlexAttention(HigherOrderCall& call) {
  for (size_t i = 0; i < 3; ++i) call.TensorAt(i, "query, key and value");
  const Device device = call.TensorAt(0, "a query").meta.device;
  const StateGuard guard(call.state());
  Values qkv(call.Positional().begin(), call.Positional().begin() + 3);
  if (CastsOn(call.state(), device)) {
    for (Value& value : qkv) value = CastForAutocast(call, value, device);
    call.state().cpu_autocast.enabled = call.state().cuda_autocast.enabled = false;
  }
  const Tensor &query = *qkv[0].TryTensor(), &key = *qkv[1].TryTensor(), &value = *qkv[2].TryTensor();
  CheckAttention(call, query, key, value);
  const List& mask = BlockMaskAt(call, 4);
  const Values score_buffers = ItemsOr(call, 7, "captured values"), mask_buffers = ItemsOr(call, 8, "captured values");
  Values followed = qkv;
  followed.insert(followed.end(), score_buffers.begin(), score_buffers.end());
  AutogradRegion region(call, Autograd::kFunction, followed);
  if (region.recorded()) CheckRecorded(mask, mask_buffers);
  RunOnScalars(call, call.At(3, "a score graph"), query, {NewScalar(call, query, query.meta.dtype)}, score_buffers);
  RunOnScalars(call, mask.items.back(), query, {}, mask_buffers);
  Dims sizes = query.meta.sizes;
  const Dim rows[] = {sizes[0], sizes[1], sizes[2]};
  sizes[3] = value.meta.sizes[3];
  List results;
  results.is_tuple = true;
  results.items.push_back(region.Finish(NewInOrderOf(call, sizes, query)));
  results.items.push_back(region.Finish(NewTensor(call, ContiguousMeta(rows, ScalarType::Float, device))));
  results.items.push_back(NewTensor(call, ContiguousMeta(rows, ScalarType::Float, device)));
  return results;
}

// The gradient of key or value; summed over the batch where that was broadcast.
Value GradOf(HigherOrderCall& call, const Tensor& t, Dims sizes, bool summed) {
  Value grad = NewInOrderOf(call, sizes, t);
  if (!summed) return grad;
  List dims;
  dims.items.push_back(0);
  return call.CallOperator("aten::sum.dim_IntList", std::array<Value, 3>{grad, dims, true});
}

Value GradsOfCaptured(HigherOrderCall& call, const Values& buffers) {
  List grads;
  grads.is_tuple = true;
  for (const Value& buffer : buffers) {
    const Tensor* t = buffer.TryTensor();
    grads.items.push_back(
        t ? Value(NewTensor(call, ContiguousMeta(t->meta.size_span(), t->meta.dtype, t->meta.device))) : Value());
  }
  return grads;
}

// flex_attention_backward(query, key, value, out, logsumexp, grad_out, grad_logsumexp, score_graph, joint_graph,
// block_mask,
//                         scale, options, score_buffers, mask_buffers)
Value RunFlexAttentionBackward(HigherOrderCall& call) {
  const Tensor &query = call.TensorAt(0, "a query"), &key = call.TensorAt(1, "a key"),
               &value = call.TensorAt(2, "a value");
  CheckAttention(call, query, key, value);
  const List& mask = BlockMaskAt(call, 9);
  const Values score_buffers = ItemsOr(call, 12, "captured values"),
               mask_buffers = ItemsOr(call, 13, "captured values");
  AutogradRegion region(call, Autograd::kNotImplemented, call.Positional());
  const Value score = NewScalar(call, query, query.meta.dtype);
  RunOnScalars(call, call.At(7, "a score graph"), query, {score}, score_buffers);
  RunOnScalars(
      call, call.At(8, "a joint graph"), query, {score, NewScalar(call, query, query.meta.dtype)}, score_buffers);
  RunOnScalars(call, mask.items.back(), query, {}, mask_buffers);
  const Dims &q = query.meta.sizes, &v = value.meta.sizes;
  const bool summed = GuardOrFalse(And(Gt(q[0], 1), Eq(v[0], 1)));
  Dims key_sizes = v, value_sizes = v;
  key_sizes[0] = value_sizes[0] = q[0];
  key_sizes[3] = q[3];
  List results;
  results.is_tuple = true;
  results.items.push_back(NewInOrderOf(call, q, query));
  results.items.push_back(GradOf(call, key, key_sizes, summed));
  results.items.push_back(GradOf(call, value, value_sizes, summed));
  results.items.push_back(GradsOfCaptured(call, score_buffers));
  return region.Finish(std::move(results));
}

constexpr HigherOrderRow kRows[] = {
    {"flex_attention", RunFlexAttention},
    {"flex_attention_backward", RunFlexAttentionBackward},
};

}  // namespace

std::span<const HigherOrderRow> FlexAttentionRows() { return kRows; }

}  // namespace fakeprop
