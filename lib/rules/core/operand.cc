#include "lib/rules/core/operand.h"

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"

namespace fakeprop {
namespace {

void Replace(std::string& text, std::string_view place, const std::string& value) {
  for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size())
    text.replace(at, place.size(), value);
}

// "float32 or float64"
std::string ListOf(Dtypes dtypes) {
  std::string list;
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i)
    if (const auto dtype = static_cast<ScalarType>(i); dtypes.Has(dtype)) list += " or " + Show(dtype);
  return list.substr(4);
}

}  // namespace

std::string Operand::QuotedName() const { return "`" + std::string(call_->schema().arguments[position_].name) + "`"; }

std::string Operand::Filled(const Text& text, const Shown& seen) const {
  std::string filled = text.ToString(seen);
  Replace(filled, "{tensor}", ToString(meta()));
  Replace(filled, "{name}", QuotedName());
  Replace(filled, "{argument}", TorchName(*this));
  return filled;
}

Operand Operand::FailSizes(const Text& text, const Text& own) const {
  FailShape(*call_, Filled(text.IsEmpty() ? own : text, Shown(meta().sizes)));
}

Operand Operand::FailRank(int64_t rank, const Text& text) const {
  return FailSizes(text, {"takes {name} of {} dimensions, but got shape {}", rank});
}

Operand Operand::FailRankBound(const char* bound, int64_t rank, const Text& text) const {
  return FailSizes(text, {"takes {name} of {} {} dimensions, but got shape {}", bound, rank});
}

Operand Operand::FailRankRange(int64_t least, int64_t most, const Text& text) const {
  return FailSizes(text, {"takes {name} of {} to {} dimensions, but got shape {}", least, most});
}

Operand Operand::FailTakes(const Text& text) const {
  FailDtype(*call_, WithTorchWords(Filled(text, Shown(meta().dtype)), meta().dtype));
}

Operand Operand::FailTakes(Dtypes dtypes, const Text& text) const {
  if (!text.IsEmpty()) return FailTakes(text);
  const std::string list = ListOf(dtypes);
  return FailTakes({"takes {name} of {}, not {}", list});
}

Operand Operand::Sizes(DimSpan sizes, const Text& text) const {
  if (!tensor_ || ExpectSame(meta().size_span(), sizes)) return *this;
  return FailSizes(text, {"takes {name} of shape {}, but got {}", sizes});
}

Operand Operand::Size(int64_t dim, Dim size, const Text& text) const {
  if (!tensor_ || Expect(Eq(meta().sizes[dim < 0 ? dim + meta().rank() : dim], size))) return *this;
  return FailSizes(text, {"takes {name} of size {} in dimension {}, but got shape {}", size, dim});
}

Operand Operand::SameSizesAs(const Operand& other, const Text& text) const {
  if (!tensor_ || !other || ExpectSame(meta().size_span(), other->size_span())) return *this;
  return FailSizes(text, Format("takes {} and {} of one shape, but got {} and {}", QuotedName(), other.QuotedName(),
                             meta().sizes, other->sizes));
}

Operand Operand::Contiguous(const Text& text) const {
  if (!tensor_ || IsContiguous(meta())) return *this;
  return FailSizes(text, {"takes a contiguous {name}, but got {tensor}"});
}

Operand Operand::NumelIs(Dim numel, const Text& text) const {
  if (!tensor_ || HasNumel(meta(), numel)) return *this;
  return FailSizes(text, {"takes {name} of {} elements, but got shape {}", numel});
}

Operand Operand::BroadcastsTo(DimSpan sizes, const Text& text) const {
  if (!tensor_ || CanExpandTo(meta().size_span(), sizes)) return *this;
  return FailSizes(text, {"takes {name} that broadcasts to {}, but got shape {}", sizes});
}

Operand Operand::FailSameDtype(const Operand& other, const Text& text) const {
  if (!text.IsEmpty()) FailDtype(*call_, Filled(text, Shown(meta().dtype)));
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
