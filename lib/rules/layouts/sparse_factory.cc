// Sparse tensors of given parts, and checks of such parts. Source: aten/src/ATen/native/sparse/SparseTensor.cpp,
// SparseCsrTensor.cpp (torch 2.15).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::rules {
namespace {

constexpr DtypeClass kIndices{ScalarType::Long, "takes an int64 tensor of indices, not {tensor}"};
constexpr DtypeClass kIndicesOfCompressed{
    Dtypes{ScalarType::Int, ScalarType::Long}, "takes indices of int32 or int64, not {tensor}"};

// ---- coordinates

// Indices [sparse_dim, nnz], values [nnz, ...].
void RequireRanks(const Call& call) {
  call.In("indices").Takes(kIndices).Rank(2);
  call.In("values").RankAtLeast(1);
}

void RequireCoordinates(const Call& call) {
  RequireRanks(call);
  const Operand indices = call.In("indices"), values = call.In("values");
  RequireEqual(call, indices->sizes[1], values->sizes[0],
      {"takes as many indices as values, but got {} and {}", indices->sizes[1], values->sizes[0]});
}

int64_t SparseDimOf(const Call& call) { return call.In("indices")->sizes[0].Specialize(); }

void RequireDims(const Call& call, const Dims& size, int64_t sparse_dim, int64_t dense_dim) {
  RequireValue(call, std::ssize(size) == sparse_dim + dense_dim && sparse_dim >= 0 && dense_dim >= 0,
      {"takes a size of {} sparse and {} dense dimensions, not {}", sparse_dim, dense_dim, size});
}

// The size names the coordinates' space, and ends with the sizes of a value.
void RequireSize(const Call& call, const Dims& size) {
  const Operand values = call.In("values");
  const int64_t sparse_dim = SparseDimOf(call);
  RequireDims(call, size, sparse_dim, values->rank() - 1);
  const DimSpan dense = DimSpan(size).subspan(static_cast<size_t>(sparse_dim));
  values.Require(GuardSame(dense, values->size_span().subspan(1)),
      {"takes values of the dense sizes of {}, not of shape {}", size});
}

bool SaysCoalesced(const Call& call) { return call.Flag("is_coalesced"); }

void ReturnGiven(Call& call, Dims size) {
  const Operand indices = call.In("indices"), values = call.In("values");
  ReturnCoo(call, MetaOfLayout(std::move(size), values->dtype, values->device, Layout::Sparse),
      SharedPart(indices.tensor()), SharedPart(values.tensor()), SaysCoalesced(call));
}

void OfCoordinates(Call& call) {
  RequireCoordinates(call);
  const Dims size = call.DimList("size");
  RequireSize(call, size);
  ReturnGiven(call, size);
}

// The size follows from the greatest indices.
void OfCoordinatesAlone(Call& call) {
  RequireCoordinates(call);
  Dims size;
  for (int64_t d = 0; d < SparseDimOf(call); ++d) size.push_back(UnbackedSize(call));
  for (Dim dense : call.In("values")->size_span().subspan(1)) size.push_back(dense);
  ReturnGiven(call, size);
}

void Empty(Call& call, const Dims& size, int64_t sparse_dim) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  ReturnCoo(call, {size, dtype, sparse_dim, 0, true});
}

void EmptyCoordinates(Call& call) {
  const Dims size = call.DimList("size");
  RequireNonNegative(size);
  Empty(call, size, static_cast<int64_t>(size.size()));
}

// The dispatcher goes by the layout; without it the kernel for strided tensors is asked, and there is none.
void RequireCoo(const Call& call) {
  const Layout layout = call.OptionalLayout("layout").value_or(Layout::Strided);
  RequireValue(call, layout == Layout::Sparse, {"makes a tensor of layout sparse_coo, not of {}", Value(layout)});
}

void EmptyOfDims(Call& call) {
  RequireCoo(call);
  const Dims size = call.DimList("size");
  RequireDims(call, size, call.Int("sparse_dim"), call.Int("dense_dim"));
  Empty(call, size, call.Int("sparse_dim"));
}

void OfDimsAndCoordinates(Call& call) {
  RequireCoo(call);
  RequireCoordinates(call);
  const Dims size = call.DimList("size");
  RequireDims(call, size, call.Int("sparse_dim"), call.Int("dense_dim"));
  RequireSize(call, size);
  ReturnGiven(call, size);
}

// The kernel does not compare how many there are.
void CheckCoordinates(Call& call) {
  RequireRanks(call);
  RequireSize(call, call.DimList("size"));
}

