#include "lib/value_ranges/value_analysis.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/schema/schema_table.h"
#include "lib/value_ranges/index_errors.h"
#include "lib/value_ranges/transfers.h"
#include "lib/value_ranges/use_text.h"

namespace fakeprop {
namespace {

using testing::ReadWrittenGraph;
using testing::WrittenGraph;

// A run of a written graph. A size of 77 is the symbol `t`, of 55 the symbol `n`. `values` are those of the inputs.
struct Analyzed {
  explicit Analyzed(std::string_view text, const std::vector<ValueBounds>& values = {})
      : written(ReadWrittenGraph(text)), env(std::make_shared<ShapeEnv>()) {
    const Sym t = env->NewSymbol("t", {2, Range::kNoHigh}, 77, "x.size(0)");
    const Sym n = env->NewSymbol("n", {0, Range::kNoHigh}, 55, "x.size(1)");
    for (InputValue& input : written.inputs) {
      for (Dim& size : input.meta.sizes)
        if (size.TryNumber() == 77 || size.TryNumber() == 55) size = Dim::Of(size.TryNumber() == 77 ? t : n);
      input.meta.strides = ContiguousStrides(input.meta.size_span());
    }
    for (size_t i = 0; i < values.size(); ++i) written.inputs[i].values = values[i];
    RunOptions options;
    options.shape_env = env;
    options.keep_going = true;
    options.on_unbacked = TeachNumbersFromData(written.graph, written.inputs);
    options.keeps_calls = true;
    if (text.find("torch.") != text.npos) written.graph.kind = kFxKind;
    annotations = RunGraph(written.graph, written.inputs, options);
    analysis = AnalyzeValues(written.graph, written.inputs, annotations);
  }

  const GraphRanges& ranges() const { return analysis.graphs.front(); }

