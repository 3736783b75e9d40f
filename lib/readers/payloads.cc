#include "lib/readers/payloads.h"

#include <c10/core/ScalarType.h>

#include <cstring>
#include <unordered_map>

#include "lib/readers/export_values.h"

namespace fakeprop {
namespace {

constexpr int64_t kMostElements = 64;
constexpr uint64_t kMostBytes = uint64_t{64} << 10;

bool IsIntegerOrBool(ScalarType dtype) { return c10::isIntegralType(dtype, /*includeBool=*/true); }

template <typename T>
int64_t Load(const char* bytes) {
  T element;
  std::memcpy(&element, bytes, sizeof element);
  return static_cast<int64_t>(element);
}

// One element, written by a little-endian machine.
Value LoadElement(const char* bytes, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Bool: return *bytes != 0;
    case ScalarType::Byte: return Load<uint8_t>(bytes);
    case ScalarType::Char: return Load<int8_t>(bytes);
    case ScalarType::Short: return Load<int16_t>(bytes);
    case ScalarType::UInt16: return Load<uint16_t>(bytes);
    case ScalarType::Int: return Load<int32_t>(bytes);
    case ScalarType::UInt32: return Load<uint32_t>(bytes);
    default: return Load<int64_t>(bytes);
  }
}

// The number of elements, or more than kMostElements.
int64_t CountElements(const RecordedTensor& tensor) {
  int64_t count = 1;
  for (const RecordedSize& size : tensor.sizes) {
    if (size.number == 0) return 0;
    if (size.number > kMostElements || count > kMostElements) count = kMostElements + 1;
    else count *= size.number;
  }
  return count;
}

// The place of the element with row-major number `index`, in elements from the storage's start; past any storage where it
// leaves int64.
uint64_t PlaceOf(const RecordedTensor& tensor, int64_t index) {
  uint64_t place = static_cast<uint64_t>(tensor.storage_offset.number);
  for (size_t d = tensor.sizes.size(); d-- > 0;) {
    const int64_t at = index % tensor.sizes[d].number;
    index /= tensor.sizes[d].number;
    uint64_t step = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(at), static_cast<uint64_t>(tensor.strides[d].number), &step) ||
        __builtin_add_overflow(place, step, &place))
      return UINT64_MAX;
  }
  return place;
}

// Nothing where it is too large, of another dtype, or its bytes are not all there.
Constant ReadElements(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  const ZipArchive::Member* member = archive.Find(member_name);
  const int64_t count = CountElements(tensor);
  if (!member || member->size > kMostBytes || count > kMostElements || !IsIntegerOrBool(tensor.dtype)) return nullptr;
  std::string error;
  const std::optional<std::string> bytes = archive.Read(*member, kMostBytes, error);
  if (!bytes) return nullptr;
  const uint64_t width = c10::elementSize(tensor.dtype);
  auto elements = std::make_shared<std::vector<Value>>();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t place = PlaceOf(tensor, i);
    if (place >= bytes->size() / width) return nullptr;
    elements->push_back(LoadElement(bytes->data() + place * width, tensor.dtype));
  }
  return elements;
}

void RefuseExpressions(JsonValue json, const RecordedTensor& tensor) {
  const auto is_expression = [](const RecordedSize& size) { return !size.expression.empty(); };
  for (const auto* sizes : {&tensor.sizes, &tensor.strides})
    for (const RecordedSize& size : *sizes)
      if (is_expression(size)) json.FailExpected("sizes in numbers");
  if (is_expression(tensor.storage_offset)) json.Get("storage_offset").FailExpected("a number");
}

}  // namespace

void AttachPayloads(JsonValue table, const ZipArchive& archive, const std::string& folder, Graph& graph) {
  std::unordered_map<std::string_view, JsonValue> payloads;
  for (JsonValue payload : table.Get("config").AsObject()) payloads.emplace(payload.key(), payload);
  std::unordered_map<std::string_view, int32_t> owners;  // by payload: the first input that stands on it
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Input& input = graph.inputs[i];
    auto it = payloads.find(input.qualified_name);
    if (input.qualified_name.empty() || it == payloads.end()) continue;
    const std::optional<JsonValue> meta = it->second.Find("tensor_meta");
    // What is pickled is a tensor of another class: nothing is known but what the graph recorded.
    if (!meta || it->second.Get("use_pickle").AsBool()) continue;
    RecordedTensor tensor = ReadTensorMeta(*meta);
    RefuseExpressions(*meta, tensor);
    const std::string_view path = it->second.Get("path_name").AsString();
    const auto [owner, is_first] = owners.emplace(path, static_cast<int32_t>(i));
    if (!is_first) input.storage_of = owner->second;
    if (input.kind == InputKind::kTensorConstant)
      input.elements = ReadElements(tensor, archive, folder + std::string(path));
    graph.recorded.insert_or_assign(graph.nodes[input.node].name, std::move(tensor));
  }
}

}  // namespace fakeprop
