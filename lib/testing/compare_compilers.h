// Compares fakeprop's compiler of TorchScript with torch's own front end.
#pragma once

#include <string>

#include "lib/torchscript/script_graph.h"

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

// The graph by torch's front end. LibTorch must be there.
ScriptGraph ImportByLibTorch(const ScriptSource& source);

// Of one method of an archive.
ComparedCompilers CompareCompilers(const std::string& path, const std::string& method);

}  // namespace fakeprop
