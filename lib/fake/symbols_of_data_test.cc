// Fakes whose sizes data decides: symbols without a hint. Source of the cases: PyTorch's test_fake_tensor.py, and runs
// of torch 2.13.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "lib/fake/testing/symbols_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::Sizes;
using fake_testing::Strides;
using fake_testing::Text;

class Unbacked : public fake_testing::SymbolsFixture {
 protected:
  at::Tensor Longs(at::IntArrayRef sizes) { return at::zeros(sizes, at::kLong); }
  static std::string Item(const at::Tensor& t) {
    const at::Scalar number = t.item();
    if (number.isSymInt()) return number.toSymInt().toSymNode()->str();
    if (number.isSymFloat()) return number.toSymFloat().toSymNodeImpl()->str();
    return number.isSymBool() ? number.toSymBool().toSymNodeImpl()->str() : "a number";
  }
};

TEST_F(Unbacked, Items) {
  const at::Tensor x = at::rand({10}), i = Longs({4});
  for (int n = 0; n < 10; ++n) EXPECT_EQ(Item(x[n]), "zuf" + std::to_string(n));
  EXPECT_EQ(Item(i[0]), "u0");
  EXPECT_EQ(Item(i[0]), "u1");  // another view, another memo
  EXPECT_EQ(Item(i[0] > 0), "Eq(u2, 1)");
  const at::Tensor sum = i.sum();
  EXPECT_EQ(Item(sum), "u3");
  EXPECT_EQ(Item(sum), "u3");
  EXPECT_EQ(mode.Literal(7).item<int64_t>(), 7);
}

TEST_F(Unbacked, NonzeroMemo) {
  const at::Tensor x = Longs({10});
  EXPECT_EQ(Sizes(x.nonzero()), "u0, 1");
  EXPECT_EQ(Sizes(x.nonzero()), "u0, 1");
  EXPECT_EQ(Strides(x.nonzero()), "1, u0");
  EXPECT_TRUE(x.nonzero().t().is_contiguous());
  EXPECT_EQ(Sizes(x.view(-1).nonzero()), "u1, 1");
  EXPECT_EQ(Sizes(x.detach().nonzero()), "u2, 1");
  x.add_(1);
  EXPECT_EQ(Sizes(x.nonzero()), "u3, 1");
  EXPECT_EQ(Sizes(x.nonzero()), "u3, 1");
}

// As the kernel, not as FakeTensorMode, which has the longest length instead of their sum.
TEST_F(Unbacked, PackedSequences) {
  const auto S = DimDynamic::kStatic;
  const at::Tensor x = mode.FromRealTensor(Real({8, 5, 4}), {.dims = {DimDynamic::kDynamic, S, S}});
  const at::Tensor lengths = at::zeros_symint({x.sym_size(0)}, at::kLong);
  const auto [rows, steps] = at::_pack_padded_sequence(x, lengths, /*batch_first=*/true);
  EXPECT_EQ(Sizes(rows), "u0, 4");
  EXPECT_EQ(Sizes(steps), "u1");
  EXPECT_EQ(steps.scalar_type(), at::kLong);
  EXPECT_EQ(Sizes(at::_pack_padded_sequence_backward_symint(rows, x.sym_sizes(), steps, true)), "s0, 5, 4");
  const at::Tensor leaf = x.detach().requires_grad_();
  std::get<0>(at::_pack_padded_sequence(leaf, lengths, true)).square().sum().backward();
  EXPECT_EQ(Sizes(leaf.grad()), "s0, 5, 4");
}

TEST_F(Unbacked, UniqueAndMasks) {
  const at::Tensor x = at::rand({10}), mask = x > 0;
  EXPECT_EQ(Sizes(std::get<0>(at::_unique2(x))), "u0");
  EXPECT_EQ(Sizes(std::get<0>(at::_unique2(x))), "u0");
  EXPECT_EQ(Sizes(x.masked_select(mask)), "u1");
  EXPECT_EQ(Sizes(x.index({mask})), "u2");
  EXPECT_EQ(Sizes(x.index({mask})), "u2");
  EXPECT_EQ(Sizes(at::rand({4, 4, 4}).index({at::indexing::Slice(), at::rand({4}) > 0})), "4, u3, 4");
}

// What LibTorch asks of the data on its way is passed over with symbols as it is with numbers.
TEST_F(Unbacked, CompositesThatLookAtData) {
  at::Tensor real;
  {
    const UnsetFakeTemporarily off;
    real = at::zeros({8, 12}, at::kLong);
  }
  const at::Tensor classes = mode.FromRealTensor(real, {.dims = {DimDynamic::kDynamic, DimDynamic::kStatic}});
  EXPECT_EQ(Sizes(at::one_hot(classes, 20)), "s0, 12, 20");
  const at::Tensor x = Fake({8, 5});
  EXPECT_EQ(Sizes(at::quantile(x, 0.5, 1)), Text(x.sym_size(0)));
}

TEST_F(Unbacked, GuardsAreErrorsUntilChecked) {
  const c10::SymInt u = Longs({3}).sum().item().toSymInt();
  try {
    EXPECT_FALSE(u > 3);
    ADD_FAILURE() << "no error";
  } catch (const GuardOnDataDependentSymNode& e) {
    EXPECT_NE(e.msg().find("u0"), std::string::npos) << e.msg();
    EXPECT_NE(e.msg().find("_check"), std::string::npos) << e.msg();
  }
  EXPECT_THROW((void)Longs({3}).sum().item<int64_t>(), GuardOnDataDependentSymNode);
  EXPECT_TRUE(u.sym_ge(2).expect_true(__FILE__, __LINE__));
  EXPECT_TRUE(u >= 1);
  const at::Tensor made = at::empty_symint({u}, at::TensorOptions());
  EXPECT_EQ(Sizes(made), "u0");
  EXPECT_EQ(Strides(made), "1");
  EXPECT_EQ(Sizes(made + 1), "u0");
}

}  // namespace
}  // namespace fakeprop
