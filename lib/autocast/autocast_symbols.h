// Composite operators under autocast over symbols. What autocast casts inside is LibTorch's to say, which takes no
// symbols: it is asked with the symbols' hints for sizes. Dtypes do not depend on sizes, so its dtypes are those of the
// rule's results.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

// Arguments with numbers for their symbols, as long as this lives.
class HintTwins {
 public:
  explicit HintTwins(ObjectTable& objects) : objects_(objects) {}
  // The same arguments at the hints; nothing where data decides one.
  std::optional<std::vector<const Value*>> Of(std::span<const Value* const> arguments);

 private:
  std::optional<Value> Twin(const Value& value);
  std::optional<Value> TwinOfOne(const Value& value);
  std::optional<Tensor*> TwinTensor(const Tensor& t);

  ObjectTable& objects_;
  std::map<const Tensor*, Tensor*> tensors_;
  std::map<const Storage*, Storage*> storages_;
  std::deque<Value> values_;
};

// Gives the rule's results the dtypes of LibTorch's. Results that are no such pair at the hints (of other sizes,
// strides or kinds) are an OpError of class UnsupportedOperator.
void TakeDtypes(const Schema& schema, Effects& by_rule, const Effects& by_parts);

}  // namespace fakeprop
