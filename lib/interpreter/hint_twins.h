// A call over symbols as the same call with numbers: the symbols' hints. LibTorch takes no symbols, so it is asked with
// the hints.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// Arguments with numbers for their symbols, as long as this lives.
class HintTwins {
 public:
  explicit HintTwins(ObjectTable& objects) : objects_(objects) {}
  // The same arguments at the hints; nothing where data decides one.
  std::optional<std::vector<const Value*>> Of(std::span<const Value* const> arguments);
  // The effects that the call states, on the twins of its arguments; nothing where data decides a size.
  std::optional<Effects> Of(const Effects& effects);

 private:
  std::optional<Value> Twin(const Value& value);
  std::optional<Value> TwinOfOne(const Value& value);
  std::optional<Tensor*> TwinTensor(const Tensor& t);
  bool PutHints(Output& output);
  bool PutHints(Mutation& mutation);
  bool PutTwin(Tensor*& tensor);

  ObjectTable& objects_;
  std::map<const Tensor*, Tensor*> tensors_;
  std::map<const Storage*, Storage*> storages_;
  std::deque<Value> values_;
};

}  // namespace fakeprop
