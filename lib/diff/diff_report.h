// A diff as text, as JSON and as Markdown.
#pragma once

#include <string>

#include "lib/diag/color.h"
#include "lib/diff/diff.h"

namespace fakeprop {

struct DiffReport {
  const Diff& diff;
  const DiffSide& from;
  const DiffSide& to;
  bool is_complete = false;  // changes that may follow from others are shown like these
};

// For people: the first difference first, each with the Python lines of both sides. A change that may follow from an
// earlier one is counted there.
std::string DiffText(const DiffReport& report, Paint paint);

// fakeprop.diff/1 (docs/diff.schema.json), with all differences.
std::string DiffJson(const DiffReport& report);

// For a comment on a change of a model.
std::string DiffMarkdown(const DiffReport& report);

}  // namespace fakeprop
