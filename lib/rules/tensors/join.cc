// Several tensors in one: cat, stack and kin, products of lists.
// Source: aten/src/ATen/native/TensorShape.cpp (cat, stack, hstack ...), Itertools.cpp (cartesian_prod, combinations);
// cat in torch/_refs/__init__.py (torch 2.13).
#include "lib/rules/support/join.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

using Metas = std::vector<TensorMeta>;

constexpr const char* kOneDtype = "takes tensors of one dtype";

// The tensors of a list; an empty list is an error.
Operands TensorList(const Call& call, ArgumentName name = "tensors") {
  Operands tensors = call.ListIn(name);
  RequireValue(call, !tensors.empty(), "takes at least one tensor: expected a non-empty list of Tensors");
  return tensors;
}

Metas MetasOf(const Operands& tensors) { return Metas(tensors.begin(), tensors.end()); }

// The format that all of them suggest, else contiguous. Source: cat_compute_output_memory_format.
MemoryFormat CommonFormat(const Metas& metas) {
  const MemoryFormat format = SuggestMemoryFormat(metas[0]);
  for (const TensorMeta& m : metas)
    if (SuggestMemoryFormat(m) != format) return MemoryFormat::Contiguous;
  return format;
}

// An empty vector fits anything, for compatibility with old code. Source: cat_should_skip_tensor.
bool IsSkipped(const TensorMeta& m) { return m.rank() == 1 && GuardOrFalse(Eq(m.sizes[0], 0)); }

// `position`: of m in the list.
void RequireCatSizes(const Call& call, const TensorMeta& first, const TensorMeta& m, int64_t dim, size_t position) {
  RequireShape(call, m.rank() == first.rank(),
      {"joins {} and {}: tensors must have same number of dimensions: got {} and {}", first.sizes, m.sizes,
          first.rank(), m.rank()});
  for (int64_t d = 0; d < m.rank(); ++d)
    RequireShape(call, d == dim || Expect(Eq(m.sizes[d], first.sizes[d])),
        {"joins {} and {}: sizes of tensors must match except in dimension {}. Expected size {} but got size {} for "
         "tensor number {} in the list",
            first.sizes, m.sizes, dim, first.sizes[d], m.sizes[d], position});
}

}  // namespace

TensorMeta CatMeta(const Call& call, const std::vector<TensorMeta>& metas, int64_t dim) {
  const TensorMeta* first = &metas[0];
  for (const TensorMeta& m : metas) {
    RequireShape(call, m.rank() > 0,
        {"takes no 0-dim tensors: zero-dimensional tensor (at position {}) cannot be concatenated", &m - metas.data()});
    if (IsSkipped(*first)) first = &m;
  }
  dim = WrapDim(dim, first->rank());
  Dims sizes = first->sizes;
  sizes[dim] = 0;
  for (const TensorMeta& m : metas) {
    if (IsSkipped(m)) continue;
    RequireCatSizes(call, *first, m, dim, &m - metas.data());
    sizes[dim] += m.sizes[dim];
  }
  return MetaInFormat(sizes, CommonDtype(metas), call.device(), CommonFormat(metas));
}

