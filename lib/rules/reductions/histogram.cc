// Histograms and reductions over segments.
// Source: aten/src/ATen/native/Histogram.cpp, SegmentReduce.cpp; segment_reduce in torch/_meta_registrations.py (2.13).
#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// ---- histograms over the last dimension of `self`, [..., N]

// What is counted: points of N coordinates, and a weight for each.
struct Points {
  Dims batch;
  Dim coordinates;
  ScalarType dtype;
};

void RequireCpu(const Call& call) {
  if (!call.OnCpu()) FailAs(call, ErrorClass::kDeviceMismatch, {"runs on cpu tensors alone, not on {}", call.device()});
}

// Edges without a range reach from the least to the greatest coordinate, which a kernel finds where there are any.
void RequireEdgesDtype(const Call& call, const Points& points) {
  RequireCpu(call);
  RequireDtype(call, points.dtype, {kNotBool.dtypes, "does not take bool tensors"});
  const bool searched = !call.Has("range") && Guard(Ne(Numel(call.In("self")->size_span()), 0));
  if (searched)
    RequireDtype(call, points.dtype, {kFloat32Or64, "finds the range of float32 and float64 tensors alone, not of {}"});
}

void CheckWeight(const Call& call, const Points& points) {
  const Operand weight = call.TryIn("weight");
  if (!weight) return;
  weight.Takes(points.dtype)
      .Sizes(points.batch, {"takes a weight of shape {}, one for each point, but got {}", points.batch});
}

// histogram flattens its input into points of one coordinate, and the weight with it.
Points FlattenedPoints(const Call& call) {
  const Operand self = call.In("self"), weight = call.TryIn("weight");
  Points points{{self.Numel()}, 1, self->dtype};
  if (weight && HasNumel(weight, points.batch[0])) points.batch = weight->sizes;
  return points;
}

Points LastDimPoints(const Call& call) {
  const Operand self = call.In("self").RankAtLeast(2, "takes a tensor of at least 2 dimensions, but got {}");
  return {{self->sizes.begin(), self->sizes.end() - 1}, self->sizes.back(), self->dtype};
}

void RequireCoordinates(const Call& call, size_t given, const Points& points) {
  RequireShape(call, Eq(static_cast<int64_t>(given), points.coordinates),
      {"takes bins for each of {} coordinates, but got {}", points.coordinates, given});
}

// The lower and upper end for each coordinate.
void CheckRange(const Call& call, size_t coordinates) {
  if (!call.Has("range")) return;
  const std::vector<double> range = call.Floats("range");
  RequireValue(
      call, range.size() == 2 * coordinates, {"takes a range of {} numbers, not {}", 2 * coordinates, range.size()});
  for (size_t i = 0; i < coordinates; ++i)
    RequireValue(
        call, range[2 * i] <= range[2 * i + 1], {"takes ranges that ascend, but the one of coordinate {} does not", i});
}

// Counts of bins as the argument gives them; `counts` has one for each coordinate.
void CheckCounts(const Call& call, const Dims& counts, const Points& points) {
  RequireCoordinates(call, counts.size(), points);
  CheckRange(call, counts.size());
  for (Dim count : counts) RequireValue(call, Gt(count, 0), {"takes a positive number of bins, not {}", count});
  RequireEdgesDtype(call, points);
}

// Counts of bins between the edges that tensors give.
Dims CountsBetweenEdges(const Call& call, const Points& points) {
  const Operands bins = call.ListIn("bins");
  RequireCoordinates(call, bins.size(), points);
  Dims counts;
  for (const Operand& edges : bins) {
    edges.Takes(points.dtype, "takes bins of its input's dtype, but got {}")
        .Rank(1, "takes bins of one dimension, but got {}");
    counts.push_back(edges->sizes[0] - 1);
    RequireShape(
        call, Gt(counts.back(), 0), {"takes at least two edges for a coordinate, but got {}", edges->sizes[0]});
  }
  return counts;
}

// The counts, in the dtype of the points.
void ReturnCounts(Call& call, const Dims& counts, const Points& points) {
  CheckWeight(call, points);
  RequireCpu(call);
  RequireDtype(call, points.dtype, kFloating);
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
  const Dims counts{call.DimArg("bins")};
  CheckCounts(call, counts, points);
  ReturnCounts(call, counts, points);
  call.ReturnNew(EdgesOf(call, counts[0], points.dtype));
}

void HistogramOfEdges(Call& call) {
  const Points points = FlattenedPoints(call);
  const Dims counts = CountsBetweenEdges(call, points);
  ReturnCounts(call, counts, points);
  call.ReturnNew(EdgesOf(call, counts[0], points.dtype));
}

Dims CheckedCounts(const Call& call, const Points& points) {
  Dims counts = call.DimList("bins");
  // int_bins: the same number for every coordinate.
  if (call.Arg("bins").Is<Dim>()) counts.assign(static_cast<size_t>(points.coordinates.Specialize()), counts[0]);
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
  ReturnCounts(call, CountsBetweenEdges(call, points), points);
}

// The edges that were given come back as they are.
void HistogramNdOfEdges(Call& call) {
  CountsOfEdges(call);
  Output& list = call.effects().outputs.emplace_back();
  list.kind = Output::Kind::kList;
  for (Tensor* edges : call.Tensors("bins")) {
    Output& item = list.items.emplace_back();
    item.kind = Output::Kind::kArgument;
    item.source = edges;
  }
}

// ---- reductions over segments of a dimension, given by their lengths or by the offsets where they start

constexpr std::string_view kReductions[] = {"sum", "prod", "mean", "max", "min"};

void RequireReduction(const Call& call) {
  RequireOneOf(call, "reduce", kReductions, "reduces by sum, prod, mean, max or min, not by '{}'");
}

struct Segments {
  int64_t axis;
  Dim count;
};

// Offsets count before lengths where both are given, as in the kernel.
Segments ReadSegments(const Call& call, const Operand& data) {
  const bool by_offsets = call.Has("offsets");
  RequireValue(call, by_offsets || call.Has("lengths"), "takes the lengths or the offsets of the segments");
  const Operand given = call.In(by_offsets ? ArgumentName("offsets") : "lengths");
  const int64_t axis = call.WrappedDim("axis", data);
  data.RankAtLeast(1, "does not take 0-dim data");
  RequireShape(call, given->rank() <= data->rank() && axis == given->rank() - 1,
      {"reduces the last dimension of its {} of shape {}, not dimension {}", by_offsets ? "offsets" : "lengths",
          given->sizes, axis});
  given.Takes(kIndexDtype);
  return {axis, by_offsets ? given->sizes[axis] - 1 : given->sizes[axis]};
}

void SegmentReduce(Call& call) {
  const Operand data = call.In("data");
  RequireValue(call, !call.Has("indices"), "does not reduce by indices");
  const Segments segments = ReadSegments(call, data);
  RequireReduction(call);
  data.Takes(kFloating);
  ReturnContiguous(call, WithSize(data->sizes, segments.axis, segments.count), data->dtype);
}

void SegmentReduceBackward(Call& call) {
  const Operand grad = call.In("grad"), data = call.In("data");
  ReadSegments(call, data);
  RequireReduction(call);
  grad.Takes(kFloating).SameDtypeAs(data);
  ReturnContiguous(call, data, grad->dtype);
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

}  // namespace fakeprop::rules
