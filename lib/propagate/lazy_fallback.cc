#include "lib/propagate/lazy_fallback.h"

namespace fakeprop {

Tail* LazyFallback::Open() {
  if (!is_opened_ && open_) tail_ = open_(reason_);
  is_opened_ = true;
  return tail_;
}

Tail& LazyFallback::Need(const Schema& schema) {
  if (!Open())
    Fail(ErrorClass::kUnsupportedOperator, std::string(schema.full_name) +
                                               " has no rule here, and LibTorch, which may serve it, "
                                               "could not be opened: " +
                                               reason_);
  return *tail_;
}

}  // namespace fakeprop
