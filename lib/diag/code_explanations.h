// The explanations of codes. They are the sections of docs/diagnostics.md, which the program carries.
#pragma once

#include <string>
#include <string_view>

#include "lib/diag/code_table.h"

namespace fakeprop {

// The section of a code as the page has it, in Markdown, without its heading.
std::string_view ExplanationMarkdown(const CodeInfo& info);

// The heading and the section of a code for a terminal: without links, fences and marks.
std::string ExplanationText(const CodeInfo& info);

}  // namespace fakeprop
