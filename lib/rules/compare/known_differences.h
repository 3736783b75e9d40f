// Known differences from PyTorch. Those in meant.txt, which explains the form, are on purpose. Those in open.txt are
// not fixed yet.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/rules/compare/compare_effects.h"

namespace fakeprop {

// The answer that differs from ours.
enum class Against {
  kMeta,      // LibTorch's Meta and composite kernels, which run without data
  kCpu,       // LibTorch's CPU kernel
  kGrad,      // autograd
  kRecorded,  // PyTorch, when testdata/ops was recorded
};

// A line of meant.txt or open.txt.
struct KnownDifference {
  enum class Extent {
    kFields,     // `fields`, in every call
    kSomeCalls,  // any field, in a few unusual calls
    kNeedsData,  // our answer is that the result depends on data
  };
  std::string_view subject;  // the operator of the row that serves the call, or "*" for all; with kRecorded, a call
  Against against = Against::kMeta;
  Extent extent = Extent::kFields;
  unsigned fields = 0;     // the EffectFields that may differ
  std::string_view words;  // text that the other answer has to contain; empty for any answer
  std::string_view reason;
};

// The lines in the order of the file.
std::span<const KnownDifference> MeantDifferences();
std::span<const KnownDifference> OpenDifferences();

// Parses the lines of such a file. The results point into `text`. Throws an InternalError that quotes the line if its
// form is wrong.
std::vector<KnownDifference> ParseDifferences(std::string_view text);

// The meant difference that explains all these differences of one call, in which `b` is the other answer. Null if there
// is none, or if `differences` is empty.
const KnownDifference* ExplainDifferences(
    Against against, std::string_view row_op, std::span<const EffectDifference> differences);

// The meant difference for all operators ("*") whose words are in the other answer's text. Null if there is none.
const KnownDifference* ExplainText(Against against, std::string_view text);

// Returns true if the list has a line of this extent for the operator.
bool IsListed(
    std::span<const KnownDifference> list, std::string_view op, Against against, KnownDifference::Extent extent);

}  // namespace fakeprop
