// Compares fakeprop's compiler of TorchScript with torch's own front end.
#pragma once

#include <string>

namespace fakeprop {

enum class CompilerMatch {
  kEqual,
  kDifferent,
  kDeclined,  // fakeprop's compiler does not know a construct
  kRefused,   // torch's front end refuses the code
  kAccepted,  // torch's front end refuses the code, and fakeprop's compiler does not
  kUnread,    // the file is no TorchScript archive
};

struct ComparedCompilers {
  CompilerMatch match = CompilerMatch::kUnread;
  std::string detail;  // the first difference, or the reason
  std::string ours, theirs;
};

// Of one method of an archive. LibTorch must be there.
ComparedCompilers CompareCompilers(const std::string& path, const std::string& method);

}  // namespace fakeprop
