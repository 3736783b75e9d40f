#include <gtest/gtest.h>

#include "lib/rules/testing/call_text.h"
#include "lib/tail/open.h"

namespace fakeprop {
namespace {

using testing::CallCase;

std::string Run(const std::string& call, const WalkState& state = {}, bool with_message = false) {
  std::string reason;
  Tail* tail = OpenTail(reason);
  if (!tail) return reason;
  return testing::RunCallWith(call, state, with_message, [&](Call& c) { tail->Run(c); });
}

template <size_t N>
void CheckCalls(const CallCase (&cases)[N], const WalkState& state = {}) {
  for (const CallCase& c : cases) EXPECT_EQ(Run(c.call, state), c.effects) << c.call << "\n  " << Run(c.call, state, true);
}

TEST(Tail, KnowsWhatLibTorchHas) {
  std::string reason;
  Tail* tail = OpenTail(reason);
  ASSERT_TRUE(tail) << reason;
  EXPECT_TRUE(tail->Knows("aten::add.Tensor"));
  EXPECT_TRUE(tail->Knows("aten::relu"));
  EXPECT_FALSE(tail->Knows("aten::add.NoSuchOverload"));
  EXPECT_FALSE(tail->Knows("no_such"));
}

TEST(Tail, Calls) {
  static constexpr CallCase kCases[] = {
      {"add.Tensor(f32[2,3], i64[3])", "f32[2,3]"},
      {"add.Tensor(f32[2,3], 2)", "f32[2,3]"},
      {"add.Tensor(i64[2,3], 2.5)", "f32[2,3]"},
      {"linear(f32[2,3], f32[4,3], f32[4])", "f32[2,4]"},
      {"linear(f32[2,3]@cuda:1, f32[4,3]@cuda:1, f32[4]@cuda:1)", "f32[2,4]@cuda:1"},
      {"matmul(f32[5,2,3], f32[3,4])", "f32[5,2,4]"},
      {"layer_norm(f32[2,3], [3], f32[3], f32[3])", "f32[2,3]"},
      {"mm(f32[2,3], f32[4,5])", "!ShapeMismatch"},
      {"t(f32[2,3])", "view(0) f32[3,2]{1,3}"},
      {"detach(f32[2,3])", "alias(0) f32[2,3]"},
      {"t_(f32[2,3])", "arg(0); 0 := f32[3,2]{1,3}"},
      {"add_.Tensor(f32[3], f32[3])", "arg(0); writes 0"},
      {"zeros([2,3])", "f32[2,3]"},
      {"zeros([2,3], device=cuda)", "f32[2,3]@cuda:0"},
      {"empty_like(f32[2,3]@cuda:1)", "f32[2,3]@cuda:1"},
      {"item(f32[])", "!DataDependentOutput"},
      {"chunk(f32[4,3], 2)", "[view(0) f32[2,3], view(0) f32[2,3]+6]"},
  };
  CheckCalls(kCases);
}

TEST(Tail, Autocast) {
  WalkState state;
  state.cpu_autocast = {true, ScalarType::BFloat16};
  static constexpr CallCase kCases[] = {
      {"linear(f32[2,3], f32[4,3], f32[4])", "bf16[2,4]"},
      {"matmul(f32[5,2,3], f32[3,4])", "bf16[5,2,4]"},
      {"add.Tensor(f32[3], f32[3])", "f32[3]"},
  };
  CheckCalls(kCases, state);
}

}  // namespace
}  // namespace fakeprop
