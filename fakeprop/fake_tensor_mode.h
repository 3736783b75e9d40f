// Fake tensors for C++ programs: at::Tensors that behave as real ones do and hold no data.
// Source: torch/_subclasses/fake_tensor.py (torch 2.13).
//
//   fakeprop::FakeTensorMode mode;
//   fakeprop::FakeModeGuard on(mode);
//   at::Tensor x = at::rand({64, 3, 224, 224}, at::device(at::kCUDA));   // no GPU, no memory
//   at::Tensor y = model->forward(x);                                    // sizes, strides, dtype, device
//
// A fake belongs to the mode that made it, and keeps that mode alive. Operators on fakes return fakes, also after the
// guard has ended. One call with tensors of two modes, or with fake and real tensors, is an error (NotFake).
// fakeprop/fake_tensor_errors.h lists all errors.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "fakeprop/fake_tensor_errors.h"

namespace fakeprop {

namespace fake {
class ModeState;
struct ModeAccess;
struct ModeInfo;

// Makes a mode, or none, the one of this thread, until it ends. In whatever order several of them end, those that are
// left count, and the innermost one of them first.
class ThreadMode {
 public:
  explicit ThreadMode(std::shared_ptr<ModeState> mode);
  ~ThreadMode();
  ThreadMode(const ThreadMode&) = delete;

 private:
  std::shared_ptr<ModeInfo> info_;
};
}  // namespace fake

class ShapeEnv;  // NewShapeEnv() in fakeprop/shape_symbols.h makes one

// How a mode with a ShapeEnv represents a dimension of a real tensor. Sizes 0 and 1 always stay numbers.
enum class DimDynamic {
  kDuck,     // a symbol, the same one for equal sizes
  kDynamic,  // a symbol of its own
  kStatic,   // the number
};

// How a real tensor is converted. Source: StatelessSymbolicContext in torch/fx/experimental/symbolic_shapes.py.
struct FromRealOptions {
  bool static_shapes = false;
  std::vector<DimDynamic> dims;  // by dimension; kDuck for those that are not listed
  std::string source = "x";      // the name of the tensor in messages: "x.size(0)"
};

struct FakeTensorModeOptions {
  // Converts real tensors among the arguments of an operator. Without this option they are an error.
  bool allow_non_fake_inputs = false;
  // LibTorch's CPU kernels may run on zeros, in a child process. Applies to operators of LibTorch that nothing else
  // serves.
  bool allow_fallback_kernels = false;
  // Tensors that are made under the mode are real, and every operator also runs on fakes of its arguments. The first
  // difference in sizes, strides, offsets, dtypes, devices or aliasing is a MetadataMismatch. Source: CrossRefFakeMode.
  bool cross_check = false;
  // Owns the symbols in the sizes of fakes. Several modes may share one ShapeEnv. Without it all sizes are numbers, and
  // a size that depends on data is an error.
  std::shared_ptr<ShapeEnv> shape_env;
  // FromRealTensor makes no symbols.
  bool static_shapes = false;
  // sizes(), numel(), strides() ... of a tensor with symbols give the numbers at the hints, and a guard records that
  // each symbol is that number, as Python's int() of a SymInt does. Without this option they are an error. Modules of
  // torch::nn and kernels of LibTorch that take no symbols ask them.
  bool sizes_give_hints = false;
  // item() of a floating-point or complex value that is not known gives NaN, and a warning that names the operator:
  // training loops print losses and clip gradients by such numbers. Integers and bools, from which sizes and decisions
  // come, stay errors.
  bool unknown_floats_are_nan = false;
  // at::equal of two tensors of which not all data is known says that they differ, if their storages do, and a warning
  // says so. torch::jit::freeze asks this of the weights of a module, to keep equal ones once. Without this option it
  // is an error.
  bool unknown_tensors_differ = false;
  // What is known of data (literals, counters of modules, numbers of files) stays known on every device but meta, so
  // that optimisers can be loaded onto cuda, and a BatchNorm without momentum counts its batches there. If all tensors
  // of a call are known, data tells sizes and answers too: nonzero, masked_select, unique, bincount, equal ... Without
  // this option tensors on the cpu alone are known, and these operators are an error, as under PyTorch's
  // FakeTensorMode.
  bool follow_known_data = false;
  // randperm on the cpu draws its numbers. They may be read, as torch::data's RandomSampler does.
  bool draw_permutations = false;
  // torch::save writes zeros in place of data that is not known, so that a file is as large as a real one. Without this
  // option saving is an error.
  bool save_zeros = false;
};

// A handle: copies stand for the same mode. Several threads may use one mode.
class FakeTensorMode {
 public:
  explicit FakeTensorMode(FakeTensorModeOptions options = {});

