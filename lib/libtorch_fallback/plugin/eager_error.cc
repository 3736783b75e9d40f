#include "lib/libtorch_fallback/plugin/eager_error.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <new>

#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/forked.h"
#include "lib/dispatch/torch_types.h"
#include "lib/libtorch_fallback/plugin/real_run.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::libtorch {
namespace {

constexpr unsigned kSeconds = 2;
constexpr int64_t kSmallBytes = int64_t{1} << 20;

// Tensors on the cpu. Kernels check their arguments before they read them. So large tensors are mapped memory that
// nothing touches; the end of the child process gives it back.
class UntouchedTensors final : public RealTensors {
 public:
  UntouchedTensors(Integers integers, int64_t most_filled) : RealTensors(integers), most_filled_(most_filled) {}

 protected:
  c10::Storage MakeStorage(const Tensor& t) const override {
    const int64_t bytes = t.storage->nbytes.Specialize();
    if (bytes <= most_filled_) return RealTensors::MakeStorage(t);
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes,
        c10::DataPtr(data, c10::Device(c10::DeviceType::CPU)), c10::GetCPUAllocator(), /*resizable=*/true);
  }

 private:
  const int64_t most_filled_;
};

// Tensors without data, for the checks that LibTorch makes on every device.
class MetaTensors final : public ArgumentTensors {
 protected:
  c10::Storage MakeStorage(const Tensor& t) const override {
    return c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), t.storage->nbytes.Specialize(),
        c10::DataPtr(nullptr, c10::Device(c10::DeviceType::Meta)), c10::GetAllocator(c10::DeviceType::Meta),
        /*resizable=*/true);
  }
  at::Tensor MakeTensor(const TensorMeta& meta, c10::Storage storage) const override {
    at::Tensor t = at::detail::make_tensor<c10::TensorImpl>(std::move(storage),
        c10::DispatchKeySet(c10::DispatchKey::Meta), c10::scalarTypeToTypeMeta(ToTorch(meta.dtype)));
    SetNumbers(t, meta);
    return t;
  }
};

bool IsPlain(const Tensor& t) { return t.meta.layout == Layout::Strided && !kQuantizedDtypes.Has(t.meta.dtype); }

// PyTorch looks at devices before anything else, and only here can they differ. aten::from_file makes a file.
bool MayBeAsked(const Call& call) {
  if (!call.schema().name.starts_with("aten::") || call.schema().name == "aten::from_file") return false;
  const Tensor* first = nullptr;
  const auto is_unfit = [&](const Tensor& t) {
    if (!first && t.meta.rank() > 0) first = &t;
    return !IsPlain(t) || (t.meta.rank() > 0 && t.meta.device != first->meta.device);
  };
  for (size_t i = 0; i < call.size(); ++i)
    if (AnyTensor(call.Arg(static_cast<int>(i)), is_unfit)) return false;
  return true;
}

// As Python writes the types of tensors. Source: processErrorMsgInplace (torch/csrc/Exceptions.cpp).
std::string WithPythonTypes(std::string text) {
  for (std::string_view name : {"Byte", "Char", "Double", "Float", "Int", "Long", "Short", "Half"}) {
    const std::string type = "CPU" + std::string(name) + "Type";
    for (size_t at = 0; (at = text.find(type, at)) != std::string::npos;)
      text.replace(at, type.size(), "torch." + std::string(name) + "Tensor");
  }
  return text;
}

std::string FirstLine(const std::string& text) { return WithPythonTypes(dispatch::PlainMessage(text)); }

// Memory is that of the child, a matrix without an inverse is made of our numbers, and which kernels there are is up to
// the build: none of it is about the call.
bool IsAboutCall(const c10::Error& error) {
  const std::string_view words = error.what_without_backtrace();
  return !dynamic_cast<const c10::LinAlgError*>(&error) && !dynamic_cast<const c10::OutOfMemoryError*>(&error) &&
         words.find("can't allocate memory") == std::string_view::npos && !words.starts_with("Could not run ");
}

std::string WordsOn(const Call& call, ArgumentTensors& tensors) {
  try {
    RunKernels(call, tensors);
  } catch (const c10::Error& e) {
    return IsAboutCall(e) ? FirstLine(e.what_without_backtrace()) : "";
  } catch (const OpError&) {  // LibTorch was not asked
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& e) {
    return FirstLine(e.what());
  }
  return {};
}

// Words about elements are those of the call only if they are the same for other elements.
std::string WordsOnCpu(const Call& call) {
  UntouchedTensors zeros(Integers::kZeros, kSmallBytes), ones(Integers::kOnes, kSmallBytes), blank(Integers::kZeros, 0);
  std::string first;
  for (ArgumentTensors* tensors : std::array<ArgumentTensors*, 3>{&zeros, &ones, &blank}) {
    const std::string words = WordsOn(call, *tensors);
    if (words.empty() || !MayBeAboutData(words)) return words;
    if (first.empty()) first = words;
    if (words != first) return {};
  }
  return first;
}

std::string WordsOnMeta(const Call& call) {
  MetaTensors tensors;
  const std::string words = WordsOn(call, tensors);
  const ErrorClass found = dispatch::ClassOfMessage(words);
  const bool is_about_meta = found == ErrorClass::kUnsupportedOperator || found == ErrorClass::kDataDependentOutput ||
                             words.find("eta") != std::string::npos;  // Meta, meta
  return is_about_meta ? "" : words;
}

std::string RunInChild(const Call& call) {
  alarm(kSeconds);
  at::set_num_threads(1);  // the parent's threads do not exist in this process
  return IsOnCpu(call) ? WordsOnCpu(call) : WordsOnMeta(call);
}

}  // namespace

std::string WordsOfEager(const Call& call) {
  if (!MayBeAsked(call)) return {};
  return dispatch::RunForked([&] { return RunInChild(call); }).value_or("");
}

}  // namespace fakeprop::libtorch
