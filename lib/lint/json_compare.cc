#include "lib/lint/json_compare.h"

#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

std::string TextOf(JsonValue tensor, std::string_view field) {
  const std::optional<JsonValue> value = tensor.Find(field);
  return value ? JsonText(*value) : "";
}

// Strides of dimensions of size 1 and of empty tensors do not count.
bool SameStrides(JsonValue want, JsonValue got) {
  std::vector<std::string> sizes, a, b;
  for (JsonValue size : got.Get("shape").AsArray()) sizes.push_back(JsonText(size));
  for (JsonValue stride : want.Get("stride").AsArray()) a.push_back(JsonText(stride));
  for (JsonValue stride : got.Get("stride").AsArray()) b.push_back(JsonText(stride));
  if (a.size() != b.size() || b.size() != sizes.size()) return false;
  for (const std::string& size : sizes)
    if (size == "0") return true;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != "1" && a[i] != b[i]) return false;
  return true;
}

class ValueComparer {
 public:
  void Compare(JsonValue want, JsonValue got, const std::string& path) {
    if (IsTensor(want) && IsTensor(got)) return CompareTensors(want, got, path);
    if (want.kind() == JsonKind::kArray && got.kind() == JsonKind::kArray) return CompareLists(want, got, path);
    Text(path + "value", JsonText(want), JsonText(got));
  }
  std::vector<FieldDifference> Take() { return std::move(differences_); }

 private:
  void CompareTensors(JsonValue want, JsonValue got, const std::string& path) {
    Text(path + "shape", TextOf(want, "shape"), TextOf(got, "shape"));
    // With another rank, the shape differs already.
    if (want.Get("stride").size() == got.Get("stride").size() && !SameStrides(want, got))
      Text(path + "stride", TextOf(want, "stride"), TextOf(got, "stride"));
    for (const char* field : {"storage_offset", "dtype", "device", "layout", "requires_grad"})
      Text(path + field, TextOf(want, field), TextOf(got, field));
    for (const char* field : {"is_conj", "is_neg", "value"}) {
      const std::string absent = std::string_view(field) == "value" ? "unknown" : "false";
      const std::string a = TextOf(want, field), b = TextOf(got, field);
      Text(path + field, a.empty() ? absent : a, b.empty() ? absent : b);
    }
  }

  void CompareLists(JsonValue want, JsonValue got, const std::string& path) {
    if (want.size() != got.size()) {
      Text(path + "length", std::to_string(want.size()), std::to_string(got.size()));
      return;
    }
    auto b = got.begin();
    size_t i = 0;
    for (JsonValue a : want) {
      Compare(a, *b, path + "[" + std::to_string(i++) + "].");
      ++b;
    }
  }

  void Text(std::string field, std::string want, std::string got) {
    if (want != got) differences_.push_back({std::move(field), std::move(want), std::move(got)});
  }

  std::vector<FieldDifference> differences_;
};

}  // namespace

bool IsTensor(JsonValue json) {
  if (json.kind() != JsonKind::kObject) return false;
  const std::optional<JsonValue> type = json.Find("type");
  return type && type->kind() == JsonKind::kString && type->AsString() == "tensor";
}

std::vector<FieldDifference> CompareValues(JsonValue want, JsonValue got) {
  ValueComparer comparer;
  comparer.Compare(want, got, "");
  return comparer.Take();
}

}  // namespace fakeprop
