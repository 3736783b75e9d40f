// The variables of a function. A variable is stored and loaded by nodes until the graph is brought into SSA form.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "lib/torchscript/compiler/meaning.h"
#include "lib/torchscript/compiler/schema_matching.h"

namespace fakeprop::script {

// Those of one block.
struct Frame {
  IrBlock* block = nullptr;
  std::shared_ptr<Frame> outer;
  std::map<std::string, TypeRef> types;     // of variables that hold values
  std::map<std::string, Meaning> meanings;  // of all others
};

// "_12" is a name that torch.jit.save made up, and that no value gets.
bool IsMeaningfulName(const std::string& name);

class Environment {
 public:
  Environment(IrGraph& graph, SchemaMatcher& matcher) : graph_(graph), matcher_(matcher) {}

  void Push(IrBlock* block) { frame_ = std::make_shared<Frame>(Frame{block, frame_, {}, {}}); }
  std::shared_ptr<Frame> Pop();
  const std::shared_ptr<Frame>& frame() const { return frame_; }

  // Looks through this frame and those around it, and loads what it finds at the insert point. kNothing if there is no
  // such variable.
  Meaning Find(const std::string& name, const Frame* from) const;
  Meaning Find(const std::string& name) const { return Find(name, frame_.get()); }
  // `declared` is the type that the code gives the variable, if it does.
  void Set(CodePlace place, const std::string& name, Meaning meaning, TypeRef declared = nullptr);
  void SetType(const std::string& name, TypeRef type) { frame_->types[name] = type; }

 private:
  IrGraph& graph_;
  SchemaMatcher& matcher_;
  std::shared_ptr<Frame> frame_;
};

}  // namespace fakeprop::script
