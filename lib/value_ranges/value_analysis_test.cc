#include "lib/value_ranges/value_analysis.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "lib/schema/schema_table.h"
#include "lib/value_ranges/testing/analyzed_graph.h"
#include "lib/value_ranges/transfers.h"

namespace fakeprop {
namespace {

using testing::AnalyzedGraph;

// "from 0 to t - 1" of the node `y`, with "!" at an end that is met in all runs and "?" at one that the caller chooses.
std::string RangeOfY(std::string_view text, const std::vector<ValueBounds>& values = {}) {
  const AnalyzedGraph run(text, values);
  EXPECT_TRUE(run.annotations.diagnostics.empty()) << text << ": " << run.annotations.diagnostics.front().message;
  const NodeRanges& ranges = run.ranges().nodes[run.written.IndexOf("y")];
  if (ranges.empty()) return "none";
  const auto mark = [](const ValueEnd& end) {
    return !end.met.by_one ? "" : end.met.when == Met::kInAllRuns ? "!" : "?";
  };
  const ValueRange& y = ranges[0];
  return (y.low.at ? ToString(y.low.at) : "") + mark(y.low) + ".." + (y.high.at ? ToString(y.high.at) : "") +
         mark(y.high);
}

struct Row {
  std::string_view graph, expected;
};

TEST(ValueAnalysis, RangesOfOperators) {
  const Row kRows[] = {
      {"x: f32[77]\ns = sym_size.int(x, 0)\ny = arange(s)", "0!..t - 1!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = add.Tensor(a, 2)", "2!..t + 1!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = slice.Tensor(a, 0, 1, 9223372036854775807)",
          "1!..t - 1!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\nb = unsqueeze(a, 1)\ny = sub.Tensor(a, b)",
          "-t + 1!..t - 1!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = sub.Tensor(a, a)", "-t + 1..t - 1"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = clamp(a, None, 5)", "0!..Min(t - 1, 5)!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = floor_divide(a, 2)", "0!..((t + 1)//2) - 1!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = remainder.Scalar(a, 7)", "0..6"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = neg(a)", "-t + 1!..0!"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = select.int(a, 0, -1)", "t - 1!..t - 1!"},
      {"x: i64[77]\ny = ne.Scalar(x, 1)", "0?..1?"},
      {"x: i64[3,77]\na = ne.Scalar(x, 1)\ny = cumsum(a, 1)", "0?..t?"},
      {"x: i64[3,77]\na = ne.Scalar(x, 1)\nb = to.dtype(a, i32)\nc = cumsum(b, 1)\ny = mul.Tensor(c, b)", "0?..t?"},
      {"x: i64[77]\ny = ones_like(x)", "1!..1!"},
      {"x: i64[77]\na = ones_like(x)\ny = cumsum(a, 0)", "1!..t!"},
      {"x: i64[3]\ny = add.Tensor(x, 1)", ".."},
      {"x: f32[3,77]\ny = argmax(x, 1)", "0..t - 1"},
      {"x: f32[3,77]\ny = argmax(x)", "0..3*t - 1"},
      {"x: b8[77]\na = nonzero(x)\ny = squeeze.dim(a, 1)", "0..t - 1"},
      {"x: b8[77]\ny = to.dtype(x, i64)", "0?..1?"},
      {"x: u8[77]\ny = to.dtype(x, i64)", "0?..255?"},
      {"x: b8[77]\na = to.dtype(x, i64)\ny = sum(a)", "0?..t?"},
      {"x: f32[55]\ns = sym_size.int(x, 0)\ny = arange(s)", "0!..n - 1!"},
      {"x: f32[4]\na = arange(300)\ny = to.dtype(a, u8)", "0..255"},
      {"x: f32[4]\na = arange(200)\ny = to.dtype(a, u8)", "0!..199!"},
      {"x: b8[4]\na = arange(4)\nb = full([4], -100)\ny = where.self(x, a, b)", "-100..3?"},
      {"x: f32[4]\na = arange(4)\nb = full([2], 9)\ny = cat([a, b])", "0!..9!"},
      {"x: f32[4]\na = zeros([4], i64)\ny = add_.Tensor(a, 3)", "3!..3!"},
      {"x: i64[4]\ny = one_hot(x, 3)", "0..1"},
      {"x: f32[4,6]\ny = mul.Tensor(x, 2)", "none"},
      {"x: u8[4]\na = bitwise_right_shift.Tensor_Scalar(x, 4)\ny = bitwise_and.Scalar(a, 15)", "0..15"},
      {"x: f32[4]\na = arange(4)\nb = __lshift__.Scalar(a, 3)\ny = __rshift__.Scalar(b, 2)", "0!..6!"},
      {"x: f32[4]\na = arange(300)\nb = to.dtype(a, i16)\ny = __lshift__.Scalar(b, 8)", "-32768..32767"},
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

// A mask says something of the elements that it chooses.
TEST(ValueAnalysis, RangesWhereAMaskHolds) {
  const std::string far =
      "x: i64[77]\na = abs(x)\nm = lt.Scalar(a, 8)\nf = to.dtype(a, f32)\nb = div.Tensor(f, 8)\n"
      "c = log(b)\nd = div.Tensor(c, 2.772588722239781)\ne = mul.Tensor(d, 8)\n"
      "g = to.dtype(e, i64)\nh = add.Tensor(g, 8)\nl = full_like(h, 15)\ni = min.other(h, l)\n";
  const std::pair<std::string, std::string_view> kRows[] = {
      // The buckets of relative positions: near ones one by one, far ones by their logarithm.
      {far + "y = where.self(m, a, i)", "..15"},
      {"x: i64[77]\na = ge.Scalar(x, 3)\nb = full_like(x, 7)\ny = where.self(a, b, x)", "..7?"},
      {"x: i64[77]\na = le.Scalar(x, 3)\nb = full_like(x, 7)\ny = where.self(a, b, x)", "4.."},
      {"x: i64[77]\na = clamp(x, None, 9)\nm = gt.Scalar(a, 3)\nb = neg(a)\nc = full_like(a, -5)\n"
       "y = where.self(m, b, c)",
          "-9..-4"},
      // The mask is of other places, of other elements than those that are chosen, or of elements before they changed.
      {"x: i64[3,77]\nz: i64[77]\na = ge.Scalar(z, 3)\nb = full_like(x, 7)\ny = where.self(a, b, x)", ".."},
      {"x: i64[77]\nz: i64[77]\na = ge.Scalar(z, 3)\nb = full_like(x, 7)\ny = where.self(a, b, x)", ".."},
      {"x: i64[77]\na = clone(x)\nm = ge.Scalar(a, 3)\nb = full_like(x, 7)\nc = add_.Tensor(a, 9)\n"
       "y = where.self(m, b, a)",
          ".."},
      // A float that no integer comes from, and a logarithm of what may be negative.
      {"x: i64[77]\na = lt.Scalar(x, 0)\nf = to.dtype(x, f32)\nb = log(f)\nc = to.dtype(b, i64)\n"
       "y = where.self(a, x, c)",
          ".."},
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(graph + "\nreturn y"), expected) << graph;
}

// What other forms, dtypes and large numbers do.
constexpr Row kUnusualRows[] = {
    // An operator that computes in a narrower dtype than that of what it writes to.
    {"x: u8[4]\nm = full([], -2)\nz = zeros([4], i64)\ny = clamp.Tensor_out(x, m, m, z)", "0..255"},
    {"x: i64[0]\na = clamp(x, 1, 3)\ny = median(a)", ".."},
    {"x: i64[77]\na = clamp(x, 1, 3)\ny = median(a)", "1..3"},
    // Elements that are added to others.
    {"x: f32[4]\na = arange(4)\nv = full([4], 3)\ny = index_put(a, [a], v, True)", ".."},
    {"x: f32[4]\na = arange(4)\ny = scatter.value_reduce(a, 0, a, 3, \"add\")", ".."},
    {"x: f32[4]\na = full([4], 5)\ny = logical_not_(a)", "0..1"},
    {"x: f32[4]\na = full([4], 5)\ny = bitwise_not_(a)", "-6!..-6!"},
    // A mask that is never true.
    {"x: f32[4]\nm = zeros([4], b8)\nf = full([4], 9)\na = arange(4)\ny = where.self(m, f, a)", "0..9"},
    // Bits as another dtype.
    {"x: f32[4]\na = ones([4], i32)\ny = view.dtype(a, i64)", ".."},
    // Unsigned numbers have no sign to lose.
    {"x: i64[4]\na = clamp(x, -1, 3)\nb = to.dtype(a, u32)\ny = to.dtype(b, i64)", "0..4294967295"},
    {"x: i64[4]\na = clamp(x, -1, 3)\nb = to.dtype(a, u64)\ny = to.dtype(b, i64)", ".."},
    {"x: i64[4]\na = clamp(x, 1, 3)\nb = to.dtype(a, u64)\ny = to.dtype(b, i64)", "1..3"},
    // Beyond 64 and 32 bits for some sizes.
    {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = mul.Tensor(a, 6364136223846793005)", ".."},
    {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\ny = add.Tensor(a, 9223372036854775000)", ".."},
    {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\nb = to.dtype(a, i32)\ny = mul.Tensor(b, 4)", ".."},
    {"x: f32[77,55]\ns = sym_size.int(x, 0)\nn = sym_size.int(x, 1)\na = arange(s)\nb = mul.Tensor(a, n)\n"
     "y = to.dtype(b, i32)",
        ".."},
    {"x: f32[77,55]\ns = sym_size.int(x, 0)\nn = sym_size.int(x, 1)\na = arange(s)\ny = mul.Tensor(a, n)",
        "0!..t*n - n!"},
    // Operators that compute in a wider dtype than that of what they write to.
    {"x: i32[4]\nm = full([4], 8589934592)\na = clamp(x, 5, 9)\ny = clamp_.Tensor(a, m)", ".."},
    {"x: i32[4]\nm = full([4], 8589934592)\na = clamp(x, 5, 9)\ny = minimum.out(m, m, a)", ".."},
    {"x: i32[4]\nm = full([4], 8589934600)\nd = full([4], 2)\na = clamp(x, 5, 9)\ny = floor_divide.out(m, d, a)", ".."},
};

TEST(ValueAnalysis, RangesOfUnusualCalls) {
  for (const auto& [graph, expected] : kUnusualRows)
    EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

TEST(ValueAnalysis, WritesChangeWhatAStorageHolds) {
  const Row kRows[] = {
      // The view sees the write to all of its base.
      {"x: f32[4]\na = zeros([4], i64)\nv = view(a, [2, 2])\nf = fill_.Scalar(a, 7)\ny = add.Tensor(v, 1)", "8!..8!"},
      // A write to a part joins.
      {"x: f32[4]\na = zeros([4], i64)\nv = slice.Tensor(a, 0, 0, 2)\nf = fill_.Scalar(v, 7)\ny = clone(a)", "0..7"},
      {"x: f32[4]\na = zeros([2, 4], i64)\nv = slice.Tensor(a, 1, 0, 4, 2)\nf = fill_.Scalar(v, 7)\ny = clone(a)",
          "0..7"},
      // What one element of the view gets, another one of it had.
      {"x: f32[4]\na = ones([3], i64)\nv = unfold(a, 0, 2, 1)\nf = cumsum_(v, 0)\ny = clone(a)", ".."},
      {"x: f32[4]\na = ones([3], i64)\nv = unfold(a, 0, 2, 1)\ny = cumsum_(v, 0)", "none"},
      // A tensor that gets the storage of another writes to that.
      {"x: f32[4]\na = zeros([4], i64)\nb = zeros([4], i64)\nc = set_.source_Tensor(a, b)\nd = fill_.Scalar(a, 7)\n"
       "y = clone(b)",
          "none"},
      // Later calls see other sizes than the node had.
      {"x: f32[3,5]\na = t_(x)\ny = argmax(x, 0)", "none"},
      {"x: f32[5]\nz: f32[2,3]\na = add.out(z, z, 1, x)\ny = argmax(x, -1)", "none"},
      // Out forms with other names.
      {"x: i64[3]\na = zeros([], i64)\nb = max.dim_max(x, 0, False, a, a)\ny = _operator.getitem(b, 1)", ".."},
      {"x: i64[3]\na = zeros([], i64)\nb = zeros([], i64)\nc = max.dim_max(x, 0, False, a, b)\ny = clone(a)", ".."},
      {"x: f32[4]\na = zeros([4], i64)\nb = resize_(a, [9])\ny = clone(a)", "none"},
      // Nothing is known after an operator without a transfer function.
      {"x: f32[4]\na = zeros([4], i64)\ni = arange(4)\nf = index_add_(a, 0, i, i)\ny = clone(a)", ".."},
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

TEST(ValueAnalysis, AssertionsNarrow) {
  const Row kRows[] = {
      {"x: i64[5]\na = lt.Scalar(x, 10)\nb = all(a)\nc = _assert_async(b)\ny = clone(x)", "..9"},
      {"x: i64[5]\na = ge.Scalar(x, 10)\nb = any(a)\nc = logical_not(b)\nd = _assert_async(c)\ny = clone(x)", "..9"},
      {"x: i64[5]\na = ge.Scalar(x, 0)\nb = le.Scalar(x, 7)\nc = logical_and(a, b)\nd = all(c)\n"
       "e = _assert_async.msg(d, \"m\")\ny = clone(x)",
          "0..7"},
      // A view that has all of the elements, and one that has not.
      {"x: i64[6]\nv = view(x, [2, 3])\na = lt.Scalar(v, 10)\nb = all(a)\nc = _assert_async(b)\ny = clone(x)", "..9"},
      {"x: i64[6]\nv = slice.Tensor(x, 0, 0, 2)\na = lt.Scalar(v, 10)\nb = all(a)\nc = _assert_async(b)\ny = clone(x)",
          ".."},
      // One element alone is asserted.
      {"x: i64[5]\na = lt.Scalar(x, 10)\nb = any(a)\nc = _assert_async(b)\ny = clone(x)", ".."},
      {"x: i64[5]\na = max(x)\nb = lt.Scalar(a, 10)\nc = _assert_async(b)\ny = clone(x)", "..9"},
      // No element is above the number that is taken from data.
      {"x: i64[5]\na = max(x)\nn = item(a)\ny = clone(x)", "..u0"},
      {"x: i64[5]\na = min(x)\nn = item(a)\ny = clone(x)", "u0.."},
      // What is asserted of a copy says nothing of what was written to before it was made.
      {"x: i64[5]\na = clone(x)\nb = sub_.Tensor(a, 100)\nc = clone(a)\nd = lt.Scalar(c, 10)\ne = all(d)\n"
       "f = _assert_async(e)\ny = clone(x)",
          ".."},
      // A comparison that is written to says nothing.
      {"x: i64[5]\na = lt.Scalar(x, 10)\nb = fill_.Scalar(a, 1)\nc = all(a)\nd = _assert_async(c)\ny = clone(x)", ".."},
      {"x: i64[5]\na = lt.Scalar(x, 10)\nb = all(a)\nc = fill_.Scalar(b, 1)\nd = _assert_async(b)\ny = clone(x)", ".."},
      // Nor does one with a tensor that holds something else by now.
      {"x: i64[5]\nz = full([5], 100)\na = lt.Tensor(x, z)\nb = zero_(z)\nc = all(a)\nd = _assert_async(c)\n"
       "y = clone(x)",
          ".."},
      {"x: i64[5]\na = max(x)\nb = sub_.Tensor(a, 5)\nn = item(a)\ny = clone(x)", ".."},
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

// The range of the number u0, which the graph takes from data.
std::string RangeOfNumber(std::string_view text, const std::vector<ValueBounds>& values) {
  AnalyzedGraph run(text, values);
  EXPECT_TRUE(run.annotations.diagnostics.empty()) << text << ": " << run.annotations.diagnostics.front().message;
  const Range range = run.env->RangeOf(run.env->FindSymbol("u0"));
  return std::to_string(range.low) + ".." + std::to_string(range.high);
}

TEST(ValueAnalysis, NumbersFromDataHaveRanges) {
  EXPECT_EQ(RangeOfNumber("x: i64[5]\na = max(x)\nn = item(a)\nreturn n", {{3, 10}}), "3..10");
  EXPECT_EQ(RangeOfNumber("x: i64[5]\na = max(x)\nb = clamp(a, 0, 4)\nn = item(b)\nreturn n", {}), "0..4");
  EXPECT_EQ(RangeOfNumber("x: i64[5]\ny = bincount(x)\nreturn y", {{0, 10}}), "0..11");
  EXPECT_EQ(RangeOfNumber("x: i64[5]\ny = repeat_interleave.Tensor(x)\nreturn y", {{1, 3}}), "5..15");
}

// A slice up to a clamped number has that size, and no other symbol.
TEST(ValueAnalysis, ClampedNumbersSettleSlices) {
  const AnalyzedGraph run(
      "x: f32[8]\np: i64[1]\na = clamp(p, 0, 8)\nn = item(a)\ny = slice.Tensor(x, 0, 0, n)\nreturn y");
  ASSERT_TRUE(run.annotations.diagnostics.empty());
  EXPECT_EQ(testing::ShortText(run.annotations.graphs[0].nodes[run.written.IndexOf("y")].value), "f32[u0]");
}

TEST(ValueAnalysis, SubgraphsGetTheRangesOfTheirOperands) {
  const std::string branches =
      "graph f(a)\n  r = add.Tensor(a, 1)\n  return [r]\ngraph g(a)\n  r = mul.Tensor(a, 3)\n  return [r]\n";
  const Row kRows[] = {
      {"p: b8[]\nx: i64[5]\n", "0..12"},
  };
  for (const auto& [inputs, expected] : kRows) {
    const std::string text = std::string(inputs) + branches +
                             "c = clamp(x, 0, 4)\nz = higher_order.cond(p, f, g, (c,))\ny = _operator.getitem(z, 0)\n"
                             "return y";
    EXPECT_EQ(RangeOfY(text), expected);
  }
  EXPECT_EQ(RangeOfY("x: i64[5]\ngraph f(a)\n  r = add.Tensor(a, 1)\n  return [r]\nc = clamp(x, 0, 4)\n"
                     "z = higher_order.wrap_with_set_grad_enabled(False, f, c)\ny = _operator.getitem(z, 0)\nreturn y"),
      "1..5");
}

TEST(ValueAnalysis, LoopsWiden) {
  const std::string condition = "graph c(i, a)\n  r = lt.Scalar(i, 5)\n  return r\n";
  const auto loop = [&](const std::string& body) {
    return "x: i64[3]\n" + condition + "graph b(i, a)\n" + body +
           "z = zeros([], i64)\nd = clamp(x, 0, 4)\nw = higher_order.while_loop(c, b, (z, d), ())\n";
  };
  const std::string grows = loop("  m = amax(a)\n  j = maximum(i, m)\n  k = remainder.Scalar(a, 3)\n  return [j, k]\n");
  // The running maximum gives up its upper end, and what is carried beside it stays within its range.
  EXPECT_EQ(RangeOfY(grows + "y = _operator.getitem(w, 0)\nreturn y"), "0..");
  EXPECT_EQ(RangeOfY(grows + "y = _operator.getitem(w, 1)\nreturn y"), "0..4");
  // A counter may wrap around.
  const std::string counts = loop("  j = add.Tensor(i, 1)\n  k = sub.Tensor(a, 1)\n  return [j, k]\n");
  EXPECT_EQ(RangeOfY(counts + "y = _operator.getitem(w, 0)\nreturn y"), "..");
}

TEST(ValueAnalysis, OperatorsInTablesExist) {
  std::unordered_set<std::string_view> known;
  for (const SchemaEntry& entry : AllSchemas()) known.insert(FindSchema(entry.full_name)->name);
  for (const std::string_view op : OperatorsWithRanges()) EXPECT_TRUE(known.contains("aten::" + std::string(op))) << op;
}

}  // namespace
}  // namespace fakeprop
