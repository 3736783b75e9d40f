// What a mode keeps of calls that do more than make tensors: changes of metadata, known data, numbers, missing results;
// and of calls that LibTorch's own code serves.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "fakeprop/fake_tensor_errors.h"
#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/live_bytes.h"
#include "lib/fake/testing/count_operators.h"
#include "lib/fake/testing/symbols_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::CountOperators;
const at::Device kFakeCuda("cuda:0");

class KeptChanges : public ::testing::Test {
 protected:
  static at::Tensor New(at::IntArrayRef sizes, at::Device device = at::kCPU) {
    return at::rand(sizes, at::device(device));
  }

  const FakeTensorMode mode;
  const FakeModeGuard on{mode};
};

TEST_F(KeptChanges, SetTakesTheStorageOfItsCall) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = New({2, 3}), source = New({4, 5}).t(), other = New({40});
    EXPECT_TRUE(x.set_(source).is_same(x));
    EXPECT_TRUE(SharesStorage(x, source));
    EXPECT_EQ(x.sizes(), (at::IntArrayRef{5, 4}));
    EXPECT_EQ(x.strides(), (at::IntArrayRef{1, 5}));
    x.set_(other, 2, {3, 3}, {3, 1});
    EXPECT_TRUE(SharesStorage(x, other));
    EXPECT_FALSE(SharesStorage(x, source));
    EXPECT_EQ(x.storage_offset(), 2);
    x.set_();
    EXPECT_EQ(x.sizes(), (at::IntArrayRef{0}));
    EXPECT_FALSE(SharesStorage(x, other));
    EXPECT_THROW(x.const_data_ptr(), c10::Error);
    EXPECT_THROW(x.mutable_data_ptr(), c10::Error);
    EXPECT_EQ(x.device(), at::Device(at::kCPU));
    EXPECT_EQ((x + 1).device(), at::Device(at::kCPU));
  }
}

TEST_F(KeptChanges, LeavesStayProtected) {
  const at::Tensor source = New({8});
  for (int i = 0; i < 3; ++i) {
    const at::Tensor leaf = New({2}).requires_grad_(), result = leaf * 1;
    EXPECT_NO_THROW(result.set_(source, 0, {2}, {1}));
    EXPECT_THROW(leaf.set_(source, 0, {2}, {1}), c10::Error);
    EXPECT_THROW(leaf.transpose_(0, 0), c10::Error);
  }
}

TEST_F(KeptChanges, StoragesGrowEachTime) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const int64_t before = LiveBytes(mode, device);
    for (int i = 0; i < 3; ++i) {
      const at::Tensor x = New({2}, device), y = New({100}, device), out = New({0}, device);
      EXPECT_EQ(LiveBytes(mode, device) - before, 408);
      x.resize_({10, 10});
      EXPECT_EQ(LiveBytes(mode, device) - before, 800);
      EXPECT_EQ(x.sizes(), (at::IntArrayRef{10, 10}));
      at::add_out(const_cast<at::Tensor&>(out), y, y);
      EXPECT_EQ(out.sizes(), (at::IntArrayRef{100}));
      EXPECT_EQ(LiveBytes(mode, device) - before, 1200);
      x.resize_({2});
      EXPECT_EQ(LiveBytes(mode, device) - before, 1200) << "a storage does not shrink";
      EXPECT_EQ(x.storage().nbytes(), 400u);
    }
    EXPECT_EQ(LiveBytes(mode, device), before);
  }
}

TEST_F(KeptChanges, GeometryChangesInPlace) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = New({2, 3, 4}), base = x.view({-1});
    x.transpose_(0, 2);
    EXPECT_EQ(x.strides(), (at::IntArrayRef{1, 4, 12}));
    x.unsqueeze_(0).squeeze_(0);
    EXPECT_EQ(x.sizes(), (at::IntArrayRef{4, 3, 2}));
    EXPECT_FALSE(x.is_contiguous());
    EXPECT_TRUE(SharesStorage(x, base));
    EXPECT_EQ(x._version(), base._version());
  }
}

TEST_F(KeptChanges, SetTakesThePartOfItsCall) {
  for (const bool is_inner : {false, true}) {
    for (int i = 0; i < 4; ++i) {
      const at::Tensor x = New({2, 3}), source = New({40}), apart = New({2, 3});
      const int64_t version = x._version();
      // The second call finds the storage in place.
      for (const int64_t offset : {2, 3, 3}) {
        is_inner ? x.set_(source.storage(), offset, {3, 4}, {4, 1}) : x.set_(source, offset, {3, 4}, {4, 1});
        EXPECT_TRUE(SharesStorage(x, source));
        EXPECT_FALSE(SharesStorage(apart, source));
        EXPECT_EQ(x.sizes(), (at::IntArrayRef{3, 4}));
        EXPECT_EQ(x.storage_offset(), offset);
      }
      EXPECT_EQ(x._version(), version + 3);
      EXPECT_EQ(source._version(), 0);
    }
  }
}

