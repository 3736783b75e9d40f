// Z3, opened when it is first needed. Its library has 23 MB and would slow every start of the program.
#pragma once

#include <memory>
#include <string>

namespace fakeprop {

class Z3 {
 public:
  // Returns null and a reason if the library (libz3.so.4, or the file that FAKEPROP_Z3 names) is not there. `settings`
  // are commands to run first.
  static std::unique_ptr<Z3> Open(const std::string& settings, std::string& reason);
  ~Z3();

  // Runs SMT-LIB commands after those of earlier calls, and returns their output.
  std::string Run(const std::string& commands);

 private:
  struct Library;
  explicit Z3(const Library& library);

  const Library& library_;
  void* context_ = nullptr;
};

}  // namespace fakeprop
