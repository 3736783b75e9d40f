#include "lib/propagate/lazy_fallback.h"

namespace fakeprop {

Tail* LazyFallback::Open() {
  if (!is_opened_ && open_) tail_ = open_(reason_);
  is_opened_ = true;
  return tail_;
}

void LazyFallback::Run(Call& call) {
  if (!Open())
    Fail(ErrorClass::kUnsupportedOperator, std::string(call.schema().full_name) +
                                               " has no rule here, and LibTorch, which may serve it, "
                                               "could not be opened: " +
                                               reason_);
  tail_->Run(call);
}

}  // namespace fakeprop
