// Where we answer otherwise than PyTorch: on purpose (meant.txt, which explains the form), or not yet right (open.txt).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/rules/compare/compare_effects.h"

namespace fakeprop {

// Whose answer is another.
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
    kSomeCalls,  // anything, in some odd calls
    kNeedsData,  // our answer is that the result depends on data
  };
  std::string_view subject;  // the operator of the row that serves the call, "*" for all; a call, against kRecorded
  Against against = Against::kMeta;
  Extent extent = Extent::kFields;
  unsigned fields = 0;     // the EffectFields that may differ
  std::string_view words;  // what the other answer has to contain; empty for any
  std::string_view reason;
};

// The lines in the order of the file.
std::span<const KnownDifference> MeantDifferences();
std::span<const KnownDifference> OpenDifferences();

// The lines of such a file; they point into `text`. A line of another form is an InternalError that quotes it.
std::vector<KnownDifference> ParseDifferences(std::string_view text);

// The meant difference that explains all of these of one call, of which `b` is the other answer; null where none does,
// and where there are none.
const KnownDifference* ExplainDifferences(
    Against against, std::string_view row_op, std::span<const EffectDifference> differences);

// The meant difference of all operators whose words are in the other answer's text; null where there is none.
const KnownDifference* ExplainText(Against against, std::string_view text);

// Whether the list has a line of this extent for the operator.
bool IsListed(
    std::span<const KnownDifference> list, std::string_view op, Against against, KnownDifference::Extent extent);

}  // namespace fakeprop
