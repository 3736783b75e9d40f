// What a zip archive is, by its members.
#pragma once

#include <string>

#include "lib/base/zip_archive.h"

namespace fakeprop {

enum class ArchiveKind {
  kPt2,          // torch.export.save since 2.8: models/NAME.json and what belongs to them, in a folder
  kFlatPt2,      // torch.export.save up to 2.7: serialized_exported_program.json at the top
  kTorchScript,  // torch.jit.save
  kOther,
};

struct ArchiveLayout {
  ArchiveKind kind = ArchiveKind::kOther;
  std::string root;    // the folder that all is in, with its slash; empty where there is none
  std::string reason;  // kOther: what it is, for a message
};

ArchiveLayout FindLayout(const ZipArchive& archive);

}  // namespace fakeprop
