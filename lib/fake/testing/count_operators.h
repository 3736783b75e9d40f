// Counts operators, to see whether a call runs others.
#pragma once

#include <ATen/record_function.h>

#include <memory>

namespace fakeprop::fake_testing {

// The operators that this calls, those that LibTorch's code calls included.
template <typename Call>
int CountOperators(const Call& call) {
  static thread_local int count;
  count = 0;
  const at::CallbackHandle handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback([](const at::RecordFunction&) {
        ++count;
        return std::unique_ptr<at::ObserverContext>();
      }).scopes({at::RecordScope::FUNCTION}));
  call();
  at::removeCallback(handle);
  return count;
}

}  // namespace fakeprop::fake_testing
