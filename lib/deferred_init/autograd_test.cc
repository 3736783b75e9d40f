// Gradients flow through what was recorded as through what was built at once.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fakeprop/deferred_init.h"

namespace fakeprop {
namespace {

using at::Tensor;
using Make = std::function<std::vector<Tensor>()>;  // leaves, and what is computed from them

std::vector<Tensor> GradientsOf(const std::vector<Tensor>& tensors) {
  Tensor sum = at::zeros({});
  for (const Tensor& t : tensors) sum = sum + (t * t).sum();
  sum.backward();
  std::vector<Tensor> gradients;
  for (const Tensor& t : tensors)
    if (t.is_leaf() && t.requires_grad()) gradients.push_back(t.grad());
  return gradients;
}

void ExpectEqualsEager(const Make& make) {
  const std::vector<Tensor> eager = make(), expected = GradientsOf(eager);
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Tensor> found = DeferredInit(make);
    std::vector<size_t> order(found.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (size_t i : order) MaterializeTensor(found[i]);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(at::equal(found[i], eager[i])) << i;
      EXPECT_EQ(found[i].is_leaf(), eager[i].is_leaf()) << i;
      EXPECT_EQ(found[i].requires_grad(), eager[i].requires_grad()) << i;
      EXPECT_EQ(found[i].is_view(), eager[i].is_view()) << i;
    }
    const std::vector<Tensor> gradients = GradientsOf(found);
    ASSERT_EQ(gradients.size(), expected.size());
    for (size_t i = 0; i < gradients.size(); ++i) EXPECT_TRUE(at::equal(gradients[i], expected[i])) << i;
  }
}

TEST(Autograd, LeavesAndWhatIsComputed) {
  ExpectEqualsEager([] {
    const Tensor a = at::full({3}, 2.0).requires_grad_(), b = at::full({3}, 3.0).requires_grad_();
    const Tensor product = a * b;
    return std::vector<Tensor>{a, b, product, product.sum() + a, product.detach()};
  });
}

TEST(Autograd, Views) {
  ExpectEqualsEager([] {
    const Tensor leaf = at::full({2, 3}, 2.0).requires_grad_();
    const Tensor scaled = leaf * 3;
    return std::vector<Tensor>{leaf, leaf.view(-1), scaled, scaled.t(), scaled.select(0, 1) * 2};
  });
}

TEST(Autograd, WritesInPlace) {
  ExpectEqualsEager([] {
    const Tensor leaf = at::full({2, 3}, 2.0).requires_grad_();
    const Tensor y = leaf * 3;
    const Tensor before = y * 2;
    const Tensor row = y.select(0, 1);
    y.add_(leaf);
    row.mul_(2);
    return std::vector<Tensor>{leaf, before, row, y, y + 1};
  });
}

TEST(Autograd, InitialisationWithoutGrad) {
  ExpectEqualsEager([] {
    const Tensor leaf = at::empty({4}).requires_grad_();
    {
      const at::NoGradGuard no_grad;
      leaf.fill_(2);
      leaf[1].mul_(3);
    }
    return std::vector<Tensor>{leaf, leaf.exp()};
  });
}

TEST(Autograd, HooksOfComputedTensors) {
  for (const bool leaf_first : {true, false}) {
    Tensor leaf, y;
    int calls = 0;
    {
      const DeferredInitGuard recording;
      leaf = at::ones({3}).requires_grad_();
      y = leaf * 2;
      y.register_hook([&](const at::TensorBase& grad) {
        ++calls;
        return Tensor(grad) * 10;
      });
      y.retain_grad();
    }
    MaterializeTensor(leaf_first ? leaf : y);
    MaterializeTensor(leaf_first ? y : leaf);
    y.sum().backward();
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(at::equal(leaf.grad(), at::full({3}, 20.0)));
    EXPECT_TRUE(y.retains_grad());
    EXPECT_TRUE(y.grad().defined());
  }
}

}  // namespace
}  // namespace fakeprop