// ---- compressed rows and columns

std::string_view PartName(Layout layout) {
  return IsByRow(layout) ? std::string_view("crow_indices") : std::string_view("ccol_indices");
}

int64_t BlockDims(Layout layout) { return IsInBlocks(layout) ? 2 : 0; }

// The first three arguments of every constructor and check.
struct Given {
  Operand bounds, plain, values;
  int64_t batch() const { return bounds->rank() - 1; }
  DimSpan block(Layout layout) const {
    if (!IsInBlocks(layout)) return {};
    return values->size_span().subspan(static_cast<size_t>(batch()) + 1, 2);
  }
};

Given GivenOf(const Call& call, int first = 0) { return {call.In(first), call.In(first + 1), call.In(first + 2)}; }

void RequireParts(const Call& call, const Given& given, Layout layout) {
  given.bounds.Takes(kIndicesOfCompressed).RankAtLeast(1);
  given.plain.SameDtypeAs(given.bounds).Rank(given.bounds->rank());
  given.values.RankAtLeast(given.batch() + 1 + BlockDims(layout));
  const Dim nnz = given.plain->sizes.back();
  RequireEqual(call, nnz, given.values->sizes[static_cast<size_t>(given.batch())],
      {"takes as many plain indices as values, but got {} and {}", given.plain->sizes, given.values->sizes});
}

void RequireCompressedSize(const Call& call, const Given& given, Layout layout, const Dims& size) {
  const int64_t dense = given.values->rank() - given.batch() - 1 - BlockDims(layout);
  RequireDims(call, size, given.batch() + 2, dense);
  const DimSpan block = given.block(layout);
  for (size_t d = 0; d < block.size(); ++d)
    RequireShape(call, Guard(Eq(Mod(size[static_cast<size_t>(given.batch()) + d], block[d]), 0)),
        {"takes a size that blocks of {} divide without rest, not {}", Dims(block.begin(), block.end()), size});
  const Dim bounds = BoundsSize(size, layout, given.batch(), given.block(layout));
  RequireEqual(call, given.bounds->sizes.back(), bounds,
      {"takes {} of size {} for the size {}, not of shape {}", PartName(layout), bounds, size, given.bounds->sizes});
}

void ReturnGiven(Call& call, const Given& given, Layout layout, Dims size) {
  ReturnCompressed(call, MetaOfLayout(std::move(size), given.values->dtype, given.values->device, layout),
      SharedPart(given.bounds.tensor()), SharedPart(given.plain.tensor()), SharedPart(given.values.tensor()));
}

void MakeCompressed(Call& call, Layout layout) {
  const Given given = GivenOf(call);
  RequireParts(call, given, layout);
  const Dims size = call.DimList("size");
  RequireCompressedSize(call, given, layout, size);
  ReturnGiven(call, given, layout, size);
}

// Only data tells the greatest plain index.
void MakeCompressedAlone(Call& call, Layout layout) {
  const Given given = GivenOf(call);
  RequireParts(call, given, layout);
  const DimSpan block = given.block(layout);
  Dim bounded = given.bounds->sizes.back() - 1, other = UnbackedSize(call);
  if (!block.empty()) bounded *= block[IsByRow(layout) ? 0 : 1], other *= block[IsByRow(layout) ? 1 : 0];
  Dims size(given.bounds->sizes.begin(), given.bounds->sizes.end() - 1);
  size.push_back(IsByRow(layout) ? bounded : other);
  size.push_back(IsByRow(layout) ? other : bounded);
  for (int64_t d = given.batch() + 1 + BlockDims(layout); d < given.values->rank(); ++d)
    size.push_back(given.values->sizes[static_cast<size_t>(d)]);
  ReturnGiven(call, given, layout, size);
}

Layout CompressedLayout(const Call& call) {
  const auto layout = call.OptionalLayout("layout");
  if (!layout || (*layout != Layout::SparseCsr && *layout != Layout::SparseCsc && !IsInBlocks(*layout)))
    FailValue(call, {"expects a sparse compressed layout, but got {}", call.Arg("layout")});
  return *layout;
}

template <Layout kLayout>
void Of(Call& call) {
  MakeCompressed(call, kLayout);
}

template <Layout kLayout>
void OfAlone(Call& call) {
  MakeCompressedAlone(call, kLayout);
}

void OfAny(Call& call) { MakeCompressed(call, CompressedLayout(call)); }
void OfAnyAlone(Call& call) { MakeCompressedAlone(call, CompressedLayout(call)); }

