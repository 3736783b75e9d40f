#include "lib/rules/derived/cpu_kernels.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop {
namespace {

// Which calls ask for the kernel, and so find out that there is none.
enum class AskedFor {
  kByTag,         // those of pointwise operators all, of others those whose tensors have elements
  kAlways,        // all
  kWithElements,  // those whose tensors have elements
  kWithDims,      // the same, but no 0-dim tensor, which is copied
};

struct CpuKernel {
  std::string_view op;
  std::string_view name;  // in PyTorch's message
  Dtypes refused;
  AskedFor asked = AskedFor::kByTag;
  const rules::TorchChange* takes_unsigned = nullptr;  // since when it takes uint16, uint32 and uint64
};

constexpr CpuKernel kKernels[] = {
#include "lib/rules/derived/cpu_kernels.inc"
};
static_assert(std::ranges::is_sorted(kKernels, {}, &CpuKernel::op));

struct Kernels {
  const CpuKernel* plain = nullptr;  // null where the kernel takes what the rule takes
  bool refuses_quantized = false;
};

// An in-place form with a row of its own (addmv_) runs the kernel of its functional operator.
const CpuKernel* FunctionalKernel(std::string_view op) {
  const size_t end = std::min(op.find('.'), op.size());
  if (op[end - 1] != '_') return nullptr;
  const std::string name = std::string(op).erase(end - 1, 1);
  const auto it = std::ranges::lower_bound(kKernels, std::string_view(name), {}, &CpuKernel::op);
  return it != std::end(kKernels) && it->op == name ? &*it : nullptr;
}

// One entry for each of AllRows().
std::vector<Kernels> KernelsOfRows() {
  std::vector<Kernels> kernels;
  kernels.reserve(AllRows().size());
  std::span<const CpuKernel> rest = kKernels;
  std::span<const std::string_view> refusing = WithoutQuantizedKernel();
  for (const RuleRow& row : AllRows()) {
    const auto own = TakeEntries(rest, row.op, &CpuKernel::op);
    const bool refuses_quantized = !TakeEntries(refusing, row.op, std::identity()).empty();
    kernels.push_back({own.empty() ? FunctionalKernel(row.op) : own.data(), refuses_quantized});
  }
  return kernels;
}

void RequireNoQuantized(const Call& call) {
  const auto refuse = [&](const Tensor& t) {
    if (kQuantizedDtypes.Has(t.meta.dtype))
      Fail(ErrorClass::kDtypeMismatch,
          Format("{} has no kernel for {}: could not run '{}' with arguments from the 'QuantizedCPU' backend",
              call.schema().full_name, t.meta.dtype, call.schema().full_name),
          {&t});
  };
  for (size_t i = 0; i < call.size(); ++i) ForEachTensor(call.Arg(static_cast<int>(i)), refuse);
}

// Whether a pointwise kernel computes in the dtype of this number too. Others only scale or fill.
bool IsOperand(const SchemaArgument& argument) {
  static constexpr std::string_view kNames[] = {"self", "other", "exponent", "min", "max"};
  return argument.type.kind == TypeKind::kScalar && std::ranges::find(kNames, argument.name) != std::end(kNames);
}

bool IsOneTensor(const SchemaArgument& argument) {
  return argument.type.kind == TypeKind::kTensor && !argument.type.is_list && argument.name != "condition" &&
         argument.name != "mask";
}

bool IsAskedWithoutElements(const Call& call, AskedFor asked) {
  return asked == AskedFor::kAlways || (asked == AskedFor::kByTag && call.schema().Has(kTagPointwise));
}

// Whether the call asks for the kernel, and the first of its tensors.
bool AsksForKernel(const Call& call, AskedFor asked, const Tensor*& first) {
  const bool needs_elements = !IsAskedWithoutElements(call, asked);
  for (size_t i = 0; i < call.size(); ++i) {
    const Tensor* t = call.Arg(static_cast<int>(i)).TryTensor();
    if (t && needs_elements && IsKnownEmpty(t->meta)) return false;
    if (!first) first = t;
  }
  return asked != AskedFor::kWithDims || first->meta.rank() > 0;
}

// Integers beside floating-point tensors are indices, or they are promoted.
bool IsPromoted(const Call& call, const Tensor& first) {
  bool any = call.schema().Has(kTagPointwise);
  for (size_t i = 0; i < call.size() && !any; ++i)
    if (const Tensor* t = call.Arg(static_cast<int>(i)).TryTensor())
      any = IsIntegral(first.meta.dtype) && IsFloatOrComplex(t->meta.dtype);
  return any;
}

// The promoted dtype of a pointwise operator's operands, mostly the first tensor's dtype of another.
ScalarType DtypeOfOperands(const Call& call, const Tensor& first) {
  if (!IsPromoted(call, first)) return first.meta.dtype;
  SmallVector<ArgumentName, 4> names;
  for (size_t i = 0; i < call.size(); ++i)
    if (const SchemaArgument& argument = call.schema().arguments[i]; IsOneTensor(argument) || IsOperand(argument))
      names.push_back(ArgumentName(static_cast<int>(i)));
  return rules::PromotedDtype(call, std::span<const ArgumentName>(names));
}

// The dtype that the call names, or that of its operands; nothing if the call has neither.
std::optional<ScalarType> ComputedDtype(const Call& call, const Tensor* first) {
  const std::optional<ScalarType> named = TryDtype(call);
  return named || !first ? named : DtypeOfOperands(call, *first);
}

bool IsTaken(const Call& call, const CpuKernel& kernel, ScalarType dtype) {
  if (!kernel.refused.Has(dtype)) return true;
  return kernel.takes_unsigned && kBarebonesUnsignedDtypes.Has(dtype) && rules::Has(call, *kernel.takes_unsigned);
}

}  // namespace

void RequireCpuKernel(const RuleRow& row, const Call& call) {
  static const std::vector<Kernels> kernels = KernelsOfRows();
  const auto [kernel, refuses_quantized] = kernels[&row - AllRows().data()];
  if ((!kernel && !refuses_quantized) || !call.device().is_cpu()) return;
  if (refuses_quantized) RequireNoQuantized(call);
  if (!kernel) return;
  const Tensor* first = nullptr;
  if (!AsksForKernel(call, kernel->asked, first)) return;
  if (first && kQuantizedDtypes.Has(first->meta.dtype)) return;  // quantized tensors have kernels of their own
  const std::optional<ScalarType> dtype = ComputedDtype(call, first);
  if (dtype && !IsTaken(call, *kernel, *dtype))
    Fail(ErrorClass::kDtypeMismatch, Format("{} {}", call.schema().full_name, NoCpuKernel(kernel->name, *dtype)),
        first ? std::vector<const Tensor*>{first} : std::vector<const Tensor*>());
}

}  // namespace fakeprop
