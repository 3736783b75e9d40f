#include "lib/diff/storage_pairs.h"

namespace fakeprop {
namespace {

DiffDetail OwnerDetail(const std::string& owner, std::string_view node) {
  return {std::nullopt, owner == node ? "a storage of its own" : "the storage of " + owner};
}

}  // namespace

std::vector<FieldChange> StoragePairs::Compare(const DiffNode& from, const DiffNode& to, bool is_same) {
  std::vector<FieldChange> changes;
  VisitPairs(*from.value, *to.value, "tensor",
      [&](JsonValue a, JsonValue b) { CompareTensors(a, b, from, to, is_same, changes); });
  return changes;
}

void StoragePairs::CompareTensors(JsonValue from, JsonValue to, const DiffNode& node_from, const DiffNode& node_to,
    bool is_same, std::vector<FieldChange>& changes) {
  const int64_t a = from.Get("storage").AsInt(), b = to.Get("storage").AsInt();
  const auto [owner_from, is_new_from] = owners_from_.emplace(a, node_from.name);
  const auto [owner_to, is_new_to] = owners_to_.emplace(b, node_to.name);
  if (!met_.emplace(a, b).second) return;
  if (!is_new_from || !is_new_to) {
    changes.push_back(
        {"aliasing", OwnerDetail(owner_from->second, node_from.name), OwnerDetail(owner_to->second, node_to.name)});
  } else if (is_same) {
    CompareBytes(a, b, changes);
  }
}

void StoragePairs::CompareBytes(int64_t from, int64_t to, std::vector<FieldChange>& changes) {
  const auto a = from_.storages.find(from), b = to_.storages.find(to);
  if (a == from_.storages.end() || b == to_.storages.end()) return;
  const std::optional<JsonValue> bytes_from = a->second.Find("nbytes"), bytes_to = b->second.Find("nbytes");
  if (bytes_from && bytes_to && !symbols_.AreEqual(*bytes_from, *bytes_to))
    changes.push_back({"storage_nbytes", DetailOf(*bytes_from), DetailOf(*bytes_to)});
}

}  // namespace fakeprop
