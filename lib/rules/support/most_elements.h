// How many elements a sparse tensor has, where data decides and there are no symbols.
#pragma once

namespace fakeprop::rules {

// As long as it lives, rules of this thread take the most elements that there can be for a number that depends on data.
// A FakeTensorMode without symbols does so: optimisers coalesce gradients, and hardly any size of a tensor depends on
// the number. Without this, the call is an error.
class AssumeMostElements {
 public:
  explicit AssumeMostElements(bool is_on);
  ~AssumeMostElements();
  AssumeMostElements(const AssumeMostElements&) = delete;
  static bool IsOn();

 private:
  const bool outer_;
};

}  // namespace fakeprop::rules
