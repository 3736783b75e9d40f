#include "lib/value_ranges/index_use.h"

#include <gtest/gtest.h>

#include "lib/value_ranges/index_errors.h"
#include "lib/value_ranges/testing/analyzed_graph.h"
#include "lib/value_ranges/use_text.h"

namespace fakeprop {
namespace {

using testing::AnalyzedGraph;

std::string UsesOf(std::string_view text, const std::vector<ValueBounds>& values = {}) {
  const AnalyzedGraph run(text, values);
  EXPECT_TRUE(run.annotations.diagnostics.empty()) << text << ": " << run.annotations.diagnostics.front().message;
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

struct MistakeRow {
  std::string graph;
  std::vector<ValueBounds> values;
  std::string_view expected;
};

TEST(IndexUse, UsesOfIndices) {
  const std::string positions = "w: f32[1024,8]\nx: f32[77]\ns = sym_size.int(x, 0)\na = arange(s)\n";
  const MistakeRow kRows[] = {
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

TEST(IndexUse, UsesOfInputs) {
  const MistakeRow kRows[] = {
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
      {"w: f32[6]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 2)", {{}, {-5, -1}}, "unknown"},
      {"w: f32[6]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 2)", {{}, {-1, -1}},
          "fails: numbers go down to -1; they have to be from 0 to 4"},
      {"x: i64[5]\ny = bincount(x)", {{-1, 3}}, "some: indices may be -1; they have to be 0 or more"},
      {"x: f32[5,10]\nm: b8[5]\ny = index.Tensor(x, [m])", {}, ""},
      // Labels that are known no more.
      {"x: f32[5,10]\nf = full([5], -100)\ng = fill_.Scalar(f, 99)\ny = cross_entropy_loss(x, f)", {},
          "fails: labels go to 99; `x` has 10 classes"},
      // A start that counts from the end has to leave room for the length.
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {0, 5}}, "safe"},
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {-9, -4}}, "safe"},
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {-1, 5}},
          "some: numbers may be -1; they have to be from 0 to 5"},
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {-4, 5}}, "rests; needs `x` from 0 to 5"},
      // One number of repeats is for all elements.
      {"x: f32[4]\nr = full([1], 2)\ny = repeat_interleave.self_Tensor(x, r, 0, 8)", {}, "safe; safe"},
      {"x: f32[4]\nr = full([1], 2)\ny = repeat_interleave.self_Tensor(x, r, 0, 9)", {},
          "safe; fails: sums of repeats go down to 8; `output_size` is 9"},
      // Some kernels look at indices of a table without elements.
      {"x: f32[5,0]\ni = full([1], 9)\ny = index_select(x, 0, i)", {}, "unknown"},
      {"x: f32[5,10]\nt: i64[5]\ny = multi_margin_loss(x, t)", {{}, {0, 10}},
          "some: labels may be 10; `x` has 10 classes"},
      {"x: f32[5,10]\nt: i64[5,10]\ny = multilabel_margin_loss(x, t)", {{}, {-1, 10}},
          "some: labels may be 10; `x` has 10 classes"},
      {"k: f32[9,2,5]\nt: i64[2,4]\ni: i64[2]\nl: i64[2]\ny = ctc_loss.Tensor(k, t, i, l)",
          {{}, {0, 4}, {0, 9}, {0, 5}}, "safe; some: numbers may be 5; they have to be from 0 to 4; safe"},
      {"p: f32[1,1,2]\ni: i64[1,1,2]\ny = max_unpool2d(p, i, [1, 4])", {{}, {0, 4}},
          "some: indices may be 4; there are 4"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(std::string(graph) + "\nreturn y", values), expected) << graph;
}

TEST(IndexUse, PythonFunctionsCallOperators) {
  const std::string table = "w: f32[10,8]\nx: i64[5]\n";
  const MistakeRow kRows[] = {
      {"y = torch.nn.functional.embedding(x, w)", {{}, {0, 10}}, "some: indices may be 10; the table `w` has 10 rows"},
      {"y = torch.nn.functional.embedding(x, w)", {}, "rests; needs `x` from 0 to 9"},
      {"a = torch.clamp(x, 0, 9)\nb = torch.flip(a, [0])\ny = torch.nn.functional.embedding(b, w)", {}, "safe"},
      {"a = torch.zeros_like(x)\nb = torch.add(a, 10)\ny = torch.nn.functional.embedding(b, w)", {},
          "fails: indices go to 10; the table `w` has 10 rows"},
      {"a = torch.add(x, 2)\ny = _operator.getitem(w, a)", {{}, {0, 8}},
          "some: indices may be 10; dimension 0 of `w` has size 10"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(table + std::string(graph) + "\nreturn y", values), expected) << graph;
}

// Lists of TorchScript are values of nodes.
TEST(IndexUse, ListsOfOtherNodes) {
  const MistakeRow kRows[] = {
      {"x: f32[9,3]\na = arange(4, None, None, None, None)\nl = prim::ListConstruct(None, a)\ny = index.Tensor(x, l)",
          {}, "fails: indices go to 3; dimension 1 of `x` has size 3"},
      {"x: f32[3,9]\na = arange(4, None, None, None, None)\nl = prim::ListConstruct(None, a)\ny = index.Tensor(x, l)",
          {}, "safe"},
      // A list that changes may hold something else by then.
      {"x: f32[3,9]\na = arange(2, None, None, None, None)\nb = arange(2, None, None, None, None)\n"
       "l = prim::ListConstruct(a)\nm = torch.ops.aten.append.t(l, b)\ny = index.Tensor(x, l)",
          {}, "unknown"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(std::string(graph) + "\nreturn y", values), expected) << graph;
}

// Mistakes that programs make, each with the message that says it.
TEST(IndexUse, FindsMistakes) {
  const std::string relative = "w: f32[15,2]\na = arange(8)\nb = unsqueeze(a, 1)\nc = sub.Tensor(a, b)\n";
  const MistakeRow kRows[] = {
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
      {"x: i64[4]\nr = add.Tensor(x, 9223372036854775800)\ny = repeat_interleave.Tensor(r)", {{-8, 0}}, "unknown"},
      {"x: i64[4]\nr = add.Tensor(x, 9223372036854775800)\ny = repeat_interleave.self_Tensor(x, r, 0)", {{-8, 0}},
          "unknown"},
      {"x: f32[4]\nr = full([4], 2)\ny = repeat_interleave.Tensor(r, 7)", {},
          "safe; fails: sums of repeats go to 8; `output_size` is 7"},
      {"x: f32[4]\nr = full([4], 2)\ny = repeat_interleave.Tensor(r, 8)", {}, "safe; safe"},
      {"w: f32[4,6,2]\nx: i64[4]\ny = _pack_padded_sequence(w, x, True)", {{}, {1, 7}},
          "some: numbers may be 7; they have to be from 1 to 6"},
      {"w: f32[9]\nx: i64[]\ny = narrow.Tensor(w, 0, x, 4)", {{}, {0, 6}},
          "some: numbers may be 6; they have to be from 0 to 5"},
      {"x: f32[4]\nr = full([4], -1)\ny = repeat_interleave.Tensor(r)", {},
          "fails: indices go down to -1; they have to be 0 or more"},
  };
  for (const auto& [graph, values, expected] : kRows)
    EXPECT_EQ(UsesOf(std::string(graph) + "\nreturn y", values), expected) << graph;
}

}  // namespace
}  // namespace fakeprop
