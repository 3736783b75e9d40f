// Calls that write where they read: which of them eager refuses. torch 2.13: at::assert_no_overlap,
// at::assert_no_partial_overlap, TensorIteratorBase::compute_mem_overlaps.
#include <gtest/gtest.h>

#include "lib/interpreter/testing/applied_call.h"

namespace fakeprop {
namespace {

enum class Answer { kTaken, kRefused };
using enum Answer;

// The written tensor lies in the storage of the one that is read, from `offset` on.
struct SharedCase {
  const char* call;
  size_t read, written;
  int64_t offset;
  Answer answer;
};

Answer AnswerTo(const SharedCase& c) {
  AppliedCall call(c.call);
  call.tensor(c.written).storage = call.tensor(c.read).storage;
  call.tensor(c.written).meta.storage_offset = c.offset;
  const std::string text = call.Text();
  if (text.find("single memory location") != std::string::npos) return kRefused;
  EXPECT_NE(text[0], '!') << c.call << ": " << text;
  return kTaken;
}

template <size_t N>
void Check(const SharedCase (&cases)[N]) {
  for (const SharedCase& c : cases) EXPECT_EQ(AnswerTo(c), c.answer) << c.call << " at offset " << c.offset;
}

// Iterators look at the out tensor that they are given.
TEST(SharedMemory, IteratorsWriteToNoPartOfWhatTheyRead) {
  static constexpr SharedCase kCases[] = {
      {"hardswish.out(f32[5,3], out=f32[5,3])", 0, 1, 0, kTaken},
      {"hardswish.out(f32[5,3], out=f32[2,5,3])", 0, 1, 0, kRefused},
      {"hardswish.out(f32[5,3], out=f32[0])", 0, 1, 1, kTaken},
      {"mse_loss.out(f32[5,3], f32[5,3], 0, out=f32[5,3])", 1, 2, 1, kRefused},
      {"mse_loss.out(f32[5,3], f32[5,3], 1, out=f32[])", 0, 1, 0, kTaken},
      {"mse_loss.out(f32[5,3], f32[5,3], 1, out=f32[])", 0, 2, 0, kRefused},
      {"huber_loss.out(f32[5,3], f32[5,3], 0, 1.0, out=f32[5,3])", 0, 2, 1, kRefused},
      {"binary_cross_entropy.out(f32[5,3], f32[5,3], None, 0, out=f32[5,3])", 1, 2, 1, kRefused},
      {"binary_cross_entropy.out(f32[5,3], f32[5,3], None, 0, out=f32[5,3])", 1, 2, 0, kTaken},
      {"binary_cross_entropy.out(f32[5,3], f32[5,3], None, 0, out=f32[1,5,3])", 1, 2, 0, kTaken},
      {"soft_margin_loss.out(f32[5,3], f32[5,3], 0, out=f32[5,3])", 0, 2, 1, kRefused},
      {"normal.Tensor_float_out(f32[5,3], 2.0, out=f32[5,3])", 0, 1, 1, kRefused},
      {"ger.out(f32[5], f32[4], out=f32[5,4])", 0, 2, 0, kRefused},
      {"ger.out(f32[5], f32[1], out=f32[5,1])", 0, 2, 0, kTaken},
      {"addr_(i64[5,4], i64[5], i64[4])", 1, 0, 0, kRefused},
      {"addr.out(f32[4], f32[5], f32[4], out=f32[5,4])", 0, 3, 0, kTaken},
      {"__iand__.Tensor(i64[3], i64[3])", 1, 0, 1, kRefused},
      {"__ilshift__.Tensor(i64[3], i64[3])", 1, 0, 1, kRefused},
      {"inner.out(f32[], f32[3,4], out=f32[3,4])", 0, 2, 0, kRefused},
      {"inner.out(f32[5,3], f32[4,3], out=f32[5,4])", 0, 2, 1, kTaken},
  };
  Check(kCases);
}

TEST(SharedMemory, OthersLookAtTheOutTensorOfItsNewSize) {
  static constexpr SharedCase kCases[] = {
      {"sort.values(f32[5,3], 1, values=f32[5,3], indices=i64[5,3])", 0, 1, 0, kTaken},
      {"sort.values(f32[5,3], 1, values=f32[0], indices=i64[5,3])", 0, 1, 1, kRefused},
      {"sort.values(f32[5,3], 1, values=f32[2,5,3], indices=i64[5,3])", 0, 1, 0, kTaken},
      {"sort.values(i64[5,3], 1, values=i64[5,3], indices=i64[5,3])", 0, 2, 1, kTaken},
      {"msort.out(f32[5,3], out=f32[5,3])", 0, 1, 1, kRefused},
      {"topk.values(f32[5,3], 2, 1, values=f32[5,2], indices=i64[5,2])", 0, 1, 0, kRefused},
      {"topk.values(i64[5,3], 3, 1, values=i64[5,3], indices=i64[5,3])", 0, 2, 1, kRefused},
      {"max.dim_max(f32[5,3], 1, True, max=f32[5,1], max_values=i64[5,1])", 0, 1, 0, kRefused},
      {"max.dim_max(f32[5,1], 1, True, max=f32[5,1], max_values=i64[5,1])", 0, 1, 0, kTaken},
      {"mode.values(f32[5,3], 1, values=f32[5], indices=i64[5])", 0, 1, 1, kRefused},
      {"nanmedian.dim_values(f32[5,3], 1, values=f32[5], indices=i64[5])", 0, 1, 1, kRefused},
      {"nanmedian.dim_values(f32[5,1], 1, values=f32[5], indices=i64[5])", 0, 1, 0, kTaken},
      {"median.dim_values(f32[1], 0, values=f32[], indices=i64[])", 0, 1, 0, kTaken},
      {"mode.values(f32[5,1], 1, values=f32[5], indices=i64[5])", 0, 1, 0, kTaken},
      {"aminmax.out(f32[5,3], dim=1, min=f32[5], max=f32[5])", 0, 2, 0, kRefused},
      {"aminmax.out(f32[5,3], min=f32[], max=f32[])", 0, 1, 0, kTaken},
      {"cumsum.out(f32[5,3], 1, out=f32[0])", 0, 1, 1, kRefused},
      {"logcumsumexp.out(f32[5,3], 1, out=f32[5,3])", 0, 1, 1, kRefused},
      {"_logcumsumexp.out(f32[5,3], 1, out=f32[0])", 0, 1, 0, kTaken},
      {"normal.float_Tensor_out(2.0, f32[5,3], out=f32[0])", 0, 1, 1, kRefused},
      {"normal.Tensor_Tensor_out(f32[5,3], f32[3], out=f32[5,3])", 1, 2, 0, kRefused},
      {"kron.out(f32[2,3], f32[2,2], out=f32[4,6])", 0, 2, 0, kRefused},
      {"kron.out(f32[2,3], f32[1,1], out=f32[2,3])", 0, 2, 0, kTaken},
  };
  Check(kCases);
}

TEST(SharedMemory, SomeReadNothingThatTheyWrite) {
  static constexpr SharedCase kCases[] = {
      {"cat.out([f32[5], f32[5]], 0, out=f32[0])", 0, 2, 1, kRefused},
      {"stack.out([b8[], b8[]], 0, out=b8[2,2]{0,0})", 0, 2, 0, kRefused},
      {"hstack.out([f32[5], f32[5]], out=f32[10])", 1, 2, 0, kRefused},
      {"column_stack.out([f32[5], f32[5]], out=f32[5,2])", 0, 2, 0, kRefused},
      {"_stack.out([f32[5], f32[5]], out=f32[2,5])", 0, 2, 0, kRefused},
      {"_stack.out([f32[5], f32[5]], out=f32[0])", 0, 2, 1, kTaken},
      {"index.Tensor_out(f32[5,3], [i64[5]], out=f32[5,3])", 0, 2, 0, kRefused},
      {"index.Tensor_out(f32[5,3], [i64[5]], out=f32[0])", 0, 2, 1, kTaken},
      {"take.out(f32[5], i64[5], out=f32[0])", 0, 2, 1, kTaken},
      {"kthvalue.values(f32[5,1], 1, 1, True, values=f32[5,1], indices=i64[5,1])", 0, 1, 0, kRefused},
      {"kthvalue.values(i64[5,1], 1, 1, True, values=i64[5,1], indices=i64[5,1])", 0, 2, 0, kTaken},
      {"linalg_cross.out(f32[2,3], f32[2,3], out=f32[2,3])", 1, 2, 0, kRefused},
      {"gather.out(i64[5,3], 1, i64[5,3], out=i64[5,3])", 1, 2, 1, kRefused},
      {"scatter.value_out(f32[5,3], 1, i64[5,3], 0, out=f32[5,3])", 0, 2, 1, kRefused},
      {"scatter.value_out(f32[5,3], 1, i64[5,3], 0, out=f32[5,3])", 0, 2, 0, kTaken},
      {"index_copy.out(f32[5,3], 0, i64[5], f32[5,3], out=f32[5,3])", 0, 3, 1, kRefused},
      {"scatter_reduce.two_out(f32[5,3], 1, i64[5,3], f32[5,3], \"sum\", out=f32[0])", 0, 3, 1, kRefused},
  };
  Check(kCases);
}

TEST(SharedMemory, SomeCopyOneOperandFirst) {
  static constexpr SharedCase kCases[] = {
      {"addmm.out(f32[5,4], f32[5,3], f32[3,4], out=f32[5,4])", 0, 3, 1, kRefused},
      {"addmm.out(f32[5,4], f32[5,3], f32[3,4], out=f32[5,4])", 0, 3, 0, kTaken},
      {"addmm.out(f32[5,4], f32[5,3], f32[3,4], beta=0, out=f32[5,4])", 0, 3, 1, kTaken},
      {"addmm.out(f32[4], f32[5,3], f32[3,4], out=f32[5,4])", 0, 3, 1, kTaken},
      {"addmm.out(f32[5,3], f32[5,3], f32[3,3], out=f32[5,3])", 1, 3, 1, kTaken},
      {"addmv.out(f32[5], f32[5,3], f32[3], out=f32[0])", 0, 3, 1, kRefused},
      {"baddbmm.out(f32[2,3,3], f32[2,3,3], f32[2,3,3], out=f32[2,3,3])", 0, 3, 1, kRefused},
      {"baddbmm_(f32[2,3,3], f32[2,3,3], f32[2,3,3])", 1, 0, 1, kTaken},
      {"addbmm.out(f32[3,3], f32[2,3,3], f32[2,3,3], out=f32[3,3])", 0, 3, 1, kRefused},
      {"addbmm.out(f32[3], f32[2,3,3], f32[2,3,3], out=f32[3,3])", 0, 3, 1, kTaken},
      {"linalg_matrix_power.out(f32[3,3], 3, out=f32[3,3])", 0, 1, 1, kTaken},
      {"linalg_matrix_power.out(f32[3,3], 1, out=f32[3,3])", 0, 1, 1, kRefused},
      {"chain_matmul.out([f32[3,3], f32[3,3]], out=f32[3,3])", 0, 2, 1, kTaken},
      {"chain_matmul.out([f32[3,3]], out=f32[3,3])", 0, 1, 1, kRefused},
      {"diff.out(f32[5,3], 0, -1, out=f32[5,3])", 0, 1, 1, kRefused},
      {"diff.out(f32[5,3], 1, -1, out=f32[5,2])", 0, 1, 1, kTaken},
      {"mvlgamma.out(f32[5,3], 1, out=f32[5,3])", 0, 1, 1, kTaken},
      {"ldexp_(f32[3], f32[3])", 1, 0, 1, kTaken},
      {"ldexp.out(f32[5,3], f32[5,3], out=f32[5,3])", 0, 2, 1, kRefused},
  };
  Check(kCases);
}

// The running statistics that are written are no out tensors that were resized.
TEST(SharedMemory, StatisticsAreOutTensorsToo) {
  AppliedCall call("batch_norm_update_stats.out(f32[2,1,4], f32[3], f32[3], 0.1, out0=f32[3], out1=f32[3])");
  EXPECT_EQ(call.WithTheSame(1, 4).WithTheSame(1, 5).Text(), "f32[1]; f32[1]");
}

// MathBitFallback hands kernels copies of conjugated and negated views.
TEST(SharedMemory, BitsAreAppliedToCopies) {
  const auto answer = [](const char* text, size_t bits) {
    AppliedCall call(text);
    call.tensor(1).storage = call.tensor(0).storage;
    call.tensor(1).meta.storage_offset = 1;
    call.tensor(bits).meta.is_neg = true;
    return call.Text().find("single memory location") != std::string::npos ? kRefused : kTaken;
  };
  EXPECT_EQ(answer("add_.Tensor(f32[3], f32[3])", 0), kTaken);
  EXPECT_EQ(answer("add_.Tensor(f32[3], f32[3])", 1), kTaken);
  EXPECT_EQ(answer("cat.out([f32[3]], 0, out=f32[3])", 1), kTaken);
  EXPECT_EQ(answer("copy_(f32[3], f32[3])", 0), kRefused);
}

// The answer to a call with tensors whose negation is pending.
std::string WithNegated(const char* text, std::initializer_list<size_t> negated) {
  AppliedCall call(text);
  for (size_t i : negated) call.tensor(i).meta.is_neg = true;
  return call.Text();
}

bool Refuses(const char* text, std::initializer_list<size_t> negated, const char* words) {
  return WithNegated(text, negated).find(words) != std::string::npos;
}

TEST(SharedMemory, BitsAreAppliedToOneWrittenTensorAndToNoList) {
  constexpr const char *kNoList = "mutable TensorLists", *kOne = "more than one mutable tensor";
  EXPECT_TRUE(Refuses("_foreach_add_.List([f32[3]], [f32[3]])", {0}, kNoList));
  EXPECT_EQ(WithNegated("_foreach_add_.List([f32[3]], [f32[3]])", {1}), "None");
  EXPECT_TRUE(Refuses("_foreach_neg.out([f32[3]], out=[f32[3]])", {1}, kNoList));
  EXPECT_TRUE(Refuses("sort.values(f32[3], 0, values=f32[3], indices=i64[3])", {1, 2}, kOne));
  EXPECT_EQ(WithNegated("sort.values(f32[3], 0, values=f32[3], indices=i64[3])", {1}), "f32[3]; i64[3]");
}

TEST(SharedMemory, OnlyTheCopyBackLooksAtTheElementsOfANegatedOutTensor) {
  EXPECT_EQ(WithNegated("digamma.out(b8[1,0,3], out=f32[2,3,4]{0,4,1})", {1}), "f32[1, 0, 3]");
  EXPECT_TRUE(Refuses("digamma.out(f32[2,3,4], out=f32[2,3,4]{0,4,1})", {1}, "single memory location"));
  EXPECT_TRUE(Refuses("resize_as_(f32[3]{0}, f32[3])", {0}, "single memory location"));
  EXPECT_EQ(WithNegated("resize_as_(f32[3]{0}, f32[2])", {0}), "f32[2]");
}

TEST(SharedMemory, AResizedOutTensorKeepsItsBits) {
  AppliedCall call("linspace.out(0, 1, 4, out=f32[3])");
  call.tensor(0).meta.is_neg = true;
  EXPECT_EQ(call.Text(), "f32[4]");
  EXPECT_TRUE(call.tensor(0).meta.is_neg);
}

TEST(SharedMemory, BoolsAreNotNegated) {
  for (const char* call : {"sum(b8[3])", "clone(b8[3])", "zeros_like(b8[3])", "to.dtype(b8[3], float32)",
           "logical_not_(b8[3])", "contiguous(b8[3]{2})", "copy_(b8[3], f32[3])", "cat([b8[3]])"})
    EXPECT_TRUE(Refuses(call, {0}, "neg_cpu")) << call;
  for (const char* call : {"sum(b8[0])", "empty_like(b8[3])", "contiguous(b8[3])", "t(b8[3])", "t_(b8[3])",
           "_unsafe_view(b8[3], [3])", "copy_(b8[0], b8[0])", "sum(i64[3])"})
    EXPECT_NE(WithNegated(call, {0})[0], '!') << call;
  EXPECT_EQ(WithNegated("copy_(b8[3], b8[3])", {0, 1}), "b8[3]");
  EXPECT_EQ(WithNegated("copy_(f32[3], b8[3])", {1}), "f32[3]");
}

TEST(SharedMemory, RanksAreCountedOnceTheOutTensorHasItsSize) {
  EXPECT_EQ(AppliedCall("linalg_matrix_rank.out(f32[5,3], 2.0, out=f32[5,3])").WithTheSame(0, 2).Text()[0], '!');
  const char* tolerance = "linalg_matrix_rank.atol_rtol_tensor_out(f64[2,3], atol=f64[3,5], out=f64[3,5])";
  EXPECT_EQ(AppliedCall(tolerance).WithTheSame(1, 2).Text(), "f64[]");
}

}  // namespace
}  // namespace fakeprop
