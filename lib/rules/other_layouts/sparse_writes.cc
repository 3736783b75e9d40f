#include "lib/rules/other_layouts/sparse_writes.h"

#include "lib/rules/core/results.h"
#include "lib/rules/support/sparse_results.h"
#include "lib/schema/schema_flags.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {
namespace {

// Of the parts of a result, in the order of Output::items.
enum Part { kValues, kIndices, kPlain };

bool IsSmaller(const Dim& to, const Dim& from) { return Known(Lt(to, from)); }

void RequireNoSmaller(const Call& call, std::string_view which, DimSpan from, DimSpan to) {
  for (size_t i = 0; i < to.size(); ++i)
    RequireShape(call, !IsSmaller(to[i], from[i]),
        {"shrinking the size of {} dimensions (from {} to {}) of a tensor with elements", which,
            Dims(from.begin(), from.end()), Dims(to.begin(), to.end())});
}

// The result's parts, with the dtypes that the out tensor's have.
void GiveCastParts(Call& call, Output result, Tensor& out) {
  result.meta.dtype = result.items[kValues].meta.dtype = out.meta.dtype;
  for (size_t i = kIndices; i < result.items.size(); ++i) result.items[i].meta.dtype = PartsOf(out).indices->meta.dtype;
  GiveParts(call, out, std::move(result));
}

void RequireSameSize(const Call& call, const Output& result, const Tensor& out) {
  RequireShape(call, GuardSame(result.meta.size_span(), out.meta.size_span()),
      {"resizes no tensor of this layout, but writes a result of shape {} to one of shape {}", result.meta.sizes,
          out.meta.sizes});
}

void RequireSameDtype(const Call& call, const Output& result, const Tensor& out) {
  RequireDtype(call, result.meta.dtype == out.meta.dtype,
      {"writes a result of {} to a tensor of {}", result.meta.dtype, out.meta.dtype});
}

// Source: copy_sparse_compressed_ (aten/src/ATen/native/sparse/SparseCsrTensor.cpp, torch 2.15).
void RequireAsMany(const Call& call, const Output& result, const Tensor& out) {
  const Dims& from = result.items[kPlain].meta.sizes;
  const Dims& to = PartsOf(out).plain->meta.sizes;
  RequireShape(call, ExpectSame(DimSpan(from), DimSpan(to)),
      {"copies between tensors with the same number of specified elements, but plain indices have the shapes {} and {}",
          from, to});
}

// A kernel of one operand copies into the parts, so that the out tensor keeps its sizes.
void CopyParts(Call& call, const Output& result, Tensor& out) {
  const SparseParts& parts = PartsOf(out);
  if (out.meta.layout != Layout::SparseCsr)
    FailAs(
        call, ErrorClass::kTypeError, {"writes to compressed tensors of layout sparse_csr alone, not to {}", out.meta});
  RequireAsMany(call, result, out);
  RequireShape(call, GuardSame(result.items[kIndices].meta.size_span(), parts.indices->meta.size_span()),
      {"copies between tensors of as many rows or columns, not {} and {}", result.meta.sizes, out.meta.sizes});
  Output kept{.kind = Output::Kind::kNew, .meta = out.meta};
  for (Tensor* part : {parts.values, parts.indices, parts.plain}) kept.items.push_back(SharedPart(*part));
  GiveCastParts(call, std::move(kept), out);
}

// Source: resize_sparse_csr_ (aten/src/ATen/native/sparse/SparseCsrTensor.cpp, torch 2.15).
void ResizeAndCopy(Call& call, const Output& result, Tensor& out) {
  RequireAsMany(call, result, out);
  RequireShape(call, !IsSmaller(result.meta.sizes.back(), out.meta.sizes.back()),
      {"resizes no columns to a smaller value: the result has the shape {}, the out tensor {}", result.meta.sizes,
          out.meta.sizes});
  Output copied = result;
  copied.items[kValues].meta = PartsOf(out).values->meta;
  copied.items[kPlain].meta = PartsOf(out).plain->meta;
  GiveCastParts(call, std::move(copied), out);
}

void WriteCompressed(Call& call, LayoutOut kernel, const Output& result, Tensor& out) {
  const bool is_generated = call.schema().Has(kTagGenerated);
  if (is_generated) return ResizeAndCopy(call, result, out);
  if (kernel == LayoutOut::kCopied) return CopyParts(call, result, out);
  if (kernel != LayoutOut::kReplaced) RequireSameDtype(call, result, out);
  if (kernel == LayoutOut::kReplacedAtSize) RequireSameSize(call, result, out);
  GiveCastParts(call, result, out);
}

// Generated forms have no kernel that resizes.
void WriteCoo(Call& call, LayoutOut kernel, const Output& result, Tensor& out) {
  if (call.schema().Has(kTagGenerated)) RequireSameSize(call, result, out);
  if (kernel == LayoutOut::kCopied)
    RequireNotShrunk(call, out, result.meta.size_span(), result.meta.rank() + 1 - result.items[kValues].meta.rank());
  GiveCastParts(call, result, out);
}

// `_to_sparse.sparse_dim` of `_to_sparse.sparse_dim_out`.
const Schema& Functional(const Schema& out_form) {
  constexpr std::string_view kSuffix = "_out";
  std::string_view overload = out_form.overload == "out" ? "" : out_form.overload;
  if (overload.ends_with(kSuffix)) overload.remove_suffix(kSuffix.size());
  return *FindSchema(std::string(out_form.name) + (overload.empty() ? "" : ".") + std::string(overload));
}

}  // namespace

void RequireNotShrunk(const Call& call, const Tensor& t, DimSpan sizes, int64_t sparse_dim) {
  if (Known(Eq(Nnz(t), 0))) return;
  const int64_t dense_dim = static_cast<int64_t>(sizes.size()) - sparse_dim;
  RequireShape(call, sparse_dim == SparseDim(t),
      {"changing the number of sparse dimensions (from {} to {}) of a tensor with elements", SparseDim(t), sparse_dim});
  RequireShape(call, dense_dim == DenseDim(t),
      {"changing the number of dense dimensions (from {} to {}) of a tensor with elements", DenseDim(t), dense_dim});
  const auto split = static_cast<size_t>(sparse_dim);
  RequireNoSmaller(call, "sparse", t.meta.size_span().first(split), sizes.first(split));
  RequireNoSmaller(call, "dense", t.meta.size_span().subspan(split), sizes.subspan(split));
}

void WriteSparse(Call& call, LayoutOut kernel, const Output& result, Tensor& out) {
  IsCoo(out.meta) ? WriteCoo(call, kernel, result, out) : WriteCompressed(call, kernel, result, out);
}

void WriteConverted(Call& call) {
  const Schema& functional = Functional(call.schema());
  Effects effects;
  Call conversion(
      functional, call.arguments().first(functional.arguments.size()), call.state(), call.device(), effects);
  RunRule(*FindRule(functional), conversion);
  const Output& result = effects.outputs.at(0);
  Tensor& out = call.TensorArg("out");
  if (result.kind != Output::Kind::kNew || result.meta.layout != out.meta.layout)
    FailAs(call, ErrorClass::kTypeError, {"writes to a tensor of its result's layout, not to {}", out.meta});
  RequireSameDtype(call, result, out);
  WriteSparse(call, LayoutOut::kCopied, result, out);
  call.ReturnArgument(out);
}

}  // namespace fakeprop::rules
