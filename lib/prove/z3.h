// Z3, opened when it is first needed: its library is of 23 MB and would cost every start of the program.
#pragma once

#include <memory>
#include <string>

namespace fakeprop {

class Z3 {
 public:
  // Null and a reason where the library (libz3.so.4, or the file that FAKEPROP_Z3 names) is not there. `settings`:
  // commands that come first.
  static std::unique_ptr<Z3> Open(const std::string& settings, std::string& reason);
  ~Z3();

  // Runs SMT-LIB commands, after those of earlier calls; gives what they print.
  std::string Run(const std::string& commands);

 private:
  struct Library;
  explicit Z3(const Library& library);

  const Library& library_;
  void* context_ = nullptr;
};

}  // namespace fakeprop
