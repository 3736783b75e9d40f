// Kernels that only cuda has, and that PyTorch gives no answer to without a device.
// Source: aten/src/ATen/native/cuda/{Normalization.cu,Normalization.cuh,DepthwiseConv2d.cu,DepthwiseConv3d.cu},
// aten/src/ATen/native/cudnn/LossCTC.cpp, aten/src/ATen/native/miopen/LossCTC_miopen.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/copy_metas.h"

namespace fakeprop::rules {
namespace {

// ---- parts of a batch normalization over several processes

// Sums of half precision are float32.
ScalarType SumDtype(ScalarType dtype) {
  return dtype == ScalarType::Half || dtype == ScalarType::BFloat16 ? ScalarType::Float : dtype;
}

Operand NotOnCpu(const Operand& input, const Call& call) {
  if (input->device.is_cpu())
    Fail(ErrorClass::kDeviceMismatch, NoCpuKernelText(call.schema().full_name), {&input.tensor()});
  return input;
}

Operand InputOf(const Call& call) {
  return NotOnCpu(call.In("input"), call)
      .Takes(kFloating)
      .RankAtLeast(2, "expected an input of at least 2 dimensions, but got {}");
}

// -> (mean, invstd)
void BatchNormStats(Call& call) {
  const Operand input = InputOf(call);
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{input->sizes[1]}, SumDtype(input->dtype));
}

void RequireChannels(const Operand& input, std::initializer_list<Operand> perChannel) {
  for (const Operand& t : perChannel) t.NumelIs(input->sizes[1]);
}

void BatchNormElemt(Call& call) {
  const Operand input = InputOf(call);
  RequireChannels(input, {call.OptionalIn("weight"), call.OptionalIn("bias"), call.In("mean"), call.In("invstd")});
  call.ReturnNew(EmptyLike(*input));
}

// -> (mean, invstd) of all processes. Each has a row of `mean` and `invstd`.
void GatherStats(Call& call) {
  const Operand input = InputOf(call), mean = call.In("mean").Rank(2);
  call.In("invstd").SameSizesAs(mean);
  if (const Operand counts = call.TryIn("counts")) counts.NumelIs(mean->sizes[0]);
  for (const Operand& t : call.Given({"running_mean", "running_var"})) {
    t.Rank(1);
    call.Write(t.tensor());
    call.effects().mutations.back().differentiable = false;
  }
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{mean->sizes[1]}, SumDtype(mean->dtype));
}

// -> (sum_dy, sum_dy_xmu, grad_weight, grad_bias)
void BackwardReduce(Call& call) {
  const Operand input = InputOf(call), mean = call.In("mean"), weight = call.OptionalIn("weight");
  call.In("grad_out").SameSizesAs(input);
  RequireChannels(input, {mean, call.In("invstd"), weight});
  auto give = [&](ArgumentName wanted, ScalarType dtype) {
    call.Bool(wanted) ? void(ReturnContiguous(call, Dims{input->sizes[1]}, dtype)) : call.ReturnNone();
  };
  for (int i = 0; i < 2; ++i) give("input_g", mean->dtype);
  for (ArgumentName wanted : ArgumentNames{"weight_g", "bias_g"}) give(wanted, weight ? weight->dtype : mean->dtype);
}

void BackwardElemt(Call& call) {
  const Operand input = InputOf(call);
  call.In("grad_out").SameSizesAs(input);
  RequireChannels(
      input, {call.In("mean"), call.In("invstd"), call.OptionalIn("weight"), call.In("sum_dy"), call.In("sum_dy_xmu")});
  call.ReturnNew(EmptyLike(*input, SuggestMemoryFormat(*input)));
}

// ---- convolutions of each channel by itself