TEST_F(KeptChanges, SetCountsTheVersionOfAViewOnce) {
  const at::Tensor source = New({40});
  for (int i = 0; i < 3; ++i) {
    const at::Tensor view = source.narrow(0, 0, 6), own = New({2});
    own.set_(source);
    const int64_t version = source._version(), other = own._version();
    view.set_(source, 0, {3}, {1});
    own.set_(source, 0, {3}, {1});
    EXPECT_EQ(source._version(), version + 1);
    EXPECT_EQ(own._version(), other + 1);
  }
}

TEST_F(KeptChanges, SetLetsStoragesGrowEachTime) {
  const int64_t before = LiveBytes(mode, at::kCPU);
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = New({2}), source = New({4});
    x.set_(source.storage(), 0, {10, 10}, {10, 1});
    EXPECT_EQ(source.storage().nbytes(), 400u);
    EXPECT_EQ(LiveBytes(mode, at::kCPU) - before, 400);
  }
}

TEST_F(KeptChanges, WritesMakeKnownDataUnknownEachTime) {
  const at::Tensor x = New({2});
  for (int i = 0; i < 3; ++i) {
    at::Tensor out = at::tensor({3.f, 4.f}), part = at::tensor({5.f, 6.f, 7.f, 8.f});
    EXPECT_EQ(out[1].item<float>(), 4);
    at::add_out(out, x, x);
    EXPECT_THROW(out[1].item(), DataDependentOutput);
    EXPECT_THROW(out.const_data_ptr(), c10::Error);
    part.narrow(0, 0, 2).copy_(x);
    EXPECT_THROW(part[3].item(), DataDependentOutput);
    EXPECT_EQ(at::tensor({3.f, 4.f}).mul_(2)[0].item<float>(), 6) << "all of it is known";
  }
}

TEST_F(KeptChanges, ResultsThatNobodyFilledAreOrdinary) {
  const at::Tensor x = New({2, 3});
  for (int i = 0; i < 4; ++i) {
    at::Tensor out = at::empty({2}), filled = at::empty({2});
    filled.mutable_data_ptr<float>()[0] = 3;
    filled.mutable_data_ptr<float>()[1] = 4;
    at::sum_out(out, x, {-1});
    EXPECT_THROW(out.const_data_ptr(), c10::Error);
    EXPECT_THROW(out[0].item(), DataDependentOutput);
    EXPECT_EQ(filled.mul(2)[1].item<float>(), 8);
    at::sum_out(filled, x, {-1});
    EXPECT_THROW(filled[0].item(), DataDependentOutput);
  }
}

TEST_F(KeptChanges, PinnedMemoryIsPinnedEachTime) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(at::empty({2}, at::TensorOptions().pinned_memory(true)).is_pinned());
    EXPECT_FALSE(at::empty({2}).is_pinned());
  }
}

TEST_F(KeptChanges, ListsAmongSeveralResults) {
  for (int i = 0; i < 3; ++i) {
    for (const int64_t size : {2, 5}) {
      const std::vector<at::Tensor> parameters = {New({size}, kFakeCuda), New({size, 3}, kFakeCuda)}, steps(2, New({}));
      const auto [a, b, c, d, e] = at::_fused_adam(parameters, parameters, parameters, parameters, {}, steps, 0.1, 0.9,
          0.99, 0.0, 1e-8, /*amsgrad=*/false, /*maximize=*/false);
      ASSERT_EQ(a.size(), 2u);
      EXPECT_EQ(a[1].sizes(), (at::IntArrayRef{size, 3}));
      EXPECT_EQ(d[0].device(), kFakeCuda);
      EXPECT_FALSE(SharesStorage(a[0], parameters[0]));
      EXPECT_TRUE(e.empty());
    }
  }
}

TEST_F(KeptChanges, KnownResultsAreKnownEachTime) {
  for (int i = 0; i < 3; ++i) {
    for (const int64_t size : {3, 4}) {
      const at::Tensor sizes = at::_shape_as_tensor(New({size, 2}));
      EXPECT_EQ(sizes[0].item<int64_t>(), size);
      sizes.mul_(10);
      EXPECT_EQ(sizes[1].item<int64_t>(), 20);
      EXPECT_EQ(at::_shape_as_tensor(New({size, 2}, kFakeCuda))[1].item<int64_t>(), 2);
    }
  }
}

TEST_F(KeptChanges, ResultsMayBeMissing) {
  const at::Tensor grad = New({2, 4, 6, 6}), x = New({2, 3, 8, 8}), w = New({4, 3, 3, 3});
  for (int i = 0; i < 3; ++i) {
    const auto [gx, gw, gb] = at::convolution_backward(
        grad, x, w, at::IntArrayRef{4}, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1, {false, true, false});
    EXPECT_FALSE(gx.defined());
    EXPECT_EQ(gw.sizes(), w.sizes());
    EXPECT_FALSE(gb.defined());
  }
}

