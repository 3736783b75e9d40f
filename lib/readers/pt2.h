// .pt2 archives of torch.export.save.
#pragma once

#include <optional>
#include <string>

#include "lib/archive/archive.h"
#include "lib/readers/reader.h"

namespace fakeprop {

// Reads one model of an archive whose layout is kPt2 or kFlatPt2: the graph, which weights share storage, the elements
// of small constants. Adds one diagnostic and returns nothing where that fails.
std::optional<Graph> ReadPt2(const ZipArchive& archive, const ArchiveLayout& layout, const ReaderOptions& options,
    const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
