// The memory of a run over its nodes, for viewers of traces: Perfetto (ui.perfetto.dev) and chrome://tracing.
#pragma once

#include <string>

#include "lib/interpreter/annotations.h"

namespace fakeprop {

// Trace Event Format, as JSON. A node takes a millisecond, in the order of the graph. Tracks: the modules with their
// nodes, the bytes of each category, and each block from its node to the last one that uses it. Bytes are at the
// symbols' hints. The run must have no errors. Throws an OpError of class Overflow if bytes leave 64 bits.
// Source: "Trace Event Format", the document of Chrome's catapult project.
std::string MemoryTrace(const Graph& graph, const Annotations& annotations);

}  // namespace fakeprop
