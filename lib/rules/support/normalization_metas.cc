#include "lib/rules/support/normalization_metas.h"

#include <algorithm>

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop::rules {

bool HasContiguousParameters(const Call& call) {
  return std::ranges::all_of(call.Given(kBatchNormParameters), [](const Operand& t) { return IsContiguous(t); });
}

void RequireParametersOnDevice(const Call& call, const Operand& input) {
  if (call.form() && call.form()->schema().Has(kTagGenerated)) return;
  for (const Operand& t : call.Given(kBatchNormParameters))
    if (t->device != input->device)
      Fail(ErrorClass::kDeviceMismatch,
          Format("{}: the input is on {}, its {} on {}", OpName(call), input->device, t.QuotedName(), t->device),
          {&input.tensor(), &t.tensor()});
}

ScalarType ComputationDtype(ScalarType dtype) {
  if (IsHalf(dtype)) return ScalarType::Float;
  return dtype == ScalarType::ComplexHalf ? ScalarType::ComplexFloat : dtype;
}

Dtypes StatisticsDtypes(ScalarType input) { return IsHalf(input) ? Dtypes{input, ScalarType::Float} : Dtypes(input); }

ScalarType RequireFittingDtype(std::initializer_list<Operand> tensors, const Operand& input) {
  Dtypes fitting = StatisticsDtypes(input->dtype);
  ScalarType dtype = input->dtype;
  for (const Operand& t : tensors) {
    if (!t) continue;
    t.Takes(fitting, {"takes parameters and statistics of one dtype that fits {}, not {}", *input, *t});
    fitting = dtype = t->dtype;
  }
  return dtype;
}

TensorMeta PerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device) {
  Dims sizes(rank, Dim(1));
  sizes[1] = channels;
  return ContiguousMeta(sizes, dtype, device);
}

TensorMeta ExpandedPerChannel(Dim channels, int64_t rank, ScalarType dtype, Device device) {
  TensorMeta t = PerChannel(channels, rank, dtype, device);
  for (int64_t d = 0; d < rank; ++d) t.strides[d] = d == 1 ? 1 : 0;
  return t;
}

MemoryFormat BatchNormFormatOnCpu(const Call& call, const TensorMeta& input) {
  if (HasContiguousParameters(call))
    for (MemoryFormat format : {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast3d, MemoryFormat::ChannelsLast})
      if (IsContiguousIn(input, format)) return format;
  return SuggestMemoryFormat(input);
}

bool UsesCudnnBatchNorm(const Call& call) {
  const Operand input = call.In("input"), weight = call.OptionalIn("weight");
  const bool has_mean = call.Has("running_mean");
  if (call.state().build != TorchBuild::kCuda || !input->device.is_cuda()) return false;
  if (input->rank() < 3 || !weight || !call.Has("bias")) return false;
  if (has_mean != call.Has("running_var") || (!has_mean && !call.Bool("training"))) return false;
  if (input->dtype == ScalarType::BFloat16 || weight->dtype == ScalarType::BFloat16) return false;
  return input->dtype != ScalarType::Half || weight->dtype == ScalarType::Float;
}

void SaveAsCudnn(Call& call) {
  if (call.Bool("training")) return;
  const Operand weight = call.In("weight");
  for (int i : {1, 2}) call.effects().outputs[i].meta = ContiguousMeta(Dims{0}, weight->dtype, weight->device);
}

TensorMeta BatchNormGradient(const TensorMeta& grad, const TensorMeta& input, const TensorMeta& out) {
  if (!input.device.is_cpu() || !GuardSameOrFalse(out.size_span(), input.size_span())) return out;
  const MemoryFormat format = SuggestMemoryFormat(input);
  const bool go_together = SuggestMemoryFormat(grad) == format && IsContiguousIn(grad, format);
  return EmptyLike(input, go_together && IsContiguous(input) ? MemoryFormat::Contiguous : format);
}

void ReturnWanted(Call& call, bool wanted, TensorMeta meta) {
  if (wanted) {
    call.ReturnNew(std::move(meta));
  } else {
    call.ReturnNone();
  }
}

}  // namespace fakeprop::rules
