// The mode's guard, factories, devices, errors and constants. Source of the cases: PyTorch's test_fake_tensor.py.
#include "fakeprop/fake_tensor_mode.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <thread>

#include "lib/fake/testing/scenario_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::ExpectFake;
using fake_testing::Sizes;

class Mode : public testing::TestWithParam<const char*> {
 protected:
  at::TensorOptions On() const { return at::TensorOptions(at::Device(GetParam())); }
  at::Device device() const { return at::Device(GetParam()); }
  FakeTensorMode mode;
};
INSTANTIATE_TEST_SUITE_P(Devices, Mode, testing::Values("cpu", "cuda:0", "cuda:1"),
    [](const auto& info) { return std::string(info.param, 3) + std::to_string(info.index); });

TEST_P(Mode, FactoriesAreFake) {
  const FakeModeGuard on(mode);
  ExpectFake(at::empty({2, 3}, On()), {2, 3}, device());
  ExpectFake(at::rand({4, 4}, On()), {4, 4}, device());
  ExpectFake(at::zeros({4}, On()), {4}, device());
  ExpectFake(at::ones({4}, On()), {4}, device());
  ExpectFake(at::randn({4}, On()), {4}, device());
  ExpectFake(at::eye(3, On()), {3, 3}, device());
  ExpectFake(at::linspace(0, 1, 5, On()), {5}, device());
  ExpectFake(at::arange(5, On()), {5}, device());
  ExpectFake(at::randperm(10, On()), {10}, device());
  const at::Tensor full = at::full({4, 4}, 1, On());
  ExpectFake(full, {4, 4}, device());
  EXPECT_EQ(full.scalar_type(), at::kLong);
  ExpectFake(at::ones_like(full), {4, 4}, device());
  ExpectFake(at::zeros_like(full, at::device(at::kCPU)), {4, 4}, at::kCPU);
  ExpectFake(full.new_zeros({7}), {7}, device());
}

TEST_P(Mode, SimpleOperators) {
  at::Tensor y;
  {
    const FakeModeGuard on(mode);
    const at::Tensor x = at::rand({4, 4}, On());
    y = at::relu(x.matmul(x) + 1).view({2, 8}).transpose(0, 1);
    ExpectFake(y, {8, 2}, device());
    EXPECT_EQ(y.strides().vec(), (Sizes{1, 8}));
  }
  ExpectFake(y + y, {8, 2}, device());  // fakes outlive the guard
  EXPECT_FALSE(IsFakeTensor(at::zeros({2})));
}

TEST_P(Mode, ZeroDimCpuGivesWay) {
  const FakeModeGuard on(mode);
  ExpectFake(at::rand({}, at::kCPU) + at::rand({4, 4}, On()), {4, 4}, device());
  if (device().is_cpu()) return;
  EXPECT_THROW(at::rand({1}, at::kCPU) + at::rand({10}, On()), FakeTensorDeviceMismatch);
  EXPECT_THROW(at::rand({4}, at::kCPU) + at::rand({}, On()), FakeTensorDeviceMismatch);
  EXPECT_THROW(at::rand({4}, at::kCPU).add_(at::rand({4}, On())), FakeTensorDeviceMismatch);
}

TEST_P(Mode, ErrorsKeepTheirKind) {
  const FakeModeGuard on(mode);
  EXPECT_THROW(at::rand({3}, On()) + at::rand({4}, On()), c10::Error);
  EXPECT_THROW(at::rand({3, 4}, On()).matmul(at::rand({5, 6}, On())), c10::Error);
  EXPECT_THROW(at::rand({3}, On()).sum(5), c10::IndexError);
  EXPECT_THROW(at::zeros({3}, On().dtype(at::kLong)).add_(1.5), c10::Error);
  EXPECT_THROW(at::rand({3}, On()).add_(at::rand({2, 3}, On())), c10::Error);
  EXPECT_THROW(at::rand({4, 4}, On()).t().view(16), c10::Error);
}

