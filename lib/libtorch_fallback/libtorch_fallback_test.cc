#include <gtest/gtest.h>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/testing/call_text.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

using testing::CallCase;

LibTorchFallback& OpenedLibTorch() {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  if (!libtorch) throw std::runtime_error(reason);
  return *libtorch;
}

std::string RunText(const std::string& call, const ExecutionState& state = {}, bool with_message = false) {
  return testing::RunCallWith(call, state, with_message, [](Call& c) { OpenedLibTorch().Run(c); });
}

template <size_t N>
void CheckCalls(const CallCase (&cases)[N], const ExecutionState& state = {}) {
  for (const CallCase& c : cases)
    EXPECT_EQ(RunText(c.call, state), c.effects) << c.call << "\n  " << RunText(c.call, state, true);
}

TEST(LibTorchFallback, KnowsWhatLibTorchHas) {
  EXPECT_TRUE(OpenedLibTorch().Knows("aten::add.Tensor"));
  EXPECT_TRUE(OpenedLibTorch().Knows("aten::relu"));
  EXPECT_FALSE(OpenedLibTorch().Knows("aten::add.NoSuchOverload"));
  EXPECT_FALSE(OpenedLibTorch().Knows("no_such"));
  EXPECT_FALSE(OpenedLibTorch().Knows(""));
}

TEST(LibTorchFallback, ServesCalls) {
  static constexpr CallCase kCases[] = {
      // By a rule beneath autograd.
      {"add.Tensor(f32[2,3], i64[3])", "f32[2,3]"},
      {"relu(f32[2,3]{1,2})", "f32[2,3]{1,2}"},
      // Numbers for tensors give way in promotion.
      {"add.Tensor(f32[2,3], 2)", "f32[2,3]"},
      {"add.Tensor(i64[2,3], 2.5)", "f32[2,3]"},
      {"mul.Tensor(bf16[2], 2.5)", "bf16[2]"},
      // Composites.
      {"linear(f32[2,3], f32[4,3], f32[4])", "f32[2,4]"},
      {"linear(f32[2,3]@cuda:1, f32[4,3]@cuda:1, f32[4]@cuda:1)", "f32[2,4]@cuda:1"},
      {"matmul(f32[5,2,3], f32[3,4])", "f32[5,2,4]"},
      {"layer_norm(f32[2,3], [3], f32[3], f32[3])", "f32[2,3]"},
      {"einsum(\"bij,bjk->bik\", [f32[5,2,3], f32[5,3,4]])", "f32[5,2,4]"},
      // Meta kernels and factories.
      {"upsample_nearest2d(f32[1,2,4,4], [8,8])", "f32[1,2,8,8]"},
      {"zeros([2,3])", "f32[2,3]"},
      {"zeros([2,3], device=cuda)", "f32[2,3]@cuda:0"},
      {"zeros([2], pin_memory=True)", "f32[2]"},
      {"empty_like(f32[2,3]@cuda:1)", "f32[2,3]@cuda:1"},
      {"randn.generator([2], generator=None, dtype=float64)", "f64[2]"},
      // A composite that would compute on the cpu at once.
      {"max_pool1d(f32[2,3,8], [2])", "f32[2,3,4]"},
      // What a number is made of is known.
      {"fill.Tensor(f32[2], 3)", "f32[2]"},
      {"result_type.Tensor(f32[2], i64[2])", "6"},
      {"inverse(f32[3,3])", "f32[3,3]{1,3}"},
      {"nanquantile(f32[5,4], f32[2], 0)", "f32[2,4]{1,2}"},
  };
  CheckCalls(kCases);
}

template <size_t N>
void CheckWithoutRules(const CallCase (&cases)[N], const ExecutionState& state = {}) {
  for (const CallCase& c : cases) {
    const auto run = [](Call& call) { OpenedLibTorch().RunWithoutRule(call); };
    EXPECT_EQ(testing::RunCallWith(c.call, state, false, run), c.effects) << c.call;
  }
}