  WrittenGraph written;
  std::shared_ptr<ShapeEnv> env;
  Annotations annotations;
  ValueAnalysis analysis;
};

// "from 0 to t - 1" of the node `y`, with "!" at an end that is met in all runs and "?" at one that the caller chooses.
std::string RangeOfY(std::string_view text, const std::vector<ValueBounds>& values = {}) {
  const Analyzed run(text, values);
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
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

TEST(ValueAnalysis, WritesChangeWhatAStorageHolds) {
  const Row kRows[] = {
      // The view sees the write to all of its base.
      {"x: f32[4]\na = zeros([4], i64)\nv = view(a, [2, 2])\nf = fill_.Scalar(a, 7)\ny = add.Tensor(v, 1)", "8!..8!"},
      // A write to a part joins.
      {"x: f32[4]\na = zeros([4], i64)\nv = slice.Tensor(a, 0, 0, 2)\nf = fill_.Scalar(v, 7)\ny = clone(a)", "0..7"},
      // Nothing is known after an operator without a transfer function.
      {"x: f32[4]\na = zeros([4], i64)\ni = arange(4)\nf = index_add_(a, 0, i, i)\ny = clone(a)", ".."},
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

std::string UsesOf(std::string_view text, const std::vector<ValueBounds>& values = {}) {
  const Analyzed run(text, values);
  std::string uses;
  for (const IndexUse& use : run.ranges().uses) {
    uses += uses.empty() ? "" : "; ";
    switch (use.verdict) {
      case IndexUse::Verdict::kSafe: uses += "safe"; break;
      case IndexUse::Verdict::kFails: uses += "fails: " + UseText(use, run.ranges()); break;
      case IndexUse::Verdict::kFailsForSome: uses += "some: " + UseText(use, run.ranges()); break;
      case IndexUse::Verdict::kRestsOnInput: uses += "rests"; break;
      case IndexUse::Verdict::kUnknown: uses += "unknown"; break;
    }
  }
  for (const ValueDemand& demand : DemandsOnValues(run.analysis)) uses += "; needs " + DemandText(demand);
  return uses;
}

struct UseRow {
  std::string graph;
  std::vector<ValueBounds> values;
  std::string_view expected;
};

TEST(ValueAnalysis, UsesOfIndices) {
  const std::string positions = "w: f32[1024,8]\nx: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\n";
  const UseRow kRows[] = {
      {"y = embedding(w, a)", {}, "some: indices go to t - 1; the table `w` has 1,024 rows: t at most 1,024"},
      {"b = add.Tensor(a, 2)\ny = embedding(w, b)", {},
          "some: indices go to t + 1; the table `w` has 1,024 rows: t at most 1,022"},
      {"b = clamp(a, None, 1023)\ny = embedding(w, b)", {}, "safe"},
      {"b = clamp(a, None, 1024)\ny = embedding(w, b)", {},
          "some: indices go to Min(t - 1, 1024); the table `w` has 1,024 rows: `Min(t - 1, 1024) <= 1023`"},
      {"b = sub.Tensor(a, 1)\ny = embedding(w, b)", {}, "fails: indices go down to -1; the table `w` has 1,024 rows"},
      {"y = index_select(x, 0, a)", {}, "safe"},
      {"y = index.Tensor(w, [a])", {}, "some: indices go to t - 1; dimension 0 of `w` has size 1,024: t at most 1,024"},
      {"b = neg(a)\nc = sub.Tensor(b, 1)\ny = index.Tensor(x, [c])", {}, "safe"},
      {"b = full([4], 1024)\ny = embedding(w, b)", {}, "fails: indices go to 1,024; the table `w` has 1,024 rows"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(positions + std::string(graph) + "\nreturn y", values), expected) << graph;
}

TEST(ValueAnalysis, UsesOfInputs) {
  const UseRow kRows[] = {
      {"w: f32[10,8]\nx: i64[5]\ny = embedding(w, x)", {}, "rests; needs `x` from 0 to 9"},
      {"w: f32[10,8]\nx: i64[5]\na = add.Tensor(x, 2)\ny = embedding(w, a)", {}, "rests; needs `x` from -2 to 7"},
      {"w: f32[10,8]\nx: i64[5]\ny = embedding(w, x)", {{}, {0, 9}}, "safe"},
      {"w: f32[10,8]\nx: i64[5]\ny = embedding(w, x)", {{}, {0, 10}},
          "some: indices may be 10; the table `w` has 10 rows"},
      {"x: f32[5,10]\nt: i64[5]\ny = nll_loss(x, t)", {}, "rests; needs `t` from 0 to 9, or -100"},
      {"x: f32[5,10]\nt: i64[5]\ny = nll_loss(x, t)", {{}, {0, 10}}, "some: labels may be 10; `x` has 10 classes"},
      {"x: f32[5,10]\nt: i64[5]\ny = cross_entropy_loss(x, t)", {{}, {0, 9}}, "safe"},
      {"x: f32[5,10]\ni: i64[5,3]\ny = gather(x, 1, i)", {{}, {0, 9}}, "safe"},
      {"x: f32[5,10]\ni: i64[5,3]\ny = gather(x, 0, i)", {{}, {0, 9}},
          "some: indices may be 9; dimension 0 of `x` has size 5"},
      {"x: i64[5]\ny = one_hot(x, 4)", {{0, 3}}, "safe"},
      {"x: i64[5]\ny = bincount(x)", {{-1, 3}}, "some: indices may be -1; they have to be 0 or more"},
      {"x: f32[5,10]\nm: b8[5]\ny = index.Tensor(x, [m])", {}, ""},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(std::string(graph) + "\nreturn y", values), expected) << graph;
}

TEST(ValueAnalysis, PythonFunctionsCallOperators) {
  const std::string table = "w: f32[10,8]\nx: i64[5]\n";
  const UseRow kRows[] = {
      {"y = torch.nn.functional.embedding(x, w)", {{}, {0, 10}}, "some: indices may be 10; the table `w` has 10 rows"},
      {"y = torch.nn.functional.embedding(x, w)", {}, "rests; needs `x` from 0 to 9"},
      {"a = torch.clamp(x, 0, 9)\nb = torch.flip(a, [0])\ny = torch.nn.functional.embedding(b, w)", {}, "safe"},
      {"a = torch.zeros_like(x)\nb = torch.add(a, 10)\ny = torch.nn.functional.embedding(b, w)", {},
          "fails: indices go to 10; the table `w` has 10 rows"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(table + std::string(graph) + "\nreturn y", values), expected) << graph;
}

// Mistakes that programs make, each with the message that says it.
TEST(ValueAnalysis, FindsMistakes) {
  const std::string relative = "w: f32[15,2]\na = arange(8)\nb = unsqueeze(a, 1)\nc = sub.Tensor(a, b)\n";
  const UseRow kRows[] = {
      {"w: f32[10,8]\nx: i64[5]\nm: b8[5]\na = masked_fill.Scalar(x, m, 10)\ny = embedding(w, a)", {{}, {0, 9}},
          "some: indices may be 10; the table `w` has 10 rows"},
      {"w: f32[10,8]\nx: i64[5]\nm: b8[5]\nf = full([5], 10)\na = where.self(m, f, x)\ny = embedding(w, a)",
          {{}, {0, 9}}, "some: indices may be 10; the table `w` has 10 rows"},
      {"w: f32[10,8]\nx: i64[5]\nf = full([2], 10)\na = cat([x, f])\ny = embedding(w, a)", {{}, {0, 9}},
          "fails: indices go to 10; the table `w` has 10 rows"},
      {relative + "d = add.Tensor(c, 8)\ny = embedding(w, d)", {},
          "fails: indices go to 15; the table `w` has 15 rows"},
      {relative + "d = add.Tensor(c, 7)\ny = embedding(w, d)", {}, "safe"},
      {relative + "y = embedding(w, c)", {}, "fails: indices go down to -7; the table `w` has 15 rows"},
      {relative + "d = clamp(c, -4, 4)\ne = add.Tensor(d, 3)\ny = embedding(w, e)", {},
          "fails: indices go down to -1; the table `w` has 15 rows"},
      {"w: f32[50000,8]\nx: i64[2,77]\ny = embedding(w, x)", {{}, {0, 50256}},
          "some: indices may be 50,256; the table `w` has 50,000 rows"},
      {"w: f32[513,8]\na = ones([1, 512], i64)\nb = cumsum(a, 1)\nc = add.Tensor(b, 1)\ny = embedding(w, c)", {},
          "fails: indices go to 513; the table `w` has 513 rows"},
      {"w: f32[2,8]\na = full([4], 2)\ny = embedding(w, a)", {}, "fails: indices go to 2; the table `w` has 2 rows"},
      {"x: f32[5,10]\nf = full([5], 10)\ny = cross_entropy_loss(x, f)", {},
          "fails: labels go to 10; `x` has 10 classes"},
      {"x: f32[5,10]\nf = full([5], -100)\ny = cross_entropy_loss(x, f)", {}, "safe"},
      {"x: f32[5,10]\nf = full([5], -1)\ny = nll_loss(x, f)", {}, "fails: labels go down to -1; `x` has 10 classes"},
      {"x: f32[5,10]\nn: i64[5,1]\ny = gather(x, 1, n)", {{}, {1, 10}},
          "some: indices may be 10; dimension 1 of `x` has size 10"},
      {"x: f32[2,77]\nn = arange(78)\ns = slice.Tensor(n, 0, 77, 78)\ny = index_select(x, 1, s)", {},
          "some: indices go to 77; dimension 1 of `x` has size t: t at least 78"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\nb = neg(a)\nc = sub.Tensor(b, 2)\ny = index.Tensor(x, [c])",
          {}, "fails: indices go down to -t - 1; dimension 0 of `x` has size t"},
      {"x: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\nb = add.Tensor(a, 1)\ny = index_select(x, 0, b)", {},
          "fails: indices go to t; dimension 0 of `x` has size t"},
      {"x: i64[5]\ny = one_hot(x, 3)", {{0, 3}}, "some: labels may be 3; there are 3 classes"},
      {"x: f32[4]\nn = full([1], 4)\ny = take(x, n)", {}, "fails: indices go to 4; `x` has 4 elements"},
      {"x: f32[3,4]\nn = arange(4)\nm = unsqueeze(n, 0)\ny = scatter.value(x, 0, m, 1.0)", {},
          "fails: indices go to 3; dimension 0 of `x` has size 3"},
      {"x: i64[3,77]\nw: f32[514,2]\nm = ne.Scalar(x, 1)\ni = to.dtype(m, i32)\nc = cumsum(i, 1)\np = mul.Tensor(c, "
       "i)\n"
       "q = add.Tensor(p, 1)\ny = embedding(w, q)",
          {}, "some: indices may be t + 1; the table `w` has 514 rows: t at most 512"},
      {"x: i64[3,77]\nw: f32[514,2]\nm = ne.Scalar(x, 1)\nc = cumsum(m, 1)\ny = embedding(w, c)", {{0, 1000}},
          "some: indices may be t; the table `w` has 514 rows: t at most 513"},
      {"x: f32[4]\nr = full([4], 2)\ny = repeat_interleave.Tensor(r, 7)", {},
          "safe; fails: sums of repeats go to 8; `output_size` is 7"},
      {"x: f32[4]\nr = full([4], 2)\ny = repeat_interleave.Tensor(r, 8)", {}, "safe; safe"},
      {"w: f32[4,6,2]\nx: i64[4]\ny = _pack_padded_sequence(w, x, True)", {{}, {1, 7}},
          "some: numbers may be 7; they have to be from 1 to 6"},
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {0, 6}},
          "some: numbers may be 6; they have to be from -9 to 5"},
      {"x: f32[4]\nr = full([4], -1)\ny = repeat_interleave.Tensor(r)", {},
          "fails: indices go down to -1; they have to be 0 or more"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(std::string(graph) + "\nreturn y", values), expected) << graph;
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
  };
  for (const auto& [graph, expected] : kRows) EXPECT_EQ(RangeOfY(std::string(graph) + "\nreturn y"), expected) << graph;
}

// The range of the number u0, which the graph takes from data.
std::string RangeOfNumber(std::string_view text, const std::vector<ValueBounds>& values) {
  Analyzed run(text, values);
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
  const Analyzed run("x: f32[8]\np: i64[1]\na = clamp(p, 0, 8)\nn = item(a)\ny = slice.Tensor(x, 0, 0, n)\nreturn y");
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
  for (const auto& ops : {OperatorsWithTransfer(), OperatorsWithIndices()})
    for (const std::string_view op : ops) {
      const std::string name = "aten::" + std::string(op);
      EXPECT_TRUE(known.contains(name)) << op;
    }
}

}  // namespace
}  // namespace fakeprop
