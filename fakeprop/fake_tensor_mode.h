// Fake tensors for C++ programs: at::Tensors that behave as real ones do and hold no data.
// Source: torch/_subclasses/fake_tensor.py (torch 2.13).
//
//   fakeprop::FakeTensorMode mode;
//   fakeprop::FakeModeGuard on(mode);
//   at::Tensor x = at::rand({64, 3, 224, 224}, at::device(at::kCUDA));   // no GPU, no memory
//   at::Tensor y = model->forward(x);                                    // sizes, strides, dtype, device
//
// A fake belongs to the mode that made it and keeps it alive. Operators on fakes give fakes whether or not the guard
// still stands; tensors of two modes, or fake and real ones, in one call are an error (NotFake). Errors are those of
// fakeprop/fake_tensor_errors.h.
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ThreadLocalDebugInfo.h>

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
}  // namespace fake

class ShapeEnv;  // NewShapeEnv() in fakeprop/shape_symbols.h makes one

// What becomes of a dimension of a real tensor under a mode with a ShapeEnv. Sizes 0 and 1 always stay numbers.
enum class DimDynamic {
  kDuck,     // a symbol, the same one for equal sizes
  kDynamic,  // a symbol of its own
  kStatic,   // the number
};

// How a real tensor is taken in. Source: StatelessSymbolicContext in torch/fx/experimental/symbolic_shapes.py.
struct FromRealOptions {
  bool static_shapes = false;
  std::vector<DimDynamic> dims;  // by dimension; kDuck where it says nothing
  std::string source = "x";      // by which messages name its sizes: "x.size(0)"
};

struct FakeTensorModeOptions {
  // Real tensors among an operator's arguments are converted when they are met, instead of an error.
  bool allow_non_fake_inputs = false;
  // LibTorch's CPU kernels may run on zeros, in a child process, for operators of its own that nothing else serves.
  bool allow_fallback_kernels = false;
  // What is made under the mode is real, and every operator is run on fakes of its arguments as well: the first
  // difference in sizes, strides, offsets, dtypes, devices or aliasing is a MetadataMismatch. Source: CrossRefFakeMode.
  bool cross_check = false;
  // Owns the symbols of fakes' sizes; modes may share one. Without it all sizes are numbers, and what data decides is
  // an error.
  std::shared_ptr<ShapeEnv> shape_env;
  // FromRealTensor makes no symbols.
  bool static_shapes = false;
};

// A handle: copies stand for the same mode. Safe in several threads.
class FakeTensorMode {
 public:
  explicit FakeTensorMode(FakeTensorModeOptions options = {});

  // The fake of a real tensor, or of another mode's fake: its sizes, strides, offset, dtype, device, requires_grad,
  // whether it is a leaf, the view that it is and its base, conj and neg bits, version, and its grad. The same tensor
  // gives the same fake as long as that lives; tensors that share storage give fakes that do. The real tensor is left
  // alone. Sparse, quantized and nested tensors: UnsupportedFakeTensor. Source: FakeTensorConverter.from_real_tensor,
  // torch/_subclasses/meta_utils.py. Under a mode with a ShapeEnv its sizes are symbols as the options say. Symbols of
  // the same ShapeEnv, in another mode's fake, stay.
  at::Tensor FromRealTensor(const at::Tensor& real, const FromRealOptions& options = {}) const;

  // The fake on `device` of a meta tensor; asked again for the same tensor, the same fake, whatever the device.
  // Source: FakeTensorConverter.from_meta_and_device.
  at::Tensor FromMetaAndDevice(const at::Tensor& meta, c10::Device device) const;

  // The fake of a literal: as FromRealTensor, and where it is a small cpu tensor (at most 64 elements) its value is
  // known: item() answers, and cheap operators on known tensors give known ones. The value is copied. Source:
  // aten::lift_fresh under FakeTensorMode.
  at::Tensor FromLiteral(const at::Tensor& literal) const;
  // The same of a number or a container of numbers: int64 for integers, else the default dtype.
  template <typename T>
  at::Tensor Literal(const T& values) const;

  // How many conversions are remembered.
  size_t memo_size() const;

  // This thread's innermost mode that is on.
  static std::optional<FakeTensorMode> Current();
  // The mode that a tensor is a fake of; nothing for real ones.
  static std::optional<FakeTensorMode> Of(const at::Tensor& tensor);

  friend bool operator==(const FakeTensorMode& a, const FakeTensorMode& b) { return a.state_ == b.state_; }

 private:
  friend struct fake::ModeAccess;
  explicit FakeTensorMode(std::shared_ptr<fake::ModeState> state) : state_(std::move(state)) {}

  // Known values of int64 or the default dtype: one of them is 0-dim, unless it is a list.
  at::Tensor LiteralOf(const std::vector<int64_t>& values, bool is_list) const;
  at::Tensor LiteralOf(const std::vector<double>& values, bool is_list) const;

  std::shared_ptr<fake::ModeState> state_;
};

// While it stands, what this thread's factories make is fake, on any device. Guards nest; the innermost mode counts.
// The threads of autograd see it in the backward passes that are begun under it.
class FakeModeGuard {
 public:
  explicit FakeModeGuard(const FakeTensorMode& mode);
  ~FakeModeGuard();
  FakeModeGuard(const FakeModeGuard&) = delete;

 private:
  c10::DebugInfoGuard current_;
  const bool was_on_;
};

// While it stands, no mode is on: factories and operators on real tensors are real. Fakes stay fakes.
class UnsetFakeTemporarily {
 public:
  UnsetFakeTemporarily();
  ~UnsetFakeTemporarily();
  UnsetFakeTemporarily(const UnsetFakeTemporarily&) = delete;

 private:
  c10::DebugInfoGuard current_;
  const bool was_on_;
};

// The same where a mode may be on or not: maybe_disable_fake_tensor_mode.
using MaybeDisable = UnsetFakeTemporarily;

// While it stands, copying a real tensor (clone, as torch::nn::Module::clone does) gives its fake, and real tensors are
// taken in: `auto fake = std::dynamic_pointer_cast<Net>(net->clone())` copies a module in. Source: FakeCopyMode.
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

// Whether two tensors have one storage. (at::Tensor::is_alias_of asks for data pointers, which fakes refuse.)
bool SharesStorage(const at::Tensor& a, const at::Tensor& b);

// The mode of the fakes among the values, in lists, tuples and dictionaries too, else this thread's current one, else
// nothing. Two modes: NotFake. Source: detect_fake_mode in torch/_guards.py.
std::optional<FakeTensorMode> DetectFakeMode(c10::ArrayRef<c10::IValue> values);

// "FakeTensor(device='cuda:0', size=(2, s0), dtype=Float)", never data; symbols as they are called. LibTorch's own
// printing (`stream << tensor`) asks for the data, and ends in an error. Source: FakeTensor.__repr__.
std::string Repr(const at::Tensor& fake);

// The tensor as it is now: an alias, unknown to autograd, that later changes of metadata (t_, resize_) do not reach.
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
