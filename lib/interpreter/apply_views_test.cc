// What views share with their bases: storage, version, what autograd knows of them.
#include <gtest/gtest.h>

#include "lib/interpreter/apply.h"
#include "lib/interpreter/testing/applied_call.h"

namespace fakeprop {
namespace {

TEST(ApplyViews, ViewsStandOnTheirSourcesStorageAndFollowItsBase) {
  AppliedCall call("t(f32[2,3])");
  const Tensor* view = call.Run().TryTensor();
  EXPECT_EQ(view->storage, call.tensor(0).storage);
  EXPECT_EQ(view->base, &call.tensor(0));
  AppliedCall of_view("t(f32[2,3])");
  of_view.ViewOf(false);
  EXPECT_EQ(of_view.Run().TryTensor()->base, of_view.tensor(0).base);
}

// Whether autograd takes the result for a view of something that nobody else sees.
bool HasBase(const char* call) { return AppliedCall(call).Run().TryTensor()->base != nullptr; }

TEST(ApplyViews, SomeCompositesEndInAView) {
  for (const char* call : {"avg_pool1d(f32[3,8], [2])", "hann_window(4)", "kaiser_window.periodic(4, True)",
           "fft_ifft(f32[4])", "conv1d(f32[3,8], f32[2,3,3])", "nuclear_norm(f32[3,3], True)",
           "norm_except_dim(f32[2,3])", "repeat_interleave.self_int(f32[3], 2)", "ravel(f32[2,3]{1,2})",
           "tensordot(f32[2,3], f32[3,2], [1], [0])", "linalg_cond(f32[3,3])", "linalg_cond(f32[3,3], -2)",
           "linalg_norm.ord_str(f32[3,3], \"nuc\", None, True)", "linalg_matrix_norm(f32[3,3], 2, [-2,-1], True)",
           "linalg_norm(f32[3,3], 2.0, [0,1], True)", "stft(f32[100], 10, return_complex=False)"})
    EXPECT_TRUE(HasBase(call)) << call;
  for (const char* call :
      {"hann_window(1)", "hann_window.periodic(4, False)", "fft_ifft(c64[4])", "conv1d(f32[1,3,8], f32[2,3,3])",
          "nuclear_norm(f32[3,3])", "norm_except_dim(f32[2,3], 2, -1)", "max_pool1d(f32[3,8], [2])", "fft_fft(f32[4])",
          "linalg_cond(f32[3,3], 1)", "linalg_cond.p_str(f32[3,3], \"nuc\")", "linalg_norm(f32[3,3], 2, [1], True)",
          "linalg_matrix_norm(f32[3,3], 2)", "linalg_matrix_norm(f32[3,3], 1, [-2,-1], True)",
          "stft(f32[100], 10, return_complex=True)"})
    EXPECT_FALSE(HasBase(call)) << call;
  EXPECT_TRUE(AppliedCall("max_pool1d(f32[3,8], [2])").Grad(0).Run().TryTensor()->base);
}

TEST(ApplyViews, VOfSvdIsAView) {
  for (const char* text : {"svd(f32[2,3])", "svd(f32[0,2,3], False)", "svd(f32[2,3], True, False)"}) {
    AppliedCall call(text);
    const Value results = call.Run();
    const List* parts = results.TryList();
    ASSERT_TRUE(parts) << text;
    EXPECT_EQ(parts->items[0].TryTensor()->base, nullptr) << text;
    EXPECT_NE(parts->items[2].TryTensor()->base, nullptr) << text;
  }
}

TEST(ApplyViews, AliasesHaveNoBase) {
  AppliedCall call("detach(f32[2])");
  const Tensor* alias = call.Grad(0).Run().TryTensor();
  EXPECT_EQ(alias->storage, call.tensor(0).storage);
  EXPECT_EQ(alias->base, nullptr);
  EXPECT_FALSE(alias->RequiresGrad());
}

TEST(ApplyViews, LeavesAndVersions) {
  EXPECT_EQ(AppliedCall("is_leaf(f32[3])").Grad(0).Text(), "True");
  EXPECT_EQ(AppliedCall("is_leaf(f32[3])").Inner(0).Text(), "False");
  EXPECT_EQ(AppliedCall("is_leaf(f32[3])").ViewOf(true).Text(), "False");
  EXPECT_EQ(AppliedCall("is_leaf(f32[3])").ViewOf(false).Grad(0).Text(), "True");
  AppliedCall written("_version(f32[3])");
  written.tensor(0).own_version = 2;
  EXPECT_EQ(written.Text(), "2");
}

TEST(ApplyViews, AWriteBumpsTheVersion) {
  AppliedCall call("add_.Tensor(f32[3], f32[3])");
  EXPECT_EQ(call.Run().TryTensor(), &call.tensor(0));
  EXPECT_EQ(call.tensor(0).storage->version, 1u);
  EXPECT_EQ(call.tensor(1).storage->version, 0u);
}

TEST(ApplyViews, ViewsOfIntegersAreViewsToo) {
  AppliedCall view("t(i64[2,3])");
  EXPECT_EQ(view.Run().TryTensor()->base, &view.tensor(0));
  AppliedCall detach("detach_(i64[3])");
  EXPECT_NE(detach.ViewOf(false).Text().find("a view cannot be detached in place"), std::string::npos);
}

TEST(ApplyViews, AViewOfAViewRequiresGradAsTheLatterDoes) {
  AppliedCall call("t(f32[2,3])");
  call.ViewOf(false).Grad(0);
  EXPECT_TRUE(call.Run().TryTensor()->RequiresGrad());
}

TEST(ApplyViews, AViewOfABaseThatBeganToRequireGradIsALeafUntilItIsRead) {
  AppliedCall write("add_.Tensor(f32[3], f32[3])");
  write.ViewOf(false);
  Tensor& base = *write.tensor(0).base;
  base.own_requires_grad = true;
  base.is_leaf = false;
  EXPECT_NE(write.Text().find("an in-place write to a leaf tensor that requires grad"), std::string::npos);
  AppliedCall read("add.Tensor(f32[3], f32[3])");
  read.ViewOf(true);
  read.tensor(0).base->is_leaf = false;
  EXPECT_TRUE(read.tensor(0).is_leaf);
  read.Run();
  EXPECT_FALSE(read.tensor(0).is_leaf);
}

TEST(ApplyViews, ViewsWithoutAWayBackAreNotReadAfterAWriteToTheirBase) {
  for (const ViewOrigin origin : {ViewOrigin::kNoGrad, ViewOrigin::kMultiOutput}) {
    AppliedCall call("relu(f32[3])");
    call.ViewOf(true, origin);
    EXPECT_EQ(call.Text(), "f32[3] grad");
    call.tensor(0).CountWrite();
    EXPECT_EQ(call.Text().substr(0, 25), "!aten::relu reads a view ");
    EXPECT_EQ(call.NoGrad().Text(), "f32[3]");
  }
  AppliedCall handed_back("atleast_1d.Sequence([f32[3]])");
  handed_back.ViewOf(true, ViewOrigin::kMultiOutput);
  handed_back.tensor(0).CountWrite();
  EXPECT_EQ(handed_back.Text(), "f32[3] grad");
  AppliedCall plain("relu(f32[3])");
  plain.ViewOf(true);
  plain.tensor(0).CountWrite();
  EXPECT_EQ(plain.Text(), "f32[3] grad");
}

TEST(ApplyViews, VersionsOfTensorsAndWritesToStoragesAreCountedApart) {
  struct Counted {
    const char* call;
    int position;
    uint32_t version, writes;
  };
  for (const Counted& c : {
           Counted{"t_(f32[2,3])", 0, 1, 0},                               // an in-place form that writes no element
           Counted{"_cummin_helper(f32[3], f32[3], i64[3], 0)", 1, 0, 1},  // writes, but is no in-place form
       }) {
    AppliedCall call(c.call);
    call.Run();
    EXPECT_EQ(call.tensor(c.position).Version(), c.version) << c.call;
    EXPECT_EQ(call.tensor(c.position).storage->version, c.writes) << c.call;
  }
}

TEST(ApplyViews, AWriteToAComplexViewMakesItAnewFromItsBase) {
  for (const bool is_of_base : {true, false}) {
    AppliedCall call("mul_.Tensor(c64[3], c64[3])");
    call.ViewOf(false).Grad(1);
    Tensor& view = call.tensor(0);
    view.is_of_base = is_of_base;
    view.base->meta.dtype = ScalarType::Float;
    view.base->meta.sizes = {3, 2};
    EXPECT_EQ(call.Text(), "c64[3] grad");
    view.base->meta.sizes = {2, 3};
    EXPECT_EQ(call.Text(), is_of_base ? "!aten::mul_.Tensor writes to a complex view of a tensor that has shape [2, 3] "
                                        "now: Tensor must have a last dimension of size 2"
                                      : "c64[3] grad");
  }
}

TEST(ApplyViews, WithoutAViewInTheSchemaPendingBitsAreAppliedInACopy) {
  for (const bool is_neg : {false, true}) {
    AppliedCall split("unsafe_split.Tensor(f32[4], 2)"), set("set.source_Tensor(f32[3], f32[4])");
    split.tensor(0).meta.is_neg = set.tensor(1).meta.is_neg = is_neg;
    const Value parts = split.Run();
    const Tensor &first = *parts.TryList()->items[0].TryTensor(), &result = *set.Run().TryTensor();
    EXPECT_EQ(first.storage != split.tensor(0).storage, is_neg);
    EXPECT_EQ(first.storage, parts.TryList()->items[1].TryTensor()->storage);
    EXPECT_EQ(result.storage != set.tensor(1).storage, is_neg);
    EXPECT_FALSE(first.meta.is_neg || result.meta.is_neg);
  }
}

TEST(ApplyViews, TheDtypeOfANegatedTensorOfBoolsCanBeAskedFor) {
  for (const size_t negated : {0, 1}) {
    AppliedCall call("type_as(f32[3], b8[3])");
    std::swap(call.tensor(0).meta.dtype, call.tensor(negated == 0 ? 1 : 0).meta.dtype);
    call.tensor(negated).meta.is_neg = true;
    EXPECT_EQ(call.Text()[0] == '!', negated == 0) << call.Text();
  }
}

TEST(ApplyViews, AConjugatedViewThatLosesADimensionInPlaceBecomesContiguous) {
  for (const bool is_conj : {false, true}) {
    AppliedCall call("squeeze_.dim(c64[1,3,2]{6,1,3}, 0)");
    call.tensor(0).meta.is_conj = is_conj;
    call.Run();
    EXPECT_EQ(call.tensor(0).meta.strides[0].ToString(), is_conj ? "2" : "1");
  }
}

TEST(ApplyViews, ViewsAndDetachedTensorsShareTheVersionOfTheirBase) {
  for (const char* text : {"view(f32[3], [3])", "detach(f32[3])", "alias(f32[3])"}) {
    AppliedCall call(text);
    Tensor& view = *call.Run().TryTensor();
    call.tensor(0).CountWrite();
    EXPECT_EQ(view.Version(), 1u) << text;
  }
  AppliedCall untracked("_unsafe_view(f32[3], [3])");
  Tensor& result = *untracked.Run().TryTensor();
  untracked.tensor(0).CountWrite();
  EXPECT_EQ(result.Version(), 0u);
}

TEST(ApplyViews, ViewsSayHowTheyCameToBe) {
  AppliedCall split("split.Tensor(f32[4], 2)");
  EXPECT_EQ(split.Run().TryList()->items[0].TryTensor()->origin, ViewOrigin::kMultiOutput);
  AppliedCall slices("tensor_split.sections(f32[4], 2)");
  EXPECT_EQ(slices.Run().TryList()->items[0].TryTensor()->origin, ViewOrigin::kPlain);
  AppliedCall view("t(f32[2,3])");
  EXPECT_EQ(view.NoGrad().Run().TryTensor()->origin, ViewOrigin::kNoGrad);
}

TEST(ApplyViews, AViewUnderNoGradRequiresGradIfItsBaseDoes) {
  EXPECT_EQ(AppliedCall("alias(f32[3])").ViewOf(false).Inner(0).Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("alias(f32[3])").ViewOf(false).Inner(0).NoGrad().Text(), "f32[3]");
  EXPECT_EQ(AppliedCall("alias(f32[3])").ViewOf(true).NoGrad().Text(), "f32[3] grad");
  EXPECT_EQ(AppliedCall("alias(f32[3])").Grad(0).NoGrad().Text(), "f32[3] grad");
}

TEST(ApplyViews, AViewWithoutAWayToItsBaseIsDetached) {
  const auto text_of = [](const char* text) {
    AppliedCall call(text);
    Tensor base = call.tensor(0);
    base.own_requires_grad = true;
    call.Inner(0).tensor(0).base = &base;
    call.tensor(0).origin = ViewOrigin::kMultiOutput;
    base.CountChange();
    call.tensor(0).versioned_with = &base;
    return call.Text();
  };
  EXPECT_EQ(text_of("alias(f32[3])")[0], '!');
  EXPECT_EQ(text_of("detach(f32[3])"), "f32[3]");
}

TEST(ApplyViews, CopiesOfViewsApplyConjugations) {
  const auto text_of = [](const char* text) {
    AppliedCall call(text);
    call.tensor(0).meta.is_conj = true;
    return call.Text();
  };
  EXPECT_EQ(text_of("view_as_real_copy(c64[2])"), "f32[2, 2]");
  EXPECT_EQ(text_of("view_copy.dtype(c64[2,2], float64)"), "f64[2, 2]");
  for (const char* view : {"view_as_real(c64[2])", "view.dtype(c64[2,2], float64)"}) EXPECT_EQ(text_of(view)[0], '!');
}

}  // namespace
}  // namespace fakeprop
