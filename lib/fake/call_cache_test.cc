// Calls that a mode serves by the effects of earlier ones.
#include <ATen/ATen.h>
#include <ATen/core/boxing/impl/boxing.h>
#include <gtest/gtest.h>

#include <functional>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/fake/call_key.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/testing/symbols_fixture.h"

namespace fakeprop {
namespace {

const at::Device kFakeCuda("cuda:0");

class CallCache : public ::testing::Test {
 protected:
  static at::Tensor Cpu(at::IntArrayRef sizes) { return at::rand(sizes, at::device(at::kCPU)); }
  static at::Tensor Cuda(at::IntArrayRef sizes) { return at::rand(sizes, at::device(kFakeCuda)); }

  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
};

TEST_F(CallCache, ASecondCallHasTheSameEffects) {
  const at::Tensor x = Cuda({4, 6});
  for (int i = 0; i < 3; ++i) {
    const at::Tensor y = x.t().slice(0, 1, 3);
    EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{2, 4}));
    EXPECT_EQ(y.storage_offset(), 1);
    EXPECT_TRUE(SharesStorage(x, y));
    EXPECT_EQ(y.device(), kFakeCuda);
    const auto [values, indices] = x.max(1);
    EXPECT_EQ(indices.scalar_type(), at::kLong);
    EXPECT_FALSE(SharesStorage(values, indices));
    EXPECT_EQ(x.split(2, 1).size(), 3u);
  }
}

TEST_F(CallCache, WritesCountEachTime) {
  const at::Tensor x = Cpu({4});
  for (uint32_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(x.add_(x).is_same(x));
    EXPECT_EQ(x._version(), i);
  }
}

TEST_F(CallCache, WritesToListsCountEachTime) {
  const at::Tensor x = Cpu({4}), y = Cuda({2, 3});
  for (uint32_t i = 1; i < 4; ++i) {
    at::_foreach_add_({x}, 1);
    at::_foreach_mul_({y}, 2);
    EXPECT_EQ(x._version(), i);
    EXPECT_EQ(y._version(), i);
  }
}

TEST_F(CallCache, AliasesAreOfTheTensorsOfTheirCall) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    for (int i = 0; i < 3; ++i) {
      const at::Tensor x = at::rand({4, 6}, at::device(device).dtype(at::kComplexFloat)).requires_grad_();
      const at::Tensor conj = x.conj(), imag = at::imag(conj), detached = x.detach();
      EXPECT_TRUE(conj.is_conj() && imag.is_neg());
      EXPECT_FALSE(conj.view({24}).resolve_conj().is_conj());
      EXPECT_TRUE(conj.is_view() && conj.requires_grad() && conj.grad_fn());
      EXPECT_FALSE(detached.requires_grad());
      for (const at::Tensor& alias : {conj, imag, detached, x.split(2, 1)[2], x.unbind(0)[3]}) {
        EXPECT_TRUE(SharesStorage(alias, x));
        EXPECT_EQ(alias.device(), device);
        EXPECT_EQ(alias._version(), x._version());
      }
      EXPECT_EQ(x.split(2, 1)[2].storage_offset(), 4);
    }
  }
}

TEST_F(CallCache, AliasesOfInferenceTensorsAreInferenceTensors) {
  const at::Tensor normal = Cpu({4});
  at::Tensor x;
  {
    const c10::InferenceMode inference;
    x = Cpu({4});
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(normal.view({2, 2}).is_inference());
    EXPECT_TRUE(x.view({2, 2}).is_inference());
  }
}

TEST_F(CallCache, AWriteThatTheSchemaDoesNotTellForgetsKnownData) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor mean = mode.Literal(std::vector<double>{0}), variance = mode.Literal(std::vector<double>{1});
    EXPECT_NO_THROW(mean.item());
    at::batch_norm(Cpu({2, 1, 3}), {}, {}, mean, variance, /*training=*/true, 0.1, 1e-5, false);
    EXPECT_THROW(mean.item(), DataDependentOutput);
    EXPECT_THROW(mean.const_data_ptr(), c10::Error);
  }
}

// Each pair of calls differs in one thing that the results depend on.
TEST_F(CallCache, TellsCallsApart) {
  const at::Tensor x = Cpu({4, 6}), longs = x.to(at::kLong), cuda = Cuda({4, 6});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ((longs + 1).scalar_type(), at::kLong);
    EXPECT_EQ((longs + 1.0).scalar_type(), at::kFloat);
    EXPECT_EQ((longs + true).scalar_type(), at::kLong);
    EXPECT_EQ((x + x.to(at::kDouble)).scalar_type(), at::kDouble);
    EXPECT_EQ((x + 1).device(), x.device());
    EXPECT_EQ((cuda + 1).device(), kFakeCuda);
    EXPECT_EQ(x.view({24}).sizes(), (at::IntArrayRef{24}));
    EXPECT_EQ(x.view({6, 4}).sizes(), (at::IntArrayRef{6, 4}));
    EXPECT_TRUE(x.clone().is_contiguous());
    EXPECT_FALSE(x.t().clone().is_contiguous());
    EXPECT_EQ(x.sum(at::IntArrayRef{}).dim(), 0);
    EXPECT_EQ(x.sum({0}).dim(), 1);
    EXPECT_THROW(x.view({5, 5}), c10::Error);
    EXPECT_THROW(x.t().view({24}), c10::Error);
    EXPECT_THROW(x + cuda, c10::Error);
  }
}

