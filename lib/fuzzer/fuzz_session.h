// A run over many variations, and what it found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/fuzzer/batch.h"

namespace fakeprop::fuzzer {

struct FuzzOptions {
  uint64_t seed = 1;
  size_t count = 1000;  // variations; each is put to every oracle
  std::string only;     // part of the name of operators that are of interest
  std::string calls;    // a file of questions, a line each, to be asked as they are
};

struct Finding {
  Question question;
  Verdict verdict;
};

struct Report {
  std::map<Verdict::Kind, size_t> counts;
  // One for each operator and kind of difference, in the order found.
  std::vector<Finding> differences;
  std::vector<Finding> open;  // those of operators and oracles that are listed in lib/rules/compare/open.txt
};

Report JudgeVariations(const FuzzOptions& options);

// "mm: cpu: mm(f32[2,3], f32[3]): outcome: ours ..., CPU kernel ...".
std::string ToString(const Finding& finding);

}  // namespace fakeprop::fuzzer
