// Histograms and reductions over segments.
// Source: aten/src/ATen/native/Histogram.cpp, SegmentReduce.cpp; segment_reduce in torch/_meta_registrations.py (2.13).
#include "lib/rules/checked_pointwise.h"
#include "lib/rules/families.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
namespace {

// ---- histograms over the last dimension of `self`, [..., N]

// What is counted: points of N coordinates, and a weight for each.
struct Points {
  Dims batch;
  Dim coordinates;
  ScalarType dtype;
};

void RequireCpu(const Call& call) {
  if (!call.device().is_cpu())
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " runs on cpu tensors alone, not on " + call.device().str());
}

// What the counting kernel takes.
void RequireCounted(const Call& call, ScalarType dtype) {
  RequireCpu(call);
  RequireFloat(call, dtype);
}

// Edges without a range reach from the least to the greatest coordinate, which a kernel finds where there are any.
void RequireEdgesDtype(const Call& call, const Points& points) {
  RequireCpu(call);
  if (points.dtype == ScalarType::Bool) FailDtype(call, "does not take bool tensors");
  const bool searched = !TryNamed(call, "range") && Guard(Ne(Numel(call.Meta(0).size_span()), 0));
  if (searched && points.dtype != ScalarType::Float && points.dtype != ScalarType::Double)
    FailDtype(call, "finds the range of float32 and float64 tensors alone, not of " + ToString(Value(points.dtype)));
}

void CheckWeight(const Call& call, const Points& points) {
  const Value* weight = TryNamed(call, "weight");
  if (!weight) return;
  const TensorMeta& meta = call.Meta(call.Index("weight"));
  if (meta.dtype != points.dtype)
    FailDtype(call, "takes a weight of its input's dtype, but got " + ToString(Value(meta.dtype)) + " for " +
                        ToString(Value(points.dtype)));
  if (!ExpectSame(meta.size_span(), points.batch))
    FailShape(call, "takes a weight of shape " + ToString(DimSpan(points.batch)) + ", one for each point, but got " +
                        ToString(meta.size_span()));
}

// histogram flattens its input into points of one coordinate, and the weight with it.
Points FlattenedPoints(const Call& call) {
  const TensorMeta& self = call.Meta(0);
  Points points{{Numel(self.size_span())}, 1, self.dtype};
  if (TryNamed(call, "weight")) {
    const TensorMeta& weight = call.Meta(call.Index("weight"));
    if (HasNumel(weight, points.batch[0])) points.batch = weight.sizes;
  }
  return points;
}

Points LastDimPoints(const Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (self.rank() < 2)
    FailShape(call, "takes a tensor of at least 2 dimensions, but got " + ToString(self.size_span()));
  return {{self.sizes.begin(), self.sizes.end() - 1}, self.sizes.back(), self.dtype};
}

void RequireCoordinates(const Call& call, size_t given, const Points& points) {
  if (!Expect(Eq(static_cast<int64_t>(given), points.coordinates)))
    FailShape(call,
        "takes bins for each of " + points.coordinates.ToString() + " coordinates, but got " + std::to_string(given));
}

// The lower and upper end for each coordinate.
void CheckRange(const Call& call, size_t coordinates) {
  if (!TryNamed(call, "range")) return;
  const std::vector<double> range = call.Floats(call.Index("range"));
  if (range.size() != 2 * coordinates)
    FailValue(
        call, "takes a range of " + std::to_string(2 * coordinates) + " numbers, not " + std::to_string(range.size()));
  for (size_t i = 0; i < coordinates; ++i) {
    if (range[2 * i] <= range[2 * i + 1]) continue;
    FailValue(call, "takes ranges that ascend, but the one of coordinate " + std::to_string(i) + " does not");
  }
}

// Counts of bins as the argument gives them; `counts` has one for each coordinate.
void CheckCounts(const Call& call, const Dims& counts, const Points& points) {
  RequireCoordinates(call, counts.size(), points);
  CheckRange(call, counts.size());
  for (Dim count : counts)
    if (!Expect(Gt(count, 0))) FailValue(call, "takes a positive number of bins, not " + count.ToString());
  RequireEdgesDtype(call, points);
}

// Counts of bins between the edges that tensors give.
Dims CountsBetween(const Call& call, const std::vector<Tensor*>& edges, const Points& points) {
  RequireCoordinates(call, edges.size(), points);
  Dims counts;
  for (const Tensor* t : edges) {
    if (t->meta.dtype != points.dtype)
      FailDtype(call, "takes bins of its input's dtype, but got " + ToString(Value(t->meta.dtype)));
    if (t->meta.rank() != 1) FailShape(call, "takes bins of one dimension, but got " + ToString(t->meta.size_span()));
    counts.push_back(t->meta.sizes[0] - 1);
    if (!Expect(Gt(counts.back(), 0)))
      FailShape(call, "takes at least two edges for a coordinate, but got " + t->meta.sizes[0].ToString());
  }
  return counts;
}

// The counts, in the dtype of the points.
void ReturnCounts(Call& call, const Dims& counts, const Points& points) {
  CheckWeight(call, points);
  RequireCounted(call, points.dtype);
  ReturnContiguous(call, counts, points.dtype);
}

TensorMeta EdgesOf(const Call& call, Dim count, ScalarType dtype) { return NewMeta(call, Dims{count + 1}, dtype); }

