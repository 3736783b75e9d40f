#include "lib/libtorch_fallback/deep_stack.h"

#include <pthread.h>

#include "lib/error/error.h"
#include "lib/libtorch_fallback/room.h"

namespace fakeprop {
namespace {

// Taken from the system page by page, as it is used.
constexpr size_t kBytes = size_t{256} << 20;

void* Run(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunOnDeepStack(const std::function<void()>& work) {
  NeedRoom(kBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kBytes);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, Run, const_cast<std::function<void()>*>(&work));
  pthread_attr_destroy(&attributes);
  if (failed) Fail(ErrorClass::kInternal, "no thread for the compiler can be had");
  pthread_join(thread, nullptr);
}

}  // namespace fakeprop
