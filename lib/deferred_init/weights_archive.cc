// Weights in zip archives: state dicts of torch.save, and the payloads of torch.export.save.
#include <caffe2/serialize/inline_container.h>

#include <mutex>
#include <optional>

#include "lib/archive/archive_layout.h"
#include "lib/archive/pickled_tensors.h"
#include "lib/base/zip_archive.h"
#include "lib/deferred_init/stored_tensors.h"
#include "lib/dispatch/torch_types.h"
#include "lib/json/json_parse.h"
#include "lib/readers/export_values.h"

namespace fakeprop::deferred_init {
namespace {

using Kind = PickleItem::Kind;

constexpr uint64_t kMostPickleBytes = uint64_t{256} << 20;

// An archive on disk or, within another archive, in memory.
struct OpenArchive {
  std::string path;  // for messages
  ZipArchive zip;
  std::shared_ptr<const MappedFile> file;                           // null in memory
  std::unique_ptr<caffe2::serialize::PyTorchStreamReader> offsets;  // null if the file is not as torch writes it
};

// A member that is packed, or whose archive is in memory. It is read when it is first needed, with its checksum.
class MemberBlob final : public Blob {
 public:
  MemberBlob(std::shared_ptr<const OpenArchive> archive, const ZipArchive::Member& member)
      : archive_(std::move(archive)), member_(member) {}

  std::string_view Get() const override {
    const std::lock_guard lock(mutex_);
    std::string error;
    if (!bytes_) bytes_ = archive_->zip.Read(member_, member_.size, error);
    if (!bytes_) throw WeightsError{archive_->path, member_.name, error};
    return *bytes_;
  }

