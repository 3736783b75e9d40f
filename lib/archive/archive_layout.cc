// Sources: torch/export/pt2_archive/_package.py, torch/export/__init__.py (load) and
// torch/csrc/export/pt2_archive_constants.h of torch 2.13; caffe2/serialize's reader takes the first member's folder.
#include "lib/archive/archive_layout.h"

#include <algorithm>

#include "lib/archive/read_codes.h"

namespace fakeprop {
namespace {

std::string FindRoot(const ZipArchive& archive) {
  if (archive.members().empty()) return {};
  const std::string& first = archive.members().front().name;
  const size_t slash = first.find('/');
  return slash == std::string::npos ? std::string() : first.substr(0, slash + 1);
}

bool HasFolder(const ZipArchive& archive, const std::string& folder) {
  return std::any_of(archive.members().begin(), archive.members().end(),
      [&](const ZipArchive::Member& m) { return m.name.starts_with(folder); });
}

std::string DescribeOther(const ZipArchive& archive, const std::string& root) {
  if (HasFolder(archive, root + "data/aotinductor/"))
    return "this is a package of AOTInductor: it holds a compiled model and no graph; save the exported program itself "
           "with torch.export.save";
  if (HasFolder(archive, root + "data/executorch/"))
    return "this is a package of ExecuTorch: it holds a compiled program and no graph; save the exported program "
           "itself "
           "with torch.export.save";
  if (archive.Find(root + "data.pkl"))
    return "this is a checkpoint of torch.save: it holds objects such as weights and no graph; a graph is saved with "
           "torch.export.save or torch.jit.save";
  return archive.members().empty() ? "this zip archive is empty"
                                   : "this is a zip archive, but no graph: if a graph's file is in it, unpack it";
}

}  // namespace

ArchiveLayout FindLayout(const ZipArchive& archive) {
  if (archive.Find("serialized_exported_program.json")) return {ArchiveKind::kFlatPt2, {}, {}};
  std::string root = FindRoot(archive);
  if (HasFolder(archive, root + "models/")) return {ArchiveKind::kPt2, root, {}};
  const bool has_code = HasFolder(archive, root + "code/") || archive.Find(root + "constants.pkl");
  if (has_code && archive.Find(root + "data.pkl")) return {ArchiveKind::kTorchScript, root, {}};
  std::string reason = DescribeOther(archive, root);
  return {ArchiveKind::kOther, std::move(root), std::move(reason)};
}

std::string ReadMember(const ZipArchive& archive, const std::string& name, uint64_t max_bytes) {
  const ZipArchive::Member* member = archive.Find(name);
  if (!member) throw ArchiveError{kCorruptArchive, "the archive has no member `" + name + "`"};
  std::string error;
  std::optional<std::string> bytes = archive.Read(*member, max_bytes, error);
  if (!bytes) throw ArchiveError{kCorruptArchive, "the archive is damaged: " + error};
  return std::move(*bytes);
}

}  // namespace fakeprop
