// Calls that need data, in a recording: they get it, of as little as they need, or they throw.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/testing/error_text.h"

namespace fakeprop {
namespace {

using at::Tensor;
using deferred_testing::TextOf;

// Module constructors in C++ fill tables like this.
Tensor Positions() {
  Tensor table = at::zeros({3, 2});
  auto rows = table.accessor<float, 2>();
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t k = 0; k < 2; ++k) rows[i][k] = static_cast<float>(10 * i + k);
  return table;
}

TEST(DataAccess, TablesThatAConstructorFills) {
  const Tensor eager = Positions() * 2;
  Tensor table, twice;
  {
    const DeferredInitGuard recording;
    table = Positions();
    twice = table * at::full({1}, 2.0);
  }
  EXPECT_FALSE(IsFakeTensor(table));
  EXPECT_TRUE(IsDeferred(twice));
  EXPECT_TRUE(at::equal(MaterializeTensor(twice), eager));
}

TEST(DataAccess, LiteralsOfTensors) {
  const std::vector<double> numbers = {1, 2, 3};
  const DeferredInitGuard recording;
  EXPECT_TRUE(at::equal(MaterializeTensor(at::tensor(numbers) + 1), at::tensor({2.0, 3.0, 4.0})));
  EXPECT_EQ(at::tensor({4, 5}).sum().item<int64_t>(), 9);
}

// Whoever was recorded before sees the bytes of that time.
TEST(DataAccess, WritesThroughPointersDoNotReachEarlierCalls) {
  Tensor t, copy, view, view_copy, grad_copy, leaf;
  {
    const DeferredInitGuard recording;
    t = at::rand({4});
    view = t.narrow(0, 1, 2);
    copy = t.clone();
    view_copy = view * 1;
    leaf = at::ones({4}).requires_grad_();
    grad_copy = leaf * t;
    t.add_(1);
    t.mutable_data_ptr<float>()[1] = 100;
  }
  EXPECT_FALSE(IsFakeTensor(t));
  EXPECT_FALSE(IsFakeTensor(view));
  EXPECT_EQ(view[0].item<float>(), 100);
  EXPECT_TRUE(IsDeferred(copy));
  EXPECT_LT(MaterializeTensor(copy).max().item<float>(), 1);
  EXPECT_TRUE(at::equal(MaterializeTensor(view_copy), copy.narrow(0, 1, 2)));
  EXPECT_TRUE(at::equal(MaterializeTensor(grad_copy), copy));
}

TEST(DataAccess, NumbersAreThoseOfEagerConstruction) {
  const auto make = [] {
    std::vector<Tensor> made = {at::rand({3}), at::randn({20}), at::rand({5})};
    made[1].mutable_data_ptr<float>()[0] = 7;
    made.push_back(at::rand({2}) + made[1].const_data_ptr<float>()[1]);
    return made;
  };
  at::manual_seed(5);
  const std::vector<Tensor> eager = make();
  at::manual_seed(5);
  const std::vector<Tensor> found = DeferredInit(make);
  for (size_t i : {3u, 0u, 2u, 1u}) EXPECT_TRUE(at::equal(MaterializeTensor(found[i]), eager[i])) << i;
}

TEST(DataAccess, PrintingPrintsNumbers) {
  std::ostringstream text, eager;
  eager << at::full({2}, 3.0) << at::ones({}) << at::zeros({0});
  Tensor t;
  {
    const DeferredInitGuard recording;
    t = at::full({2}, 3.0);
    text << t << at::ones({}) << at::zeros({0});
  }
  EXPECT_EQ(text.str(), eager.str());
  EXPECT_TRUE(IsDeferred(t));
}

TEST(DataAccess, OnlyWhatIsNeeded) {
  const DeferredInitGuard recording;
  const Tensor huge = at::rand({int64_t{1} << 42}), small = at::ones({2});
  EXPECT_EQ((small + small).const_data_ptr<float>()[1], 2);
  EXPECT_EQ(small.sum().item<float>(), 2);
  EXPECT_TRUE(IsDeferred(huge));
  EXPECT_TRUE(IsDeferred(small));
  EXPECT_TRUE(SharesStorage(huge.view(-1), huge));  // looks at no data
  EXPECT_TRUE(IsDeferred(huge));
}

TEST(DataAccess, DecisionsByData) {
  const DeferredInitGuard recording;
  const Tensor a = at::arange(4), b = at::arange(4);
  EXPECT_TRUE(at::equal(a, b));
  EXPECT_TRUE(at::allclose(a.to(at::kFloat), b.to(at::kFloat)));
  EXPECT_TRUE((a == b).all().item<bool>());
  EXPECT_TRUE(at::ones({1}).is_nonzero());
  EXPECT_EQ(a.masked_select(a > 1).size(0), 2);
  EXPECT_EQ(std::get<0>(at::_unique(a % 2)).size(0), 2);
  EXPECT_EQ(a.index({b > 0}).size(0), 3);
  EXPECT_TRUE(IsDeferred(a));
}

TEST(DataAccess, RaisesByOption) {
  const DeferredInitGuard recording({.needs_data = NeedsData::kRaise});
  const Tensor t = at::ones({3});
  EXPECT_THROW(t.const_data_ptr<float>(), DeferredInitError);
  EXPECT_THROW(t.mutable_data_ptr<float>(), DeferredInitError);
  std::ostringstream text;
  EXPECT_THROW(text << t, DeferredInitError);
  EXPECT_NE(TextOf([&] { t.sum().item(); }).find("aten::item"), std::string::npos);
  EXPECT_NE(TextOf([&] { t.nonzero(); }).find("aten::nonzero"), std::string::npos);
  EXPECT_NE(TextOf([&] { at::zeros({1}).is_nonzero(); }).find("is_nonzero"), std::string::npos);
  EXPECT_THROW(at::equal(t, at::ones({3})), DeferredInitError);
  EXPECT_TRUE(IsDeferred(t));
}

TEST(DataAccess, TheInnermostOptionCounts) {
  const DeferredInitGuard raises({.needs_data = NeedsData::kRaise});
  {
    const DeferredInitGuard materializes;
    EXPECT_EQ(at::ones({}).item<float>(), 1);
  }
  EXPECT_THROW(at::ones({}).item<float>(), DeferredInitError);
}

TEST(DataAccess, AfterTheRecordingIsAnError) {
  const Tensor t = DeferredInit([] { return at::ones({3}); });
  EXPECT_THROW(t.const_data_ptr<float>(), c10::Error);
  EXPECT_THROW(t.sum().item(), c10::Error);
  EXPECT_TRUE(IsDeferred(t));
}

TEST(DataAccess, DataOfADeviceThatTheMachineLacks) {
  const DeferredInitGuard recording;
  const std::string text = TextOf([] { at::ones({1}, at::kCUDA).const_data_ptr<float>(); });
  EXPECT_NE(text.find("cuda:0"), std::string::npos) << text;
}

}  // namespace
}  // namespace fakeprop
