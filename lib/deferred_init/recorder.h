// Records the calls of a thread: the fallback of the dispatch key DeferredInit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/op_graph.h"

namespace fakeprop::deferred_init {

// Registers the fallback and the hooks of autograd, once.
void Prepare();

// Returns true if calls of this thread are recorded now. Not within a call.
bool IsRecording();

// Sets what calls that need data do in this thread, and returns what they did before.
NeedsData SetNeedsData(NeedsData what);
NeedsData CurrentNeedsData();

// Records a method of Tensor that bypasses the dispatcher. Construct before the call; `Finish` after it.
class HookCall {
 public:
  HookCall(CallKind kind, std::vector<at::Tensor> arguments);
  void Finish(const at::Tensor& result);

 private:
  std::shared_ptr<Node> node_;
};

// Throws c10::ValueError for a fake that was not recorded.
void RequireRecorded(const std::string& op, const std::string& argument, const at::Tensor& tensor);

}  // namespace fakeprop::deferred_init
