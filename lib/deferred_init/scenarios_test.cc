// Behaviours of recording and replay that PyTorch's and torchdistx's users rely on.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <thread>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/testing/error_text.h"

namespace fakeprop {
namespace {

using deferred_testing::TextOf;

const at::Device kFakeCuda("cuda:0");

template <typename Make>
at::Tensor Deferred(const Make& make) {
  at::Tensor made = DeferredInit(make);
  EXPECT_TRUE(IsDeferred(made));
  return made;
}

TEST(Record, EveryTensorIsFakeOnItsDevice) {
  const DeferredInitGuard recording;
  for (const at::Tensor& t : {at::ones({3}), at::ones({3}, at::kCPU), at::rand({2}, at::kCUDA), at::arange(4),
           at::full({2}, 3), at::scalar_tensor(3), at::eye(3)}) {
    EXPECT_TRUE(IsDeferred(t));
    EXPECT_TRUE(CanMaterialize(t));
    EXPECT_TRUE(IsFakeTensor(t));
  }
  EXPECT_EQ(at::rand({2}, at::kCUDA).device(), kFakeCuda);
  EXPECT_TRUE(IsDeferred(at::empty({int64_t{1} << 20, int64_t{1} << 20})));  // far more than the machine has
}

TEST(Record, RealTensorsAreNotDeferred) {
  EXPECT_FALSE(IsDeferred(at::ones({3})));
  const at::Tensor real = at::ones({3});
  EXPECT_TRUE(MaterializeTensor(real).is_same(real));
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const at::Tensor fake = at::ones({3});
  EXPECT_FALSE(IsDeferred(fake));
  EXPECT_THROW(MaterializeTensor(fake), c10::ValueError);
}

TEST(Record, FakeModesAround) {
  const FakeTensorMode mode;
  {
    const FakeModeGuard on(mode);
    const at::Tensor t = Deferred([] { return at::ones({10}, at::kCUDA); });
    EXPECT_EQ(t.device(), kFakeCuda);
    EXPECT_TRUE(*FakeTensorMode::Of(t) == mode);
    EXPECT_TRUE(IsFakeTensor(at::ones({1})));
    EXPECT_FALSE(IsDeferred(at::ones({1})));
  }
  const at::Tensor within = Deferred([&] {
    const FakeModeGuard on(mode);
    return at::ones({10});
  });
  EXPECT_TRUE(*FakeTensorMode::Of(within) == mode);
  EXPECT_TRUE(at::equal(MaterializeTensor(within), at::ones({10})));
  EXPECT_THROW(at::ones({10}, at::kCUDA), c10::Error);
  const DeferredInitGuard recording;
  const UnsetFakeTemporarily real;
  EXPECT_FALSE(IsFakeTensor(at::ones({10})));
}

TEST(Record, DevicesSurvive) {
  at::Tensor like, branch;
  {
    const DeferredInitGuard recording;
    like = at::zeros_like(at::ones({3}, at::kCPU));
    const at::Tensor a = at::ones({1}, at::kCUDA);
    branch = a.is_cuda() ? a : a + 1;
  }
  EXPECT_TRUE(MaterializeTensor(like).is_cpu());
  EXPECT_TRUE(at::equal(MaterializeTensor(branch, {.device = at::kCPU}), at::ones({1})));
}

TEST(Record, MetaLike) {
  const at::Tensor fake = Deferred([] { return at::ones({3, 4}, at::kHalf).t(); });
  const at::Tensor meta = MetaLike(fake);
  EXPECT_TRUE(meta.is_meta());
  EXPECT_FALSE(IsFakeTensor(meta));
  EXPECT_EQ(meta.sizes(), at::IntArrayRef({4, 3}));
  EXPECT_EQ(meta.strides(), at::IntArrayRef({1, 4}));
  EXPECT_EQ(meta.scalar_type(), at::kHalf);
  EXPECT_FALSE(meta.requires_grad());
  EXPECT_THROW(MetaLike(at::ones({3})), c10::ValueError);
}

TEST(Record, ThreadStateIsKept) {
  at::Tensor computed, detached, dtype, cast, inference;
  {
    const DeferredInitGuard recording;
    const at::Tensor leaf = at::ones({2, 2}).requires_grad_();
    computed = leaf * 2;
    {
      const at::NoGradGuard no_grad;
      detached = leaf * 2;
    }
    c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    dtype = at::ones({2});
    c10::set_default_dtype(caffe2::TypeMeta::Make<float>());
    at::autocast::set_autocast_enabled(at::kCPU, true);
    cast = at::mm(detached, detached);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    const c10::InferenceMode on;
    inference = at::ones({2});
  }
  EXPECT_TRUE(MaterializeTensor(computed).requires_grad());
  EXPECT_FALSE(MaterializeTensor(detached).requires_grad());
  EXPECT_EQ(MaterializeTensor(dtype).scalar_type(), at::kDouble);
  EXPECT_EQ(MaterializeTensor(cast).scalar_type(), at::kBFloat16);
  EXPECT_TRUE(MaterializeTensor(inference).is_inference());
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(at::ones({1}).scalar_type(), at::kFloat);
}

TEST(Record, ScopesNestAndEndByExceptions) {
  {
    const DeferredInitGuard outer;
    { const DeferredInitGuard inner; }
    EXPECT_TRUE(IsDeferred(at::ones({1})));
  }
  EXPECT_FALSE(IsFakeTensor(at::ones({1})));
  EXPECT_THROW(DeferredInit([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_FALSE(IsFakeTensor(at::ones({1})));
  const DeferredInitGuard recording;
  bool fake = true;
  std::thread([&] { fake = IsFakeTensor(at::ones({1})); }).join();
  EXPECT_FALSE(fake);
}

TEST(Record, ChangesAfterwardsAreNotReplayed) {
  const at::Tensor t = Deferred([] { return at::ones({2}); });
  t.add_(1);
  EXPECT_TRUE(at::equal(MaterializeTensor(t), at::ones({2})));
}

TEST(Replay, ViewsAndInPlace) {
  for (const bool view_first : {true, false}) {
    at::Tensor a, b;
    {
      const DeferredInitGuard recording;
      a = at::ones({2, 2});
      b = a.view(-1);
      a.add_(2);
    }
    for (const at::Tensor& t : view_first ? std::vector{b, a} : std::vector{a, b}) MaterializeTensor(t);
    EXPECT_TRUE(at::equal(a, at::full({2, 2}, 3.0)));
    EXPECT_TRUE(at::equal(b, at::full({4}, 3.0)));
    EXPECT_TRUE(SharesStorage(a, b));
    a.add_(1);
    EXPECT_TRUE(at::equal(b, at::full({4}, 4.0)));
    EXPECT_EQ(a._version(), b._version());
  }
}

TEST(Replay, WritesThroughViewsThatAreGone) {
  const at::Tensor a = Deferred([] {
    const at::Tensor base = at::zeros({3, 4});
    base.select(0, 1).narrow(0, 1, 2).fill_(5);
    base.t()[0].copy_(at::arange(3).to(at::kFloat));
    base.index_put_({at::full({1}, 2, at::kLong)}, at::full({1}, 7.0));
    return base;
  });
  at::Tensor expected = at::zeros({3, 4});
  expected.select(0, 1).narrow(0, 1, 2).fill_(5);
  expected.t()[0].copy_(at::arange(3).to(at::kFloat));
  expected[2].fill_(7);
  EXPECT_TRUE(at::equal(MaterializeTensor(a), expected));
}

TEST(Replay, LaterWritesDoNotReachEarlierReaders) {
  at::Tensor a, copy, view_copy, last;
  {
    const DeferredInitGuard recording;
    a = at::ones({2, 3});
    copy = a.clone();
    view_copy = a.t().select(0, 1) * 10;
    a.add_(1);
    last = a * 1;
    a.t_();
    a.mul_(3);
  }
  MaterializeTensor(a);
  EXPECT_TRUE(IsDeferred(copy));
  EXPECT_TRUE(at::equal(a, at::full({3, 2}, 6.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(view_copy), at::full({2}, 10.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(last), at::full({2, 3}, 2.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(copy), at::ones({2, 3})));
}

TEST(Replay, MetadataInPlace) {
  at::Tensor t, resized, data, alias;
  {
    const DeferredInitGuard recording;
    t = at::arange(6).view({2, 3}).clone();
    t.t_();
    t.unsqueeze_(0);
    resized = at::ones({2});
    resized.resize_({4}).fill_(3);
    data = at::zeros({2});
    data.set_data(at::full({3}, 4.0));
    data.add_(1);
    alias = data.variable_data();
    alias.mul_(2);
  }
  EXPECT_TRUE(at::equal(MaterializeTensor(t), at::arange(6).view({2, 3}).t().unsqueeze(0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(resized), at::full({4}, 3.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(data), at::full({3}, 10.0)));
  EXPECT_TRUE(SharesStorage(data, MaterializeTensor(alias)));
}

TEST(Replay, SameTensorOnce) {
  at::Tensor a, b;
  {
    const DeferredInitGuard recording;
    a = at::rand({4});
    b = a;
  }
  EXPECT_TRUE(MaterializeTensor(a).is_same(b));
  EXPECT_FALSE(IsDeferred(b));
  const at::Tensor before = a.clone();
  EXPECT_TRUE(MaterializeTensor(b).is_same(a));
  EXPECT_TRUE(at::equal(before, b));
}

TEST(Replay, NotInPlace) {
  const at::Tensor fake = Deferred([] { return at::ones({2}); });
  const at::Tensor real = MaterializeTensor(fake, {.in_place = false});
  EXPECT_FALSE(IsFakeTensor(real));
  EXPECT_TRUE(IsDeferred(fake));
  EXPECT_TRUE(MaterializeTensor(fake, {.in_place = false}).is_same(real));
  EXPECT_TRUE(SharesStorage(MaterializeTensor(fake), real));
}

TEST(Replay, LeavesKeepRequiresGrad) {
  at::Tensor a, b;
  {
    const DeferredInitGuard recording;
    a = at::ones({2});
    a.set_requires_grad(true);
    b = at::ones({2});
    b.requires_grad_();
  }
  MaterializeTensor(a);
  MaterializeTensor(b);
  EXPECT_TRUE(a.requires_grad() && a.is_leaf() && b.requires_grad() && b.is_leaf());
  (a * b).sum().backward();
  EXPECT_TRUE(at::equal(a.grad(), at::ones({2})));
}

TEST(Replay, RunsOnlyWhatIsNeeded) {
  at::Tensor a, b;
  {
    const DeferredInitGuard recording;
    const at::Tensor huge = at::ones({int64_t{1} << 42});
    a = at::zeros_like(huge).new_ones({2}) + at::empty_like(huge.narrow(0, 0, 2)).fill_(1);
    b = huge * 2;
  }
  EXPECT_TRUE(at::equal(MaterializeTensor(a), at::full({2}, 2.0)));
  EXPECT_TRUE(IsDeferred(b));
}

TEST(Replay, LongHistoriesEnd) {
  at::Tensor t;
  {
    const DeferredInitGuard recording;
    t = at::zeros({});
    for (int i = 0; i < 20000; ++i) t.add_(1);
    at::Tensor dropped = t.clone();
    for (int i = 0; i < 20000; ++i) dropped = dropped + 1;
  }
  EXPECT_EQ(MaterializeTensor(t).item<float>(), 20000);
}

TEST(NeedsData, ItemMaterialisesItsArgument) {
  at::Tensor made;
  double number = 0;
  {
    const DeferredInitGuard recording;
    const at::Tensor t = at::full({2}, 3.0);
    t.add_(1);
    number = t.sum().item<double>();
    EXPECT_TRUE(IsDeferred(t));
    EXPECT_EQ(t.nonzero().size(0), 2);
    t.mul_(2);
    made = t + number;
  }
  EXPECT_EQ(number, 8);
  EXPECT_TRUE(at::equal(MaterializeTensor(made), at::full({2}, 16.0)));
}

TEST(NeedsData, WritesToRealTensors) {
  const at::Tensor real = at::zeros({2});
  DeferredInit([&] {
    real.add_(at::ones({2}));
    return 0;
  });
  EXPECT_TRUE(at::equal(real, at::ones({2})));
}

TEST(NeedsData, RaisesByOption) {
  const DeferredInitGuard recording({.needs_data = NeedsData::kRaise});
  try {
    at::ones({1}).item();
    FAIL();
  } catch (const DeferredInitError& e) {
    EXPECT_NE(std::string(e.what_without_backtrace()).find("aten::item"), std::string::npos) << e.what();
  }
  EXPECT_THROW(at::ones({3}).const_data_ptr<float>(), c10::Error);
}

TEST(Errors, RealArgumentsThatChanged) {
  const at::Tensor real = at::ones({2});
  const at::Tensor made = Deferred([&] { return at::zeros({2}).add_(real); });
  real.add_(1);
  const std::string text = TextOf([&] { MaterializeTensor(made); });
  EXPECT_NE(text.find("`other` of aten::add_.Tensor"), std::string::npos) << text;
  EXPECT_TRUE(IsDeferred(made));
}

TEST(Errors, InferenceTensorsFromOutside) {
  at::Tensor real;
  {
    const c10::InferenceMode on;
    real = at::ones({2});
  }
  const at::Tensor made = Deferred([&] { return at::zeros({2}) + real; });
  const std::string text = TextOf([&] { MaterializeTensor(made); });
  EXPECT_NE(text.find("inference tensor"), std::string::npos) << text;
}

TEST(Errors, MaterialisedTensorsThatChanged) {
  at::Tensor a, b;
  {
    const DeferredInitGuard recording;
    a = at::ones({2});
    b = a + 1;
  }
  MaterializeTensor(a).add_(1);
  const std::string text = TextOf([&] { MaterializeTensor(b); });
  EXPECT_NE(text.find("`self` of aten::add.Scalar"), std::string::npos) << text;
}

TEST(Errors, FakesFromElsewhere) {
  const FakeTensorMode mode;
  at::Tensor fake;
  {
    const FakeModeGuard on(mode);
    fake = at::ones({2});
  }
  const DeferredInitGuard recording;
  EXPECT_THROW(fake + 1, c10::ValueError);
}

TEST(Errors, ArgumentsThatMayChange) {
  const at::Tensor real = at::ones({2});
  const DeferredInitGuard recording;
  const at::Tensor t = at::ones({2});
  const std::string text = TextOf([&] { t.set_(real.storage()); });
  EXPECT_NE(text.find("`source` of aten::set_"), std::string::npos) << text;
  EXPECT_NE(text.find("Storage"), std::string::npos) << text;
}

TEST(Errors, SlicesOutside) {
  const at::Tensor t = Deferred([] { return at::ones({4, 2}); });
  EXPECT_THROW(MaterializeSlice(t, {0, 3, 2}), c10::IndexError);
  EXPECT_THROW(MaterializeSlice(t, {2, 0, 1}), c10::IndexError);
  EXPECT_THROW(MaterializeSlice(t, {0, -1, 1}), c10::IndexError);
  EXPECT_EQ(MaterializeSlice(t, {-1, 1, 1}).sizes(), at::IntArrayRef({4, 1}));
}

}  // namespace
}  // namespace fakeprop
