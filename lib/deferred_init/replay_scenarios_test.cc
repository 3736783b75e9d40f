// What a replay keeps: the state of the thread, the arguments, memory, the order of threads.
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <thread>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/testing/counting_allocator.h"
#include "lib/deferred_init/testing/error_text.h"

namespace fakeprop {
namespace {

using at::Tensor;
using deferred_testing::CountingAllocator;
using deferred_testing::ExpectMentions;
using deferred_testing::TextOf;

template <typename Make>
Tensor Deferred(const Make& make) {
  Tensor made = DeferredInit(make);
  EXPECT_TRUE(IsDeferred(made));
  return made;
}

// ---- state of the thread

class Deterministic {
 public:
  Deterministic() { at::globalContext().setDeterministicAlgorithms(true, false); }
  ~Deterministic() { at::globalContext().setDeterministicAlgorithms(false, false); }
};

// Under deterministic algorithms, empty() fills with NaN.
TEST(ReplayState, DeterministicAlgorithms) {
  Tensor empty, later;
  {
    const DeferredInitGuard recording;
    {
      const Deterministic on;
      empty = at::empty({3});
    }
    later = at::zeros({3}) + empty;
  }
  EXPECT_TRUE(at::isnan(MaterializeTensor(later)).all().item<bool>());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
}

// The recorded state counts, not that of the thread that replays.
TEST(ReplayState, OfTheReplayDoesNotCount) {
  Tensor made, product, leaf, plain;
  {
    const DeferredInitGuard recording;
    made = at::ones({2, 2});
    product = at::mm(made, made);
    leaf = at::ones({2}).requires_grad_();
    plain = leaf * 2;
  }
  {
    const c10::InferenceMode inference;
    const Deterministic on;
    at::autocast::set_autocast_enabled(at::kCPU, true);
    c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    MaterializeTensor(product);
    MaterializeTensor(plain);
    EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
    EXPECT_EQ(at::ones({1}).scalar_type(), at::kDouble);
    EXPECT_TRUE(at::ones({1}).is_inference());
    c10::set_default_dtype(caffe2::TypeMeta::Make<float>());
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  EXPECT_EQ(product.scalar_type(), at::kFloat);
  EXPECT_FALSE(product.is_inference());
  EXPECT_TRUE(plain.requires_grad());
  plain.sum().backward();
  EXPECT_TRUE(at::equal(MaterializeTensor(leaf).grad(), at::full({2}, 2.0)));
}

TEST(ReplayState, UnderAFakeMode) {
  const Tensor t = Deferred([] { return at::ones({3}) * 2; });
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  EXPECT_FALSE(IsFakeTensor(MaterializeTensor(t)));
  EXPECT_TRUE(IsFakeTensor(at::ones({3})));
}

// ---- while recording

TEST(WhileRecording, MaterialiseAndGoOn) {
  Tensor a, b, c;
  {
    const DeferredInitGuard recording;
    a = at::full({3}, 2.0);
    b = a * 3;
    EXPECT_FALSE(IsFakeTensor(MaterializeTensor(a)));
    EXPECT_TRUE(IsDeferred(at::ones({1})));
    c = a + b;  // a real and a deferred tensor
    EXPECT_TRUE(IsDeferred(c));
    EXPECT_FALSE(IsDeferred(a + 1));  // real tensors alone
  }
  EXPECT_TRUE(at::equal(MaterializeTensor(c), at::full({3}, 8.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(b), at::full({3}, 6.0)));
}

TEST(WhileRecording, ExceptionsLeaveTheGeneratorAsEagerCodeWould) {
  const auto make = []() -> int {
    at::rand({5});
    at::randn({3});
    throw std::runtime_error("no");
  };
  at::manual_seed(3);
  EXPECT_THROW(make(), std::runtime_error);
  const Tensor expected = at::randn({20});
  at::manual_seed(3);
  EXPECT_THROW(DeferredInit(make), std::runtime_error);
  EXPECT_TRUE(at::equal(at::randn({20}), expected));
}

TEST(WhileRecording, ArgumentsThatTheProgramChangesLater) {
  Tensor made;
  {
    const DeferredInitGuard recording;
    c10::List<int64_t> sizes({2, 3});
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::full", "");
    torch::jit::Stack stack = {sizes, 7, c10::IValue(), c10::IValue(), c10::IValue(), c10::IValue()};
    op.callBoxed(stack);
    made = stack[0].toTensor();
    sizes[0] = 5;
    c10::List<Tensor> parts({made, made});
    torch::jit::Stack cat = {parts, 0};
    c10::Dispatcher::singleton().findSchemaOrThrow("aten::cat", "").callBoxed(cat);
    parts.clear();
    made = cat[0].toTensor();
  }
  EXPECT_EQ(MaterializeTensor(made).sizes(), at::IntArrayRef({4, 3}));
}

TEST(WhileRecording, ListsAndOutTensors) {
  const auto make = [] {
    std::vector<Tensor> made = at::arange(6, at::kFloat).view({3, 2}).clone().unbind(0);
    at::_foreach_mul_(made, 2);
    at::_foreach_add_(std::vector<Tensor>{made[0]}, std::vector<Tensor>{made[1]});
    Tensor out = at::empty({0});
    made.push_back(at::cat_out(out, made));
    made.push_back(std::get<1>(out.max(0)));
    return made;
  };
  const std::vector<Tensor> eager = make(), found = DeferredInit(make);
  for (size_t i : {4u, 2u, 0u, 3u, 1u}) EXPECT_TRUE(at::equal(MaterializeTensor(found[i]), eager[i])) << i;
  EXPECT_TRUE(SharesStorage(found[0], found[2]));
}

TEST(WhileRecording, UnusualTensors) {
  const auto make = [] {
    const Tensor c = at::complex(at::ones({2}), at::full({2}, 3.0));
    return std::vector<Tensor>{at::zeros({0, 3}), at::empty({0}), at::scalar_tensor(2), c.conj(), at::imag(c.conj()),
        at::ones({2, 3}).expand({4, 2, 3}), at::full({3}, true, at::kBool), at::ones({2, 2}).t()};
  };
  const std::vector<Tensor> eager = make(), found = DeferredInit(make);
  for (const Tensor& t : found) EXPECT_TRUE(IsDeferred(t)) << t.sizes();
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(at::equal(MaterializeTensor(found[i]), eager[i])) << i;
    EXPECT_EQ(found[i].strides(), eager[i].strides());
    EXPECT_EQ(found[i].is_conj(), eager[i].is_conj());
  }
}

TEST(WhileRecording, SetTheStorageOfAnother) {
  Tensor a, b;
  {
    const DeferredInitGuard recording;
    a = at::zeros({4});
    b = at::ones({2, 2});
    a.set_(b);
    b.mul_(3);
  }
  EXPECT_TRUE(at::equal(MaterializeTensor(a), at::full({2, 2}, 3.0)));
  EXPECT_TRUE(SharesStorage(a, MaterializeTensor(b)));
}

TEST(WhileRecording, DataOfRealAndDeferredTensors) {
  const Tensor real = at::zeros({2});
  Tensor takes_real;
  {
    const DeferredInitGuard recording;
    real.set_data(at::full({2}, 3.0));
    takes_real = at::zeros({2});
    takes_real.set_data(real);
    takes_real = takes_real * 2;
  }
  EXPECT_TRUE(at::equal(real, at::full({2}, 3.0)));
  EXPECT_TRUE(at::equal(MaterializeTensor(takes_real), at::full({2}, 6.0)));
}

TEST(WhileRecording, ViewsStayViewsForAutograd) {
  Tensor a, b;
  {
    const DeferredInitGuard recording;
    a = at::ones({2, 2}).mul(1);
    b = a.view(-1);
  }
  MaterializeTensor(b);
  EXPECT_TRUE(b.is_view());
  EXPECT_TRUE(b._base().is_same(a));
  EXPECT_FALSE(a.is_view());
}

TEST(WhileRecording, RequiresGradThatIsSetLater) {
  const Tensor t = Deferred([] { return at::ones({2}); });
  t.requires_grad_();
  MaterializeTensor(t);
  (t * 3).sum().backward();
  EXPECT_TRUE(at::equal(t.grad(), at::full({2}, 3.0)));
}

// ---- errors

TEST(ReplayErrors, RealTensorsInListsAndBehindViews) {
  const Tensor real = at::ones({2}), view = real.narrow(0, 0, 1), base = at::ones({3});
  Tensor joined, viewed;
  {
    const DeferredInitGuard recording;
    joined = at::cat({at::zeros({2}), real});
    viewed = at::zeros({1}) * view;
  }
  real.mul_(2);
  ExpectMentions(TextOf([&] { MaterializeTensor(joined); }), {"`tensors`", "aten::cat", "changed in place"});
  ExpectMentions(TextOf([&] { MaterializeTensor(viewed); }), {"`other`", "aten::mul.Tensor", "changed in place"});
  EXPECT_TRUE(IsDeferred(joined));
}

TEST(ReplayErrors, RealTensorsWithNewData) {
  const Tensor real = at::ones({2});
  const Tensor made = Deferred([&] { return at::zeros({2}) + real; });
  real.set_data(at::full({2}, 5.0));
  ExpectMentions(TextOf([&] { MaterializeTensor(made); }), {"`other`", "aten::add.Tensor"});
}

TEST(ReplayErrors, RealTensorsThatTheRecordingChanges) {
  const Tensor real = at::ones({2});
  Tensor before, after;
  {
    const DeferredInitGuard recording;
    before = at::zeros({2}) + real;
    real.add_(1);  // at once
    after = at::zeros({2}) + real;
  }
  EXPECT_TRUE(at::equal(MaterializeTensor(after), at::full({2}, 2.0)));
  ExpectMentions(TextOf([&] { MaterializeTensor(before); }), {"`other`", "aten::add.Tensor"});
}

TEST(ReplayErrors, SlicesSeeChangesToo) {
  const Tensor real = at::ones({4});
  Tensor reads_real, source, reads_source;
  {
    const DeferredInitGuard recording;
    reads_real = at::zeros({4});
    reads_real.add_(real);
    source = at::ones({4});
    reads_source = at::zeros({4});
    reads_source.copy_(source);
  }
  EXPECT_TRUE(at::equal(MaterializeSlice(reads_real, {0, 1, 2}), at::ones({2})));
  real.add_(1);
  MaterializeTensor(source).add_(1);
  ExpectMentions(TextOf([&] { MaterializeSlice(reads_real, {0, 1, 2}); }), {"`other`", "aten::add_.Tensor"});
  ExpectMentions(TextOf([&] { MaterializeSlice(reads_source, {0, 1, 2}); }), {"`src`", "aten::copy_"});
}

TEST(ReplayErrors, OperatorsThatNobodyServes) {
  const torch::Library library(torch::Library::DEF, "deferred_test", std::nullopt, __FILE__, __LINE__);
  torch::Library definitions(torch::Library::FRAGMENT, "deferred_test", std::nullopt, __FILE__, __LINE__);
  definitions.def("unknown(Tensor x) -> Tensor");
  definitions.impl("unknown", torch::dispatch(c10::DispatchKey::CPU, [](const Tensor& x) { return x.clone(); }));
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("deferred_test::unknown", "");
  const DeferredInitGuard recording;
  torch::jit::Stack stack = {at::ones({2})};
  ExpectMentions(TextOf([&] { op.callBoxed(stack); }), {"deferred_test::unknown"});
}

// A conversion to a sparse layout needs the data, and runs at once.
TEST(ReplayErrors, SparseTensors) {
  const DeferredInitGuard recording;
  EXPECT_EQ(at::eye(3).to_sparse()._nnz(), 3);
  const Tensor indices = at::zeros({2, 3}, at::kLong), values = at::ones({3});
  ExpectMentions(TextOf([&] {
    at::_sparse_coo_tensor_unsafe(indices, values, {4, 5});
  }),
      {"sparse_coo", "not strided, which cannot be deferred"});
}

// ---- memory

TEST(Memory, IntermediateTensorsAreFreed) {
  constexpr int64_t kBytes = int64_t{1} << 22;
  const Tensor t = Deferred([] {
    Tensor sum = at::zeros({kBytes / 4});
    for (int i = 0; i < 50; ++i) sum = sum + at::ones({kBytes / 4});
    return sum;
  });
  const CountingAllocator counting;
  MaterializeTensor(t);
  EXPECT_LE(counting.peak(), 3 * kBytes + 1000);
  EXPECT_LE(counting.live(), kBytes + 1000);
}

TEST(Memory, ArgumentsAreReleased) {
  Tensor real = at::ones({3});
  const c10::weak_intrusive_ptr<c10::TensorImpl> weak(real.getIntrusivePtr());
  Tensor kept = Deferred([&] { return at::zeros({3}) + real; });
  Tensor dropped = Deferred([&] { return at::zeros({3}) * real; });
  real.reset();
  EXPECT_FALSE(weak.expired());
  MaterializeTensor(kept);
  EXPECT_FALSE(weak.expired());
  dropped.reset();
  EXPECT_TRUE(weak.expired());
}

// An eighth of an embedding of 4 GB.
TEST(Memory, ASliceHoldsNoMoreThanItself) {
  const Tensor weight = Deferred([] {
    const at::NoGradGuard no_grad;
    Tensor table = at::empty({int64_t{1} << 18, int64_t{1} << 12});
    table.normal_();
    table[3].fill_(0);
    return table;
  });
  const CountingAllocator counting;
  constexpr int64_t kEighth = int64_t{1} << 15;
  const Tensor part = MaterializeSlice(weight, {0, 3 * kEighth, kEighth});
  EXPECT_EQ(part.sizes(), at::IntArrayRef({kEighth, 1 << 12}));
  EXPECT_LT(counting.peak(), 600'000'000);
}

// ---- threads

TEST(Threads, RecordedHereReplayedThere) {
  at::manual_seed(4);
  const Tensor eager = at::rand({5}) + at::randn({5});
  at::manual_seed(4);
  const Tensor t = Deferred([] { return at::rand({5}) + at::randn({5}); });
  std::thread([&] { MaterializeTensor(t); }).join();
  EXPECT_TRUE(at::equal(t, eager));
}

// Each thread has its generator, since they share the default one.
std::vector<Tensor> MakeWith(uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  std::vector<Tensor> made;
  for (int i = 0; i < 50; ++i) {
    made.push_back(at::empty({7}).uniform_(0, 1, generator));
    made.push_back(made.back().view(-1).mul_(2).clone());
    made.push_back(at::empty({5}).normal_(0, 1, generator));
  }
  return made;
}

TEST(Threads, RecordAndReplayAtTheSameTime) {
  std::vector<std::vector<Tensor>> found(4);
  std::vector<std::thread> threads;
  for (size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&found, k] {
      found[k] = DeferredInit([&] { return MakeWith(k); });
      for (const Tensor& t : found[k]) MaterializeTensor(t);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t k = 0; k < found.size(); ++k) {
    const std::vector<Tensor> eager = MakeWith(k);
    for (size_t i = 0; i < eager.size(); ++i) EXPECT_TRUE(at::equal(found[k][i], eager[i])) << k << " " << i;
  }
}

}  // namespace
}  // namespace fakeprop
