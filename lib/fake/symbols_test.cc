// Fakes with symbolic sizes: at::Tensors whose sizes are SymInts over a ShapeEnv. Source of the cases: PyTorch's
// test_fake_tensor.py, and runs of torch 2.13.
#include "lib/fake/sym_nodes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <sstream>

#include "lib/fake/testing/symbols_fixture.h"

namespace fakeprop {
namespace {

using fake_testing::Sizes;
using fake_testing::Strides;
using fake_testing::Text;

class Symbols : public fake_testing::SymbolsFixture {};

TEST_F(Symbols, DuckSizes) {
  EXPECT_EQ(Sizes(Fake({4, 5})), "s0, s1");
  EXPECT_EQ(Sizes(Fake({4, 7})), "s0, s2");
  EXPECT_EQ(Sizes(Fake({1, 4})), "1, s0");
  EXPECT_EQ(Sizes(Fake({1, 4, 0})), "1, s0, 0");
  EXPECT_EQ(Strides(Fake({4, 5})), "s1, 1");
  EXPECT_EQ(env->symbols()[0].source, "x.size(0)");
  EXPECT_EQ(env->symbols()[0].hint, 4);
}

TEST_F(Symbols, MarkedDynamicAndStatic) {
  const FromRealOptions dynamic{
      .dims = {DimDynamic::kDynamic, DimDynamic::kDynamic, DimDynamic::kStatic}, .source = "y"};
  EXPECT_EQ(Sizes(mode.FromRealTensor(Real({6, 6, 6}), dynamic)), "s0, s1, 6");
  EXPECT_EQ(env->symbols()[1].source, "y.size(1)");
  EXPECT_EQ(mode.FromRealTensor(Real({9, 9}), {.static_shapes = true}).sizes().vec(), (std::vector<int64_t>{9, 9}));
  const FakeTensorMode all_static({.shape_env = env, .static_shapes = true});
  EXPECT_EQ(all_static.FromRealTensor(Real({9, 9})).sizes().vec(), (std::vector<int64_t>{9, 9}));
}

TEST_F(Symbols, Strides) {
  EXPECT_EQ(Strides(mode.FromRealTensor(RealView({4, 6}, [](const at::Tensor& t) { return t.t(); }))), "1, s1");
  const at::Tensor permuted = mode.FromRealTensor(RealView({14, 15, 16}, [](const at::Tensor& t) {
    return t.permute({2, 0, 1}).detach();
  }));
  EXPECT_EQ(Sizes(permuted), "s2, s3, s4");
  EXPECT_EQ(Strides(permuted), "1, s2*s4, s2");
  EXPECT_EQ(Strides(mode.FromRealTensor(RealView({3, 1, 4},
                [](const at::Tensor& t) {
                  return t.expand({3, 9, 4}).detach();
                }))),
      "s0, 0, 1");
  const at::Tensor odd = mode.FromRealTensor(RealView({60}, [](const at::Tensor& t) {
    return t.as_strided({4, 5}, {13, 2}, 1).detach();
  }));
  EXPECT_EQ(odd.sym_strides()[1].toSymNode()->guard_int("", 0), 2);
  EXPECT_EQ(Text(odd.sym_storage_offset()), "1");
}

TEST_F(Symbols, MemoAndSharedStorage) {
  const at::Tensor real = Real({4, 5});
  at::Tensor real_row;
  {
    const UnsetFakeTemporarily off;
    real_row = real[0];
  }
  const at::Tensor fake = mode.FromRealTensor(real), row = mode.FromRealTensor(real_row);
  EXPECT_TRUE(fake.is_same(mode.FromRealTensor(real)));
  EXPECT_TRUE(SharesStorage(fake, row));
  EXPECT_EQ(Sizes(row), "s1");
  EXPECT_FALSE(fake.storage().sym_nbytes().maybe_as_int());
}

TEST_F(Symbols, OtherModeSameShapeEnv) {
  const at::Tensor of_one = Fake({10});
  const FakeTensorMode other({.shape_env = env});
  const at::Tensor of_other = other.FromRealTensor(of_one, {.static_shapes = true});
  EXPECT_FALSE(of_other.is_same(of_one));
  EXPECT_EQ(FakeTensorMode::Of(of_other), other);
  EXPECT_EQ(Sizes(of_other), "s0");
  EXPECT_EQ(Sizes(other.FromRealTensor(Real({10}))), "s0");  // the same ducks
  const FakeTensorMode stranger({.shape_env = std::make_shared<ShapeEnv>()});
  EXPECT_THROW(stranger.FromRealTensor(of_one), c10::Error);
}

TEST_F(Symbols, OperatorsKeepSymbols) {
  const at::Tensor x = Fake({4, 5}), w = Fake({5, 7});
  EXPECT_EQ(Sizes(x + x), "s0, s1");
  EXPECT_EQ(Sizes(x.matmul(w)), "s0, s2");
  EXPECT_EQ(Sizes(x.t()), "s1, s0");
  EXPECT_EQ(Sizes(at::cat({x, x}, 1)), "s0, 2*s1");
  EXPECT_EQ(Sizes(x.reshape_symint({-1})), "s0*s1");
  EXPECT_EQ(Sizes(x.view_symint({x.sym_size(0) * x.sym_size(1)})), "s0*s1");
  EXPECT_EQ(Sizes(x.unsqueeze(0).expand_symint({3, -1, -1})), "3, s0, s1");
  EXPECT_EQ(Sizes(x.sum(1)), "s0");
  EXPECT_EQ(Sizes(x.slice(1, 1)), "s0, s1 - 1");
  EXPECT_EQ(Sizes(at::softmax(x, -1)), "s0, s1");
  EXPECT_EQ(Sizes(at::linear(x, w.t())), "s0, s2");
  EXPECT_EQ(Sizes(at::zeros_like(x)), "s0, s1");
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_TRUE(Guards().empty()) << Guards()[0];
}

TEST_F(Symbols, FactoriesTakeSymbols) {
  const at::Tensor x = Fake({4, 5});
  EXPECT_EQ(Sizes(at::zeros_symint(x.sym_sizes(), at::kCUDA)), "s0, s1");
  EXPECT_EQ(Sizes(at::empty_symint({x.sym_size(0) + 1, 2}, at::TensorOptions())), "s0 + 1, 2");
  EXPECT_EQ(Sizes(x.new_zeros_symint({x.sym_size(1) * 3})), "3*s1");
}

TEST_F(Symbols, RangesTakeSymbols) {
  const at::Tensor x = Fake({4, 5});
  const c10::Scalar n(x.sym_size(0));
  EXPECT_EQ(Sizes(at::arange(n)), "s0");
  EXPECT_EQ(Sizes(at::arange(0., n)), "s0");
  EXPECT_EQ(Sizes(at::arange(1, n, 2)), "(s0//2)");
  EXPECT_EQ(Sizes(at::arange(0, n, 0.5)), "ceiling(ToFloat(s0)/0.5)");
  EXPECT_EQ(Sizes(at::linspace(0, n, 7)), "7");
  EXPECT_TRUE(Guards().empty()) << Guards()[0];
}

TEST_F(Symbols, Convolution) {
  const at::Tensor x = mode.FromRealTensor(Real({2, 3, 32, 48}), {.dims = {DimDynamic::kDynamic, DimDynamic::kStatic}});
  const at::Tensor w = mode.FromRealTensor(Real({8, 3, 3, 3}), {.static_shapes = true});
  EXPECT_EQ(Sizes(at::conv2d(x, w, {}, 2, 1)), "s0, 8, ((s1 + 1)//2), ((s2 + 1)//2)");
  EXPECT_EQ(Sizes(at::max_pool2d(x, 2)), "s0, 3, (s1//2), (s2//2)");
  EXPECT_EQ(Sizes(at::upsample_nearest2d_symint(x, {x.sym_size(2) * 2, x.sym_size(3) * 2})), "s0, 3, 2*s1, 2*s2");
}

TEST_F(Symbols, UnsqueezeCopy) {
  EXPECT_EQ(Sizes(at::unsqueeze_copy(mode.FromRealTensor(Real({7, 2, 768}),
                                         {.dims = {DimDynamic::kDuck, DimDynamic::kStatic, DimDynamic::kStatic}}),
                1)),
      "s0, 1, 2, 768");
}

TEST_F(Symbols, Arithmetic) {
  const at::Tensor x = Fake({4, 5});
  const c10::SymInt a = x.sym_size(0), b = x.sym_size(1);
  EXPECT_EQ(Text(a * 2 + b - 1), "2*s0 + s1 - 1");
  EXPECT_EQ(Text((a * b) / a), "s1");
  EXPECT_EQ(Text(a % 2), "Mod(s0, 2)");
  EXPECT_EQ(Text(a.min(b)), "Min(s0, s1)");
  EXPECT_EQ(Text(a.max(1)), "Max(s0, 1)");
  EXPECT_EQ(Text(a - a), "0");
  EXPECT_EQ(Text(-a), "-s0");
  EXPECT_TRUE(Guards().empty());
  EXPECT_TRUE(a < b);
  EXPECT_EQ(Guards().size(), 1u);
  EXPECT_TRUE(a.sym_ge(2).guard_bool("", 0));
  EXPECT_EQ(Guards().size(), 1u);
  EXPECT_EQ(b.guard_int("", 0), 5);
  EXPECT_EQ(Text(b + 1), "6");
}

// ---- what LibTorch may ask of a symbol: each virtual function of c10::SymNodeImpl (torch 2.13)

using Binary = c10::SymNode (c10::SymNodeImpl::*)(const c10::SymNode&);
using Unary = c10::SymNode (c10::SymNodeImpl::*)();

struct BinaryRow {
  const char* name;
  Binary function;
  // Of integers s0 = 6 and s1 = 4, of the floats half as large, of the bools s0 <= s1 and s1 <= s0.
  const char *ints, *floats, *bools;
};

constexpr BinaryRow kBinaries[] = {
    {"add", &c10::SymNodeImpl::add, "10", "5", "1"},
    {"sub", &c10::SymNodeImpl::sub, "2", "1", "-1"},
    {"mul", &c10::SymNodeImpl::mul, "24", "6", "0"},
    {"truediv", &c10::SymNodeImpl::truediv, "1.5", "1.5", "0"},
    {"float_truediv", &c10::SymNodeImpl::float_truediv, "1.5", "1.5", "0"},
    {"int_truediv", &c10::SymNodeImpl::int_truediv, "1.5", "1.5", "0"},
    {"pow", &c10::SymNodeImpl::pow, "1296", "9", "0"},
    {"float_pow", &c10::SymNodeImpl::float_pow, "1296", "9", "0"},
    {"pow_by_natural", &c10::SymNodeImpl::pow_by_natural, "1296", "9", "0"},
    {"floordiv", &c10::SymNodeImpl::floordiv, "1", "1", "0"},
    {"int_floordiv", &c10::SymNodeImpl::int_floordiv, "1", "1", "0"},
    {"mod", &c10::SymNodeImpl::mod, "2", "1", "0"},
    {"eq", &c10::SymNodeImpl::eq, "0", "0", "0"},
    {"ne", &c10::SymNodeImpl::ne, "1", "1", "1"},
    {"gt", &c10::SymNodeImpl::gt, "1", "1", "0"},
    {"lt", &c10::SymNodeImpl::lt, "0", "0", "1"},
    {"le", &c10::SymNodeImpl::le, "0", "0", "1"},
    {"ge", &c10::SymNodeImpl::ge, "1", "1", "0"},
    {"sym_min", &c10::SymNodeImpl::sym_min, "4", "2", "0"},
    {"sym_max", &c10::SymNodeImpl::sym_max, "6", "3", "1"},
    {"sym_or", &c10::SymNodeImpl::sym_or, "1", "1", "1"},
    {"sym_and", &c10::SymNodeImpl::sym_and, "1", "1", "0"},
};

struct UnaryRow {
  const char* name;
  Unary function;
  const char *of_int, *of_float, *of_bool;  // of 6, 3.25 and false
};

constexpr UnaryRow kUnaries[] = {
    {"ceil", &c10::SymNodeImpl::ceil, "6", "4", "0"},
    {"floor", &c10::SymNodeImpl::floor, "6", "3", "0"},
    {"neg", &c10::SymNodeImpl::neg, "-6", "-3.25", "0"},
    {"sym_not", &c10::SymNodeImpl::sym_not, "0", "0", "1"},
    {"clone", &c10::SymNodeImpl::clone, "6", "3.25", "0"},
    {"sym_float", &c10::SymNodeImpl::sym_float, "6", "3.25", "0"},
};

class SymNodeFunctions : public Symbols {
 protected:
  void SetUp() override {
    const at::Tensor x = Fake({6, 4});
    for (int d : {0, 1}) {
      ints[d] = x.sym_size(d).toSymNode();
      floats[d] = ints[d]->sym_float()->mul(ints[d]->wrap_float(0.5));
    }
    bools[0] = ints[0]->le(ints[1]);
    bools[1] = ints[1]->le(ints[0]);
  }