// Operators that have a CPU kernel and nothing else of LibTorch's.
TEST(LibTorchFallback, RunsKernelsOnZeros) {
  static constexpr CallCase kCases[] = {
      {"_test_optional_intlist(i32[2], [1,2])", "i32[2]"},
      {"_test_optional_intlist(i32[2]@cuda:1, [1,2])", "i32[2]@cuda:1"},
      {"_test_optional_intlist(f32[2], [1,2])", "!DtypeMismatch"},
      {"glu_jvp(f32[2,3], f32[4,3], f32[4,3], 0)", "f32[2,3]"},
      {"_standard_gamma_grad(f32[2,3]{1,2}, f32[2,3])", "f32[2,3]"},
      {"nonzero(f32[2])", "!DynamicOutputShape"},
  };
  ExecutionState allowed;
  allowed.allow_fallback_kernels = true;
  CheckWithoutRules(kCases, allowed);
}

TEST(LibTorchFallback, RunsNoKernelUnlessAllowed) {
  static constexpr CallCase kCases[] = {
      {"glu_jvp(f32[2,3], f32[4,3], f32[4,3], 0)", "!UnsupportedOperator"},
  };
  CheckWithoutRules(kCases);
}

TEST(LibTorchFallback, SaysWhatTensorsAnOperatorIsFor) {
  static constexpr CallCase kCases[] = {
      {"_coalesce(f32[2,3])", "!TypeError"},
      {"_nnz(f32[2,3]{1,2})", "!TypeError"},
      {"_sparse_softmax(f32[2,3]{1,2}, 1, False)", "!TypeError"},
      {"native_norm(f32[2])", "!TypeError"},
      {"sparse_mask(f32[2,3], f32[2,3])", "!TypeError"},
      {"_sparse_csr_sum.dim_dtype(f32[2,3], [0])", "!TypeError"},
      {"sparse_sampled_addmm(f32[2,2], f32[2,3], f32[3,2])", "!TypeError"},
      {"q_per_channel_axis(f32[2,3]{1,2})", "!TypeError"},
      {"q_per_channel_scales(f32[2])", "!TypeError"},
      {"to_padded_tensor(f32[2,3], 0.0)", "!TypeError"},
      {"_nested_tensor_size(f32[2,3])", "!TypeError"},
      {"mkldnn_max_pool2d(f32[1,2,4,4], [2,2])", "!TypeError"},
      {"_mkldnn_transpose(f32[2,3]{1,2}, 0, 1)", "!TypeError"},
      {"cudnn_convolution(f32[1,2,4,4], f32[3,2,3,3], [0,0], [1,1], [1,1], 1, False, False, False)", "!DeviceMismatch"},
      {"batch_norm_stats(f32[2,3], 0.1)", "!DeviceMismatch"},
      {"max_pool2d_backward(f32[1,2,2,2], f32[1,2,4,4], [2,2])", "!DeviceMismatch"},
      {"_resize_output(f32[2,3], [2,2], cpu)", "!DeviceMismatch"},
      {"_resize_output_(f32[2,3]{1,2}, [2,2], cpu)", "!DeviceMismatch"},
      {"_triton_scaled_dot_attention(f16[1,1,4,4]@cuda:0, f16[1,1,4,4]@cuda:0, f16[1,1,4,4]@cuda:0)",
          "!UnsupportedOperator"},
  };
  CheckCalls(kCases);
}

TEST(LibTorchFallback, KeepsIdentities) {
  static constexpr CallCase kCases[] = {
      {"t(f32[2,3])", "view(0) f32[3,2]{1,3}"},
      {"detach(f32[2,3]@cuda:0)", "alias(0) f32[2,3]@cuda:0"},
      {"view.dtype(f32[2,4], int32)", "alias(0) i32[2,4]"},
      {"chunk(f32[4,3], 2)", "[view(0) f32[2,3], view(0) f32[2,3]+6]"},
      {"contiguous(f32[2,3])", "arg(0)"},
      {"reshape(f32[2,3]{1,2}, [6])", "f32[6]"},
      {"t_(f32[2,3])", "arg(0); 0 := f32[3,2]{1,3}"},
      {"resize_(f32[2,3], [4,3])", "arg(0); 0 := f32[4,3]"},
      {"add_.Tensor(f32[3], f32[3])", "arg(0); writes 0"},
      {"add.out(f32[3], f32[3], out=f32[0])", "arg(2); 2 := f32[3]; writes 2"},
      {"batch_norm(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)",
          "f32[2,3,4]; writes 3; writes 4"},
  };
  CheckCalls(kCases);
}

