#include "lib/lint/recorded_reference.h"

#include <algorithm>
#include <functional>

#include "lib/lint/recorded_size.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

using Sizes = std::vector<RecordedSize>;

std::string SizeText(const RecordedSize& size) {
  if (size.expression.empty()) return std::to_string(size.number);
  const std::optional<Expression> expression = ParseExpression(size.expression);
  const std::string text = expression ? ToString(*expression) : std::string(size.expression);
  return text + (size.hint ? " = " + std::to_string(*size.hint) : "");
}

std::string SizesText(const Sizes& sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + SizeText(sizes[i]);
  return out + "]";
}

// Collects the fields of one value that differ.
class FieldComparer {
 public:
  using SameSize = std::function<bool(const RecordedSize&, Dim)>;
  using SameTruth = std::function<bool(bool, Sym)>;
  FieldComparer(SameSize same, SameTruth same_truth) : same_(std::move(same)), same_truth_(std::move(same_truth)) {}

  std::vector<FieldDifference> Tensor(const RecordedTensor& want, const fakeprop::Tensor& got, bool is_input) {
    const TensorMeta& meta = got.meta;
    if (!std::ranges::equal(want.sizes, meta.sizes, same_))
      Differ("shape", SizesText(want.sizes), ToString(meta.size_span()));
    Text("layout", ToString(Value(want.layout)), ToString(Value(meta.layout)));
    // Only strided tensors have strides; torch.export writes some for the others as well.
    if (meta.layout == Layout::Strided && want.layout == Layout::Strided && !SameStrides(want, meta))
      Differ("stride", SizesText(want.strides), ToString(meta.stride_span()));
    if (!Same(want.storage_offset, meta.storage_offset))
      Differ("storage_offset", SizeText(want.storage_offset), meta.storage_offset.ToString());
    Text("dtype", std::string(DtypeName(want.dtype)), std::string(DtypeName(meta.dtype)));
    Text("device", WithIndex(want.device).str(), WithIndex(meta.device).str());
    if (is_input)
      Text("requires_grad", want.requires_grad ? "true" : "false", got.own_requires_grad ? "true" : "false");
    return std::move(differences_);
  }

  std::vector<FieldDifference> Number(const RecordedNumber& want, const Value& got) {
    std::string text, found = ToString(got);
    switch (want.kind) {
      case RecordedNumber::Kind::kInt: {
        const Dim* dim = got.TryGet<Dim>();
        if (dim && Same(want.integer, *dim)) return {};
        text = SizeText(want.integer);
        break;
      }
      case RecordedNumber::Kind::kFloat: {
        if (!want.integer.expression.empty()) return {};
        text = ToString(Value(want.floating));
        break;
      }
      case RecordedNumber::Kind::kBool: {
        if (!want.integer.expression.empty()) return {};
        if (got.IsSymbolicBool() && same_truth_(want.boolean, got.TryGet<Symbolic>()->expression)) return {};
        text = ToString(Value(want.boolean));
        break;
      }
    }
    Text("value", text, found);
    return std::move(differences_);
  }

 private:
  bool Same(const RecordedSize& want, Dim got) const { return same_(want, got); }

  bool SameStrides(const RecordedTensor& want, const TensorMeta& got) const {
    if (want.strides.size() != got.strides.size()) return want.sizes.size() != got.sizes.size();  // the shape differs
    if (IsKnownEmpty(got)) return true;
    for (size_t i = 0; i < got.strides.size(); ++i)
      if (!Known(Eq(got.sizes[i], 1)) && !Same(want.strides[i], got.strides[i])) return false;
    return true;
  }

  void Text(const char* field, std::string want, std::string got) {
    if (want != got) Differ(field, std::move(want), std::move(got));
  }
  void Differ(const char* field, std::string want, std::string got) {
    differences_.push_back({field, std::move(want), std::move(got)});
  }

  SameSize same_;
  SameTruth same_truth_;
  std::vector<FieldDifference> differences_;
};

const Recorded* Find(const Graph& graph, const std::string& name) {
  auto it = graph.recorded.find(name);
  return it == graph.recorded.end() ? nullptr : &it->second;
}

// Outside of training, dropout returns its input, but tracing records a copy (dropout in
// torch/_decomp/decompositions.py).
bool IsTracedAsCopy(const Node& node) { return node.target == "torch.ops.aten.dropout.default"; }

void DropWhatCopiesLack(std::vector<FieldDifference>& differences) {
  std::erase_if(
      differences, [](const FieldDifference& d) { return d.field == "stride" || d.field == "storage_offset"; });
}

std::string KindText(const Recorded& recorded) {
  return std::holds_alternative<RecordedTensor>(recorded) ? "a tensor" : "a number";
}

}  // namespace

std::optional<int64_t> RecordedReference::SizeOf(const RecordedSize& size) const {
  if (size.expression.empty()) return size.number;
  return uses_hints_ ? size.hint : std::nullopt;
}