TEST_F(KeptChanges, ZeroTensorsStayZero) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor zeros = at::_efficientzerotensor({2, 3}, at::device(kFakeCuda));
    EXPECT_TRUE(zeros._is_zerotensor());
    EXPECT_EQ(zeros.device(), kFakeCuda);
    EXPECT_FALSE(New({2, 3})._is_zerotensor());
  }
}

TEST_F(KeptChanges, IndicesNeedNoDataButMasksDo) {
  const at::Tensor x = New({4, 6}), rows = at::zeros({3}, at::kLong), mask = at::zeros({4}, at::kBool);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(x.index({rows}).sizes(), (at::IntArrayRef{3, 6}));
    EXPECT_EQ(x.index({{}, rows}).sizes(), (at::IntArrayRef{4, 3}));
    EXPECT_THROW(x.index({mask}), DynamicOutputShape);
    EXPECT_THROW(rows.nonzero(), DynamicOutputShape);
  }
}

// Of these LibTorch's own code makes the results, by other operators.
TEST_F(KeptChanges, LibTorchsCodeRunsOnce) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor x = New({2, 3}, device), y = New({4, 5}, device);
    const auto make = [&] {
      const at::Tensor made = at::_new_zeros_with_same_feature_meta(x, y);
      EXPECT_EQ(made.sizes(), y.sizes());
      EXPECT_EQ(made.device(), device);
    };
    EXPECT_GT(CountOperators(make), 1);
    EXPECT_EQ(CountOperators(make), 1);
  }
}

TEST_F(KeptChanges, LibTorchsCodeWritesEachTime) {
  const at::Tensor x = New({2, 3}), y = New({4, 5});
  at::Tensor out = New({4, 5});
  std::vector<int64_t> versions, peaks;
  for (int i = 0; i < 4; ++i) {
    const int64_t version = static_cast<int64_t>(out._version());
    ResetPeakBytes(mode, at::kCPU);
    at::_new_zeros_with_same_feature_meta_out(out, x, y);
    versions.push_back(static_cast<int64_t>(out._version()) - version);
    peaks.push_back(PeakBytes(mode, at::kCPU));
    EXPECT_EQ(out.sizes(), y.sizes());
  }
  EXPECT_EQ(versions, std::vector<int64_t>(4, versions[0]));
  EXPECT_EQ(peaks, std::vector<int64_t>(4, peaks[0]));
}

TEST_F(KeptChanges, LeastSquaresOnTheDeviceAndOnTheCpu) {
  for (const at::Device device : {at::Device(at::kCPU), kFakeCuda}) {
    const at::Tensor a = New({3, 2}, device), b = New({3, 4}, device);
    at::Tensor solution = New({0}, device), residuals = New({0}, device), rank = New({0}, device).to(at::kLong),
               values = New({0}, device);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(std::get<0>(at::linalg_lstsq(a, b, std::nullopt, "gels")).sizes(), (at::IntArrayRef{2, 4}));
      at::linalg_lstsq_out(solution, residuals, rank, values, a, b, std::nullopt, "gels");
      EXPECT_EQ(solution.sizes(), (at::IntArrayRef{2, 4}));
      EXPECT_EQ(solution.device(), device);
    }
  }
}

TEST_F(KeptChanges, ACompositeOfOneDeviceIsKeptThere) {
  const at::Tensor grad = New({3}, kFakeCuda), x = New({3}, kFakeCuda);
  const auto call = [&] { EXPECT_EQ(at::silu_backward(grad, x).device(), kFakeCuda); };
  EXPECT_GT(CountOperators(call), 1);
  EXPECT_EQ(CountOperators(call), 1);
  const at::Tensor leaf = New({3}, kFakeCuda).requires_grad_();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(at::silu_backward(grad, leaf).requires_grad());
  at::silu(leaf).sum().backward();
  EXPECT_EQ(leaf.grad().sizes(), leaf.sizes());
}

TEST_F(KeptChanges, InferenceModeChangesTensorsToo) {
  for (int i = 0; i < 3; ++i) {
    const c10::InferenceMode inference(i % 2 == 1);
    const at::Tensor x = New({2, 3}), source = New({4});
    x.set_(source).resize_({2, 2});
    EXPECT_EQ(x.sizes(), (at::IntArrayRef{2, 2}));
    EXPECT_TRUE(SharesStorage(x, source));
    EXPECT_EQ(x.is_inference(), i % 2 == 1);
  }
}

class SymbolicKeptChanges : public fake_testing::SymbolsFixture {};

TEST_F(SymbolicKeptChanges, ATensorWithSymbolsTakesNumbers) {
  for (int i = 0; i < 3; ++i) {
    const at::Tensor x = Fake({4, 6}), plain = at::rand({3});
    EXPECT_EQ(fake_testing::Sizes(plain.set_(x)), fake_testing::Sizes(x));
    EXPECT_EQ(fake_testing::Sizes(x.set_(at::rand({2, 2}))), "2, 2");
  }
}

}  // namespace
}  // namespace fakeprop
