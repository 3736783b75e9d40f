// Compares which values share storage in two runs. The numbers of storages do not count.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/diff/diff_values.h"

namespace fakeprop {

class StoragePairs {
 public:
  StoragePairs(const DiffSide& from, const DiffSide& to, SymbolPairs& symbols)
      : from_(from), to_(to), symbols_(symbols) {}

  // The changes of aliasing at a pair of nodes, which both have values. Nodes come in order. A pair of storages may
  // meet at several nodes; it is reported once. If the values are the same otherwise, the bytes of their storages are
  // compared as well.
  std::vector<FieldChange> Compare(const DiffNode& from, const DiffNode& to, bool is_same);

 private:
  using Owners = std::map<int64_t, std::string>;  // for each storage the node that returned it first

  void CompareTensors(JsonValue from, JsonValue to, const DiffNode& node_from, const DiffNode& node_to, bool is_same,
      std::vector<FieldChange>& changes);
  void CompareBytes(int64_t from, int64_t to, std::vector<FieldChange>& changes);

  const DiffSide& from_;
  const DiffSide& to_;
  SymbolPairs& symbols_;
  Owners owners_from_, owners_to_;
  std::set<std::pair<int64_t, int64_t>> met_;
};

}  // namespace fakeprop
