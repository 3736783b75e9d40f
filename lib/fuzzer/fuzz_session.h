// A run over many variations of calls, and its findings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/fuzzer/batch.h"

namespace fakeprop::fuzzer {

struct FuzzOptions {
  uint64_t seed = 1;
  size_t count = 1000;  // number of variations; every oracle is asked about each
  std::string only;     // only operators whose name contains this
  std::string calls;    // a file with one question in each line, which are asked as they are
};

struct Finding {
  Question question;
  Verdict verdict;
};

struct Report {
  std::map<Verdict::Kind, size_t> counts;
  // One for each operator and kind of difference, in the order found.
  std::vector<Finding> differences;
  std::vector<Finding> open;  // differences of operators and oracles that are listed in lib/rules/compare/open.txt
};

Report JudgeVariations(const FuzzOptions& options);

// "mm: cpu: mm(f32[2,3], f32[3]): outcome: ours ..., CPU kernel ...".
std::string ToString(const Finding& finding);

}  // namespace fakeprop::fuzzer
