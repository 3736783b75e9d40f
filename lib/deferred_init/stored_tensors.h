// Tensors in files of weights. Reading a file's tables maps the file, and touches no element.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop::deferred_init {

// Bytes of elements in a file. Throws WeightsError if they turn out to be damaged.
class Blob {
 public:
  virtual ~Blob() = default;
  virtual std::string_view Get() const = 0;
};

// All of its elements are within the blob.
struct StoredTensor {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<int64_t> sizes, strides;
  uint64_t first_byte = 0;  // in the blob
  std::shared_ptr<const Blob> blob;
};
using StoredTensors = std::map<std::string, StoredTensor>;

// A file that cannot be read, or what is wrong in it, and where.
struct WeightsError {
  std::string file, place, message;
};

// A whole file, mapped for reading.
class MappedFile {
 public:
  static std::shared_ptr<const MappedFile> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};
// A part of it.
std::shared_ptr<const Blob> BlobOf(std::shared_ptr<const MappedFile> file, std::string_view part);

// The bytes that the elements span; nothing if that leaves 63 bits. Sizes and strides must not be negative.
bool SpanOf(const StoredTensor& tensor, uint64_t& span);

// One file of the format safetensors. Source: the format's description in the repository huggingface/safetensors.
StoredTensors ReadSafetensors(const std::string& path);
// The files that an index of sharded safetensors names, in the index's folder.
StoredTensors ReadSafetensorsIndex(const std::string& path);
// A state dict of torch.save (a dict of tensors, or one under the name `state_dict` or `model`), or the weights and
// constants of torch.export.save.
StoredTensors ReadWeightsArchive(const std::string& path);

}  // namespace fakeprop::deferred_init