void Depthwise(Call& call) {
  const Operand input = NotOnCpu(call.In("self"), call), weight = call.In("weight");
  const auto spatial = static_cast<int64_t>(call.DimList("kernel_size").size());
  input.Rank(spatial + 2);
  weight.Rank(spatial + 2);
  RequireShape(call, Expect(Eq(weight->sizes[1], 1)), {"takes a weight for one channel each, but got {}", *weight});
  const TensorMeta* bias = call.OptionalIn("bias").TryMeta();
  const ConvParams params = CheckedConvolution(input, weight, bias,
      {call.DimList("stride"), call.DimList("padding"), call.DimList("dilation"), false, Dims{0}, input->sizes[1]});
  ReturnContiguous(call, ConvolutionSizes(input, weight, params), input->dtype);
}

// ---- connectionist temporal classification

// The part of the demands of cuDNN's kernel that metadata answers.
bool MayUseCudnn(const Call& call) {
  const Operand log_probs = call.In("log_probs"), targets = call.In("targets");
  return call.Int("blank") == 0 && targets->rank() == 1 && log_probs->dtype == ScalarType::Float &&
         targets->dtype == ScalarType::Int && targets->device.is_cpu() && IsContiguous(*targets) &&
         log_probs->device.is_cuda() && log_probs->rank() == 3;
}

void UseCudnnCtc(Call& call) {
  if (!MayUseCudnn(call)) return void(call.ReturnNumber(false));
  const std::vector<int64_t> inputs = call.Ints("input_lengths"), targets = call.Ints("target_lengths");
  RequireShape(call, inputs.size() == targets.size(),
      {"takes as many input lengths as target lengths, not {} and {}", static_cast<int64_t>(inputs.size()),
          static_cast<int64_t>(targets.size())});
  bool fits = true;
  for (size_t i = 0; i < inputs.size(); ++i)
    fits = fits && Guard(Eq(call.In("log_probs")->sizes[0], inputs[i])) && targets[i] < 256 && targets[i] <= inputs[i];
  call.ReturnNumber(fits);
}

// The lengths are data. They are taken to fit, as those of a batch without padding do.
void UseCudnnCtcTensor(Call& call) {
  call.In("input_lengths").Rank(1);
  call.ReturnNumber(MayUseCudnn(call));
}

// LibTorch for cuda has no MIOpen.
void NoMiopen(Call& call) {
  RequireShape(call, call.In("log_probs")->rank() <= 3, "takes log_probs of at most 3 dimensions");
  call.ReturnNumber(false);
}

// -> (loss, grad)
void CudnnCtc(Call& call) {
  const Operand log_probs = NotOnCpu(call.In("log_probs"), call).Rank(3).Takes({ScalarType::Float});
  call.In("targets").Rank(1).Takes({ScalarType::Int});
  ReturnContiguous(call, Dims{log_probs->sizes[1]}, log_probs->dtype);
  ReturnContiguous(call, log_probs->size_span(), log_probs->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::batch_norm_stats", BatchNormStats},
    {"aten::batch_norm_elemt", BatchNormElemt},
    {"aten::batch_norm_gather_stats", GatherStats},
    {"aten::batch_norm_gather_stats_with_counts", GatherStats},
    {"aten::batch_norm_backward_reduce", BackwardReduce},
    {"aten::batch_norm_backward_elemt", BackwardElemt},
    {"aten::_conv_depthwise2d", Depthwise},
    {"aten::conv_depthwise3d", Depthwise},
    {"aten::_use_cudnn_ctc_loss", UseCudnnCtc, Devices::kAny},
    {"aten::_use_cudnn_ctc_loss.Tensor", UseCudnnCtcTensor, Devices::kAny},
    {"aten::_use_miopen_ctc_loss", NoMiopen},
    {"aten::_use_miopen_ctc_loss.Tensor", NoMiopen, Devices::kAny},
    {"aten::_cudnn_ctc_loss", CudnnCtc, Devices::kAny},
    {"aten::_cudnn_ctc_loss.Tensor", CudnnCtc, Devices::kAny},
};

}  // namespace

RuleRows CudaKernelsRules() { return kRows; }

}  // namespace fakeprop::rules
