// Finds the kind of a zip archive by its members.
#pragma once

#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/base/file.h"
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
  std::string root;    // the folder of all members, with its slash; empty if there is none
  std::string reason;  // kOther: the kind of file, for a message
};

ArchiveLayout FindLayout(const ZipArchive& archive);

// A member that is missing, damaged, or not what it should be.
struct ArchiveError {
  Code code;
  std::string message;
  std::string place = {};
};

// The bytes of a member. Throws ArchiveError if it is missing, damaged or larger than `max_bytes`.
std::string ReadMember(const ZipArchive& archive, const std::string& name, uint64_t max_bytes = kMaxFileBytes);

}  // namespace fakeprop