std::vector<TensorMeta> AllEdges(const Call& call, const Dims& counts, ScalarType dtype) {
  std::vector<TensorMeta> edges;
  for (Dim count : counts) edges.push_back(EdgesOf(call, count, dtype));
  return edges;
}

// histogram: counts and edges.
void HistogramOfCount(Call& call) {
  const Points points = FlattenedPoints(call);
  const Dims counts{call.DimArg(1)};
  CheckCounts(call, counts, points);
  ReturnCounts(call, counts, points);
  call.ReturnNew(EdgesOf(call, counts[0], points.dtype));
}

void HistogramOfEdges(Call& call) {
  const Points points = FlattenedPoints(call);
  const Dims counts = CountsBetween(call, {&call.TensorArg(1)}, points);
  ReturnCounts(call, counts, points);
  call.ReturnNew(EdgesOf(call, counts[0], points.dtype));
}

Dims CheckedCounts(const Call& call, const Points& points) {
  Dims counts = call.DimList(1);
  // int_bins: the same number for every coordinate.
  if (call.Arg(1).Is<Dim>()) counts.assign(static_cast<size_t>(points.coordinates.Specialize()), call.DimArg(1));
  CheckCounts(call, counts, points);
  return counts;
}

void HistogramNdOfCounts(Call& call) {
  const Points points = LastDimPoints(call);
  const Dims counts = CheckedCounts(call, points);
  ReturnCounts(call, counts, points);
  call.ReturnNewList(AllEdges(call, counts, points.dtype));
}

void CountsOfCounts(Call& call) {
  const Points points = LastDimPoints(call);
  ReturnCounts(call, CheckedCounts(call, points), points);
}

void EdgesOfCounts(Call& call) {
  const Points points = LastDimPoints(call);
  call.ReturnNewList(AllEdges(call, CheckedCounts(call, points), points.dtype));
}

void CountsOfEdges(Call& call) {
  const Points points = LastDimPoints(call);
  ReturnCounts(call, CountsBetween(call, call.Tensors(1), points), points);
}

// The edges that were given come back as they are.
void HistogramNdOfEdges(Call& call) {
  CountsOfEdges(call);
  Output& list = call.effects().outputs.emplace_back();
  list.kind = Output::Kind::kList;
  for (Tensor* edges : call.Tensors(1)) {
    Output& item = list.items.emplace_back();
    item.kind = Output::Kind::kArgument;
    item.source = edges;
  }
}

// ---- reductions over segments of a dimension, given by their lengths or by the offsets where they start

constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "max", "min"};

void RequireReduction(const Call& call, std::string_view reduce) {
  for (std::string_view known : kReductions)
    if (known == reduce) return;
  FailValue(call, "reduces by sum, prod, mean, max or min, not by '" + std::string(reduce) + "'");
}

struct Segments {
  int64_t axis;
  Dim count;
};

// Offsets count before lengths where both are given, as in the kernel.
Segments ReadSegments(const Call& call, const TensorMeta& data) {
  const bool by_offsets = TryNamed(call, "offsets");
  if (!by_offsets && !TryNamed(call, "lengths")) FailValue(call, "takes the lengths or the offsets of the segments");
  const TensorMeta& given = call.Meta(call.Index(by_offsets ? "offsets" : "lengths"));
  const int64_t axis = WrapDim(call.Int(call.Index("axis")), data.rank());
  if (data.rank() == 0) FailShape(call, "does not take 0-dim data");
  if (given.rank() > data.rank() || axis != given.rank() - 1)
    FailShape(call, "reduces the last dimension of its " + std::string(by_offsets ? "offsets" : "lengths") +
                        " of shape " + ToString(given.size_span()) + ", not dimension " + std::to_string(axis));
  RequireIndexDtype(call, given);
  return {axis, by_offsets ? given.sizes[axis] - 1 : given.sizes[axis]};
}

void SegmentReduce(Call& call) {
  const TensorMeta& data = call.Meta(0);
  if (TryNamed(call, "indices")) FailValue(call, "does not reduce by indices");
  const Segments segments = ReadSegments(call, data);
  RequireReduction(call, call.String(1));
  RequireFloat(call, data.dtype);
  Dims sizes = data.sizes;
  sizes[segments.axis] = segments.count;
  ReturnContiguous(call, sizes, data.dtype);
}

void SegmentReduceBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const TensorMeta& data = call.Meta(2);
  ReadSegments(call, data);
  RequireReduction(call, call.String(3));
  RequireFloat(call, grad.dtype);
  RequireSameDtype(call, 0, 2);
  ReturnContiguous(call, data.size_span(), grad.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::histogram.bin_ct", HistogramOfCount},
    {"aten::histogram.bins_tensor", HistogramOfEdges},
    {"aten::histogramdd", HistogramNdOfCounts},
    {"aten::histogramdd.int_bins", HistogramNdOfCounts},
    {"aten::histogramdd.TensorList_bins", HistogramNdOfEdges},
    {"aten::_histogramdd_bin_edges", EdgesOfCounts},
    {"aten::_histogramdd_from_bin_cts", CountsOfCounts},
    {"aten::_histogramdd_from_bin_tensors", CountsOfEdges},
    {"aten::segment_reduce", SegmentReduce},
    {"aten::_segment_reduce_backward", SegmentReduceBackward},
};

}  // namespace

RuleRows HistogramRules() { return kRows; }

}  // namespace fakeprop
