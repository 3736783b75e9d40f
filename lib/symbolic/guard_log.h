// The conditions that a result relies on, in the order in which they were recorded.
#pragma once

#include <unordered_set>
#include <vector>

#include "lib/symbolic/graph_place.h"
#include "lib/symbolic/node.h"

namespace fakeprop {

struct GuardRecord {
  Sym expression = nullptr;
  GraphPlace place;           // where the condition was asked
  bool is_assertion = false;  // has unbacked symbols: the model checks it when it runs
  bool is_declared = false;   // comes from the declarations of the symbols, not from a question
};

class GuardLog {
 public:
  // Adds the record, unless there is one of the same condition.
  void Record(GuardRecord record) {
    if (recorded_.insert(record.expression).second) records_.push_back(record);
  }
  const std::vector<GuardRecord>& records() const { return records_; }

 private:
  std::vector<GuardRecord> records_;
  std::unordered_set<Sym> recorded_;
};

}  // namespace fakeprop
