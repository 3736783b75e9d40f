// Several tensors in one: cat, stack and kin, products of lists.
// Source: aten/src/ATen/native/TensorShape.cpp (cat, stack, hstack ...), Distance.cpp's neighbours in
// Itertools.cpp (cartesian_prod, combinations); cat in torch/_refs/__init__.py (torch 2.13).
#include "lib/rules/support/join.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/unbacked_results.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using Metas = std::vector<TensorMeta>;

Metas TensorList(const Call& call) {
  Metas metas;
  for (const Tensor* t : call.Tensors(0)) metas.push_back(t->meta);
  if (metas.empty()) FailValue(call, "takes at least one tensor");
  return metas;
}

// The format that all of them suggest, else contiguous. Source: cat_compute_output_memory_format.
MemoryFormat CommonFormat(const Metas& metas) {
  const MemoryFormat format = SuggestMemoryFormat(metas[0]);
  for (const TensorMeta& m : metas)
    if (SuggestMemoryFormat(m) != format) return MemoryFormat::Contiguous;
  return format;
}

// An empty vector fits to anything, for old times' sake.
bool IsSkipped(const TensorMeta& m) { return m.rank() == 1 && GuardOrFalse(Eq(m.sizes[0], 0)); }

void RequireCatSizes(const Call& call, const TensorMeta& first, const TensorMeta& m, int64_t dim) {
  bool fits = m.rank() == first.rank();
  for (int64_t d = 0; fits && d < m.rank(); ++d) fits = d == dim || Expect(Eq(m.sizes[d], first.sizes[d]));
  if (fits) return;
  FailShape(call, "takes tensors of one shape except in dimension " + std::to_string(dim) + ", but got " +
                      ToString(first.size_span()) + " and " + ToString(m.size_span()));
}

}  // namespace

TensorMeta CatMeta(const Call& call, const std::vector<TensorMeta>& metas, int64_t dim) {
  const TensorMeta* first = &metas[0];
  for (const TensorMeta& m : metas) {
    if (m.rank() == 0) FailShape(call, "takes no 0-dim tensors");
    if (IsSkipped(*first)) first = &m;
  }
  dim = WrapDim(dim, first->rank());
  Dims sizes = first->sizes;
  sizes[dim] = 0;
  for (const TensorMeta& m : metas) {
    if (IsSkipped(m)) continue;
    RequireCatSizes(call, *first, m, dim);
    sizes[dim] += m.sizes[dim];
  }
  return MetaInFormat(sizes, CommonDtype(metas), call.device(), CommonFormat(metas));
}

