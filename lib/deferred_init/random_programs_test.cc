// Random programs: what they leave is the same, bit by bit, whether they run eagerly or are recorded and made real
// later, in whatever order and way.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "fakeprop/deferred_init.h"

namespace fakeprop {
namespace {

using at::Tensor;

// Runs the same calls each time. Choices depend on sizes and dtypes alone.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  std::vector<Tensor> Run() {
    const at::NoGradGuard no_grad;
    tensors_ = {at::rand({3, 4}), at::arange(6, at::kFloat)};
    const int calls = 5 + Choose(20);
    for (int i = 0; i < calls; ++i) TryCall();
    return std::move(tensors_);
  }

 private:
  int Choose(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool Flip() { return Choose(2) == 0; }
  Tensor& Any() { return tensors_[random_() % tensors_.size()]; }
  void Keep(const Tensor& t) {
    if (t.numel() < 3000) tensors_.push_back(t);
  }
  void KeepAll(const std::vector<Tensor>& all) {
    for (const Tensor& t : all)
      if (Flip()) Keep(t);
  }

  // Wrong calls are errors in both runs, and change nothing.
  void TryCall() {
    try {
      Call();
    } catch (const c10::Error&) {
      return;
    }
  }

  void Call() {
    switch (Choose(10)) {
      case 0: return Keep(Factory());
      case 1: return Fill(Any());
      case 2:
      case 3: return Write(Any());
      case 4:
      case 5: return View(Any());
      case 6: return Compute(Any());
      case 7: return ChangeMetadata(Any());
      case 8: return CallOnSeveral();
      case 9: return Drop();
    }
  }

  std::vector<int64_t> Sizes() {
    std::vector<int64_t> sizes;
    for (int d = Choose(4); d > 0; --d) sizes.push_back(Choose(12) == 0 ? 0 : 1 + Choose(Flip() ? 4 : 12));
    return sizes;
  }

  at::TensorOptions Options() {
    constexpr at::ScalarType kDtypes[] = {at::kFloat, at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};
    return at::device(at::kCPU).dtype(kDtypes[Choose(5)]);
  }

  Tensor Factory() {
    switch (Choose(10)) {
      case 0: return at::zeros(Sizes(), Options());
      case 1: return at::full(Sizes(), Choose(9) - 4.5, Options());
      case 2: return at::arange(Choose(30), Options());
      case 3: return at::randn(Sizes(), Options());
      case 4: return at::randint(-5, 50, Sizes(), at::kLong);
      case 5: return at::randperm(1 + Choose(20));
      case 6: return at::eye(1 + Choose(5), 1 + Choose(5), Options());
      case 7: return at::rand_like(Any());
      case 8: return Any().new_ones(Sizes());
      default: return at::rand(Sizes(), Options());
    }
  }

  void Fill(const Tensor& t) {
    switch (Choose(9)) {
      case 0: t.uniform_(-1, 2); return;
      case 1: t.normal_(1, 3); return;
      case 2: t.random_(); return;
      case 3: t.random_(-3, 100); return;
      case 4: t.bernoulli_(0.3); return;
      case 5: t.exponential_(2); return;
      case 6: t.geometric_(0.4); return;
      case 7: t.log_normal_(); return;
      default: t.cauchy_(); return;
    }
  }

  void Write(Tensor t) {
    switch (Choose(9)) {
      case 0: t.mul_(3); return;
      case 1: t.add_(Any(), 2); return;
      case 2: t.copy_(Any()); return;
      case 3: t.clamp_(-1, 1); return;
      case 4: t.neg_(); return;
      case 5: t.select(0, 0).fill_(4); return;
      case 6: t.masked_fill_(Any() > 0, 5); return;
      case 7: at::_foreach_add_({t, t.detach()}, 1); return;
      default: at::add_out(t, Any(), Any()); return;
    }
  }

  void View(const Tensor& t) {
    switch (Choose(10)) {
      case 0: return Keep(t.view(-1));
      case 1: return Keep(t.t());
      case 2: return Keep(t.select(Choose(2), Choose(3)));
      case 3: return Keep(t.narrow(0, Choose(2), 1 + Choose(3)));
      case 4: return Keep(t.unsqueeze(0).expand({2, -1, -1}));
      case 5: return Keep(t.detach());
      case 6: return KeepAll(t.chunk(2, 0));
      case 7: return KeepAll(t.unbind(0));
      case 8: return Keep(t.diagonal());
      default: return Keep(t.variable_data());
    }
  }

  void Compute(const Tensor& t) {
    switch (Choose(10)) {
      case 0: return Keep(t.clone());
      case 1: return Keep(t + Any());
      case 2: return Keep(at::cat({t, Any(), t}));
      case 3: return Keep(t.to(Options()));
      case 4: return Keep(at::matmul(t, Any()));
      case 5: return Keep(t.contiguous());
      case 6: return KeepAll({std::get<0>(t.sort(0)), t.sum(0)});
      case 7: return Keep(t.softmax(0) * 2);
      case 8: return Keep(at::dropout(t.to(at::kFloat), 0.5, true));
      default: return Keep(t.reshape({-1}));
    }
  }

  void ChangeMetadata(const Tensor& t) {
    switch (Choose(6)) {
      case 0: t.t_(); return;
      case 1: t.unsqueeze_(0); return;
      case 2: t.squeeze_(); return;
      case 3: t.transpose_(0, 1); return;
      case 4: t.set_data(Any()); return;
      default: t.resize_(Sizes()).fill_(2); return;
    }
  }

  void CallOnSeveral() {
    switch (Choose(4)) {
      case 0: return Keep(at::stack({Any(), Any()}));
      case 1: return Keep(at::where(Any() > 0, Any(), Any()));
      case 2: return SetStorage(Any(), Any());
      default: Any().add_(Any().to(at::kDouble).sum().item<double>() > 0 ? 1 : 2); return;
    }
  }

  // Another dtype would show bytes that nobody wrote. A view would count as a change of its base.
  static void SetStorage(const Tensor& t, const Tensor& source) {
    if (t.dtype() == source.dtype() && !t.is_view()) t.set_(source);
  }

  void Drop() {
    if (tensors_.size() > 2) tensors_.erase(tensors_.begin() + Choose(static_cast<int>(tensors_.size())));
  }

  std::mt19937 random_;
  std::vector<Tensor> tensors_;
};

void Seed(uint64_t seed) { at::manual_seed(seed); }

bool HasSameBits(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) return false;
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.numel() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

bool IsSame(const Tensor& a, const Tensor& b) { return a.strides() == b.strides() && HasSameBits(a, b); }

// One of the ways to make a tensor real.
void Materialize(const Tensor& t, const Tensor& eager, std::mt19937& random) {
  switch (random() % 5) {
    case 0: {
      EXPECT_TRUE(IsSame(MaterializeTensor(t, {.in_place = false}), eager));
      return;
    }
    case 1: {
      if (t.dim() == 0) return;
      const int64_t start = t.size(0) / 3, length = t.size(0) - start;
      EXPECT_TRUE(HasSameBits(MaterializeSlice(t, {0, start, length}), eager.narrow(0, start, length)));
      return;
    }
    case 2: {
      MaterializeTensor(t, {.keep_recording = true});
      EXPECT_TRUE(IsSame(t, eager));
      try {
        Dematerialize(t);
      } catch (const DeferredInitError&) {
        return;  // something that it needs is gone
      }
      EXPECT_TRUE(IsDeferred(t));
      return;
    }
    default: MaterializeTensor(t); return;
  }
}

void ExpectSameAliases(const std::vector<Tensor>& found, const std::vector<Tensor>& eager) {
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      EXPECT_EQ(SharesStorage(found[i], found[k]), SharesStorage(eager[i], eager[k])) << i << " " << k;
}

// Programs that nobody would write make LibTorch warn.
struct NoWarnings : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

TEST(RandomPrograms, EqualEager) {
  NoWarnings quiet;
  const c10::WarningUtils::WarningHandlerGuard on(&quiet);
  const char* text = std::getenv("FAKEPROP_PROGRAMS");
  const unsigned programs = text ? static_cast<unsigned>(std::atoi(text)) : 800;
  const char* from = std::getenv("FAKEPROP_FIRST_PROGRAM");
  for (unsigned seed = from ? static_cast<unsigned>(std::atoi(from)) : 0, i = 0; i < programs; ++seed, ++i) {
    SCOPED_TRACE("program " + std::to_string(seed));
    Seed(seed + 1);
    const std::vector<Tensor> eager = Program(seed).Run();
    const Tensor next = at::randn({40});
    Seed(seed + 1);
    const std::vector<Tensor> found = DeferredInit([&] { return Program(seed).Run(); });
    ASSERT_EQ(found.size(), eager.size());
    EXPECT_TRUE(IsSame(at::randn({40}), next));
    std::vector<size_t> order(found.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    for (size_t k : order) {
      SCOPED_TRACE("tensor " + std::to_string(k));
      Materialize(found[k], eager[k], random);
    }
    for (size_t k : order) EXPECT_TRUE(IsSame(MaterializeTensor(found[k]), eager[k])) << "tensor " << k;
    ExpectSameAliases(found, eager);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fakeprop
