// Paths of submodules by class. A call says of its module no more than the last attribute on the way to it and its
// class: "conv1" where the caller wrote self.layer1.conv1(x).
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "lib/torchscript/compiler/program.h"

namespace fakeprop::script {

class ModulePaths {
 public:
  // The path from a module of class `from` to the submodule; the bare name where there is none of that class.
  const std::string& Find(const ScriptClass& from, const std::string& name, const ScriptClass& to);

 private:
  std::map<std::tuple<const ScriptClass*, const ScriptClass*, std::string>, std::string> found_;
};

}  // namespace fakeprop::script
