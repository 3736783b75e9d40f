#include "lib/rules/core/operand.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"

namespace fakeprop {

std::string Operand::QuotedName() const { return "`" + std::string(call_->schema().arguments[position_].name) + "`"; }

Operand Operand::FailSizes(const Text& text, const Text& own) const {
  FailShape(*call_, (text.IsEmpty() ? own : text).ToString(Shown(meta().sizes)));
}

Operand Operand::FailRank(int64_t rank, const Text& text) const {
  return FailSizes(text, {"takes {} of {} dimensions, but got shape {}", QuotedName(), rank});
}

Operand Operand::FailRankBound(const char* bound, int64_t rank, const Text& text) const {
  return FailSizes(text, {"takes {} of {} {} dimensions, but got shape {}", QuotedName(), bound, rank});
}

Operand Operand::FailTakes(const Text& text) const {
  FailDtype(*call_, WithTorchWords(text.ToString(Shown(meta().dtype)), meta().dtype));
}

Operand Operand::Sizes(DimSpan sizes, const Text& text) const {
  if (!tensor_ || ExpectSame(meta().size_span(), sizes)) return *this;
  return FailSizes(text, {"takes {} of shape {}, but got {}", QuotedName(), sizes});
}

Operand Operand::SameSizesAs(const Operand& other, const Text& text) const {
  if (!tensor_ || !other || ExpectSame(meta().size_span(), other->size_span())) return *this;
  if (!text.IsEmpty()) FailShape(*call_, text.ToString(Shown(meta().sizes)));
  FailShape(*call_, {"takes {} and {} of one shape, but got {} and {}", QuotedName(), other.QuotedName(), meta().sizes,
                        other->sizes});
}

Operand Operand::NumelIs(Dim numel, const Text& text) const {
  if (!tensor_ || HasNumel(meta(), numel)) return *this;
  return FailSizes(text, {"takes {} of {} elements, but got shape {}", QuotedName(), numel});
}

Operand Operand::BroadcastsTo(DimSpan sizes, const Text& text) const {
  if (!tensor_ || CanExpandTo(meta().size_span(), sizes)) return *this;
  return FailSizes(text, {"takes {} that broadcasts to {}, but got shape {}", QuotedName(), sizes});
}

Operand Operand::FailSameDtype(const Operand& other, const Text& text) const {
  if (!text.IsEmpty()) FailDtype(*call_, text.ToString(Shown(meta().dtype)));
  FailDtype(
      *call_, {"takes {} and {} of one dtype, but got {} and {}: expected scalar type {} but found {}", QuotedName(),
                  other.QuotedName(), meta().dtype, other->dtype, TorchName(meta().dtype), TorchName(other->dtype)});
}

Operand Operand::SameDeviceAs(const Operand& other) const {
  if (!tensor_ || !other || meta().device == other->device) return *this;
  Fail(ErrorClass::kDeviceMismatch,
      Format("{} takes tensors of one device: expected all tensors to be on the same device, but found at least two "
             "devices, {} and {}",
          OpName(*call_), other->device, meta().device),
      {&other.tensor(), &tensor()});
}

}  // namespace fakeprop