  // The value at the hints, as a number; what is thrown, if that says what is wrong.
  template <typename Function>
  static std::string Answer(Function function) {
    try {
      const c10::SymNode node = function();
      std::ostringstream text;
      node->is_float() ? text << node->guard_float("", 0)
                       : text << (node->is_bool() ? node->guard_bool("", 0) : node->guard_int("", 0));
      return text.str();
    } catch (const c10::Error& e) {
      return e.msg().find("NYI") == std::string::npos ? "an error" : "NYI";
    }
  }

  std::array<c10::SymNode, 2> ints, floats, bools;
};

TEST_F(SymNodeFunctions, OfTwo) {
  for (const BinaryRow& row : kBinaries) {
    const auto answer = [&](const std::array<c10::SymNode, 2>& of) {
      return Answer([&] { return (of[0].get()->*row.function)(of[1]); });
    };
    EXPECT_EQ(answer(ints), row.ints) << row.name;
    EXPECT_EQ(answer(floats), row.floats) << row.name;
    EXPECT_EQ(answer(bools), row.bools) << row.name;
  }
  EXPECT_EQ(Answer([&] { return ints[0]->add(floats[1]); }), "8");
  EXPECT_EQ(Answer([&] { return floats[0]->sub(ints[1]); }), "-1");
  EXPECT_EQ(Answer([&] { return ints[0]->mod(ints[0]->wrap_int(0)); }), "an error");
}

TEST_F(SymNodeFunctions, OfOne) {
  const c10::SymNode real = floats[0]->add(ints[0]->wrap_float(0.25));
  for (const UnaryRow& row : kUnaries) {
    const auto answer = [&](const c10::SymNode& of) { return Answer([&] { return (of.get()->*row.function)(); }); };
    EXPECT_EQ(answer(ints[0]), row.of_int) << row.name;
    EXPECT_EQ(answer(real), row.of_float) << row.name;
    EXPECT_EQ(answer(bools[0]), row.of_bool) << row.name;
  }
  EXPECT_EQ(Answer([&] { return bools[0]->sym_ite(ints[0], ints[1]); }), "4");
  EXPECT_EQ(Answer([&] { return bools[1]->sym_ite(ints[0], ints[1]); }), "6");
  EXPECT_EQ(Answer([&] { return ints[0]->wrap_bool(true); }), "1");
}

TEST_F(SymNodeFunctions, OfLayouts) {
  using Layout = c10::SymNode (c10::SymNodeImpl::*)(c10::ArrayRef<c10::SymNode>, c10::ArrayRef<c10::SymNode>);
  const c10::SymNode n = ints[0], one = n->wrap_int(1);
  const auto times = [&](int64_t factor) { return n->mul(n->wrap_int(factor)); };
  const std::vector<c10::SymNode> image = {n, n->wrap_int(3), n, n}, rows = {n->mul(times(3)), n->mul(n), n, one},
                                  last = {n->mul(times(3)), one, times(3), n->wrap_int(3)};
  const std::vector<c10::SymNode> volume = {n, n->wrap_int(3), n, n, n},
                                  last_3d = {n->mul(n->mul(times(3))), one, n->mul(times(3)), times(3), n->wrap_int(3)};
  const auto ask = [](Layout layout, const std::vector<c10::SymNode>& sizes, const std::vector<c10::SymNode>& strides) {
    return Answer([&] { return (sizes[0].get()->*layout)(sizes, strides); });
  };
  for (Layout layout :
      {&c10::SymNodeImpl::is_channels_last_contiguous_2d, &c10::SymNodeImpl::is_channels_last_strides_2d}) {
    EXPECT_EQ(ask(layout, image, last), "1");
    EXPECT_EQ(ask(layout, image, rows), "0");
    EXPECT_EQ(ask(layout, volume, last_3d), "0");
  }
  for (Layout layout :
      {&c10::SymNodeImpl::is_channels_last_contiguous_3d, &c10::SymNodeImpl::is_channels_last_strides_3d}) {
    EXPECT_EQ(ask(layout, volume, last_3d), "1");
    EXPECT_EQ(ask(layout, image, last), "0");
  }
  EXPECT_EQ(ask(&c10::SymNodeImpl::is_contiguous, image, rows), "1");
  EXPECT_EQ(ask(&c10::SymNodeImpl::is_contiguous, image, last), "0");
  for (const auto& strides : {rows, last})
    EXPECT_EQ(ask(&c10::SymNodeImpl::is_non_overlapping_and_dense, image, strides), "1");
}

TEST_F(SymNodeFunctions, Questions) {
  EXPECT_TRUE(ints[0]->is_int() && !ints[0]->is_float() && !ints[0]->is_bool());
  EXPECT_TRUE(floats[0]->is_float() && !floats[0]->is_int() && !floats[0]->is_bool());
  EXPECT_TRUE(bools[0]->is_bool() && !bools[0]->is_int() && !bools[0]->is_float());
  for (const c10::SymNode& s : {ints[0], floats[0], bools[1]}) {
    EXPECT_TRUE(s->has_hint() && s->is_symbolic() && !s->is_constant() && !s->is_nested_int());
    EXPECT_EQ(s->_graph_repr(), s->str());
    EXPECT_FALSE(
        s->nested_int() || s->nested_int_coeff() || s->constant_int() || s->constant_bool() || s->maybe_as_int());
  }
  const c10::SymNode six = ints[0]->wrap_int(6), yes = ints[0]->wrap_bool(true);
  EXPECT_EQ(six->constant_int(), 6);
  EXPECT_EQ(six->maybe_as_int(), 6);
  EXPECT_EQ(yes->constant_bool(), true);
  // What ranges say needs no guard, what the hints say one.
  EXPECT_TRUE(ints[0]->ge(ints[0]->wrap_int(2))->statically_known_true("", 0));
  EXPECT_FALSE(bools[1]->statically_known_true("", 0));
  EXPECT_TRUE(Guards().empty());
  EXPECT_TRUE(
      bools[1]->guard_or_false("", 0) && bools[1]->guard_or_true("", 0) && bools[1]->guard_size_oblivious("", 0));
  EXPECT_TRUE(bools[1]->expect_true("", 0) && bools[1]->guard_bool("", 0) && bools[1]->bool_());
  EXPECT_EQ(Guards(), std::vector<std::string>{"s1 <= s0"});
  EXPECT_EQ(floats[0]->guard_float("", 0), 3);
  EXPECT_EQ(floats[1]->guard_int("", 0), 2);
  EXPECT_EQ(ints[1]->int_(), 4);
}

// Of data: what is asked for certain is an error that says so, what has a default is that.
TEST_F(SymNodeFunctions, QuestionsAboutData) {
  const c10::SymNode u = at::zeros({3}, at::kLong).sum().item().toSymInt().toSymNode(), large = u->gt(u->wrap_int(3));
  EXPECT_FALSE(u->has_hint() || large->has_hint());
  EXPECT_FALSE(
      large->guard_or_false("", 0) || large->guard_size_oblivious("", 0) || large->statically_known_true("", 0));
  EXPECT_TRUE(large->guard_or_true("", 0));
  EXPECT_THROW(large->guard_bool("", 0), GuardOnDataDependentSymNode);
  EXPECT_THROW(large->bool_(), GuardOnDataDependentSymNode);
  EXPECT_THROW(u->guard_int("", 0), GuardOnDataDependentSymNode);
  EXPECT_THROW(u->int_(), GuardOnDataDependentSymNode);
  EXPECT_THROW(u->sym_float()->guard_float("", 0), GuardOnDataDependentSymNode);
  EXPECT_TRUE(large->expect_true("", 0));
  EXPECT_TRUE(large->guard_bool("", 0));
}

TEST_F(Symbols, GuardsOfOperators) {
  const at::Tensor x = Fake({4, 5}),
                   y = mode.FromRealTensor(Real({4, 5}), {.dims = {DimDynamic::kDynamic, DimDynamic::kDynamic}});
  EXPECT_EQ(Sizes(x + y), "s0, s1");
  ASSERT_EQ(Guards().size(), 2u);
  EXPECT_EQ(env->guards()[0].place.node, "aten::add");
  EXPECT_THROW(x + Fake({4, 7}), c10::Error);
  EXPECT_THROW(x.matmul(x), c10::Error);
}

TEST_F(Symbols, MetadataInPlace) {
  at::Tensor x = Fake({4, 5});
  const at::Tensor snapshot = DetachSnapshot(x);
  x.t_();
  EXPECT_EQ(Sizes(x), "s1, s0");
  EXPECT_EQ(Sizes(snapshot), "s0, s1");
  x.unsqueeze_(0);
  EXPECT_EQ(Sizes(x), "1, s1, s0");
  x.resize_({2, 3});
  EXPECT_EQ(Sizes(x), "2, 3");
  at::Tensor plain = mode.FromRealTensor(Real({2}), {.static_shapes = true});
  plain.resize__symint(snapshot.sym_sizes());
  EXPECT_EQ(Sizes(plain), "s0, s1");
}

TEST_F(Symbols, Backward) {
  for (const char* name : {"cpu", "cuda:0"}) {
    const at::Tensor fake = mode.FromRealTensor(Real({8, 4})).to(at::Device(name)).detach().requires_grad_();
    const at::Tensor w = at::rand({4, 2}, at::device(at::Device(name))).requires_grad_();
    at::relu(fake.matmul(w)).square().sum().backward();
    EXPECT_EQ(Sizes(fake.grad()), Sizes(fake)) << name;
    EXPECT_EQ(Sizes(w.grad()), "4, 2");
    EXPECT_EQ(fake.grad().device(), at::Device(name));
  }
}

TEST_F(Symbols, UpsampleBilinearBackward) {
  const at::Tensor real = Real({1, 3, 2005, 1920}).requires_grad_();
  const at::Tensor x = mode.FromRealTensor(
      real, {.dims = {DimDynamic::kStatic, DimDynamic::kStatic, DimDynamic::kDynamic, DimDynamic::kDynamic}});
  ASSERT_TRUE(x.requires_grad() && x.is_leaf());
  at::_upsample_bilinear2d_aa(x, {256, 256}, /*align_corners=*/false).sum().backward();
  EXPECT_EQ(Sizes(x.grad()), "1, 3, s0, s1");
}

TEST_F(Symbols, ModuleWithADynamicBatch) {
  torch::nn::Sequential net(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)), torch::nn::BatchNorm2d(8),
      torch::nn::ReLU(), torch::nn::Functional([](const at::Tensor& x) {
        return x.mean({2, 3});
      }),
      torch::nn::Linear(8, 10));
  net->eval();  // while it trains, BatchNorm2d itself asks for sizes()
  const at::Tensor real = Real({16, 3, 32, 32});
  const auto S = DimDynamic::kStatic;
  const at::Tensor y = net->forward(mode.FromRealTensor(real, {.dims = {DimDynamic::kDynamic, S, S, S}}));
  EXPECT_EQ(Sizes(y), "s0, 10");
  y.sum().backward();
  for (const at::Tensor& p : net->parameters()) EXPECT_TRUE(p.grad().defined());
}

TEST_F(Symbols, KernelsWithoutSymbolsSaySo) {
  const at::Tensor x = Fake({6});
  try {
    at::_fft_r2c(x.to(at::kFloat), {0}, 0, true);
  } catch (const UnsupportedOperator& e) {
    EXPECT_NE(e.msg().find("symbol"), std::string::npos) << e.msg();
  }
  EXPECT_THROW((void)x.sizes(), c10::Error);
}

}  // namespace
}  // namespace fakeprop
