// compare_scripts FILE...: compiles the code of TorchScript archives by fakeprop's compiler and by torch's front end,
// and tells for each file whether the graphs are equal. `@FILE` names a list of files. With --both it prints graphs
// that differ.
#include <fstream>
#include <iostream>

#include "lib/testing/compare_compilers.h"

namespace fakeprop {
namespace {

constexpr const char* kWords[] = {"equal", "DIFFERENT", "declined", "refused", "ACCEPTED", "unread"};

void Compare(const std::string& path, bool prints_both) {
  const ComparedCompilers compared = CompareCompilers(path, "");
  std::cout << kWords[static_cast<size_t>(compared.match)] << "\t" << path << "\t" << compared.detail << std::endl;
  if (prints_both && compared.match == CompilerMatch::kDifferent)
    std::cout << "--- ours\n" << compared.ours << "--- theirs\n" << compared.theirs;
}

}  // namespace
}  // namespace fakeprop

int main(int argc, char** argv) {
  bool prints_both = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--both") {
      prints_both = true;
    } else if (argument.starts_with("@")) {
      std::ifstream list(argument.substr(1));
      for (std::string path; std::getline(list, path);) fakeprop::Compare(path, prints_both);
    } else {
      fakeprop::Compare(argument, prints_both);
    }
  }
}