// Constructors do not ask for this, since they do not check what they are given.
void RequireContiguousIndices(const Given& given) {
  for (const Operand& indices : {given.bounds, given.plain})
    indices.Require(Guard(Eq(indices->strides.back(), 1)),
        {"takes indices that are contiguous in each batch, not strides {}", indices->strides});
}

void Check(Call& call, Layout layout) {
  const Given given = GivenOf(call);
  RequireParts(call, given, layout);
  RequireContiguousIndices(given);
  RequireCompressedSize(call, given, layout, call.DimList("size"));
}

template <Layout kLayout>
void Checked(Call& call) {
  Check(call, kLayout);
}

void CheckedAny(Call& call) { Check(call, CompressedLayout(call)); }

void CheckIndices(Call& call) {
  const Operand bounds = call.In("compressed_idx").Takes(kIndicesOfCompressed).RankAtLeast(1);
  call.In("plain_idx").SameDtypeAs(bounds).Rank(bounds->rank());
}

void WithDims(Call& call) {
  const Layout layout = CompressedLayout(call);
  const Dims size = call.DimList("size");
  const int64_t dense = call.Int("dense_dim");
  RequireValue(call, std::ssize(size) >= 2 + dense, {"takes at least two sizes before the dense ones, not {}", size});
  const Dims block =
      call.DimList("blocksize", BlockDims(layout), "takes block sizes for a layout of blocks alone, not {}");
  ReturnCompressed(call, {size, TryDtype(call).value_or(call.state().default_dtype), layout, call.DimArg("nnz"), dense,
                             block, *call.OptionalDtype("index_dtype")});
}

constexpr RuleRow kRows[] = {
    {"aten::sparse_coo_tensor.indices", OfCoordinatesAlone},
    {"aten::sparse_coo_tensor.indices_size", OfCoordinates},
    {"aten::sparse_coo_tensor.size", EmptyCoordinates},
    {"aten::_sparse_coo_tensor_unsafe", OfCoordinates},
    {"aten::_sparse_coo_tensor_with_dims", EmptyOfDims},
    {"aten::_sparse_coo_tensor_with_dims_and_tensors", OfDimsAndCoordinates},
    {"aten::_validate_sparse_coo_tensor_args", CheckCoordinates},
    {"aten::sparse_csr_tensor.crow_col_value_size", Of<Layout::SparseCsr>},
    {"aten::sparse_csr_tensor.crow_col_value", OfAlone<Layout::SparseCsr>},
    {"aten::sparse_csc_tensor.ccol_row_value_size", Of<Layout::SparseCsc>},
    {"aten::sparse_csc_tensor.ccol_row_value", OfAlone<Layout::SparseCsc>},
    {"aten::sparse_bsr_tensor.crow_col_value_size", Of<Layout::SparseBsr>},
    {"aten::sparse_bsr_tensor.crow_col_value", OfAlone<Layout::SparseBsr>},
    {"aten::sparse_bsc_tensor.ccol_row_value_size", Of<Layout::SparseBsc>},
    {"aten::sparse_bsc_tensor.ccol_row_value", OfAlone<Layout::SparseBsc>},
    {"aten::sparse_compressed_tensor.comp_plain_value_size", OfAny},
    {"aten::sparse_compressed_tensor.comp_plain_value", OfAnyAlone},
    {"aten::_sparse_compressed_tensor_unsafe", OfAny},
    {"aten::_sparse_csr_tensor_unsafe", Of<Layout::SparseCsr>},
    {"aten::_sparse_csc_tensor_unsafe", Of<Layout::SparseCsc>},
    {"aten::_sparse_bsr_tensor_unsafe", Of<Layout::SparseBsr>},
    {"aten::_sparse_bsc_tensor_unsafe", Of<Layout::SparseBsc>},
    {"aten::_sparse_compressed_tensor_with_dims", WithDims},
    {"aten::_validate_sparse_csr_tensor_args", Checked<Layout::SparseCsr>},
    {"aten::_validate_sparse_csc_tensor_args", Checked<Layout::SparseCsc>},
    {"aten::_validate_sparse_bsr_tensor_args", Checked<Layout::SparseBsr>},
    {"aten::_validate_sparse_bsc_tensor_args", Checked<Layout::SparseBsc>},
    {"aten::_validate_sparse_compressed_tensor_args", CheckedAny},
    {"aten::_validate_compressed_sparse_indices", CheckIndices},
};

}  // namespace

RuleRows SparseFactoryRules() { return kRows; }

}  // namespace fakeprop::rules