TEST(LibTorchFallback, NamesErrors) {
  static constexpr CallCase kCases[] = {
      {"mm(f32[2,3], f32[4,5])", "!ShapeMismatch"},
      {"linear(f32[2,3], f32[4,4])", "!ShapeMismatch"},
      {"add.Tensor(f32[2]@cuda:0, f32[2]@cuda:1)", "!DeviceMismatch"},
      {"upsample_nearest2d_backward.grad_input(f32[1,2,8,8]@cuda:0, [8,8], [1,2,4,4], grad_input=f32[1,2,4,4])",
          "!DeviceMismatch"},
      {"item(f32[])", "!DataDependentOutput"},
      {"nonzero(f32[2])", "!DynamicOutputShape"},
      {"select.int(f32[2], 5, 0)", "!IndexOutOfRange"},
      {"sum(\"text\")", "!TypeError"},
      {"from_file(\"never_made\", True, 4)", "!UnsupportedOperator"},
      {"_nnpack_spatial_convolution(f32[], f32[], None, [1,1])", "!UnsupportedOperator"},
  };
  CheckCalls(kCases);
}

TEST(LibTorchFallback, FollowsAutocast) {
  ExecutionState state;
  state.cpu_autocast = {true, ScalarType::BFloat16};
  state.cuda_autocast = {true, ScalarType::Half};
  static constexpr CallCase kCases[] = {
      {"linear(f32[2,3], f32[4,3], f32[4])", "bf16[2,4]"},
      {"linear(f32[2,3]@cuda:0, f32[4,3]@cuda:0, f32[4]@cuda:0)", "f16[2,4]@cuda:0"},
      {"matmul(f32[5,2,3], f32[3,4])", "bf16[5,2,4]"},
      {"add.Tensor(f32[3], f32[3])", "f32[3]"},
      {"einsum(\"ij,jk->ik\", [f32[2,3], f32[3,4]])", "bf16[2,4]"},
  };
  CheckCalls(kCases, state);
  EXPECT_EQ(RunText("linear(f32[2,3], f32[4,3])"), "f32[2,4]");
}

// Calls on hand-made objects, where what autograd says of them counts.
class FallbackAutograd : public ::testing::Test {
 protected:
  enum class Grad { kNone, kLeaf, kResult };

  Tensor* Make(std::initializer_list<Dim> sizes, Grad grad) {
    const TensorMeta meta = ContiguousMeta({sizes.begin(), sizes.size()}, ScalarType::Float, Device(DeviceType::CPU));
    Tensor* t = objects_.NewTensor(meta, objects_.NewStorage(StorageNbytes(meta), meta.device));
    t->own_requires_grad = grad != Grad::kNone;
    t->is_leaf = grad != Grad::kResult;
    return t;
  }

  Tensor* MakeView(Tensor* base) {
    Tensor* t = objects_.NewTensor(base->meta, base->storage);
    t->base = base;
    return t;
  }

  const Effects& Serve(std::string_view op, std::vector<Value> arguments) {
    const Schema& schema = *FindSchema(op);
    std::vector<const Value*> pointers;
    for (size_t i = 0; i < schema.arguments.size(); ++i)
      pointers.push_back(i < arguments.size() ? &arguments[i] : &*schema.arguments[i].default_value);
    effects_.Clear();
    Call call(schema, pointers, state_, CommonDevice(schema, pointers, Devices::kAny), effects_);
    OpenedLibTorch().Run(call);
    return effects_;
  }

  ErrorClass ServeToError(std::string_view op, std::vector<Value> arguments) {
    try {
      Serve(op, std::move(arguments));
    } catch (const OpError& e) {
      return e.error_class();
    }
    return ErrorClass::kInternal;
  }

  ObjectTable objects_;
  ExecutionState state_;
  Effects effects_;
};

TEST_F(FallbackAutograd, ResultsRequireGrad) {
  Tensor* plain = Make({2, 3}, Grad::kNone);
  Tensor* leaf = Make({4, 3}, Grad::kLeaf);
  Tensor* result = Make({4, 3}, Grad::kResult);
  EXPECT_EQ(Serve("aten::linear", {plain, leaf}).outputs[0].requires_grad, true);
  EXPECT_EQ(Serve("aten::linear", {plain, result}).outputs[0].requires_grad, true);
  EXPECT_EQ(Serve("aten::linear", {plain, Make({4, 3}, Grad::kNone)}).outputs[0].requires_grad, false);
  EXPECT_EQ(Serve("aten::detach", {leaf}).outputs[0].requires_grad, false);
  EXPECT_EQ(Serve("aten::argmax", {leaf}).outputs[0].requires_grad, false);
  state_.grad_enabled = false;
  EXPECT_EQ(Serve("aten::linear", {plain, leaf}).outputs[0].requires_grad, false);
}

