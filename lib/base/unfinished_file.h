// A new file beside the one whose place it is to take: readers see the old content or all of the new content.
#pragma once

#include <string>
#include <string_view>

#include "lib/base/descriptors.h"

namespace fakeprop {

// Removes its file at the end of a scope, unless that took the place. One at a time, since RemoveUnfinishedFile knows
// of one.
class UnfinishedFile {
 public:
  // Makes the file. `target` need not be there.
  explicit UnfinishedFile(std::string target);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // If the file could not be made, returns false and puts the reason into `error`.
  bool IsMade(std::string& error) const;
  // Writes the content and takes the place, with the permissions of the file that is there. If it cannot, returns false
  // and puts the reason into `error`.
  bool Finish(std::string_view content, std::string& error);

 private:
  // Makes a file, whose name ends with letters that it puts in place of XXXXXX, and notes it for RemoveUnfinishedFile.
  static int Make(std::string& name);

  const std::string target_;
  std::string name_;
  Descriptor file_;
  const int failure_;  // the reason why it could not be made, or 0
  bool has_place_ = false;
};

}  // namespace fakeprop