TEST_P(Mode, DataDependent) {
  const FakeModeGuard on(mode);
  const at::Tensor x = at::rand({10, 10}, On());
  EXPECT_THROW(x.nonzero(), DynamicOutputShape);
  EXPECT_THROW(x.sum().item(), DataDependentOutput);
  EXPECT_THROW((void)at::equal(x, at::rand({10, 10}, On())), DataDependentOutput);
  EXPECT_THROW((void)at::equal(x, x.t()), DataDependentOutput);
  EXPECT_FALSE(at::equal(x, at::rand({10, 9}, On())));
  EXPECT_TRUE(at::equal(x, x.view({10, 10})));  // as far as no number is NaN
  EXPECT_THROW((void)at::is_nonzero(x[0][0]), DataDependentOutput);
  EXPECT_THROW((void)x.masked_select(x > 0), DynamicOutputShape);
  EXPECT_THROW(x.index({x > 0}), DynamicOutputShape);
  EXPECT_THROW(at::zeros({4}, On()).scalar_type() == at::kLong ? at::Tensor() : at::bincount(at::arange(5, On())),
      DynamicOutputShape);
  try {
    x.nonzero();
  } catch (const DynamicOutputShape& e) {
    EXPECT_EQ(e.op(), "aten::nonzero");
  }
}

TEST_P(Mode, MetadataMutation) {
  const FakeModeGuard on(mode);
  at::Tensor x = at::rand({2, 3}, On());
  const at::Tensor view = x.view(6), snapshot = DetachSnapshot(x);
  x.t_();
  EXPECT_EQ(x.sizes().vec(), (Sizes{3, 2}));
  EXPECT_EQ(x.strides().vec(), (Sizes{1, 3}));
  ExpectFake(view, {6}, device());
  ExpectFake(snapshot, {2, 3}, device());
  EXPECT_TRUE(SharesStorage(snapshot, x));
  x.unsqueeze_(0);
  ExpectFake(x, {1, 3, 2}, device());
  x.squeeze_();
  x.transpose_(0, 1);
  ExpectFake(x, {2, 3}, device());
  x.resize_({100});
  ExpectFake(x, {100}, device());
  EXPECT_EQ(x.storage().nbytes(), 400u);
  EXPECT_EQ(view.storage().nbytes(), 400u);
  const at::Tensor other = at::rand({5, 5}, On());
  x.set_(other);
  ExpectFake(x, {5, 5}, device());
  EXPECT_TRUE(SharesStorage(x, other));
  x.as_strided_({2, 2}, {1, 1}, 3);
  EXPECT_EQ(x.storage_offset(), 3);
  at::Tensor small = at::rand({1}, at::kCPU);
  small.resize_as_(at::rand({8, 8}, On()));
  ExpectFake(small, {8, 8}, at::kCPU);
}

TEST_P(Mode, Setitem) {
  const FakeModeGuard on(mode);
  at::Tensor x = at::rand({16, 1}, On());
  x.index_put_({at::indexing::Ellipsis, 0}, 0);
  x.index_put_({0}, 1.5);
  x.index_put_({at::arange(3, at::device(at::kCPU).dtype(at::kLong))}, at::zeros({1}, On()));
  ExpectFake(x.index({at::indexing::None, at::indexing::Slice(1, 4)}), {1, 3, 1}, device());
}

TEST_P(Mode, Indexing) {
  const FakeModeGuard on(mode);
  const at::Tensor i = at::zeros({36}, at::device(at::kCPU).dtype(at::kLong));
  for (at::ScalarType dtype : {at::kFloat, at::kComplexFloat, at::kHalf, at::kFloat8_e4m3fn, at::kBool}) {
    const at::Tensor y = at::zeros({2048}, On().dtype(dtype)).index({i});
    ExpectFake(y, {36}, device());
    EXPECT_EQ(y.scalar_type(), dtype);
  }
}

TEST_P(Mode, MovesBetweenDevices) {
  const FakeModeGuard on(mode);
  const at::Tensor cpu = at::rand({8, 8}, at::kCPU);
  EXPECT_TRUE(cpu.to(at::kCPU).is_same(cpu));
  ExpectFake(cpu.to(device()), {8, 8}, device());
  ExpectFake(at::empty({8, 8}, On()).copy_(cpu), {8, 8}, device());
  ExpectFake(at::empty({8, 8}, at::kCPU).copy_(at::rand({8, 8}, On())), {8, 8}, at::kCPU);
  ExpectFake(at::rand({16, 1}, at::kCPU).type_as(at::empty({1}, On())), {16, 1}, device());
}

TEST_P(Mode, InferenceMode) {
  const FakeModeGuard on(mode);
  const at::Tensor x = at::rand({4}, On());
  EXPECT_FALSE((x + x).is_inference());
  {
    const c10::InferenceMode inference;
    const at::Tensor y = x + x;
    EXPECT_TRUE(y.is_inference());
    ExpectFake(y, {4}, device());
    ExpectFake(at::rand({4}, On()) * 2, {4}, device());
  }
  EXPECT_FALSE((x + x).is_inference());
}