TEST_F(FallbackAutograd, ViewsGoBackToTheirBase) {
  Tensor* base = Make({2, 3}, Grad::kLeaf);
  Tensor* view = MakeView(base);
  const Output& out = Serve("aten::t", {view}).outputs[0];
  EXPECT_EQ(out.kind, Output::Kind::kView);
  EXPECT_EQ(out.source, view);
  EXPECT_EQ(out.requires_grad, true);
}

TEST_F(FallbackAutograd, InPlaceWrites) {
  Tensor* leaf = Make({3}, Grad::kLeaf);
  EXPECT_EQ(ServeToError("aten::add_.Tensor", {leaf, leaf}), ErrorClass::kAutogradError);
  EXPECT_EQ(ServeToError("aten::add_.Tensor", {MakeView(leaf), leaf}), ErrorClass::kAutogradError);
  Tensor* view = MakeView(Make({3}, Grad::kResult));
  view->origin = ViewOrigin::kMultiOutput;
  EXPECT_EQ(ServeToError("aten::add_.Tensor", {view, leaf}), ErrorClass::kAutogradError);

  Tensor* plain = Make({3}, Grad::kNone);
  const Effects& effects = Serve("aten::add_.Tensor", {plain, leaf});
  ASSERT_EQ(effects.mutations.size(), 1u);
  EXPECT_TRUE(effects.mutations[0].writes);
  EXPECT_TRUE(effects.mutations[0].differentiable);
  EXPECT_FALSE(Serve("aten::add_.Tensor", {plain, plain}).mutations[0].differentiable);
  state_.grad_enabled = false;
  EXPECT_TRUE(Serve("aten::add_.Tensor", {leaf, leaf}).mutations[0].writes);
}

TEST_F(FallbackAutograd, ChangesOfRequiresGrad) {
  const Effects& set = Serve("aten::requires_grad_", {Make({3}, Grad::kNone)});
  ASSERT_EQ(set.mutations.size(), 1u);
  EXPECT_EQ(set.mutations[0].requires_grad, true);
  const Effects& detached = Serve("aten::detach_", {Make({3}, Grad::kResult)});
  ASSERT_EQ(detached.mutations.size(), 1u);
  EXPECT_EQ(detached.mutations[0].requires_grad, false);
}

TEST_F(FallbackAutograd, ObjectsAndStorages) {
  Tensor* a = Make({4}, Grad::kNone);
  Tensor* b = objects_.NewTensor(a->meta, a->storage);  // shares, as autograd does not know
  const Effects& set = Serve("aten::set_.source_Tensor", {Make({2}, Grad::kNone), b});
  ASSERT_EQ(set.mutations.size(), 1u);
  EXPECT_EQ(set.mutations[0].storage_of, b);
  const Effects& same = Serve("aten::add_.Tensor", {a, b});
  ASSERT_EQ(same.mutations.size(), 1u);
  EXPECT_EQ(same.mutations[0].target, a);
  // New results on one storage of their own.
  const Effects& split =
      Serve("aten::lstm_cell", {Make({2, 3}, Grad::kNone), List{{Make({2, 4}, Grad::kNone), Make({2, 4}, Grad::kNone)}},
                                   Make({16, 3}, Grad::kNone), Make({16, 4}, Grad::kNone)});
  EXPECT_EQ(split.outputs.size(), 2u);
}

TEST_F(FallbackAutograd, KnownNumbers) {
  Tensor* number = objects_.NewTensor(
      ContiguousMeta({}, ScalarType::Long, Device(DeviceType::CPU)), objects_.NewStorage(8, Device(DeviceType::CPU)));
  number->constant = std::make_shared<std::vector<Value>>(1, Value(3));
  const Effects& effects = Serve("aten::item", {number});
  EXPECT_EQ(ToString(effects.outputs[0].value), "3");
}

}  // namespace
}  // namespace fakeprop