namespace {

void Cat(Call& call) {
  const int64_t dim = call.Int("dim");
  call.ReturnNew(CatMeta(call, MetasOf(TensorList(call)), dim));
}

// Joined along the dimension, which is then split by a view; a new last dimension is joined itself.
// Source: at::native::stack.
void Stack(Call& call) {
  const Operands tensors = TensorList(call);
  const Operand& first = tensors[0];
  const int64_t dim = WrapDim(call.Int("dim"), first->rank() + 1);
  for (const Operand& t : tensors)
    t.Sizes(first->sizes, {"expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
                              first->sizes, t->sizes, &t - tensors.data()});
  Metas metas = MetasOf(tensors);
  if (dim == first->rank()) {
    for (TensorMeta& m : metas) m = Unsqueezed(m, dim);
    return void(call.ReturnNew(CatMeta(call, metas, dim)));
  }
  Dims sizes = first->sizes;
  sizes.insert(sizes.begin() + dim, Dim(static_cast<int64_t>(tensors.size())));
  TensorMeta joined = CatMeta(call, metas, dim);
  joined.strides = ComputeViewStrides(joined, sizes).value_or(ContiguousStrides(sizes));
  joined.sizes = sizes;
  call.ReturnNew(std::move(joined));
}

// The kernel of tensors of one dtype writes one after the other. Others are joined with a new dimension of size 1.
// The out= form of other devices takes them as joined so already.
// Source: at::native::_stack_cpu, maybe_native_stack; _stack_out in aten/src/ATen/native/TensorShape.cpp (2.13).
void StackKernel(Call& call) {
  if (!call.OnCpu() && call.form()) return Cat(call);
  Stack(call);
  const Operands tensors = TensorList(call);
  if (!call.OnCpu()) return;
  const auto is_same = [&](const Operand& t) { return t->dtype == tensors[0]->dtype; };
  TensorMeta& result = call.effects().outputs[0].meta;
  if (std::ranges::all_of(tensors, is_same)) {
    result.strides = ContiguousStrides(result.sizes);
  } else {
    Metas metas = MetasOf(tensors);
    const int64_t dim = WrapDim(call.Int("dim"), tensors[0]->rank() + 1);
    for (TensorMeta& m : metas) m = Unsqueezed(m, dim);
    result = CatMeta(call, metas, dim);
  }
}

// A resized out tensor is contiguous where the tensors are joined in a view of it. Source: at::native::stack_out.
OutStrides OutStridesOfStack(const Call& out_form) {
  const int64_t rank = out_form.ListIn("tensors")[0]->rank();
  return WrapDim(out_form.Int("dim"), rank + 1) < rank ? OutStrides::kContiguous : OutStrides::kOfResult;
}

TensorMeta Column(const TensorMeta& m) { return ViewedMeta(m, Dims{Numel(m.size_span()), 1}); }
TensorMeta AtLeast1(const TensorMeta& m) { return m.rank() ? m : Unsqueezed(m, 0); }
TensorMeta AtLeast2(const TensorMeta& m) { return m.rank() < 2 ? Unsqueezed(AtLeast1(m), 0) : m; }
TensorMeta AtLeast3(const TensorMeta& m) { return m.rank() < 3 ? Unsqueezed(AtLeast2(m), 2) : m; }

// Once prepared, a tensor has dimensions, so even a 0-dim cpu tensor does not mix with other devices.
template <auto Prepare>
Metas Prepared(const Call& call) {
  Metas metas = MetasOf(TensorList(call));
  for (TensorMeta& m : metas) {
    if (m.device != metas[0].device)
      Fail(ErrorClass::kDeviceMismatch,
          Format(
              "{} takes tensors of one device: expected all tensors to be on the same device, but found at least two "
              "devices, {} and {}",
              OpName(call), metas[0].device, m.device));
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
  const Operands tensors = call.ListIn("tensors");
  for (const Operand& t : tensors) {
    t.RankAtMost(2, "takes tensors of at most 2 dimensions, but got {}");
    const TensorMeta block = AtLeast2(t);
    rows += block.sizes[0];
    columns += block.sizes[1];
  }
  if (tensors.empty()) return void(ReturnContiguous(call, Dims{1, 0}, call.state().default_dtype));
  ReturnContiguous(call, Dims{rows, columns}, CommonDtype(MetasOf(tensors)));
}

Dim SizeOfVector(const Operand& t) { return t.Rank(1, "takes 1-dim tensors, but got {}")->sizes[0]; }

void CartesianProd(Call& call) {
  const Operands tensors = TensorList(call);
  Dim rows = 1;
  for (const Operand& t : tensors) {
    const Dim size = SizeOfVector(t);
    t.SameDtypeAs(tensors[0], kOneDtype);
    rows *= size;
  }
  if (tensors.size() == 1) return void(call.ReturnArgument(tensors[0].tensor()));
  ReturnContiguous(call, Dims{rows, static_cast<int64_t>(tensors.size())}, tensors[0]->dtype);
}

// The kernel makes a grid of size**r elements, which fits in 64 bits for more columns only if the size is 0 or 1.
constexpr int64_t kMostColumns = 62;

// The number of ways to choose r of so many elements.
Dim CountCombinations(const Call& call, Dim size, int64_t r, bool with_replacement) {
  if (r > kMostColumns) {
    RequireValue(call, Le(size, 1), {"chooses {} of {} elements: integer multiplication overflow", r, size});
    return with_replacement ? size : Dim(0);
  }
  Dim grid = 1, rows = 1;
  for (int64_t i = 0; i < r; ++i) grid *= size;
  const Dim last = with_replacement ? size + (r - 1) : size;
  for (int64_t i = 0; i < r; ++i) rows = FloorDiv(rows * Max(last - i, 0), i + 1);
  return rows;
}

// All ways to choose r of the elements, in rows.
void Combinations(Call& call) {
  const Operand self = call.In("self");
  const Dim size = SizeOfVector(self);
  const int64_t r = call.Int("r");
  RequireValue(call, r >= 0, {"takes no negative r, got {}", r});
  if (r == 0) return void(ReturnContiguous(call, Dims{0}, self->dtype).requires_grad = false);
  ReturnContiguous(call, Dims{CountCombinations(call, size, r, call.Bool("with_replacement")), r}, self->dtype);
}

// A mask selects each column from a grid, and the columns are stacked. Source: at::native::combinations.
void SelectedCombinations(Call& call) {
  const Operand self = call.In("self");
  const std::optional<int64_t> numel = MostElements(SizeOfVector(self));
  const int64_t r = call.Int("r");
  std::optional<int64_t> most = numel ? std::optional<int64_t>(1) : std::nullopt;
  for (int64_t i = 0; most && i < r; ++i)
    if (__builtin_mul_overflow(*most, *numel, &*most)) most = std::nullopt;
  if (most && *most <= 2) most = std::nullopt;  // as masked_select bounds it
  const Dim rows = UnbackedSize(call, most);
  for (int64_t i = 1; i < r; ++i)
    RequireTrue(Eq(UnbackedSize(call, most), rows), ErrorClass::kShapeMismatch, OpName(call));
  ReturnContiguous(call, Dims{rows, r}, self->dtype);
}

// With r = 0 no data decides the size, so that FakeTensorMode knows it as well.
void Choose(Call& call) {
  const int64_t r = call.Int("r");
  if (Has(call, kCombinationsCounted) || r > kMostColumns) return Combinations(call);
  if (r > 0 && MakesUnbacked()) return SelectedCombinations(call);
  r == 0 ? Combinations(call) : DecidedOnCpu<Combinations, DynamicShape>(call);
}

bool SameLeadingSizes(const TensorMeta& a, const TensorMeta& b, int64_t count) {
  bool same = a.rank() >= count && b.rank() >= count;
  for (int64_t d = 0; same && d < count; ++d) same = Expect(Eq(a.sizes[d], b.sizes[d]));
  return same;
}

}  // namespace

// Source: _chunk_cat in torch/_meta_registrations.py and ATen/native/TensorShape.cpp.
Dims ChunkCatSizes(const Call& call) {
  const Operands tensors = TensorList(call);
  const Operand& first = tensors[0];
  const int64_t chunks = call.Int("num_chunks"), dim = call.Int("dim");
  RequireValue(call, chunks > 0, {"takes a positive number of chunks, got {}", chunks});
  Dims sizes(first->sizes.begin(), first->sizes.begin() + WrapDim(dim, first->rank()));
  Dim width = 0;
  for (const Operand& t : tensors) {
    RequireValue(call, dim >= 0 || t->rank() == first->rank(),
        {"takes a dimension counted from the front for tensors of several ranks, not {}", dim});
    t.Require(Ne(Numel(t->size_span()), 0), "takes no empty tensors, but got {}");
    const int64_t d = WrapDim(dim, t->rank());
    t.RankAtLeast(1, "takes tensors of at least 1 dimension").SameDtypeAs(first, kOneDtype);
    RequireShape(call, SameLeadingSizes(t, first, d), "takes tensors of one shape before the dimension");
    width += CeilDiv(t->sizes[d], chunks) * Numel(t->size_span().subspan(d + 1));
  }
  sizes.push_back(chunks);
  sizes.push_back(width);
  return sizes;
}

namespace {

void ChunkCat(Call& call) { ReturnContiguous(call, ChunkCatSizes(call), TensorList(call)[0]->dtype); }

// All elements in a row; a single tensor is only reshaped.
void FlattenDense(Call& call) {
  const Operands tensors = TensorList(call);
  if (tensors.size() == 1 && IsContiguous(tensors[0]))
    return void(Return(call, ReshapedOutput(tensors[0].tensor(), Dims{Numel(tensors[0]->size_span())})));
  Dim total = 0;
  Metas metas = MetasOf(tensors);
  for (TensorMeta& m : metas) {
    total += Numel(m.size_span());
    // A 0-dim tensor becomes a row of one element, so that it counts in full for the dtype.
    if (m.rank() == 0) m = ContiguousMeta(Dims{1}, m.dtype, m.device);
  }
  ReturnContiguous(call, Dims{total}, CommonDtype(metas));
}

// The inverse of flatten_dense_tensors: views of the row in the tensors' sizes, new tensors where one is empty.
void UnflattenDense(Call& call) {
  Tensor& flat = call.In("flat").tensor();
  std::vector<Output> items;
  Dim start = 0;
  for (const Operand& t : call.ListIn("tensors")) {
    const DimSpan sizes = t->size_span();
    const Dim count = Numel(sizes);
    const TensorMeta part = NarrowedMeta(flat.meta, 0, start, count);
    const bool is_empty = GuardOrFalse(Eq(count, 0));
    items.push_back(is_empty ? NewOutput(ContiguousMeta(sizes, part.dtype, part.device))
                             : ViewOutput(flat, ViewedMeta(part, sizes)));
    if (is_empty) items.back().requires_grad = false;
    start += count;
  }
  ReturnList(call, std::move(items));
}

// Source: diff_check (native/ReduceOps.cpp), which does not compare devices.
void CheckEnds(const Call& call, int64_t dim) {
  for (const Operand& end : call.Given({"prepend", "append"})) {
    end.Rank(call.In("self")->rank(), "takes ends of as many dimensions as its input has");
    RequireCatSizes(call, call.In("self"), end, dim, 1);
  }
}

// The input of diff, with the ends that are prepended and appended.
TensorMeta WithEnds(const Call& call, int64_t dim) {
  RequireDeviceOfFirst(call, {"self", "prepend", "append"});
  Metas metas;
  for (const Operand& part : call.Given({"prepend", "self", "append"})) metas.push_back(part);
  return CatMeta(call, metas, dim);
}

TensorMeta Differences(const TensorMeta& t, int64_t dim, int64_t times) {
  const TensorMeta part = NarrowedMeta(t, dim, 0, t.sizes[dim] - times);
  const TensorMeta* parts[] = {&part, &part};
  return ElementwiseMeta(parts, t.dtype, t.device);
}

// Differences of neighbours, n times; no more often than there are elements. Source: at::native::diff.
void Diff(Call& call) {
  const Operand self = call.In("self").RankAtLeast(1);
  int64_t n = call.Int("n");
  const bool has_ends = call.Has("prepend") || call.Has("append");
  RequireValue(call, n >= 0, {"takes no negative order, got {}", n});
  // With no difference to take, the dimension is not looked at.
  if (n == 0 && !has_ends) return void(call.ReturnNew(EmptyLike(self)));
  const int64_t dim = call.WrappedDim("dim", self);
  if (has_ends) CheckEnds(call, dim);
  if (n == 0) return void(call.ReturnNew(EmptyLike(self)));
  TensorMeta t = has_ends ? WithEnds(call, dim) : *self;
  // Without elements there are no differences: the result is the input itself.
  if (GuardOrFalse(Eq(t.sizes[dim], 0)) && !has_ends) return void(call.ReturnArgument(self.tensor()));
  if (GuardOrFalse(Lt(t.sizes[dim], n))) n = t.sizes[dim].Specialize();
  // The first difference decides the layout, which the others keep.
  if (n > 0) t = Differences(t, dim, 1);
  if (n > 1) t = Differences(t, dim, n - 1);
  call.ReturnNew(std::move(t));
}

// Of order 0 the tensor itself is copied (at::native diff_out_helper).
OutDtype OutDtypeOfDiff(const Call& out_form) {
  return GuardOrFalse(Eq(out_form.DimArg("n"), 0)) ? OutDtype::kExact : OutDtype::kCast;
}

// Others end in a subtraction into the out tensor.
OutStrides OutStridesOfDiff(const Call& out_form) {
  return GuardOrFalse(Eq(out_form.DimArg("n"), 0)) ? OutStrides::kContiguous : OutStrides::kOfResult;
}

// The differences are new tensors; `self` itself is copied.
ReadsWritten ReadsWrittenOfDiff(const Call& form) {
  return GuardOrFalse(Eq(form.DimArg("n"), 0)) ? ReadsWritten::kSelfAsItself : ReadsWritten::kAll;
}

// Of order 0 with ends the out tensor gets another size before the kernel looks at it.
Overlap OverlapOfDiff(const Call& out_form) {
  return GuardOrFalse(Eq(out_form.DimArg("n"), 0)) ? Overlap::kRefused : Overlap::kRefusedBeforeResize;
}

void PadSequence(Call& call) {
  const Operands sequences = TensorList(call, "sequences");
  const Operand& first = sequences[0];
  Dim longest = 0;
  for (const Operand& t : sequences) {
    t.RankAtLeast(1, "takes sequences of at least 1 dimension");
    longest = Max(longest, t->sizes[0]);
  }
  RequireOneOf(call, "padding_side", {"left", "right"}, "pads on the left or right, not on `{}`");
  Dims sizes{longest, static_cast<int64_t>(sequences.size())};
  if (call.Bool("batch_first")) std::swap(sizes[0], sizes[1]);
  sizes.insert(sizes.end(), first->sizes.begin() + 1, first->sizes.end());
  for (const Operand& t : sequences) {
    Dims place = first->sizes;
    place[0] = t->sizes[0];
    t.BroadcastsTo(place, {"takes sequences of like elements, but got {} and {}", place});
  }
  ReturnContiguous(call, sizes, first->dtype);  // the sequences are copied, from whatever device
}

constexpr RuleRow kRows[] = {
    {"aten::cat", Cat, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::concat", Cat, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::concatenate", Cat, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::stack", Stack, OutDtype::kCast | ReadsWritten::kNothingInOut | Compares::kViews | OutStridesOfStack},
    {"aten::_stack", StackKernel, OutDtype::kCast | ReadsWritten::kNothingInOut | Looks::kBeforeResize},
    {"aten::hstack", HStack, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::vstack", VStack, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::row_stack", VStack, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::dstack", DStack, OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::column_stack", ColumnStack, Devices::kSame | OutDtype::kCast | ReadsWritten::kNothingInOut},
    {"aten::block_diag", BlockDiag},
    {"aten::cartesian_prod", CartesianProd},
    {"aten::combinations", Choose},
    {"aten::_chunk_cat", ChunkCat, OutDtype::kCast},
    {"aten::pad_sequence", PadSequence, Devices::kAny},
    {"aten::flatten_dense_tensors", FlattenDense, Devices::kSame},
    {"aten::unflatten_dense_tensors", UnflattenDense, Devices::kAny | ListViews::kOfEach},
    {"aten::diff", Diff,
        Devices::kAny | OutDtypeOfDiff | OutStridesOfDiff | ReadsWrittenOfDiff | Looks::kBeforeResize | OverlapOfDiff},
};

}  // namespace

RuleRows JoinRules() { return kRows; }

}  // namespace fakeprop::rules