TEST_P(Mode, DataPointersThrow) {
  const FakeModeGuard on(mode);
  const at::Tensor x = at::rand({4}, On()), y = at::_softmax(x, 0, false);
  for (const at::Tensor& t : {x, y, x + y}) {
    EXPECT_THROW((void)t.const_data_ptr(), c10::Error);
    EXPECT_THROW((void)t.mutable_data_ptr(), c10::Error);
  }
}

TEST_P(Mode, HugeTensorsTakeNoMemory) {
  const FakeModeGuard on(mode);
  ExpectFake(at::empty({1 << 20, 1 << 20}, On()) + 1, {1 << 20, 1 << 20}, device());
}

TEST(Guards, NestAndComeBack) {
  const FakeTensorMode a, b;
  const FakeModeGuard outer(a);
  {
    const FakeModeGuard again(a);
    EXPECT_EQ(FakeTensorMode::Of(at::zeros({2})), a);
  }
  const at::Tensor of_a = at::zeros({2});
  EXPECT_EQ(FakeTensorMode::Of(of_a), a);
  {
    const FakeModeGuard inner(b);
    const at::Tensor of_b = at::zeros({2});
    EXPECT_EQ(FakeTensorMode::Of(of_b), b);
    EXPECT_THROW(of_a + of_b, NotFake);
    EXPECT_THROW((DetectFakeMode({of_a, of_b})), NotFake);
    EXPECT_EQ(DetectFakeMode({std::vector<at::Tensor>{of_a}}), a);
    EXPECT_EQ(DetectFakeMode({1}), b);
  }
  EXPECT_EQ(FakeTensorMode::Of(at::zeros({2})), a);
  try {
    const FakeModeGuard inner(b);
    throw 1;
  } catch (int) {}
  EXPECT_EQ(FakeTensorMode::Current(), a);
  {
    const UnsetFakeTemporarily real;
    EXPECT_FALSE(FakeTensorMode::Current());
    const at::Tensor t = at::ones({2});
    EXPECT_FALSE(IsFakeTensor(t));
    EXPECT_EQ(t.sum().item<float>(), 2);
    EXPECT_EQ(FakeTensorMode::Of(of_a + of_a), a);
  }
  EXPECT_TRUE(IsFakeTensor(at::zeros({2})));
}

TEST(Guards, AreOfOneThread) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i, mode] {
      EXPECT_FALSE(FakeTensorMode::Current());
      EXPECT_FALSE(IsFakeTensor(at::zeros({2})));
      const FakeModeGuard here(i % 2 ? mode : FakeTensorMode());
      for (int n = 0; n < 100; ++n)
        ExpectFake(at::zeros({4, 4}, at::kCUDA).mm(at::zeros({4, 5}, at::kCUDA)), {4, 5}, at::Device("cuda:0"));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Devices, NormalizeAndAllTypes) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  EXPECT_EQ(at::empty({1}, at::kCUDA).device(), at::Device("cuda:0"));
  ExpectFake(at::empty({1}, at::kCUDA) + at::empty({1}, at::Device("cuda:0")), {1}, at::Device("cuda:0"));
  for (const char* name : {"xpu:0", "mps:0", "hpu:0", "mtia:0", "xla:0"}) {
    const at::Tensor t = at::ones({3}, at::Device(name));
    ExpectFake(t + t, {3}, at::Device(name));
  }
  const at::Tensor meta = at::rand({4}, at::kMeta);
  ExpectFake(meta + meta, {4}, at::kMeta);
}