namespace {

void Cat(Call& call) { call.ReturnNew(CatMeta(call, TensorList(call), call.Int(1))); }

void Stack(Call& call) {
  const Metas metas = TensorList(call);
  const int64_t dim = WrapDim(call.Int(1), metas[0].rank() + 1);
  for (const TensorMeta& m : metas) {
    bool fits = m.rank() == metas[0].rank();
    for (int64_t d = 0; fits && d < m.rank(); ++d) fits = Expect(Eq(m.sizes[d], metas[0].sizes[d]));
    if (!fits)
      FailShape(call,
          "takes tensors of one shape, but got " + ToString(metas[0].size_span()) + " and " + ToString(m.size_span()));
  }
  Dims sizes = metas[0].sizes;
  sizes.insert(sizes.begin() + dim, Dim(static_cast<int64_t>(metas.size())));
  ReturnContiguous(call, sizes, CommonDtype(metas));
}

TensorMeta Column(const TensorMeta& m) { return ViewedMeta(m, Dims{Numel(m.size_span()), 1}); }
TensorMeta AtLeast1(const TensorMeta& m) { return m.rank() ? m : Unsqueezed(m, 0); }
TensorMeta AtLeast2(const TensorMeta& m) { return m.rank() < 2 ? Unsqueezed(AtLeast1(m), 0) : m; }
TensorMeta AtLeast3(const TensorMeta& m) { return m.rank() < 3 ? Unsqueezed(AtLeast2(m), 2) : m; }

// What is no longer a number once it is prepared mixes with no other device.
template <auto Prepare>
Metas Prepared(const Call& call) {
  Metas metas = TensorList(call);
  for (TensorMeta& m : metas) {
    if (m.device != metas[0].device)
      Fail(ErrorClass::kDeviceMismatch,
          OpName(call) + " takes tensors of one device, but found " + metas[0].device.str() + " and " + m.device.str());
    m = Prepare(m);
  }
  return metas;
}

void HStack(Call& call) {
  const Metas metas = Prepared<AtLeast1>(call);
  call.ReturnNew(CatMeta(call, metas, metas[0].rank() == 1 ? 0 : 1));
}

void VStack(Call& call) { call.ReturnNew(CatMeta(call, Prepared<AtLeast2>(call), 0)); }
void DStack(Call& call) { call.ReturnNew(CatMeta(call, Prepared<AtLeast3>(call), 2)); }

void ColumnStack(Call& call) {
  constexpr auto as_column = [](const TensorMeta& m) { return m.rank() < 2 ? Column(m) : m; };
  call.ReturnNew(CatMeta(call, Prepared<as_column>(call), 1));
}

void BlockDiag(Call& call) {
  Dim rows = 0, columns = 0;
  Metas metas;
  for (const Tensor* t : call.Tensors(0)) {
    metas.push_back(t->meta);
    if (t->meta.rank() > 2)
      FailShape(call, "takes tensors of at most 2 dimensions, but got " + ToString(t->meta.size_span()));
    const TensorMeta block = AtLeast2(t->meta);
    rows += block.sizes[0];
    columns += block.sizes[1];
  }
  if (metas.empty()) return void(ReturnContiguous(call, Dims{1, 0}, call.state().default_dtype));
  ReturnContiguous(call, Dims{rows, columns}, CommonDtype(metas));
}

void RequireVector(const Call& call, const TensorMeta& m) {
  if (m.rank() != 1) FailShape(call, "takes 1-dim tensors, but got " + ToString(m.size_span()));
}

void CartesianProd(Call& call) {
  const Metas metas = TensorList(call);
  Dim rows = 1;
  for (const TensorMeta& m : metas) {
    RequireVector(call, m);
    if (m.dtype != metas[0].dtype) FailDtype(call, "takes tensors of one dtype");
    rows *= m.sizes[0];
  }
  if (metas.size() == 1) return void(call.ReturnArgument(*call.Tensors(0)[0]));
  ReturnContiguous(call, Dims{rows, static_cast<int64_t>(metas.size())}, metas[0].dtype);
}

// All ways to choose r of the elements, in rows.
void Combinations(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireVector(call, t);
  const int64_t r = call.Int(1);
  if (r < 0) FailValue(call, "takes no negative r, got " + std::to_string(r));
  if (r == 0) return void(ReturnContiguous(call, Dims{0}, t.dtype).requires_grad = false);
  const Dim last = call.Bool(2) ? t.sizes[0] + (r - 1) : t.sizes[0];
  Dim rows = 1;
  for (int64_t i = 0; i < r; ++i) rows = FloorDiv(rows * Max(last - i, 0), i + 1);
  ReturnContiguous(call, Dims{rows, r}, t.dtype);
}

// A column is what a mask selects of a grid, and the columns are stacked. Source: at::native::combinations.
void SelectedCombinations(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireVector(call, t);
  const std::optional<int64_t> numel = MostElements(t.sizes[0]);
  std::optional<int64_t> most = numel ? std::optional<int64_t>(1) : std::nullopt;
  for (int64_t i = 0; most && i < call.Int(1); ++i)
    if (__builtin_mul_overflow(*most, *numel, &*most)) most = std::nullopt;
  if (most && *most <= 2) most = std::nullopt;  // as masked_select bounds it
  const Dim rows = UnbackedSize(call, most);
  for (int64_t i = 1; i < call.Int(1); ++i)
    RequireTrue(Eq(UnbackedSize(call, most), rows), ErrorClass::kShapeMismatch, OpName(call));
  ReturnContiguous(call, Dims{rows, call.Int(1)}, t.dtype);
}

// None to choose: FakeTensorMode has no question either.
void Choose(Call& call) {
  if (call.Int(1) > 0 && MakesUnbacked()) return SelectedCombinations(call);
  call.Int(1) == 0 ? Combinations(call) : DecidedOnCpu<Combinations, DynamicShape>(call);
}

bool SameLeadingSizes(const TensorMeta& a, const TensorMeta& b, int64_t count) {
  bool same = a.rank() >= count && b.rank() >= count;
  for (int64_t d = 0; same && d < count; ++d) same = Expect(Eq(a.sizes[d], b.sizes[d]));
  return same;
}

// Each tensor in num_chunks parts, padded to equal size and flattened; the parts side by side.
// Source: _chunk_cat in torch/_meta_registrations.py and ATen/native/TensorShape.cpp.
void ChunkCat(Call& call) {
  const Metas metas = TensorList(call);
  const int64_t chunks = call.Int(2), dim = call.Int(1);
  if (chunks <= 0) FailValue(call, "takes a positive number of chunks, got " + std::to_string(chunks));
  Dims sizes(metas[0].sizes.begin(), metas[0].sizes.begin() + WrapDim(dim, metas[0].rank()));
  Dim width = 0;
  for (const TensorMeta& m : metas) {
    if (dim < 0 && m.rank() != metas[0].rank())
      FailValue(
          call, "takes a dimension counted from the front for tensors of several ranks, not " + std::to_string(dim));
    if (!Expect(Ne(Numel(m.size_span()), 0)))
      FailShape(call, "takes no empty tensors, but got " + ToString(m.size_span()));
    const int64_t d = WrapDim(dim, m.rank());
    if (m.rank() == 0) FailShape(call, "takes tensors of at least 1 dimension");
    if (m.dtype != metas[0].dtype) FailDtype(call, "takes tensors of one dtype");
    if (!SameLeadingSizes(m, metas[0], d)) FailShape(call, "takes tensors of one shape before the dimension");
    width += CeilDiv(m.sizes[d], chunks) * Numel(m.size_span().subspan(d + 1));
  }
  sizes.push_back(chunks);
  sizes.push_back(width);
  ReturnContiguous(call, sizes, metas[0].dtype);
}

// All elements in a row; a single tensor is only reshaped.
void FlattenDense(Call& call) {
  const auto tensors = call.Tensors(0);
  if (tensors.size() == 1 && IsContiguous(tensors[0]->meta))
    return void(Return(call, ReshapedOutput(*tensors[0], Dims{Numel(tensors[0]->meta.size_span())})));
  Dim total = 0;
  Metas metas = TensorList(call);
  for (TensorMeta& m : metas) {
    total += Numel(m.size_span());
    // Numbers count as rows of one element before dtypes are compared.
    if (m.rank() == 0) m = ContiguousMeta(Dims{1}, m.dtype, m.device);
  }
  ReturnContiguous(call, Dims{total}, CommonDtype(metas));
}

// Its inverse: views of the row in the tensors' sizes, new ones where a tensor is empty.
void UnflattenDense(Call& call) {
  Tensor& flat = call.TensorArg(0);
  std::vector<Output> items;
  Dim start = 0;
  for (const Tensor* t : call.Tensors(1)) {
    const auto sizes = t->meta.size_span();
    const Dim count = Numel(sizes);
    const TensorMeta part = NarrowedMeta(flat.meta, 0, start, count);
    if (GuardOrFalse(Eq(count, 0))) items.push_back(NewOutput(ContiguousMeta(sizes, part.dtype, part.device)));
    else items.push_back(ViewOutput(flat, ViewedMeta(part, sizes)));
    start += count;
  }
  ReturnList(call, std::move(items));
}

// Source: diff_check (native/ReduceOps.cpp), which asks for no common device.
void CheckEnds(const Call& call, int64_t dim) {
  for (int i : {3, 4}) {
    const Tensor* end = call.OptionalTensor(i);
    if (!end) continue;
    if (end->meta.rank() != call.Meta(0).rank()) FailShape(call, "takes ends of as many dimensions as its input has");
    RequireCatSizes(call, call.Meta(0), end->meta, dim);
  }
}

// diff's input between what is prepended and appended to it.
TensorMeta WithEnds(const Call& call, int64_t dim) {
  RequireDeviceOfFirst(call, {0, 3, 4});
  Metas metas;
  for (int i : {3, 0, 4})
    if (const Tensor* part = call.OptionalTensor(i)) metas.push_back(part->meta);
  return CatMeta(call, metas, dim);
}

// Differences of neighbours, n times. Source: at::native::diff.
void Diff(Call& call) {
  TensorMeta t = call.Meta(0);
  RequireDimensions(call, 1);
  const int64_t n = call.Int(1);
  const bool has_ends = !call.IsNone(3) || !call.IsNone(4);
  if (n < 0) FailValue(call, "takes no negative order, got " + std::to_string(n));
  // Without a difference to take nobody asks along which dimension.
  if (n == 0 && !has_ends) return void(call.ReturnNew(EmptyLike(t)));
  const int64_t dim = WrapDim(call.Int(2), t.rank());
  if (has_ends) CheckEnds(call, dim);
  if (n == 0) return void(call.ReturnNew(EmptyLike(call.Meta(0))));
  if (has_ends) t = WithEnds(call, dim);
  // Nothing to take differences of: the input itself.
  if (GuardOrFalse(Eq(t.sizes[dim], 0)) && !has_ends) return void(call.ReturnArgument(call.TensorArg(0)));
  for (int64_t i = 0; i < n && !GuardOrFalse(Eq(t.sizes[dim], 0)); ++i) {
    const TensorMeta part = NarrowedMeta(t, dim, 0, t.sizes[dim] - 1);
    const TensorMeta* parts[] = {&part, &part};
    t = ElementwiseMeta(parts, t.dtype, t.device);
  }
  call.ReturnNew(std::move(t));
}

void PadSequence(Call& call) {
  const Metas metas = TensorList(call);
  Dim longest = 0;
  for (const TensorMeta& m : metas) {
    if (m.rank() == 0) FailShape(call, "takes sequences of at least 1 dimension");
    longest = Max(longest, m.sizes[0]);
  }
  if (const std::string_view side = call.String(3); side != "left" && side != "right")
    FailValue(call, "pads on the left or right, not on `" + std::string(side) + "`");
  Dims sizes{longest, static_cast<int64_t>(metas.size())};
  if (call.Bool(1)) std::swap(sizes[0], sizes[1]);
  sizes.insert(sizes.end(), metas[0].sizes.begin() + 1, metas[0].sizes.end());
  for (const TensorMeta& m : metas) {
    Dims place = metas[0].sizes;
    place[0] = m.sizes[0];
    if (!CanExpandTo(m.size_span(), place))
      FailShape(call,
          "takes sequences of like elements, but got " + ToString(DimSpan(place)) + " and " + ToString(m.size_span()));
  }
  ReturnContiguous(call, sizes, metas[0].dtype);  // the sequences are copied, from whatever device
}

constexpr RuleRow kRows[] = {
    {"aten::cat", Cat},
    {"aten::concat", Cat},
    {"aten::concatenate", Cat},
    {"aten::stack", Stack},
    {"aten::_stack", Stack},
    {"aten::hstack", HStack},
    {"aten::vstack", VStack},
    {"aten::row_stack", VStack},
    {"aten::dstack", DStack},
    {"aten::column_stack", ColumnStack, Devices::kSame},
    {"aten::block_diag", BlockDiag},
    {"aten::cartesian_prod", CartesianProd},
    {"aten::combinations", Choose},
    {"aten::_chunk_cat", ChunkCat},
    {"aten::pad_sequence", PadSequence, Devices::kAny},
    {"aten::flatten_dense_tensors", FlattenDense, Devices::kSame},
    {"aten::unflatten_dense_tensors", UnflattenDense, Devices::kAny},
    {"aten::diff", Diff, Devices::kAny},
};

}  // namespace

RuleRows JoinRules() { return kRows; }

}  // namespace fakeprop::rules
