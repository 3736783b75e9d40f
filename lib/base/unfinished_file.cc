#include "lib/base/unfinished_file.h"

#include <cerrno>
#include <utility>

#include "lib/base/file.h"

namespace fakeprop {

UnfinishedFile::UnfinishedFile(std::string target)
    : target_(std::move(target)),
      name_(target_ + ".XXXXXX"),
      file_(Make(name_)),
      failure_(file_.get() < 0 ? errno : 0) {}

bool UnfinishedFile::IsMade(std::string& error) const {
  if (failure_) error = SystemErrorText(failure_);
  return !failure_;
}

}  // namespace fakeprop
