#include "lib/dispatch/real_kernel.h"

#include <ATen/core/stack.h>

#include <optional>
#include <unordered_map>

#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/forked.h"
#include "lib/dispatch/wire.h"
#include "lib/dispatch/written_tensors.h"
#include "lib/dispatch/zeros_run.h"
#include "lib/error/error.h"

namespace fakeprop::dispatch {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;

TensorMeta GetGeometry(WireReader& in) {
  TensorMeta meta;
  for (int64_t rank = in.Get<int64_t>(); rank > 0; --rank) {
    meta.sizes.push_back(in.Get<int64_t>());
    meta.strides.push_back(in.Get<int64_t>());
  }
  meta.storage_offset = in.Get<int64_t>();
  return meta;
}

// The results as fake tensors of one device.
class ResultReader {
 public:
  ResultReader(const std::vector<at::Tensor>& arguments, c10::Device device, WireReader& in)
      : arguments_(arguments), device_(device), in_(in) {}

  c10::IValue Read(const c10::TypePtr& type) {
    switch (in_.Get<Tag>()) {
      case Tag::kNone: return type->kind() == c10::TypeKind::TensorType ? c10::IValue(at::Tensor()) : c10::IValue();
      case Tag::kInt: return in_.Get<int64_t>();
      case Tag::kDouble: return in_.Get<double>();
      case Tag::kBool: return in_.Get<bool>();
      case Tag::kComplex: return in_.Get<c10::complex<double>>();
      case Tag::kArgument: return arguments_[in_.Get<size_t>()];
      case Tag::kTensor: return ReadTensor();
      case Tag::kList: break;
    }
    const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
    c10::impl::GenericList list(element);
    for (size_t left = in_.Get<size_t>(); left > 0; --left) list.push_back(Read(element));
    return list;
  }

 private:
  at::Tensor ReadTensor() {
    const auto dtype = in_.Get<ScalarType>();
    TensorMeta meta = GetGeometry(in_);
    meta.dtype = dtype;
    meta.device = FromTorch(device_);
    const auto storage_id = in_.Get<uintptr_t>();
    const auto nbytes = in_.Get<int64_t>();
    auto& storage = storages_[storage_id];
    if (!storage) storage = MakeFakeStorage(nbytes, device_);
    return MakeFakeTensor(meta, storage);
  }

  const std::vector<at::Tensor>& arguments_;
  const c10::Device device_;
  WireReader& in_;
  std::unordered_map<uintptr_t, c10::Storage> storages_;  // by the child's addresses
};

// The state of a written argument after the kernel. If its sizes are still the same, its strides mean nothing, because
// the zeros were packed.
void ResizeWritten(const at::Tensor& fake, const TensorMeta& now) {
  TensorMeta meta = ReadMeta(fake);
  if (GuardSame(meta.size_span(), now.size_span())) return;
  meta.sizes = now.sizes;
  meta.strides = now.strides;
  SetGeometry(fake, meta);
  const int64_t nbytes = StorageNbytes(meta).Specialize();
  if (nbytes > static_cast<int64_t>(fake.storage().nbytes())) fake.storage().set_nbytes(nbytes);
}

void TakeOver(const c10::OperatorHandle& op, c10::Device device, torch::jit::Stack& stack, const std::string& answer) {
  WireReader in(answer);
  if (const auto ending = in.Get<Ending>(); ending != Ending::kResults) {
    const auto error_class = in.Get<ErrorClass>();
    if (ending == Ending::kAliasing) throw UndeclaredAliasing(error_class, in.GetText());
    Fail(error_class, in.GetText());
  }
  const std::vector<at::Tensor> fakes = DistinctTensors(ArgumentsOn(op, stack));
  for (const at::Tensor& fake : fakes) ResizeWritten(fake, GetGeometry(in));
  ResultReader reader(fakes, device, in);
  torch::jit::Stack results;
  for (const c10::Argument& result : op.schema().returns()) results.push_back(reader.Read(result.type()));
  for (const at::Tensor& t : WrittenTensors(op.schema(), stack)) Host::Current()->NoteWrite(t);
  torch::jit::drop(stack, op.schema().arguments().size());
  for (c10::IValue& result : results) stack.push_back(std::move(result));
}

// Returns true if the operator has a kernel whose results, according to LibTorch, depend only on the metadata of its
// arguments.
bool HasPlainKernel(const c10::OperatorHandle& op) {
  const std::string_view name = op.operator_name().name;
  // oneDNN's recurrent layers read beyond weights of wrong sizes, and the size of their workspaces depends on the
  // machine.
  if (!name.starts_with("aten::") || name.starts_with("aten::mkldnn_rnn_layer")) return false;
  for (at::Tag tag : {at::Tag::inplace_view, at::Tag::data_dependent_output, at::Tag::dynamic_output_shape})
    if (op.hasTag(tag)) return false;
  return op.hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
}

// The device of the arguments; the cpu if they have none. Nothing if there are several devices, or too much data.
std::optional<c10::Device> FindDevice(c10::ArrayRef<c10::IValue> arguments) {
  std::optional<c10::Device> device;
  bool is_one = true;
  int64_t bytes = 0;
  auto add = [&](c10::Device found) {
    is_one &= !device || *device == found;
    device = found;
  };
  for (const c10::IValue& argument : arguments) {
    if (argument.isDevice()) add(argument.toDevice());
    ForEachTensor(argument, [&](const at::Tensor& t) {
      is_one &= t.layout() == c10::Layout::Strided;
      bytes += static_cast<int64_t>(t.nbytes());
      // Numbers may mix with every device.
      if (t.dim() > 0 || !t.device().is_cpu()) add(t.device());
    });
  }
  if (!is_one || bytes > kMostBytes) return std::nullopt;
  return device.value_or(c10::Device(c10::DeviceType::CPU));
}

}  // namespace

bool ServeByRealKernel(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const Host* host = Host::Current();
  if (!host || !host->state().allow_fallback_kernels) return false;
  const auto device = FindDevice(ArgumentsOn(op, stack));
  if (!device || !HasPlainKernel(op)) return false;
  const auto answer = RunForked([&] { return RunOnZeros(op, stack); });
  if (!answer || answer->empty())
    Fail(ErrorClass::kUnsupportedOperator, "the kernel of " + FullName(op.operator_name()) + " fails on data of zeros");
  TakeOver(op, *device, stack, *answer);
  TORCH_WARN(FullName(op.operator_name()), " has no rule, Meta kernel or decomposition: its CPU kernel ran on zeros");
  return true;
}

}  // namespace fakeprop::dispatch
