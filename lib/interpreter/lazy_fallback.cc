#include "lib/interpreter/lazy_fallback.h"

namespace fakeprop {

LibTorchFallback* LazyFallback::Open() {
  if (!is_opened_ && open_) libtorch_ = open_(reason_);
  is_opened_ = true;
  return libtorch_;
}

LibTorchFallback& LazyFallback::Need(const Schema& schema) {
  if (!Open())
    Fail(ErrorClass::kUnsupportedOperator, std::string(schema.full_name) +
                                               " has no rule here, and LibTorch, which may serve it, "
                                               "could not be opened: " +
                                               reason_);
  return *libtorch_;
}

}  // namespace fakeprop
