// What messages say about uses of indices.
#pragma once

#include <string>
#include <vector>

#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {

// Of a use that fails, always or for some: "indices go to s53 - 1; the table `wpe.weight` has 1,024 rows: s53 at most
// 1,024".
std::string UseText(const IndexUse& use, const GraphRanges& ranges);

// Where the indices were made, if that is another place than the node that returns them: "the indices come from
// model.py:12: positions = torch.arange(t)".
std::vector<std::string> UseNotes(const IndexUse& use, const GraphRanges& ranges);

// The sizes for which a condition holds: "s53 at most 1,024", or "`s0 + s1 <= 7`".
std::string SizesText(Sym condition);

// "from 0 to 50,256", "at least 0".
std::string RangeText(const ValueRange& range);

// The same of each tensor that a node returned; empty if nothing is known of any.
std::string RangesText(const ValueAnalysis& analysis, const GraphAnnotations& graph, const NodeAnnotation& node);

// "1,024", "s53 - 1".
std::string EndText(Sym end);

// The name of what a node returns, in messages: an input's name in the module, else the node's.
std::string NameOf(int32_t node, const GraphRanges& ranges);

}  // namespace fakeprop
