#include "lib/interpreter/apply.h"

#include <gtest/gtest.h>

#include "lib/interpreter/testing/applied_call.h"
#include "lib/interpreter/testing/written_graph.h"

namespace fakeprop {
namespace {

TEST(Apply, MakesResultsOnStoragesOfTheirOwn) {
  AppliedCall call("add.Tensor(f32[2,3], f32[3])");
  const Tensor* sum = call.Run().TryTensor();
  EXPECT_EQ(testing::TensorText(sum->meta), "f32[2,3]");
  EXPECT_EQ(sum->storage->nbytes.ToString(), "24");
  EXPECT_NE(sum->storage, call.tensor(0).storage);
}

TEST(Apply, ResultsRequireGradWhereAnInputDoes) {
  EXPECT_EQ(AppliedCall("add.Tensor(f32[3], f32[3])").Text(), "f32[3]");
  EXPECT_EQ(AppliedCall("add.Tensor(f32[3], f32[3])").Grad(1).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("add.Tensor(f32[3], f32[3])").Grad(1).NoGrad().Text(), "f32[3]");
  EXPECT_EQ(AppliedCall("cat([f32[3], f32[3]])").Grad(1).Text(), "f32[6] grad");
}

TEST(Apply, AMatrixThatRequiresGradIsMultipliedByAllBatchesAtOnce) {
  EXPECT_EQ(AppliedCall("matmul(f32[0,3], b8[5,3,0])").Text(), "b8[5, 0, 0]");
  EXPECT_EQ(AppliedCall("matmul(f32[0,3], b8[5,3,0])").Grad(0).Text()[0], '!');
}

TEST(Apply, AProductOfNothingKeepsItsStorage) {
  AppliedCall call("addmv(f32[1], f32[3,0], f32[0])");
  const Tensor* sum = call.Run().TryTensor();
  EXPECT_EQ(testing::TensorText(sum->meta), "f32[1]");
  EXPECT_EQ(sum->storage->nbytes.ToString(), "12");
}

TEST(Apply, TheGreatestNormOfNothingIsNotRecorded) {
  for (const char* call : {"linalg_matrix_norm(f32[0,3], 2)", "linalg_matrix_norm(f32[3,0], 1)",
           "linalg_norm(f32[0,3], inf)", "linalg_matrix_norm(f32[5,0,3], 1, [2,1])"})
    EXPECT_EQ(AppliedCall(call).Grad(0).Text().find("grad"), std::string::npos) << call;
  EXPECT_EQ(AppliedCall("linalg_matrix_norm(f32[0,3], 1)").Grad(0).Text(), "f32[] grad");
}

TEST(Apply, RunningStatisticsAreWrittenBelowAutograd) {
  const std::string call = "batch_norm_update_stats.out(f32[2,3], f32[3], f32[3], 0.1, out0=f32[3], out1=f32[3])";
  EXPECT_EQ(AppliedCall(call).Grad(2).Text(), "f32[3] grad; f32[3] grad");
  EXPECT_EQ(AppliedCall(call).Grad(3).Text().substr(0, 1), "!");
}

TEST(Apply, RunningStatisticsOfRecordedOutFormsAreNoLeaves) {
  const std::string call =
      "_native_batch_norm_legit.out(f32[2,3], None, None, f32[3], f32[3], True, 0.1, 1e-05, out=f32[2,3], "
      "save_mean=f32[3], save_invstd=f32[3])";
  EXPECT_EQ(AppliedCall(call).Grad(1).Text()[0], '!');
  EXPECT_EQ(AppliedCall(call).Inner(1).Text(), "f32[2, 3] grad; f32[3] grad; f32[3] grad");
}

TEST(Apply, OnlyTheFirstOutTensorThatIsRecordedMayBeAView) {
  for (const int out : {5, 6}) {
    AppliedCall call(
        "_batch_norm_no_update.out(f32[2,3], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05, out0=f32[2,3], out1=f32[0], "
        "out2=f32[0], out3=u8[0])");
    call.Grad(3);
    call.tensor(out).base = &call.tensor(0);
    EXPECT_EQ(call.Text().find("must return a single Variable") != std::string::npos, out == 6) << call.Text();
  }
}

TEST(Apply, OnlyFloatsRequireGrad) {
  EXPECT_EQ(AppliedCall("argmax(f32[3])").Grad(0).Text(), "i64[]");
  EXPECT_EQ(AppliedCall("max.dim(f32[2,3], 0)").Grad(0).Text(), "f32[3] grad; i64[3]");
}

TEST(Apply, WhatIsMadeFromMetadataAloneRequiresNoGrad) {
  EXPECT_EQ(AppliedCall("zeros_like(f32[3])").Grad(0).Text(), "f32[3]");
}

TEST(Apply, AWriteMakesTheTargetAndItsBaseRequireGrad) {
  AppliedCall call("add_.Tensor(f32[3], f32[3])");
  call.ViewOf(false).Grad(1).Run();
  EXPECT_TRUE(call.tensor(0).own_requires_grad);
  EXPECT_FALSE(call.tensor(0).is_leaf);
  EXPECT_TRUE(call.tensor(0).base->own_requires_grad);
}

TEST(Apply, InPlaceFormsFollowWhatTheirFunctionalOperatorsFollow) {
  EXPECT_EQ(AppliedCall("scatter_.src(f64[2,3], 0, f64[0,3], f64[1,3])").Grad(1).Text(), "f64[2, 3]");
  EXPECT_EQ(AppliedCall("scatter_.src(f64[2,3], 0, f64[0,3], f64[1,3])").Grad(2).Text(), "f64[2, 3] grad");
}

TEST(Apply, AnArgumentThatAKernelGivesBackIsRecordedAsItsResult) {
  for (const char* text : {"native_dropout(f32[0,3], 0.5, True)", "native_dropout(f32[2,3], 0.5, True)"}) {
    AppliedCall call(text);
    call.Grad(0).Run();
    EXPECT_EQ(call.tensor(0).is_leaf, call.tensor(0).meta.sizes[0].ToString() != "0") << text;
  }
  AppliedCall composite("dropout(f32[2,3], 0.5, False)");
  composite.Grad(0).Run();
  EXPECT_TRUE(composite.tensor(0).is_leaf);
}

TEST(Apply, AWriteWithoutGradModeSpreadsNothing) {
  AppliedCall call("add_.Tensor(f32[3], f32[3])");
  call.Grad(1).NoGrad().Run();
  EXPECT_FALSE(call.tensor(0).RequiresGrad());
}

TEST(Apply, CopiesOfFloatsIntoIntegersRequireNoGrad) {
  AppliedCall call("copy_(i64[3], f32[3])");
  call.Grad(1).Run();
  EXPECT_FALSE(call.tensor(0).RequiresGrad());
}

// VariableTypeUtils.h, check_inplace.
TEST(Apply, AutogradForbidsWrites) {
  const std::string call = "add_.Tensor(f32[3], f32[3])";
  EXPECT_EQ(
      AppliedCall(call).Grad(0).Text(), "!aten::add_.Tensor: an in-place write to a leaf tensor that requires grad");
  EXPECT_EQ(AppliedCall(call).Inner(0).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall(call).Grad(0).NoGrad().Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall(call).ViewOf(true).Text(),
      "!aten::add_.Tensor: an in-place write to a view of a leaf tensor that requires grad");
  EXPECT_EQ(AppliedCall(call).ViewOf(false, ViewOrigin::kNoGrad).Grad(1).Text(),
      "!aten::add_.Tensor: an in-place write, with grad on, to a view that was made under no_grad");
  EXPECT_EQ(AppliedCall(call).ViewOf(false, ViewOrigin::kMultiOutput).Grad(1).Text().substr(0, 60),
      "!aten::add_.Tensor: an in-place write to a view from an oper");
  EXPECT_EQ(AppliedCall("add.out(f32[3], f32[3], out=f32[3])").Grad(0).Text(),
      "!aten::add.out: forms with out= do not support automatic differentiation, but an argument requires grad");
}

// Their functional forms have no derivative, or they have no formula and are recorded as writes in place.
TEST(Apply, OutFormsWithoutADerivativeTakeTensorsThatRequireGrad) {
  EXPECT_EQ(AppliedCall("eq.Tensor_out(f32[3], f32[3], out=b8[3])").Grad(0).Text(), "b8[3]");
  EXPECT_EQ(AppliedCall("clone.out(f32[3], out=f32[3])").Grad(0).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("clone.out(f32[3], out=f32[3])").Grad(1).Text(),
      "!aten::clone.out: an in-place write to a leaf tensor that requires grad");
  EXPECT_EQ(AppliedCall("randn_like.out(f32[3], out=f32[3])").Grad(0).Text(), "f32[3]");
  EXPECT_EQ(AppliedCall("full.out([3], 1, out=f32[3])").Inner(0).Text(), "f32[3] grad");
}

TEST(Apply, ResultsThatAreFollowedAreFloating) {
  const std::string why = "!aten::_foreach_abs: Autograd not support dtype: Byte";
  EXPECT_EQ(AppliedCall("_foreach_abs([u8[2], f32[2]])").Grad(1).Text(), why);
  EXPECT_EQ(AppliedCall("_foreach_abs([f32[2], f32[2]])").Grad(1).Text(), "f32[2] grad; f32[2] grad");
  EXPECT_EQ(AppliedCall("t(i64[2,3])").Inner(0).Text(), "!aten::t: Autograd not support dtype: Long");
  EXPECT_EQ(AppliedCall("eq.Tensor(i64[2], i64[2])").Inner(0).Text(), "b8[2]");
  EXPECT_EQ(
      AppliedCall("cumsum(f32[3], 0, dtype=int32)").Grad(0).Text(), "!aten::cumsum: Autograd not support dtype: Int");
  EXPECT_EQ(AppliedCall("select_scatter(i64[3,2], f32[2], 0, 0)").Grad(1).Text(),
      "!aten::select_scatter: Autograd not support dtype: Long");
  EXPECT_EQ(AppliedCall("slice_inverse(i64[12], f32[4,3], 0, 1, 3)").Grad(1).Text(),
      "!aten::slice_inverse: Autograd not support dtype: Long");
  for (const char* call :
      {"t_(i64[2,3])", "swapaxes_(b8[0,2,3], 1, 1)", "squeeze_(i64[1])", "as_strided_(i64[2], [1], [1])"})
    EXPECT_NE(AppliedCall(call).Inner(0).Text().find("Autograd not support dtype"), std::string::npos) << call;
  // Composites that begin with a view of it.
  EXPECT_EQ(AppliedCall("kron(f32[2], i64[2])").Inner(1).Text(), "!aten::kron: Autograd not support dtype: Long");
  EXPECT_EQ(AppliedCall("outer(i64[2], f32[2])").Inner(0).Text(), "!aten::outer: Autograd not support dtype: Long");
  EXPECT_EQ(AppliedCall("outer(f32[2], i64[2])").Inner(1).Text(), "f32[2, 2] grad");
  EXPECT_EQ(AppliedCall("einsum(\"i,j->ij\", [i64[2], f32[2]])").Inner(0).Text(),
      "!aten::einsum: Autograd not support dtype: Long");
  // Those without a formula leave them out, even beside an integer tensor that requires grad.
  EXPECT_EQ(AppliedCall("bitwise_not(i64[3])").Grad(0).Text(), "i64[3]");
  // So do comparisons in composites, and what gives them another dtype.
  for (const char* call : {"less.Tensor(i64[3], i64[3])", "isreal(i64[3])", "to.dtype(i64[3], bool)",
           "type_as(i64[3], i32[3])", "argwhere(b8[0])"})
    EXPECT_EQ(AppliedCall(call).Inner(0).Text().find("grad"), std::string::npos) << call;
}

TEST(Apply, CompositesThatBeginWithARecordedOperatorTakeNoIntegersThatRequireGrad) {
  for (const char* call : {"trapezoid.x(i64[2], i64[2])", "cumulative_trapezoid.dx(i64[2])",
           "gradient.scalarint(i64[2])", "cov(i64[2,3])", "corrcoef(i64[2,3])", "argsort(i64[3])",
           "argsort.stable(i64[3], stable=True)", "one_hot(i64[3], 3)", "unsafe_chunk(i64[4], 2)",
           "unsafe_split.Tensor(i64[4], 2)", "poisson_nll_loss(i64[3], i64[3], True, False, 1e-8, 1)",
           "margin_ranking_loss(i64[3], i64[3], i64[3])", "triplet_margin_loss(i64[2,3], i64[2,3], i64[2,3])"})
    EXPECT_NE(AppliedCall(call).Inner(0).Text().find("Autograd not support dtype: Long"), std::string::npos) << call;
}

TEST(Apply, ListOperatorsWithoutAFormulaRecordEveryItem) {
  const auto recorded = [](const std::string& text, size_t follows) {
    AppliedCall call(text);
    call.Grad(follows).Run();
    return std::pair(call.tensor(0).RequiresGrad(), call.tensor(1).RequiresGrad());
  };
  const std::string lists = "[f32[3], f32[3]], [f32[3], f32[3]]";
  EXPECT_EQ(recorded("_foreach_addcmul_.Tensor(" + lists + ", [f32[3], f32[3]], f32[2])", 6), std::pair(true, true));
  EXPECT_EQ(recorded("_foreach_addcdiv_.Tensor(" + lists + ", [f32[3], f32[3]], f32[2])", 5), std::pair(true, true));
  EXPECT_EQ(recorded("_foreach_copy_(" + lists + ")", 3), std::pair(true, true));
  EXPECT_EQ(recorded("_foreach_copy_([i64[3], b8[3]], [i64[3], b8[3]])", 3), std::pair(true, true));
  EXPECT_EQ(recorded("_foreach_add_.List(" + lists + ")", 3), std::pair(false, true));
}

TEST(Apply, SomeFormulasAreOfRealNumbersOnly) {
  EXPECT_EQ(AppliedCall("silu(c64[3])").Grad(0).Text(),
      "!aten::silu does not support automatic differentiation for outputs with complex dtype");
  // matmul's formula is of nested tensors.
  EXPECT_EQ(AppliedCall("matmul(c64[2,3,2], c64[2,2,2])").Grad(0).Text(), "c64[2, 3, 2] grad");
  EXPECT_EQ(AppliedCall("exp(c64[3])").Grad(0).Text(), "c64[3] grad");
  EXPECT_EQ(AppliedCall("softmax.int(c64[0], 0)").Grad(0).Text()[0], '!');
  EXPECT_EQ(AppliedCall("softmax.int(c64[0], 0)").Text(), "c64[0]");
  EXPECT_EQ(AppliedCall("adaptive_avg_pool1d(c64[0,1], [2])").Grad(0).Text()[0], '!');
  EXPECT_EQ(AppliedCall("adaptive_avg_pool1d(c64[0,1,1], [1])").Grad(0).Text(), "c64[0, 1, 1] grad");
  EXPECT_EQ(AppliedCall("adaptive_avg_pool2d(c64[0,1,1], [2,2])").Grad(0).Text()[0], '!');
  EXPECT_EQ(AppliedCall("adaptive_avg_pool2d(c64[0,1,1], [2,2])").Text(), "c64[0, 2, 2]");
  EXPECT_EQ(AppliedCall("silu_(c64[3])").Inner(0).Text(), "c64[3] grad");
  EXPECT_EQ(AppliedCall("split_copy.Tensor(c64[4], 2)").Grad(0).Text(), "c64[2] grad; c64[2] grad");
  EXPECT_EQ(AppliedCall("_foreach_cos([c64[3]])").Grad(0).Text(), "c64[3] grad");
}

TEST(Apply, SomeArgumentsMustNotRequireGrad) {
  AppliedCall call("native_batch_norm(f32[2,3], None, None, f32[3], f32[3], True, 0.1, 1e-05)");
  EXPECT_EQ(call.Grad(1).Text(),
      "!aten::native_batch_norm: the function is not differentiable with respect to argument 'running_mean'. This "
      "input cannot have requires_grad True");
  EXPECT_EQ(call.NoGrad().Text().substr(0, 1), "f");
  EXPECT_EQ(AppliedCall("index_put(f32[2,3], [i64[2]], f32[3])").Grad(1).Text(), "f32[2, 3]");
}

TEST(Apply, CompositesRefuseWhatTheirOperatorsRefuse) {
  const std::pair<const char*, size_t> kCalls[] = {
      {"batch_norm(f32[2,3], None, None, f32[3], f32[3], True, 0.1, 1e-05, False)", 1},
      {"instance_norm(f32[2,3,4], None, None, f32[3], f32[3], True, 0.1, 1e-05, False)", 2},
      {"nll_loss(f32[2,3], i64[2], f32[3])", 2},
      {"cross_entropy_loss(f32[2,3], i64[2], f32[3])", 2},
      {"linalg_pinv.rcond_tensor(f32[2,3], f32[])", 1},
      {"fused_moving_avg_obs_fake_quant(f32[2], i64[1], i64[1], f32[], f32[], f32[1], i32[1], 0.01, 0, 255, 0)", 5},
  };
  for (const auto& [text, position] : kCalls) {
    AppliedCall call(text);
    EXPECT_NE(call.Grad(position).Text().find("not differentiable with respect to"), std::string::npos) << text;
    EXPECT_EQ(call.NoGrad().Text().substr(0, 3), "f32") << text;
  }
  // Without a batch the statistics are written all the same.
  const char* empty = "instance_norm(f32[0,3,4], None, None, f32[3], f32[3], True, 0.1, 1e-05, False)";
  EXPECT_EQ(AppliedCall(empty).Grad(1).Text()[0], '!');
  EXPECT_EQ(AppliedCall(empty).Inner(1).Text(), "f32[0, 3, 4]");
  // What has no elements does not get there.
  EXPECT_EQ(AppliedCall("batch_norm(f32[0,3], None, None, f32[3], f32[3], True, 0.1, 1e-05, False)").Grad(1).Text(),
      "f32[0, 3]");
}

TEST(Apply, OutFormsLookAtArgumentsWithoutAFormulaToo) {
  const char* loss = "nll_loss_forward.output(f32[2,3], i64[2], f32[3], 0, 1, output=f32[2], total_weight=f32[])";
  EXPECT_NE(AppliedCall(loss).Grad(2).Text().find("forms with out="), std::string::npos);
  EXPECT_NE(AppliedCall("argsort.stable_out(f32[3], stable=True, out=i64[3])").Grad(0).Text().find("forms with out="),
      std::string::npos);
  AppliedCall rank("linalg_matrix_rank.out(f32[3,3], 0.5, out=f32[])");
  EXPECT_EQ(rank.Grad(0).Text(), "f32[]");
  EXPECT_NE(rank.Grad(1).Text().find("forms with out="), std::string::npos);
}

TEST(Apply, OutFormsThatEndInACopyAreRecorded) {
  EXPECT_EQ(AppliedCall("special_ndtr.out(f32[3], out=f32[3])").Inner(1).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("special_ndtr.out(f32[3], out=f32[3])").Grad(0).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("chain_matmul.out([f32[2,3]], out=f32[2,3])").Grad(0).Text(), "f32[2, 3] grad");
  EXPECT_EQ(AppliedCall("chain_matmul.out([f32[2,3]], out=i64[2,3])").Grad(0).Text(), "i64[2, 3]");
  EXPECT_EQ(AppliedCall("linalg_matrix_power.out(f32[2,2], 1, out=f32[2,2])").Grad(0).Text(), "f32[2, 2] grad");
  EXPECT_EQ(AppliedCall("linalg_matrix_power.out(f32[2,2], 0, out=f32[2,2])").Grad(0).Text(), "f32[2, 2]");
  for (const char* call :
      {"chain_matmul.out([f32[2,3], f32[3,2]], out=f32[2,2])", "linalg_matrix_power.out(f32[2,2], 2, out=f32[2,2])"})
    EXPECT_NE(AppliedCall(call).Grad(0).Text().find("forms with out="), std::string::npos) << call;
}

TEST(Apply, TheFallbackRecordsAllResultsOfAnyInput) {
  const std::string call =
      "_fused_moving_avg_obs_fq_helper.out(f32[2], i64[1], i64[1], f32[1], f32[1], f32[1], i32[1], 0.1, 0, 255, 0, "
      "out0=f32[2], out1=b8[2])";
  EXPECT_EQ(AppliedCall(call).Inner(3).Text(), "f32[2] grad; b8[2]");
}

TEST(Apply, LossesAreReducedInTheMemoryOfTheOutTensor) {
  AppliedCall call("mse_loss.out(f32[1,1,5], f32[5], 2, out=f32[])");
  call.Run();
  EXPECT_EQ(call.tensor(2).storage->nbytes.ToString(), "20");
}

TEST(Apply, AnOutFormWithARuleOfItsOwnHasTheFormulasOfItsOperator) {
  const char* call = "binary_cross_entropy.out(f32[3], f32[3], None, 0, out=f32[3])";
  for (int recorded : {0, 1}) EXPECT_NE(AppliedCall(call).Grad(recorded).Text().find("forms with"), std::string::npos);
}

TEST(Apply, WhatOnlyGivesItsSizesIsNotFollowed) {
  EXPECT_EQ(AppliedCall("reshape_as(f32[2,3]{1,2}, f32[6])").Grad(1).Text(), "f32[6]");
  EXPECT_EQ(AppliedCall("reshape_as(f32[2,3]{1,2}, f32[6])").Grad(0).Text(), "f32[6] grad");
}

TEST(Apply, ATargetThatOnlyChoosesIsNotFollowed) {
  EXPECT_EQ(AppliedCall("cosine_embedding_loss(f32[3,4], f32[3,4], f32[3])").Grad(2).Text(), "f32[]");
  EXPECT_EQ(AppliedCall("cosine_embedding_loss(f32[3,4], f32[3,4], f32[3])").Grad(1).Text(), "f32[] grad");
}

TEST(Apply, WhatRequiresGradIsNotResizedInGradModeOrNot) {
  for (const char* call : {"randn.out([3], out=f32[3])", "empty.out([3], out=f32[3])"}) {
    EXPECT_NE(AppliedCall(call).Inner(0).Text().find("cannot be resized"), std::string::npos) << call;
    EXPECT_NE(AppliedCall(call).Inner(0).NoGrad().Text().find("cannot be resized"), std::string::npos) << call;
  }
  EXPECT_EQ(AppliedCall("rand.out([3], out=f32[3])").Inner(0).Text(), "f32[3] grad");
}

TEST(Apply, ALeafTakesNoOtherStorage) {
  AppliedCall call("set_.source_Tensor_storage_offset(f32[3], f32[4], 0, [2])");
  EXPECT_NE(call.Grad(0).Text().find("leaf"), std::string::npos);
  AppliedCall view("set_.source_Tensor_storage_offset(f32[3], f32[4], 0, [2])");
  EXPECT_NE(view.ViewOf(true).Text().find("a view of a leaf"), std::string::npos);
  AppliedCall part("set_.source_Tensor_storage_offset(f32[3], f32[4], 0, [2])");
  EXPECT_NE(part.ViewOf(false, ViewOrigin::kMultiOutput).Inner(0).Text().find("several views"), std::string::npos);
}

TEST(Apply, ReducedLossesKeepTheStorageOfAllLosses) {
  // The target broadcasts beyond the input's [2].
  for (const char* call :
      {"binary_cross_entropy(f64[2,1], f64[2,2], None, 0)", "binary_cross_entropy(f64[2,1], f64[2,2])",
          "binary_cross_entropy_backward(f64[2,1], f64[2,1], f64[2,2], None, 0)",
          "binary_cross_entropy.out(f64[2,1], f64[2,2], None, 0, out=f64[2,1])"})
    EXPECT_EQ(AppliedCall(call).Run().TryTensor()->storage->nbytes.ToString(), "32") << call;
  for (const char* call : {"mse_loss(f32[3,4], f32[3,4])", "binary_cross_entropy(f32[3,4], f32[3,4])",
           "soft_margin_loss(f32[3,4], f32[3,4])", "soft_margin_loss(f32[3,4]{1,0}, f32[3,4])"})
    EXPECT_EQ(AppliedCall(call).Run().TryTensor()->storage->nbytes.ToString(), "48") << call;
  EXPECT_EQ(AppliedCall("huber_loss(f32[3,4], f32[3,4])").Run().TryTensor()->storage->nbytes.ToString(), "4");
}

TEST(Apply, ATensorIsCopiedOntoItselfWhateverItsStrides) {
  AppliedCall other("copy_(f32[3]{0}, f32[3]{0})");
  EXPECT_NE(other.Text().find("single memory location"), std::string::npos);
  EXPECT_EQ(AppliedCall("copy_(f32[3]{0}, f32[3]{0})").WithTheSame(0, 1).Text(), "f32[3], strides [0]");
  AppliedCall view("copy_(f32[3]{0}, f32[3]{0})");
  view.tensor(1).storage = view.tensor(0).storage;
  EXPECT_EQ(view.Text(), "f32[3], strides [0]");
}

// torch 2.13: at::assert_no_overlap of cat, gather and index_add; only the input of index_add may be its out tensor.
TEST(Apply, WhatAKernelReadsIsNotItsOutTensor) {
  const auto overlaps = [](const std::string& call, size_t read, size_t out) {
    return AppliedCall(call).WithTheSame(read, out).Text().find("single memory location") != std::string::npos;
  };
  EXPECT_TRUE(overlaps("gather.out(i64[3], 0, i64[3], out=i64[3])", 0, 3));
  EXPECT_FALSE(overlaps("gather.out(i64[3], 0, i64[3], out=i64[3])", 2, 3));
  EXPECT_TRUE(overlaps("gather.out(i64[0], 0, i64[0], out=i64[0])", 0, 3));
  EXPECT_TRUE(overlaps("take.out(i64[3], i64[3], out=i64[3])", 1, 2));
  EXPECT_TRUE(overlaps("index_add.out(f32[3], 0, i64[3], f32[3], out=f32[3])", 3, 4));
  EXPECT_FALSE(overlaps("index_add.out(f32[3], 0, i64[3], f32[3], out=f32[3])", 0, 4));
  EXPECT_TRUE(overlaps("scatter.src_out(i64[3], 0, i64[3], i64[3], out=i64[3])", 2, 4));
}

// at::native::cat_out
TEST(Apply, WhatIsJoinedIsNotTheOutTensorEvenIfThatGrows) {
  for (const char* call : {"cat.out([f32[3], f32[3]], 0, out=f32[3])", "stack.out([f32[3], f32[3]], 0, out=f32[3])"}) {
    AppliedCall joined(call);
    joined.tensor(2).storage = joined.tensor(0).storage;
    EXPECT_NE(joined.Text().find("single memory location"), std::string::npos) << call;
  }
}

// at::assert_no_partial_overlap
TEST(Apply, WritesToAPartOfWhatIsReadAreRefused) {
  const auto text = [](const char* text, int64_t offset) {
    AppliedCall call(text);
    call.tensor(1).storage = call.tensor(0).storage;
    call.tensor(1).meta.storage_offset = offset;
    return call.Text().substr(0, 45);
  };
  for (const char* call : {"add_.Tensor(f32[3,3], f32[3,3]{1,3})", "mul_.Tensor(f32[3,3], f32[3])"})
    EXPECT_NE(text(call, 0).find("unsupported operation"), std::string::npos) << call;
  EXPECT_NE(text("copy_(f32[3], f32[3])", 1).find("unsupported operation"), std::string::npos);
  for (const char* call : {"arctanh.out(f32[3], out=f32[3])", "gelu.out(f32[3], out=f32[3])",
           "hardswish.out(f32[3], out=f32[3])", "renorm.out(f32[3,1], 2, 0, 1, out=f32[3,1])"})
    EXPECT_NE(text(call, 1).find("unsupported operation"), std::string::npos) << call;
  EXPECT_EQ(text("copy_(f32[3], f32[3])", 3), "f32[3]");
  EXPECT_EQ(text("add_.Tensor(f32[3], f32[3])", 0), "f32[3]");
  EXPECT_EQ(text("add_.Tensor(f32[3,3], f32[3]{3})", 0), "f32[3, 3]");  // not dense: not known
}

TEST(Apply, AForbiddenWriteChangesNothing) {
  AppliedCall call("add_.Tensor(f32[3], f32[3])");
  call.Grad(0);
  EXPECT_THROW(call.Run(), OpError);
  EXPECT_EQ(call.tensor(0).storage->version, 0u);
  EXPECT_TRUE(call.tensor(0).is_leaf);
}

TEST(Apply, MetadataOfArgumentsChanges) {
  AppliedCall call("resize_(f32[2], [5])");
  call.Run();
  EXPECT_EQ(testing::TensorText(call.tensor(0).meta), "f32[5]");
  EXPECT_EQ(call.tensor(0).storage->nbytes.ToString(), "20");
}

TEST(Apply, GradRulesComeFromDerivativesAndTheRow) {
  const auto rule_of = [](const char* op) {
    const Schema& schema = *FindSchema(op);
    return FindGradRule(schema, FindRule(schema), kNewestTorch);
  };
  EXPECT_TRUE(rule_of("aten::zeros_like").no_result);
  EXPECT_FALSE(rule_of("aten::relu").no_result);
  EXPECT_EQ(rule_of("aten::max.dim").outputs, 1u);
}

}  // namespace
}  // namespace fakeprop
