#include "lib/deferred_init/stored_tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "lib/base/file.h"

namespace fakeprop::deferred_init {
namespace {

struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  const int number;
};

class MappedBlob final : public Blob {
 public:
  MappedBlob(std::shared_ptr<const MappedFile> file, std::string_view part) : file_(std::move(file)), part_(part) {}
  std::string_view Get() const override { return part_; }

 private:
  const std::shared_ptr<const MappedFile> file_;
  const std::string_view part_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::Open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) throw WeightsError{path, "", SystemErrorText(errno)};
  if (!S_ISREG(status.st_mode)) throw WeightsError{path, "", "this is not a regular file"};
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (data == MAP_FAILED) throw WeightsError{path, "", SystemErrorText(errno)};
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const char*>(data), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::shared_ptr<const Blob> BlobOf(std::shared_ptr<const MappedFile> file, std::string_view part) {
  return std::make_shared<MappedBlob>(std::move(file), part);
}

bool SpanOf(const StoredTensor& tensor, uint64_t& span) {
  const uint64_t width = c10::elementSize(tensor.dtype);
  span = 0;
  for (int64_t size : tensor.sizes)
    if (size == 0) return true;
  uint64_t last = 0;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    uint64_t step = 0;
    const auto steps = static_cast<uint64_t>(tensor.sizes[d] - 1);
    if (__builtin_mul_overflow(steps, static_cast<uint64_t>(tensor.strides[d]), &step) ||
        __builtin_add_overflow(last, step, &last))
      return false;
  }
  return last < (uint64_t{1} << 62) / width && ((span = (last + 1) * width), true);
}

}  // namespace fakeprop::deferred_init