TEST_F(CallCache, TheStateOfTheThreadCounts) {
  const at::Tensor longs = Cpu({2}).to(at::kLong);
  EXPECT_EQ(longs.div(2).scalar_type(), at::kFloat);
  at::set_default_dtype(caffe2::TypeMeta::Make<double>());
  EXPECT_EQ(longs.div(2).scalar_type(), at::kDouble);
  EXPECT_EQ(at::empty({2}).scalar_type(), at::kDouble);
  at::set_default_dtype(caffe2::TypeMeta::Make<float>());
  EXPECT_EQ(longs.div(2).scalar_type(), at::kFloat);
  for (const c10::DeviceIndex index : {c10::DeviceIndex{0}, c10::DeviceIndex{1}}) {
    const c10::DeviceGuard guard(c10::Device(at::kCUDA, index));
    EXPECT_EQ(at::empty({2}, at::kCUDA).device(), c10::Device(at::kCUDA, index));
  }
}

TEST_F(CallCache, KnownDataIsComputedAnew) {
  const at::Tensor unknown = at::empty({1}, at::kLong) + at::ones({1}, at::kLong);
  EXPECT_THROW((unknown * 2).item(), DataDependentOutput);
  for (const int64_t value : {int64_t{3}, int64_t{5}}) {
    const at::Tensor known = mode.Literal(std::vector<int64_t>{value});
    EXPECT_EQ((known * 2).item<int64_t>(), 2 * value);
  }
  const at::Tensor known = mode.Literal(std::vector<int64_t>{3});
  known.add_(unknown);
  EXPECT_THROW(known.item(), DataDependentOutput) << "what was written is not known";
}

