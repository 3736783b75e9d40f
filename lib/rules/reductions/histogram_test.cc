#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kHistograms[] = {
    {"histogram.bin_ct(f32[2,3]{1,2}, 10)", "f32[10], f32[11]"},
    {"histogram.bin_ct(f32[5], 4, range=[0.0,1.0], weight=f32[5], density=True)", "f32[4], f32[5]"},
    {"histogram.bin_ct(f64[0], 4)", "f64[4], f64[5]"},
    {"histogram.bin_ct(f16[0], 3)", "f16[3], f16[4]"},
    {"histogram.bin_ct(f16[5], 3, range=[0.0,1.0])", "f16[3], f16[4]"},
    {"histogram.bin_ct(f16[5], 4)", "!DtypeMismatch"},
    {"histogram.bin_ct(i64[0], 3)", "!DtypeMismatch"},
    {"histogram.bin_ct(f32[5], 0)", "!ValueError"},
    {"histogram.bin_ct(f32[5], 4, range=[1.0,0.0])", "!ValueError"},
    {"histogram.bin_ct(f32[5], 4, range=[1.0])", "!ValueError"},
    {"histogram.bin_ct(f32[5], 4, weight=f64[5])", "!DtypeMismatch"},
    {"histogram.bin_ct(f32[5], 4, weight=f32[4])", "!ShapeMismatch"},
    {"histogram.bin_ct(f32[2,3], 4, weight=f32[3,2])", "f32[4], f32[5]"},
    {"histogram.bins_tensor(f32[2,3]{1,2}, f32[4]{2})", "f32[3], f32[4]"},
    {"histogram.bins_tensor(bf16[5], bf16[3])", "bf16[2], bf16[3]"},
    {"histogram.bins_tensor(f32[], f32[1])", "!ShapeMismatch"},
    {"histogram.bins_tensor(f32[5], f32[2,3])", "!ShapeMismatch"},
    {"histogram.bins_tensor(f32[5], f64[3])", "!DtypeMismatch"},
    {"histogram.bins_tensor(f32[5], f32[3], weight=f32[6])", "!ShapeMismatch"},
    {"histogramdd(f32[4,5,2]{10,1,5}, [3,4])", "f32[3,4], [f32[4], f32[5]]"},
    {"histogramdd(f32[5,2], [3,4], range=[0.0,1.0,0.0,2.0], weight=f32[5])", "f32[3,4], [f32[4], f32[5]]"},
    {"histogramdd(f32[5,2], [3])", "!ShapeMismatch"},
    {"histogramdd(f32[5], [3])", "!ShapeMismatch"},
    {"histogramdd(f32[5,2], [3,4], range=[0.0,1.0])", "!ValueError"},
    {"histogramdd(f32[5,2], [3,4], weight=f32[4])", "!ShapeMismatch"},
    {"histogramdd(i64[5,2], [3,4], range=[0.0,1.0,0.0,1.0])", "!DtypeMismatch"},
    {"histogramdd.int_bins(f32[5,2]{1,5}, 3)", "f32[3,3], [f32[4], f32[4]]"},
    {"histogramdd.int_bins(f32[2,5,3], 2)", "f32[2,2,2], [f32[3], f32[3], f32[3]]"},
    {"histogramdd.int_bins(f32[5,2], 0)", "!ValueError"},
    {"histogramdd.TensorList_bins(f32[5,2]{1,5}, [f32[3],f32[4]{2}])", "f32[2,3], [arg(1), arg(2)]"},
    {"histogramdd.TensorList_bins(bf16[2,5,2], [bf16[3],bf16[4]], weight=bf16[2,5])", "bf16[2,3], [arg(1), arg(2)]"},
    {"histogramdd.TensorList_bins(f32[5,2], [f32[3]])", "!ShapeMismatch"},
    {"_histogramdd_bin_edges(f32[5,2]{1,5}, [3,4])", "[f32[4], f32[5]]"},
    {"_histogramdd_bin_edges(i64[2,5,2], [3,4], range=[0.0,1.0,0.0,1.0])", "[i64[4], i64[5]]"},
    {"_histogramdd_bin_edges(f16[0,2], [3,4], weight=f32[3])", "[f16[4], f16[5]]"},
    {"_histogramdd_bin_edges(i64[5,2], [3,4])", "!DtypeMismatch"},
    {"_histogramdd_bin_edges(b8[5,2], [3,4], range=[0.0,1.0,0.0,1.0])", "!DtypeMismatch"},
    {"_histogramdd_from_bin_cts(f64[5,2]{1,5}, [3,4], weight=f64[5])", "f64[3,4]"},
    {"_histogramdd_from_bin_cts(f16[2,0,2], [3,4])", "f16[3,4]"},
    {"_histogramdd_from_bin_cts(f32[5,2], [3,0])", "!ValueError"},
    {"_histogramdd_from_bin_tensors(f32[3,5,2], [f32[3],f32[4]], weight=f32[3,5])", "f32[2,3]"},
    {"_histogramdd_from_bin_tensors(f32[5,2]{1,5}, [f32[3],f32[4]])", "f32[2,3]"},
    {"_histogramdd_from_bin_tensors(f32[5,2], [f32[3],f32[0]])", "!ShapeMismatch"},
};

constexpr CallCase kSegments[] = {
    {"segment_reduce(f32[5], \"sum\", lengths=i64[3])", "f32[3]"},
    {"segment_reduce(f32[5,2]{1,5}, \"mean\", lengths=i64[3])", "f32[3,2]"},
    {"segment_reduce(f32[5,2,3], \"max\", lengths=i64[5,4], axis=1)", "f32[5,4,3]"},
    {"segment_reduce(f32[5,2], \"max\", offsets=i64[4])", "f32[3,2]"},
    {"segment_reduce(f32[5,2], \"max\")", "!ValueError"},
    {"segment_reduce(f32[5,2], \"max\", offsets=i64[4], axis=1)", "!ShapeMismatch"},
    {"segment_reduce(f32[5,2], \"max\", offsets=i64[4], indices=i64[4])", "!ValueError"},
    {"segment_reduce(f32[], \"max\", offsets=i64[4])", "!ShapeMismatch"},
    {"_segment_reduce_backward(f32[3,2]{1,3}, f32[3,2], f32[5,2]{1,5}, \"max\", offsets=i64[4])", "f32[5,2]"},
    {"_segment_reduce_backward(f32[3], f32[3], f32[5], \"sum\", lengths=i64[3])", "f32[5]"},
    {"_segment_reduce_backward(f32[3,2], f32[3,2], f32[5,2], \"max\")", "!ValueError"},
    // As eager: FakeTensorMode lets these pass.
    {"segment_reduce(f32[5,2], \"foo\", offsets=i64[4])", "!ValueError"},
    {"segment_reduce(i64[5,2], \"max\", offsets=i64[4])", "!DtypeMismatch"},
    {"segment_reduce(f32[5,2], \"max\", lengths=i64[5,2], axis=0)", "!ShapeMismatch"},
    {"_segment_reduce_backward(f64[3,2], f32[3,2], f32[5,2], \"max\", offsets=i64[4])", "!DtypeMismatch"},
    {"_segment_reduce_backward(f32[3], f32[3], f32[5], \"sum\", lengths=i64[3], axis=3)", "!IndexOutOfRange"},
};

TEST(Histogram, Histograms) { CheckCalls(kHistograms); }
TEST(Histogram, Segments) { CheckCalls(kSegments); }

}  // namespace
}  // namespace fakeprop::testing
