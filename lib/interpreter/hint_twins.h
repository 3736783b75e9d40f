// Turns a call over symbols into the same call with the symbols' hints as numbers. LibTorch is asked with these,
// because it takes no symbols.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// Arguments with numbers for their symbols. They live as long as this object.
class HintTwins {
 public:
  explicit HintTwins(ObjectTable& objects) : objects_(objects) {}
  // The same arguments at the hints. Nothing if one depends on data.
  std::optional<std::vector<const Value*>> Of(std::span<const Value* const> arguments);
  // The effects that the call states, on the twins of its arguments. Nothing if a size depends on data.
  std::optional<Effects> Of(const Effects& effects);

 private:
  std::optional<Value> Twin(const Value& value);
  std::optional<Value> TwinOfOne(const Value& value);
  std::optional<Tensor*> TwinTensor(const Tensor& t);
  std::optional<SparseParts> TwinParts(SparseParts parts);
  bool PutHints(Output& output);
  bool PutHints(Mutation& mutation);
  bool PutTwin(Tensor*& tensor);

  ObjectTable& objects_;
  std::map<const Tensor*, Tensor*> tensors_;
  std::map<const Storage*, Storage*> storages_;
  std::deque<Value> values_;
};

}  // namespace fakeprop
