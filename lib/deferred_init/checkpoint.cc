#include "lib/deferred_init/checkpoint.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <cstring>
#include <filesystem>

#include "lib/base/zip_archive.h"

namespace fakeprop {
namespace deferred_init {
namespace {

constexpr std::string_view kIndex = "model.safetensors.index.json", kSingle = "model.safetensors";

[[noreturn]] void Throw(const WeightsError& error) {
  throw DeferredInitError(
      "", "`" + error.file + "`: " + (error.place.empty() ? "" : error.place + ": ") + error.message);
}

// The file that a folder of weights is read from.
std::string FileIn(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  for (const std::string_view name : {kIndex, kSingle})
    if (const fs::path file = fs::path(path) / name; fs::exists(file, ignored)) return file.string();
  throw WeightsError{path, "",
      "the folder has neither " + std::string(kIndex) + " nor " + std::string(kSingle) + "; name a file in it"};
}

StoredTensors ReadAny(const std::string& path) {
  const auto file = MappedFile::Open(path);
  const std::string_view head = file->bytes().substr(0, 16);
  if (ZipArchive::IsZip(head)) return ReadWeightsArchive(path);
  if (head.starts_with("{")) return ReadSafetensorsIndex(path);
  if (head.starts_with("\x80"))
    throw WeightsError{path, "byte 0",
        "this is a bare pickle, as torch.save wrote before torch 1.6; load it and save it again with torch.save"};
  return ReadSafetensors(path);
}

}  // namespace

void CheckReadable(const Checkpoint::State& state, const StoredTensor& stored) {
  try {
    stored.blob->Get();
  } catch (const WeightsError& error) {
    Throw(error.file.empty() ? WeightsError{state.path, error.place, error.message} : error);
  }
}

at::Tensor ViewOf(const StoredTensor& stored) {
  const std::string_view bytes = stored.blob->Get();
  const char* first = bytes.data() + stored.first_byte;
  uint64_t span = 0;
  SpanOf(stored, span);
  const auto options = at::device(at::kCPU).dtype(stored.dtype);
  if (span == 0) return at::empty(stored.sizes, options);
  if (reinterpret_cast<uintptr_t>(first) % c10::elementSize(stored.dtype) == 0)
    return at::from_blob(const_cast<char*>(first), stored.sizes, stored.strides, options);
  // Files may put elements at any byte, kernels want them aligned.
  at::Tensor aligned = at::empty({static_cast<int64_t>(span / c10::elementSize(stored.dtype))}, options);
  std::memcpy(aligned.mutable_data_ptr(), first, span);
  return aligned.as_strided(stored.sizes, stored.strides);
}

}  // namespace deferred_init

Checkpoint::Checkpoint(const std::string& path) {
  using namespace deferred_init;  // NOLINT: this file implements the public function
  try {
    const std::string file = FileIn(path);
    state_ = std::make_shared<const State>(State{file, ReadAny(file)});
  } catch (const WeightsError& error) {
    Throw(error);
  }
}

std::vector<Checkpoint::Entry> Checkpoint::Entries() const {
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : state_->tensors) entries.push_back({name, tensor.dtype, tensor.sizes});
  return entries;
}

}  // namespace fakeprop
