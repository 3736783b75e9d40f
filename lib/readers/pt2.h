// .pt2 archives of torch.export.save.
#pragma once

#include <optional>
#include <string>

#include "lib/archive/archive_layout.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {

// Reads one model of an archive whose layout is kPt2 or kFlatPt2: the graph, which weights share storage, and the
// elements of small constants. On failure adds one diagnostic and returns nothing.
std::optional<Graph> ReadPt2(const ZipArchive& archive, const ArchiveLayout& layout, const ReaderOptions& options,
    const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
