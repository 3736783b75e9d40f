#include "lib/dispatch/zeros_run.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/wire.h"

namespace fakeprop::dispatch {
namespace {

void PutGeometry(WireWriter& out, const at::Tensor& t) {
  out.Put(t.dim());
  for (int64_t d = 0; d < t.dim(); ++d) {
    out.Put(t.size(d));
    out.Put(t.stride(d));
  }
  out.Put(t.storage_offset());
}

// Zeros in the layout of zeros_like; for a known number, its element.
at::Tensor ZerosLike(const at::Tensor& fake) {
  const TensorMeta meta = ReadMeta(fake);
  c10::SmallVector<int64_t, 6> strides;
  for (Dim stride : PreservedStrides(meta)) strides.push_back(stride.Specialize());
  at::Tensor zeros = at::detail::empty_strided_cpu(fake.sizes(), strides, ToTorch(meta.dtype));
  if (zeros.storage().nbytes()) std::memset(zeros.storage().mutable_data(), 0, zeros.storage().nbytes());
  const Host* host = Host::Current();
  const Constant constant = host ? host->FindConstant(fake) : nullptr;
  if (constant && constant->size() == 1 && zeros.numel() == 1) zeros.fill_(ToScalar(constant->front()));
  if (fake.unsafeGetTensorImpl()->is_wrapped_number()) zeros.unsafeGetTensorImpl()->set_wrapped_number(true);
  return zeros;
}

// Writes the kernel's results, in terms of its arguments.
class ResultWriter {
 public:
  ResultWriter(const std::vector<at::Tensor>& arguments, WireWriter& out) : arguments_(arguments), out_(out) {}

  void Write(const c10::IValue& value) {
    if (value.isTensor()) return WriteTensor(value.toTensor());
    if (value.isInt()) return PutTagged(Tag::kInt, value.toInt());
    if (value.isDouble()) return PutTagged(Tag::kDouble, value.toDouble());
    if (value.isBool()) return PutTagged(Tag::kBool, value.toBool());
    if (value.isComplexDouble()) return PutTagged(Tag::kComplex, value.toComplexDouble());
    if (value.isNone()) return out_.Put(Tag::kNone);
    if (!value.isList()) Fail(ErrorClass::kUnsupportedOperator, "gives a result of type " + value.tagKind());
    PutTagged(Tag::kList, value.toListRef().size());
    for (const c10::IValue& item : value.toListRef()) Write(item);
  }

 private:
  template <typename T>
  void PutTagged(Tag tag, T value) {
    out_.Put(tag);
    out_.Put(value);
  }

  void WriteTensor(const at::Tensor& t) {
    if (!t.defined()) return out_.Put(Tag::kNone);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].is_same(t)) return PutTagged(Tag::kArgument, i);
      if (t.has_storage() && t.is_alias_of(arguments_[i]))
        throw UndeclaredAliasing(
            ErrorClass::kUnsupportedOperator, "gives a view of its argument, which its schema does not say");
    }
    const TensorMeta meta = ReadMeta(t);
    PutTagged(Tag::kTensor, meta.dtype);
    PutGeometry(out_, t);
    out_.Put(reinterpret_cast<uintptr_t>(t.storage().unsafeGetStorageImpl()));
    out_.Put(static_cast<int64_t>(t.storage().nbytes()));
  }

  const std::vector<at::Tensor>& arguments_;
  WireWriter& out_;
};

void RunKernel(const c10::OperatorHandle& op, const torch::jit::Stack& stack, WireWriter& out) {
  const c10::DispatchKeySet fake(c10::DispatchKey::Fake);
  const c10::impl::ExcludeDispatchKeyGuard for_real(fake | c10::autocast_dispatch_keyset);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  at::set_num_threads(1);  // the parent's threads do not exist in this process
  const auto arguments = ArgumentsOn(op, stack);
  const std::vector<at::Tensor> fakes = DistinctTensors(arguments);
  std::vector<at::Tensor> zeros;
  for (const at::Tensor& fake : fakes) zeros.push_back(ZerosLike(fake));
  torch::jit::Stack real;
  for (const c10::IValue& argument : arguments) {
    if (argument.isDevice()) {
      real.push_back(c10::Device(c10::DeviceType::CPU));
      continue;
    }
    real.push_back(MapTensors(argument, [&](const at::Tensor& t) {
      for (size_t i = 0; i < fakes.size(); ++i)
        if (fakes[i].is_same(t)) return zeros[i];
      return t;
    }));
  }
  op.callBoxed(real);
  out.Put(Ending::kResults);
  for (const at::Tensor& t : zeros) PutGeometry(out, t);
  ResultWriter writer(zeros, out);
  for (const c10::IValue& value : real) writer.Write(value);
}

}  // namespace

c10::ArrayRef<c10::IValue> ArgumentsOn(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  return torch::jit::last(stack, op.schema().arguments().size());
}

std::vector<at::Tensor> DistinctTensors(c10::ArrayRef<c10::IValue> arguments) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& argument : arguments) {
    ForEachTensor(argument, [&](const at::Tensor& t) {
      for (const at::Tensor& known : tensors)
        if (known.is_same(t)) return;
      tensors.push_back(t);
    });
  }
  return tensors;
}

std::string RunOnZeros(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  WireWriter out;
  try {
    RunKernel(op, stack, out);
    return out.bytes();
  } catch (const OpError& e) {
    out = {};
    out.Put(dynamic_cast<const UndeclaredAliasing*>(&e) ? Ending::kAliasing : Ending::kError);
    out.Put(e.error_class());
    out.PutText(FullName(op.operator_name()) + " " + e.message());
  } catch (const c10::Error& e) {
    const OpError error = ToOpError(e);
    out = {};
    out.Put(Ending::kError);
    out.Put(error.error_class());
    out.PutText(error.message() + " (from its CPU kernel, run on zeros)");
  } catch (...) {
    return {};
  }
  return out.bytes();
}

}  // namespace fakeprop::dispatch
