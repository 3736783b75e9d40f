#include <io.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "lib/base/file.h"
#include "lib/base/unfinished_file.h"

namespace fakeprop {
namespace {

// The file that is being written: its path, null between files, and its descriptor.
std::atomic<const char*> unfinished_file = nullptr;
std::atomic<int> unfinished_descriptor = -1;

}  // namespace

int UnfinishedFile::Make(std::string& name) {
  const int file = mkstemp(name.data());
  if (file < 0) return file;
  unfinished_descriptor = file;
  unfinished_file = name.c_str();
  return file;
}

UnfinishedFile::~UnfinishedFile() {
  file_.Close();
  if (!failure_ && !has_place_) _unlink(name_.c_str());
  unfinished_file = nullptr;
}

// A file that is open can neither be renamed nor removed.
bool UnfinishedFile::Finish(std::string_view content, std::string& error) {
  if (!IsMade(error) || !WriteAll(file_.get(), content, error)) return false;
  file_.Close();
  std::error_code failure;
  std::filesystem::rename(name_, target_, failure);
  if (failure) {
    error = failure.message();
    return false;
  }
  has_place_ = true;
  unfinished_file = nullptr;
  return true;
}

void RemoveUnfinishedFile() noexcept {
  const char* path = unfinished_file;
  if (!path) return;
  _close(unfinished_descriptor);
  _unlink(path);
}

}  // namespace fakeprop
