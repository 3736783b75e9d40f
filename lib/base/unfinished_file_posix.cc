#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "lib/base/file.h"
#include "lib/base/unfinished_file.h"

namespace fakeprop {
namespace {

// The path of the file that is being written; null between files.
std::atomic<const char*> unfinished_file = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);  // signal handlers read it

// No signal comes between making a file and noting its path, or between renaming it and forgetting its path.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

// The permissions of a new file that takes the place of the one at `path`, if there is one.
mode_t ModeFor(const std::string& path) {
  struct stat existing = {};
  if (stat(path.c_str(), &existing) == 0) return existing.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

int UnfinishedFile::Make(std::string& name) {
  const SignalsHeldBack held;
  const int file = mkstemp(name.data());
  if (file >= 0) unfinished_file = name.c_str();
  return file;
}

UnfinishedFile::~UnfinishedFile() {
  const SignalsHeldBack held;
  if (!failure_ && !has_place_) unlink(name_.c_str());
  unfinished_file = nullptr;
}

bool UnfinishedFile::Finish(std::string_view content, std::string& error) {
  if (!IsMade(error) || !WriteAll(file_.get(), content, error)) return false;
  const SignalsHeldBack held;
  if (fchmod(file_.get(), ModeFor(target_)) != 0 || rename(name_.c_str(), target_.c_str()) != 0) {
    error = SystemErrorText(errno);
    return false;
  }
  has_place_ = true;
  unfinished_file = nullptr;
  return true;
}

void RemoveUnfinishedFile() noexcept {
  if (const char* path = unfinished_file) unlink(path);
}

}  // namespace fakeprop