TEST_F(CallCache, TensorsOfOneStorageAreOthersThanTwo) {
  const at::Tensor x = Cpu({4}), y = Cpu({4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NO_THROW(x.slice(0, 0, 2).add_(y.slice(0, 0, 2)));
    EXPECT_NO_THROW(x.slice(0, 0, 2).add_(x.slice(0, 0, 2)));
    EXPECT_THROW(x.slice(0, 0, 3).add_(x.slice(0, 1, 4)), c10::Error) << "they overlap in part";
  }
}

TEST_F(CallCache, InferenceTensorsStayApart) {
  const at::Tensor x = Cpu({4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE((x + x).is_inference());
    const c10::InferenceMode inference;
    EXPECT_TRUE((x + x).is_inference());
    EXPECT_FALSE(x.view({2, 2}).is_inference());
  }
}

TEST_F(CallCache, FillsAndStartsAnew) {
  const at::Tensor x = Cpu({2});
  for (int64_t i = 1; i < 9000; ++i) ASSERT_EQ(x.expand({i, 2}).size(0), i);
}

TEST_F(CallCache, ResultsSayWhyTheyHaveNoData) {
  const at::Tensor x = Cpu({4, 6});
  const auto says_why = [](const std::function<void()>& read) {
    try {
      read();
    } catch (const c10::Error& e) {
      return std::string(e.what()).find("a fake tensor has no data") == 0;
    }
    return false;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(says_why([&] { x.neg().const_data_ptr(); }));
    EXPECT_TRUE(says_why([&] { x.neg().mutable_data_ptr(); }));
    EXPECT_TRUE(says_why([&] { x.neg().storage().data(); }));
    EXPECT_TRUE(says_why([&] { x.neg().storage().mutable_data(); }));
    EXPECT_TRUE(says_why([&] { x.neg().t().detach().const_data_ptr(); }));
  }
}

// A tensor that dies hands fields on to later ones.
TEST_F(CallCache, DevicesAreThoseOfTheCall) {
  const at::Tensor on_cpu = Cpu({2}), on_cuda = Cuda({2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(on_cuda.neg().device() == kFakeCuda);
    EXPECT_TRUE(on_cpu.neg().is_cpu());
    EXPECT_TRUE(on_cpu.to(at::kMeta).neg().is_meta());
  }
}

class CallKeys : public CallCache {
 protected:
  // The words of a call whose only argument this is. The operator does not matter.
  static std::vector<int64_t> Boxed(const c10::IValue& argument) {
    fake::CallKey key;
    EXPECT_TRUE(key.Read(Any(), argument, Mode()));
    return key.words().vec();
  }
  template <typename T>
  static std::vector<int64_t> Unboxed(const T& argument) {
    fake::CallKey key;
    key.Begin(Any(), Mode());
    EXPECT_TRUE(key.AddArgument(argument) && key.End());
    return key.words().vec();
  }
  template <typename T>
  static void ExpectSame(const T& argument) {
    torch::jit::Stack stack = c10::impl::boxArgs<T>(argument);
    EXPECT_EQ(Boxed(stack.at(0)), Unboxed(argument)) << stack.at(0);
  }

 private:
  static c10::OperatorHandle Any() { return c10::Dispatcher::singleton().findSchemaOrThrow("aten::neg", ""); }
  static fake::ModeState* Mode() { return fake::CurrentMode().get(); }
};

TEST_F(CallKeys, NeedNoBoxes) {
  const at::Tensor x = Cpu({4, 6}), y = x.t();
  ExpectSame(x);
  ExpectSame(at::Tensor());
  ExpectSame(std::optional<at::Tensor>());
  ExpectSame(std::optional<at::Tensor>(y));
  ExpectSame(true);
  ExpectSame(int64_t{-3});
  ExpectSame(1.5);
  ExpectSame(std::optional<double>());
  ExpectSame(std::optional<int64_t>(2));
  ExpectSame(std::optional<bool>(true));
  for (const c10::Scalar& number :
      {c10::Scalar(2), c10::Scalar(2.5), c10::Scalar(true), c10::Scalar(c10::complex(1., 2.))})
    ExpectSame(number);
  ExpectSame(std::optional<c10::Scalar>(3));
  ExpectSame(at::kHalf);
  ExpectSame(std::optional<at::ScalarType>(at::kLong));
  ExpectSame(std::optional<at::Layout>(at::kStrided));
  ExpectSame(std::optional<at::MemoryFormat>(at::MemoryFormat::ChannelsLast));
  ExpectSame(std::optional<at::Device>(kFakeCuda));
  ExpectSame(std::string_view("bilinear, or another text"));
  ExpectSame(std::array<bool, 3>{true, false, true});
}

TEST_F(CallKeys, NeedNoBoxedLists) {
  const std::vector<int64_t> numbers = {3, -1, 4};
  const std::vector<double> scales = {1.5, 2};
  const std::vector<c10::SymInt> sizes = {3, 4};
  for (const at::IntArrayRef list : {at::IntArrayRef(numbers), at::IntArrayRef()}) {
    ExpectSame(list);
    ExpectSame(at::OptionalIntArrayRef(list));
  }
  ExpectSame(at::OptionalIntArrayRef());
  ExpectSame(c10::SymIntArrayRef(sizes));
  ExpectSame(c10::SymInt(7));
  ExpectSame(at::OptionalSymIntArrayRef(c10::SymIntArrayRef(sizes)));
  ExpectSame(std::optional<at::ArrayRef<double>>(scales));
  const at::Tensor x = Cpu({4, 6});
  const std::vector<at::Tensor> tensors = {x, x.t(), x};
  ExpectSame(at::TensorList(tensors));
  ExpectSame(at::ITensorListRef(tensors));
  ExpectSame(c10::List<std::optional<at::Tensor>>({std::nullopt, x}));
}

class SymbolicCallCache : public fake_testing::SymbolsFixture {};

TEST_F(SymbolicCallCache, WhatIsLearnedLaterCounts) {
  const at::Tensor x = Fake({4, 6}), y = Fake({5, 6});
  EXPECT_EQ(fake_testing::Sizes(x + x), "s0, s1");
  EXPECT_EQ(fake_testing::Sizes(x + x), "s0, s1");
  const size_t guards = env->guards().size();
  EXPECT_THROW(x + y, c10::Error);
  EXPECT_GT(env->guards().size(), guards);
  EXPECT_EQ(fake_testing::Sizes(at::cat({x, y})), "s0 + s2, s1");
  EXPECT_EQ(fake_testing::Sizes(at::cat({x, y})), "s0 + s2, s1");
}

TEST_F(SymbolicCallCache, TensorsHaveSymbolsOfTheirOwn) {
  const at::Tensor x = at::rand({6}), y = at::rand({6});
  EXPECT_EQ(fake_testing::Sizes(x.nonzero()), fake_testing::Sizes(x.nonzero()));
  EXPECT_NE(fake_testing::Sizes(x.nonzero()), fake_testing::Sizes(y.nonzero()));
  EXPECT_EQ(fake_testing::Sizes(x.nonzero()), fake_testing::Sizes(x.nonzero()));
}

}  // namespace
}  // namespace fakeprop