  // Converts a real tensor, or a fake of another mode. The fake has the same sizes, strides, offset, dtype, device,
  // requires_grad, conj and neg bits and version, is a leaf or a view of the same kind, and has fakes of the tensor's
  // base and grad. As long as the fake lives, the same tensor gives the same fake. Tensors that share storage give
  // fakes that share storage. The real tensor does not change. A quantized or nested tensor throws
  // UnsupportedFakeTensor. Source: FakeTensorConverter.from_real_tensor, torch/_subclasses/meta_utils.py. If the mode
  // has a ShapeEnv, sizes become symbols as `options` say. A fake of another mode with the same ShapeEnv keeps its
  // symbols.
  at::Tensor FromRealTensor(const at::Tensor& real, const FromRealOptions& options = {}) const;

  // Makes a fake on `device` of a meta tensor. A second call with the same tensor returns the same fake, even if it
  // asks for another device. Source: FakeTensorConverter.from_meta_and_device.
  at::Tensor FromMetaAndDevice(const at::Tensor& meta, c10::Device device) const;

  // Converts a literal as FromRealTensor does. If it is a small cpu tensor (at most 1024 elements), the fake also knows
  // a copy of its value: item() returns numbers, and cheap operators on known tensors return known tensors. Source:
  // aten::lift_fresh under FakeTensorMode.
  at::Tensor FromLiteral(const at::Tensor& literal) const;
  // The same for a number or a container of numbers. Integers become int64, all others the default dtype.
  template <typename T>
  at::Tensor Literal(const T& values) const;

  // The number of conversions that are remembered.
  size_t memo_size() const;

  // The innermost mode that is on in this thread.
  static std::optional<FakeTensorMode> Current();
  // The mode of a fake tensor. Nothing for a real tensor.
  static std::optional<FakeTensorMode> Of(const at::Tensor& tensor);

  friend bool operator==(const FakeTensorMode& a, const FakeTensorMode& b) { return a.state_ == b.state_; }

 private:
  friend struct fake::ModeAccess;
  explicit FakeTensorMode(std::shared_ptr<fake::ModeState> state) : state_(std::move(state)) {}

  // A tensor of known values, of dtype int64 or the default dtype. A single value gives a 0-dim tensor, unless
  // `is_list`.
  at::Tensor LiteralOf(const std::vector<int64_t>& values, bool is_list) const;
  at::Tensor LiteralOf(const std::vector<double>& values, bool is_list) const;

  std::shared_ptr<fake::ModeState> state_;
};

// As long as it lives, factories of this thread make fake tensors, on any device. Guards nest, and the innermost mode
// counts. It also holds in autograd's threads, for backward passes that start while it lives.
class FakeModeGuard {
 public:
  explicit FakeModeGuard(const FakeTensorMode& mode);

 private:
  const fake::ThreadMode mode_;
};

// As long as it lives, no mode is on: factories make real tensors, and operators on real tensors run for real. Fakes
// stay fakes.
class UnsetFakeTemporarily {
 public:
  UnsetFakeTemporarily();

 private:
  const fake::ThreadMode mode_;
};

// The same. It may also be used when no mode is on. Source: maybe_disable_fake_tensor_mode.
using MaybeDisable = UnsetFakeTemporarily;

// As long as it lives, a copy of a real tensor (clone, as torch::nn::Module::clone does) is its fake, and real
// arguments of operators are converted. `auto fake = std::dynamic_pointer_cast<Net>(net->clone())` converts a module.
// Source: FakeCopyMode.
class FakeCopyMode {
 public:
  explicit FakeCopyMode(const FakeTensorMode& mode);
  ~FakeCopyMode();
  FakeCopyMode(const FakeCopyMode&) = delete;

 private:
  FakeModeGuard on_;
  const bool was_copying_;
};

bool IsFakeTensor(const at::Tensor& tensor);

// Returns true if two tensors have the same storage.
bool SharesStorage(const at::Tensor& a, const at::Tensor& b);

// The mode of the fakes among the values, including those in lists, tuples and dictionaries. If there are none, the
// current mode of this thread, if any. Throws NotFake if there are fakes of two modes. Source: detect_fake_mode in
// torch/_guards.py.
std::optional<FakeTensorMode> DetectFakeMode(c10::ArrayRef<c10::IValue> values);

// "FakeTensor(device='cuda:0', size=(2, s0), dtype=Float)". It shows the names of symbols and no data. A real tensor is
// shown as LibTorch shows it, with its numbers. Under a mode, LibTorch's own printing (`stream << tensor`) is an error.
// Source: FakeTensor.__repr__.
std::string Repr(const at::Tensor& tensor);

// The tensor as it is now: an alias that autograd does not know. Later changes of the tensor's metadata (t_, resize_)
// do not change it.
at::Tensor DetachSnapshot(const at::Tensor& fake);

template <typename T>
at::Tensor FakeTensorMode::Literal(const T& values) const {
  if constexpr (std::is_arithmetic_v<T>) {
    using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
    return LiteralOf(std::vector<Wide>{static_cast<Wide>(values)}, /*is_list=*/false);
  } else {
    using Wide = std::conditional_t<std::is_integral_v<typename T::value_type>, int64_t, double>;
    return LiteralOf(std::vector<Wide>(values.begin(), values.end()), /*is_list=*/true);
  }
}

}  // namespace fakeprop