TEST(NonFake, IsAnErrorUnlessAllowed) {
  const at::Tensor real = at::rand({4, 4});
  const FakeTensorMode strict, lenient({.allow_non_fake_inputs = true});
  {
    const FakeModeGuard on(strict);
    try {
      real[0];
      ADD_FAILURE() << "no error";
    } catch (const NotFake& e) {
      EXPECT_NE(e.msg().find("Please convert all Tensors to FakeTensors first"), std::string::npos) << e.msg();
      EXPECT_NE(e.msg().find("aten::select"), std::string::npos) << e.msg();
    }
    EXPECT_THROW(at::rand({4}) + at::empty({}).new_zeros({4}) + real, NotFake);
  }
  const at::Tensor fake = strict.FromRealTensor(real);
  EXPECT_THROW(fake + real, NotFake);
  EXPECT_THROW(fake + at::sum(real), NotFake);
  EXPECT_EQ(real.sizes().vec(), (Sizes{4, 4}));
  at::Tensor untouched = at::rand({2, 3});
  for (const FakeTensorMode& mode : {strict, lenient}) {
    const FakeModeGuard on(mode);
    try {
      untouched.t_();
      untouched.resize_({7});
    } catch (const NotFake&) {}
    EXPECT_EQ(untouched.sizes().vec(), (Sizes{2, 3}));
  }
  const FakeModeGuard on(lenient);
  ExpectFake(real[0], {4}, at::kCPU);
  const at::Tensor meta = at::Tensor(at::rand({2})).to(at::kMeta);
  ExpectFake(meta, {2}, at::kMeta);
  at::Tensor real_meta;
  {
    const UnsetFakeTemporarily off;
    real_meta = at::empty({4, 4}, at::kMeta);
  }
  ExpectFake(real_meta.to(at::kCPU), {4, 4}, at::kCPU);
  ExpectFake(real_meta.to(at::kCUDA), {4, 4}, at::Device("cuda:0"));
  {
    const FakeModeGuard strictly(strict);
    EXPECT_THROW(real_meta.to(at::kCPU), NotFake);
  }
}

TEST(Constants, OfLiterals) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  at::Tensor x = mode.Literal(4.0);
  EXPECT_EQ(x.item<double>(), 4.0);
  const at::Tensor y = x.add_(1);
  EXPECT_EQ(y.item<double>(), 5.0);
  EXPECT_EQ(x.item<double>(), 5.0);
  EXPECT_EQ((x + 1).to(at::kDouble).clone().view(1)[0].item<double>(), 6.0);
  EXPECT_TRUE((x > 1).item<bool>());
  EXPECT_TRUE(at::is_nonzero(x));
  EXPECT_EQ(at::div(mode.Literal(4), mode.Literal(4), "trunc").item<int64_t>(), 1);
  const at::Tensor list = mode.Literal(std::vector<int>{800, 1216});
  EXPECT_EQ(list.scalar_type(), at::kLong);
  EXPECT_EQ(list[1].item<int64_t>(), 1216);
  EXPECT_EQ(list.sum().item<int64_t>(), 2016);
}

TEST(Constants, WritesForget) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  at::Tensor x = mode.Literal(std::vector<double>{4.0});
  const at::Tensor alias = x.slice(0);
  EXPECT_TRUE(SharesStorage(alias, x));
  EXPECT_EQ(alias.item<double>(), 4.0);
  alias.add_(1);
  EXPECT_EQ(x.item<double>(), 5.0);
  alias.add_(at::rand({1}));
  EXPECT_THROW(x.item(), DataDependentOutput);
  EXPECT_THROW(alias.item(), DataDependentOutput);
  at::Tensor grown = mode.Literal(std::vector<double>{1});
  grown.resize_({2});
  EXPECT_EQ(grown.sizes().vec(), (Sizes{2}));
  EXPECT_THROW(grown[0].item(), DataDependentOutput);
}

TEST(Constants, AreLiteralsAlone) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  for (const at::Tensor& t : {at::full({}, 1), at::zeros({}), at::ones({}), at::arange(1)[0], at::scalar_tensor(1)})
    EXPECT_THROW(t.item(), DataDependentOutput);
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = at::scalar_tensor(3);
  }
  EXPECT_THROW(mode.FromRealTensor(real).item(), DataDependentOutput);
  EXPECT_EQ(mode.FromLiteral(real).item<int64_t>(), 3);
  EXPECT_THROW(mode.Literal(3.5).to(at::kCUDA).item(), DataDependentOutput);
}

TEST(Promotion, AsEager) {
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const at::Tensor ints = at::zeros({2}, at::kInt);
  EXPECT_EQ((ints * 2.0).scalar_type(), at::kFloat);
  EXPECT_EQ((ints + 1).scalar_type(), at::kInt);
  EXPECT_EQ((ints + 1.0).scalar_type(), at::kFloat);
  c10::set_default_dtype(caffe2::TypeMeta::Make<at::Half>());
  EXPECT_EQ((ints + 1.0).scalar_type(), at::kHalf);
  c10::set_default_dtype(caffe2::TypeMeta::Make<float>());
  EXPECT_EQ((ints + 1.0).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace fakeprop