bool RecordedReference::IsSame(const RecordedSize& size, Dim found) const {
  if (const std::optional<int64_t> number = SizeOf(size)) return !found.Hint() || *number == *found.Hint();
  return !env_ || !DiffersFromRecorded(size.expression, found, *env_);
}

bool RecordedReference::IsContiguous(const RecordedTensor& tensor) const {
  int64_t expected = 1;
  for (size_t i = tensor.sizes.size(); i-- > 0;) {
    const auto size = SizeOf(tensor.sizes[i]), stride = SizeOf(tensor.strides[i]);
    if (!size || !stride || (*size != 1 && *stride != expected)) return false;
    expected *= *size;
  }
  return SizeOf(tensor.storage_offset) == 0;
}

std::vector<FieldDifference> RecordedReference::Compare(const Node& node, const Value& found) const {
  const Recorded* recorded = Find(graph_, node.name);
  if (!recorded) return {};
  FieldComparer comparer([this](const RecordedSize& size, Dim found) { return IsSame(size, found); },
      [this](bool truth, Sym found) { return env_ && !DiffersFromRecorded(truth, found, *env_); });
  const auto* tensor = std::get_if<RecordedTensor>(recorded);
  // Only the outermost graph has inputs. A subgraph gets intermediate values.
  const bool is_input = node.op == NodeOp::kPlaceholder && !graph_.inputs.empty();
  if (tensor && found.TryTensor()) {
    std::vector<FieldDifference> differences = comparer.Tensor(*tensor, *found.TryTensor(), is_input);
    if (IsTracedAsCopy(node) && IsContiguous(*tensor)) DropWhatCopiesLack(differences);
    return differences;
  }
  const auto* number = std::get_if<RecordedNumber>(recorded);
  if (number && found.IsNumber()) return comparer.Number(*number, found);
  return {{"value", KindText(*recorded), ToString(found)}};
}

bool RecordedReference::IsExcused(const Node& node, const Value& found) const {
  if (!IsTracedAsCopy(node) || !Compare(node, found).empty()) return false;
  const Recorded* recorded = Find(graph_, node.name);
  const auto* tensor = recorded ? std::get_if<RecordedTensor>(recorded) : nullptr;
  FieldComparer comparer(
      [this](const RecordedSize& size, Dim dim) { return IsSame(size, dim); }, [](bool, Sym) { return false; });
  return tensor && found.TryTensor() && !comparer.Tensor(*tensor, *found.TryTensor(), false).empty();
}

std::optional<InputValue> RecordedReference::AsInput(const Node& node) const {
  const Recorded* recorded = Find(graph_, node.name);
  if (!recorded) return std::nullopt;
  InputValue value;
  if (const auto* tensor = std::get_if<RecordedTensor>(recorded)) {
    value.is_tensor = true;
    for (const RecordedSize& size : tensor->sizes) {
      if (!SizeOf(size)) return std::nullopt;
      value.meta.sizes.push_back(*SizeOf(size));
    }
    for (const RecordedSize& stride : tensor->strides) {
      if (!SizeOf(stride)) return std::nullopt;
      value.meta.strides.push_back(*SizeOf(stride));
    }
    if (!SizeOf(tensor->storage_offset)) return std::nullopt;
    value.meta.storage_offset = *SizeOf(tensor->storage_offset);
    value.meta.dtype = tensor->dtype;
    value.meta.device = WithIndex(tensor->device);
    value.meta.layout = tensor->layout;
    return value;
  }
  const auto& number = std::get<RecordedNumber>(*recorded);
  const bool is_known = number.integer.expression.empty();
  if (number.kind == RecordedNumber::Kind::kInt && SizeOf(number.integer)) value.value = *SizeOf(number.integer);
  else if (number.kind == RecordedNumber::Kind::kFloat && is_known) value.value = number.floating;
  else if (number.kind == RecordedNumber::Kind::kBool && is_known) value.value = number.boolean;
  else return std::nullopt;
  return value;
}

namespace {

bool SameHints(DimSpan a, DimSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Dim x, Dim y) { return x.Hint() == y.Hint(); });
}

}  // namespace

bool InputsAreAsRecorded(const Graph& graph, const std::vector<InputValue>& inputs) {
  const RecordedReference reference(graph, /*uses_hints=*/true);
  for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i) {
    const std::optional<InputValue> recorded = reference.AsInput(graph.nodes[graph.inputs[i].node]);
    if (!recorded || recorded->is_tensor != inputs[i].is_tensor) continue;
    if (recorded->is_tensor && !SameHints(recorded->meta.size_span(), inputs[i].meta.size_span())) return false;
    const Dim* a = recorded->value.TryGet<Dim>();
    const Dim* b = inputs[i].value.TryGet<Dim>();
    if (a && b && a->Hint() != b->Hint()) return false;
  }
  return true;
}

}  // namespace fakeprop