 private:
  const std::shared_ptr<const OpenArchive> archive_;
  const ZipArchive::Member& member_;
  mutable std::mutex mutex_;
  mutable std::optional<std::string> bytes_;
};

// Where LibTorch's reader finds a member that is not packed. Nothing that leaves the file counts.
std::optional<std::string_view> FindMapped(const OpenArchive& archive, const ZipArchive::Member& member) {
  if (!archive.offsets || member.packed_size != member.size) return std::nullopt;
  const size_t slash = member.name.find('/');
  const std::string name = member.name.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string_view all = archive.file->bytes();
  try {
    const size_t offset = archive.offsets->getRecordOffset(name);
    if (offset > all.size() || member.size > all.size() - offset) return std::nullopt;
    return all.substr(offset, member.size);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

class ArchiveReader {
 public:
  explicit ArchiveReader(std::shared_ptr<OpenArchive> archive) : archive_(std::move(archive)) {}

  StoredTensors Read() {
    const ArchiveLayout layout = FindLayout(archive_->zip);
    if (layout.kind == ArchiveKind::kPt2) return ReadPayloads(layout.root);
    if (layout.kind == ArchiveKind::kFlatPt2) return ReadNested("serialized_state_dict.pt");
    return ReadStateDict(layout);
  }

 private:
  WeightsError Error(std::string place, std::string message) const {
    return {archive_->path, std::move(place), std::move(message)};
  }

  std::shared_ptr<const Blob> BlobOfMember(const std::string& name, uint64_t& size) {
    const ZipArchive::Member* member = archive_->zip.Find(name);
    if (!member) throw Error(name, "the archive has no such member");
    size = member->size;
    auto& blob = blobs_[name];
    if (blob) return blob;
    const auto mapped = FindMapped(*archive_, *member);
    if (mapped) blob = BlobOf(archive_->file, *mapped);
    else blob = std::make_shared<MemberBlob>(archive_, *member);
    return blob;
  }

  void Add(const std::string& name, const RecordedTensor& recorded, const std::string& member) {
    if (recorded.is_conj || recorded.is_neg)
      throw Error(member, "tensor " + Quote(name) +
                              " is a conjugated or negated view, whose bytes are not its values: " +
                              "save `.resolve_conj().resolve_neg()` of it");
    StoredTensor tensor;
    tensor.dtype = ToTorch(recorded.dtype);
    for (const RecordedSize& size : recorded.sizes) tensor.sizes.push_back(size.number);
    for (const RecordedSize& stride : recorded.strides) tensor.strides.push_back(stride.number);
    uint64_t size = 0, span = 0, first = 0;
    tensor.blob = BlobOfMember(member, size);
    const bool fits =
        SpanOf(tensor, span) && !__builtin_mul_overflow(static_cast<uint64_t>(recorded.storage_offset.number),
                                    static_cast<uint64_t>(c10::elementSize(tensor.dtype)), &first);
    if (!fits || first > size || span > size - first)
      throw Error(member, "tensor " + Quote(name) + " does not fit into the " + std::to_string(size) +
                              " bytes of its storage: is the file damaged?");
    tensor.first_byte = first;
    tensors_.insert_or_assign(name, std::move(tensor));
  }

  // data/weights and data/constants of a .pt2 since torch 2.8.
  StoredTensors ReadPayloads(const std::string& root) {
    for (const std::string folder : {"data/weights/", "data/constants/"})
      for (const ZipArchive::Member& member : archive_->zip.members())
        if (member.name.starts_with(root + folder) && member.name.ends_with("_config.json"))
          ReadConfig(member.name, root + folder);
    return std::move(tensors_);
  }

  void ReadConfig(const std::string& name, const std::string& folder) {
    try {
      const JsonTree tree = ParseJson(ReadMember(archive_->zip, name));
      for (JsonValue entry : tree.root().Get("config").AsObject()) {
        const auto meta = entry.Find("tensor_meta");
        if (!meta || entry.Get("use_pickle").AsBool()) continue;
        Add(std::string(entry.key()), ReadTensorMeta(*meta), folder + std::string(entry.Get("path_name").AsString()));
      }
    } catch (const JsonError& error) {
      throw Error(name + ": " + error.place, error.message);
    } catch (const ArchiveError& error) {
      throw Error(name, error.message);
    }
  }

  // Up to torch 2.7 a .pt2 holds an archive of torch.save.
  StoredTensors ReadNested(const std::string& name) {
    std::string error;
    const ZipArchive::Member* member = archive_->zip.Find(name);
    auto bytes = member ? archive_->zip.Read(*member, kMaxFileBytes, error) : std::nullopt;
    auto zip = bytes ? ZipArchive::FromBytes(std::move(*bytes), error) : std::nullopt;
    if (!zip) throw Error(name, member ? error : "the archive has no such member");
    auto inner = std::make_shared<OpenArchive>(OpenArchive{archive_->path + ": " + name, std::move(*zip), {}, {}});
    const ArchiveLayout layout = FindLayout(inner->zip);
    return ArchiveReader(std::move(inner)).ReadStateDict(layout);
  }

  StoredTensors ReadStateDict(const ArchiveLayout& layout) {
    const std::string& root = layout.root;
    if (layout.kind != ArchiveKind::kOther || !archive_->zip.Find(root + "data.pkl"))
      throw Error("", "this is no state dict of torch.save and no .pt2 of torch.export.save");
    try {
      const Pickle pickle =
          Pickle::Read(ReadMember(archive_->zip, root + "data.pkl", kMostPickleBytes), [](auto) { return true; });
      AddDict(pickle, FindDict(pickle), root + "data/");
    } catch (const PickleError& error) {
      throw Error(root + "data.pkl: byte " + std::to_string(error.byte), error.message);
    } catch (const ArchiveError& error) {
      throw Error(root + "data.pkl", error.message);
    }
    return std::move(tensors_);
  }

  static bool IsDict(const Pickle& pickle, const PickleItem& item) {
    return item.kind == Kind::kDict ||
           (item.kind == Kind::kObject && pickle.CalleeOf(item) == "collections.OrderedDict");
  }

  // The dict itself, or the one that it holds under a usual name.
  const PickleItem& FindDict(const Pickle& pickle) const {
    const PickleItem& root = pickle[pickle.root()];
    if (!IsDict(pickle, root))
      throw Error("data.pkl", "expected a dict of tensors, as torch.save(module.state_dict()) writes it");
    for (size_t i = 0; i + 1 < root.children.size(); i += 2) {
      const std::string& key = pickle[root.children[i]].text;
      const PickleItem& value = pickle[root.children[i + 1]];
      if ((key == "state_dict" || key == "model") && IsDict(pickle, value)) return value;
    }
    return root;
  }

  void AddDict(const Pickle& pickle, const PickleItem& dict, const std::string& folder) {
    for (size_t i = 0; i + 1 < dict.children.size(); i += 2) {
      const PickleItem& key = pickle[dict.children[i]];
      const auto tensor = ReadPickledTensor(pickle, dict.children[i + 1]);
      if (key.kind == Kind::kString && tensor) Add(key.text, tensor->tensor, folder + tensor->storage);
    }
  }

  const std::shared_ptr<OpenArchive> archive_;
  std::map<std::string, std::shared_ptr<const Blob>> blobs_;
  StoredTensors tensors_;
};

std::unique_ptr<caffe2::serialize::PyTorchStreamReader> TryOpenReader(const std::string& path) {
  try {
    return std::make_unique<caffe2::serialize::PyTorchStreamReader>(path);
  } catch (const c10::Error&) {
    return nullptr;
  }
}

}  // namespace

StoredTensors ReadWeightsArchive(const std::string& path) {
  auto file = MappedFile::Open(path);
  std::string error;
  auto zip = ZipArchive::Open(path, error);
  if (!zip) throw WeightsError{path, "", "the archive is damaged: " + error};
  auto archive =
      std::make_shared<OpenArchive>(OpenArchive{path, std::move(*zip), std::move(file), TryOpenReader(path)});
  return ArchiveReader(std::move(archive)).Read();
}

}  // namespace fakeprop::deferred_init
