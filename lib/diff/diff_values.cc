#include "lib/diff/diff_values.h"

#include "lib/json/json_copy.h"

namespace fakeprop {
namespace {

bool IsSymbolicNumber(JsonValue value) {
  return HasType(value, "symint") || HasType(value, "symfloat") || HasType(value, "symbool");
}

class AnnotatedComparer {
 public:
  explicit AnnotatedComparer(SymbolPairs& symbols) : symbols_(symbols) {}

  void Compare(JsonValue from, JsonValue to, const std::string& path) {
    if (HasType(from, "tensor") && HasType(to, "tensor")) return CompareTensors(from, to, path);
    if (from.kind() == JsonKind::kArray && to.kind() == JsonKind::kArray) return CompareItems(from, to, path);
    if (HasType(from, "graph") && HasType(to, "graph")) return;
    if (!AreEqual(from, to))
      changes_.push_back({path + "value", {std::nullopt, BriefValue(from)}, {std::nullopt, BriefValue(to)}});
  }
  std::vector<FieldChange> Take() { return std::move(changes_); }

 private:
  bool AreEqual(JsonValue from, JsonValue to) {
    if (IsSymbolicNumber(from) && IsSymbolicNumber(to))
      return from.Get("type").AsString() == to.Get("type").AsString() &&
             symbols_.AreEqual(from.Get("expr"), to.Get("expr"));
    return JsonText(from) == JsonText(to);
  }

  void CompareTensors(JsonValue from, JsonValue to, const std::string& path) {
    const JsonValue shape_from = from.Get("shape"), shape_to = to.Get("shape");
    if (!SameSizes(shape_from, shape_to)) Change(path + "shape", shape_from, shape_to);
    // With another rank, the shape differs already.
    const JsonValue stride_from = from.Get("stride"), stride_to = to.Get("stride");
    if (stride_from.size() == stride_to.size() && !SameStrides(shape_to, stride_from, stride_to))
      Change(path + "stride", stride_from, stride_to);
    for (const char* field : {"storage_offset", "dtype", "device", "layout", "requires_grad"})
      Field(from, to, field, path);
    for (const char* field : {"is_conj", "is_neg", "value"}) Field(from, to, field, path);
  }

  bool SameSizes(JsonValue from, JsonValue to) {
    if (from.size() != to.size()) return false;
    auto other = to.begin();
    for (JsonValue size : from) {
      if (!symbols_.AreEqual(size, *other)) return false;
      ++other;
    }
    return true;
  }

  bool SameStrides(JsonValue shape, JsonValue from, JsonValue to) {
    if (shape.size() != to.size()) return SameSizes(from, to);  // of a sparse tensor
    for (JsonValue size : shape)
      if (IsNumber(size, 0)) return true;
    auto a = from.begin(), b = to.begin();
    for (JsonValue size : shape) {
      if (!IsNumber(size, 1) && !symbols_.AreEqual(*a, *b)) return false;
      ++a, ++b;
    }
    return true;
  }

  static bool IsNumber(JsonValue size, int64_t number) {
    return size.kind() == JsonKind::kInteger && size.AsInt() == number;
  }

  // A field that only one tensor has is false, or not known.
  void Field(JsonValue from, JsonValue to, const char* name, const std::string& path) {
    const std::optional<JsonValue> a = from.Find(name), b = to.Find(name);
    if (a && b && (symbols_.AreEqual(*a, *b) || JsonText(*a) == JsonText(*b))) return;
    if (!a && !b) return;
    const std::string absent = std::string_view(name) == "value" ? "unknown" : "false";
    changes_.push_back({path + name, a ? DetailOf(*a) : DiffDetail{std::nullopt, absent},
        b ? DetailOf(*b) : DiffDetail{std::nullopt, absent}});
  }

  void CompareItems(JsonValue from, JsonValue to, const std::string& path) {
    if (from.size() != to.size()) {
      changes_.push_back(
          {path + "length", {std::nullopt, std::to_string(from.size())}, {std::nullopt, std::to_string(to.size())}});
      return;
    }
    auto other = to.begin();
    size_t i = 0;
    for (JsonValue item : from) {
      Compare(item, *other, path + "[" + std::to_string(i++) + "].");
      ++other;
    }
  }

  void Change(std::string field, JsonValue from, JsonValue to) {
    changes_.push_back({std::move(field), DetailOf(from), DetailOf(to)});
  }

  SymbolPairs& symbols_;
  std::vector<FieldChange> changes_;
};

}  // namespace

DiffDetail DetailOf(JsonValue json) { return {json, JsonText(json)}; }

bool HasType(JsonValue value, std::string_view type) {
  if (value.kind() != JsonKind::kObject) return false;
  const std::optional<JsonValue> found = value.Find("type");
  return found && found->kind() == JsonKind::kString && found->AsString() == type;
}

std::string BriefValue(JsonValue value) {
  if (HasType(value, "tensor")) return std::string(value.Get("dtype").AsString()) + JsonText(value.Get("shape"));
  if (IsSymbolicNumber(value)) return std::string(value.Get("expr").AsString());
  if (value.kind() == JsonKind::kArray) return "list of " + std::to_string(value.size());
  return JsonText(value);
}

std::vector<FieldChange> CompareAnnotated(JsonValue from, JsonValue to, SymbolPairs& symbols) {
  AnnotatedComparer comparer(symbols);
  comparer.Compare(from, to, "");
  return comparer.Take();
}

}  // namespace fakeprop
