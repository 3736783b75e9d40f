// Kernels that the cpu does not have, and that PyTorch gives no answer to without their device: of cuda, cuDNN, MIOpen
// and Metal. Source: in aten/src/ATen/native, cuda/{Normalization.cu,Normalization.cuh,DepthwiseConv2d.cu,
// DepthwiseConv3d.cu,MixedDtypesLinear.cu}, cudnn/{ConvShared,GridSampler,AffineGridGenerator,LossCTC}.cpp,
// miopen/{Conv_miopen,LossCTC_miopen}.cpp, mps/operations/{Convolution,Pooling}.mm (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/convolution_metas.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/normalization_metas.h"

namespace fakeprop::rules {
namespace {

// ---- parts of a batch normalization over several processes

// Sums of half precision are float32.
ScalarType SumDtype(ScalarType dtype) {
  return dtype == ScalarType::Half || dtype == ScalarType::BFloat16 ? ScalarType::Float : dtype;
}

// A tensor that is not on the cpu.
Operand CudaIn(const Call& call, ArgumentName name) {
  const Operand t = call.In(name);
  if (t->device.is_cpu()) Fail(ErrorClass::kDeviceMismatch, NoCpuKernelText(call.schema().full_name), {&t.tensor()});
  return t;
}

Operand InputOf(const Call& call) {
  const Operand input = CudaIn(call, "input").Takes(kFloating);
  return input.RankAtLeast(2, "expected an input of at least 2 dimensions, but got {}");
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
  InputOf(call);
  const Operand mean = call.In("mean").Rank(2);
  call.In("invstd").SameSizesAs(mean);
  call.TryIn("counts").NumelIs(mean->sizes[0]);
  for (const Operand& t : call.Given({"running_mean", "running_var"})) {
    t.Rank(1);
    call.WriteUnfollowed(t.tensor());
  }
  for (int i = 0; i < 2; ++i) ReturnContiguous(call, Dims{mean->sizes[1]}, SumDtype(mean->dtype));
}

// -> (sum_dy, sum_dy_xmu, grad_weight, grad_bias)
void BackwardReduce(Call& call) {
  const Operand input = InputOf(call), mean = call.In("mean"), weight = call.OptionalIn("weight");
  call.In("grad_out").SameSizesAs(input);
  RequireChannels(input, {mean, call.In("invstd"), weight});
  auto give = [&](ArgumentName wanted, ScalarType dtype) {
    ReturnWanted(call, call.Bool(wanted), NewMeta(call, Dims{input->sizes[1]}, dtype));
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
  const Operand input = CudaIn(call, "self"), weight = call.In("weight");
  const auto spatial = static_cast<int64_t>(call.DimList("kernel_size").size());
  input.Rank(spatial + 2);
  weight.Rank(spatial + 2);
  weight.Require(Eq(weight->sizes[1], 1), "takes a weight for one channel each, but got {tensor}");
  const TensorMeta* bias = call.OptionalIn("bias").TryMeta();
  const ConvParams params = CheckedConvolution(input, weight, bias,
      {call.DimList("stride"), call.DimList("padding"), call.DimList("dilation"), false, Dims{0}, input->sizes[1]});
  ReturnContiguous(call, ConvolutionSizes(input, weight, params), input->dtype);
}

// ---- convolutions of a library

// A convolution with its result's sizes. The operands are `self` and `weight`.
struct LibraryConvolution {
  Operand input, weight;
  ConvParams params;
  Dims sizes;
};

LibraryConvolution CheckLibraryConvolution(const Call& call) {
  const Operand input = CudaIn(call, "self").Takes(kFloating), weight = call.In("weight");
  RequireInputDtype(input, weight, "weight");
  const Operand bias = call.TryIn("bias");
  if (bias) RequireInputDtype(input, bias, "bias");
  const bool transposed = call.Has("output_padding");
  const ConvParams params = CheckedConvolution(input, weight, bias.TryMeta(),
      {call.DimList("stride"), call.DimList("padding"), call.DimList("dilation"), transposed,
          transposed ? call.DimList("output_padding") : Dims{0}, call.DimArg("groups")});
  const Dims sizes = ConvolutionSizes(input, weight, params);
  call.TryIn("z").SameDtypeAs(input).BroadcastsTo(sizes);
  return {input, weight, params, sizes};
}

void ReturnInFormat(Call& call, const LibraryConvolution& c, MemoryFormat format) {
  call.ReturnNew(MetaInFormat(c.sizes, c.input->dtype, c.input->device, format));
}

// Source: cudnn_conv_suggest_memory_format (aten/src/ATen/native/ConvUtils.h).
void CudnnConvolution(Call& call) {
  const LibraryConvolution c = CheckLibraryConvolution(call);
  const MemoryFormat last = c.input->rank() == 5 ? MemoryFormat::ChannelsLast3d : MemoryFormat::ChannelsLast;
  const bool is_last = c.input->rank() > 3 && c.input->dtype != ScalarType::Double &&
                       (SuggestMemoryFormat(c.input) == last || SuggestMemoryFormat(c.weight) == last);
  ReturnInFormat(call, c, is_last ? last : MemoryFormat::Contiguous);
}

// MIOpen gives channels-last results only if the environment variable PYTORCH_MIOPEN_SUGGEST_NHWC is set. Metal's
// gradient of the input of a convolution is contiguous too.
void ContiguousConvolution(Call& call) {
  ReturnInFormat(call, CheckLibraryConvolution(call), MemoryFormat::Contiguous);
}

// As from macOS 15 on. Volumes are contiguous.
MemoryFormat MetalFormat(const TensorMeta& input) {
  return input.rank() == 4 ? SuggestMemoryFormat(input) : MemoryFormat::Contiguous;
}

void MetalConvolution(Call& call) {
  const LibraryConvolution c = CheckLibraryConvolution(call);
  ReturnInFormat(call, c, MetalFormat(c.input));
}

// -> gradients of the input, the weight and, if the mask has it, the bias
void MetalConvolutionBackward(Call& call) {
  const LibraryConvolution c = CheckLibraryConvolution(call);
  const Operand grad = call.In("grad_output").SameDtypeAs(c.input).Sizes(c.sizes);
  const std::vector<bool> wanted = call.Bools("output_mask");
  // The gradient of a transposed one's input is a convolution of grad_output.
  const MemoryFormat format = c.params.transposed ? MetalFormat(grad) : MemoryFormat::Contiguous;
  ReturnWanted(call, wanted[0], MetaInFormat(c.input->sizes, grad->dtype, grad->device, format));
  ReturnWanted(call, wanted[1], NewMeta(call, c.weight->sizes, c.weight->dtype));
  if (wanted.size() > 2) ReturnWanted(call, wanted[2], NewMeta(call, Dims{grad->sizes[1]}, grad->dtype));
}

// ---- grids, pooling, quantised weights

void CheckCudnnGrid(const Operand& input, const Operand& grid) {
  input.Rank(4).Takes(kFloating);
  grid.Rank(4).SameDtypeAs(input).Size(0, input->sizes[0]).Size(3, 2);
}

void CudnnGridSampler(Call& call) {
  const Operand input = CudaIn(call, "self"), grid = call.In("grid");
  CheckCudnnGrid(input, grid);
  ReturnContiguous(call, Dims{input->sizes[0], input->sizes[1], grid->sizes[1], grid->sizes[2]}, input->dtype);
}

// -> (grad_self, grad_grid)
void CudnnGridSamplerBackward(Call& call) {
  const Operand input = CudaIn(call, "self"), grid = call.In("grid");
  CheckCudnnGrid(input, grid);
  call.In("grad_output").SameDtypeAs(input).Sizes({input->sizes[0], input->sizes[1], grid->sizes[1], grid->sizes[2]});
  for (const Operand& t : {input, grid}) ReturnContiguous(call, t);
}

void CudnnAffineGrid(Call& call) {
  const Dim n = call.DimArg("N");
  const Operand theta = CudaIn(call, "theta").Takes(kFloating).Sizes({n, 2, 3}).Contiguous();
  ReturnContiguous(call, Dims{n, call.DimArg("H"), call.DimArg("W"), 2}, theta->dtype);
}

void CudnnAffineGridBackward(Call& call) {
  const Dim n = call.DimArg("N");
  const Operand grad =
      CudaIn(call, "grad").Takes(kFloating).Sizes({n, call.DimArg("H"), call.DimArg("W"), 2}).Contiguous();
  ReturnContiguous(call, Dims{n, 2, 3}, grad->dtype);
}

// Metal's, which keeps no indices. The gradient follows the input's memory format. Source: mps_max_pool2d_backward and
// the end of pool2d_template (mps/operations/Pooling.mm).
void MaxPool2dBackward(Call& call) {
  const Operand input = CudaIn(call, "self").RankBetween(3, 4);
  call.In("grad_output").Rank(input->rank()).SameDtypeAs(input);
  if (Guard(Eq(input.Numel(), 0))) return void(ReturnContiguous(call, input));
  call.ReturnNew(MetaInFormat(input->size_span(), input->dtype, input->device, SuggestMemoryFormat(*input)));
}

// CUTLASS reads rows of several elements, one after the other.
void RequireRows(const Operand& t, Dim row_stride, Dim column_stride) {
  t.Require(Expect(Gt(row_stride, 1)) && Expect(Eq(column_stride, 1)),
      "takes {name} with its rows one after the other, but got {tensor}");
}

void RequireActivation(const Call& call, bool has_bias) {
  const std::string_view activation = call.OptionalString("activation").value_or("none");
  const bool is_known = activation == "none" || (has_bias && (activation == "relu" || activation == "silu"));
  RequireValue(call, is_known, {"takes the activations none, and with a bias relu and silu, not {}", activation});
}

// A weight of bytes holds 8-bit numbers, or two of 4 bits each. There is a scale for each column. Source:
// _mixed_dtypes_linear and mixed_dtypes_linear_cutlass (cuda/MixedDtypesLinear.cu).
void MixedDtypesLinear(Call& call) {
  const Operand input = CudaIn(call, "input").RankAtLeast(1);
  input.Takes(Dtypes{ScalarType::Half, ScalarType::BFloat16}, "takes float16 and bfloat16, not {}");
  const Operand weight = call.In("weight").Takes(ScalarType::Byte, "takes a weight of bytes, not {}").Rank(2);
  const Operand scale = call.In("scale").SameDtypeAs(input).Rank(1);
  const Dim columns = scale->sizes[0];
  weight.Size(0, input->sizes.back());
  weight.Require(Or(Eq(weight->sizes[1], columns), Eq(weight->sizes[1] * 2, columns)),
      {"takes a weight for each of {} scales, but got shape {}", columns});
  weight.Require(Divides(64, weight->sizes[0]) && Divides(64, columns),
      "takes a weight with multiples of 64 rows and columns, but got shape {}");
  RequireRows(weight, weight->strides[0], weight->strides[1]);
  // Of more dimensions, what does not lie in rows is copied.
  if (input->rank() == 2) RequireRows(input, input->strides[0], input->strides[1]);
  const Operand bias = call.OptionalIn("bias");
  bias.SameDtypeAs(input).Sizes({columns});
  RequireActivation(call, static_cast<bool>(bias));
  ReturnContiguous(call, WithSize(input->sizes, -1, columns), input->dtype);
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
      {"takes as many input lengths as target lengths, not {} and {}", inputs.size(), targets.size()});
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
  const Operand log_probs = CudaIn(call, "log_probs").Rank(3).Takes(ScalarType::Float);
  call.In("targets").Rank(1).Takes(ScalarType::Int);
  ReturnContiguous(call, Dims{log_probs->sizes[1]}, log_probs->dtype);
  ReturnContiguous(call, log_probs);
}

// -> (loss, grad)
void MiopenCtc(Call& call) {
  const Operand log_probs = CudaIn(call, "log_probs").Rank(3).Takes(ScalarType::Float);
  ReturnContiguous(call, Dims{log_probs->sizes[1]}, log_probs->dtype);
  ReturnContiguous(call, log_probs);
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
    {"aten::cudnn_convolution", CudnnConvolution},
    {"aten::cudnn_convolution_relu", CudnnConvolution},
    {"aten::cudnn_convolution_add_relu", CudnnConvolution},
    {"aten::cudnn_convolution_transpose", CudnnConvolution},
    {"aten::miopen_convolution", ContiguousConvolution},
    {"aten::miopen_convolution_relu", ContiguousConvolution},
    {"aten::miopen_convolution_add_relu", ContiguousConvolution},
    {"aten::miopen_convolution_transpose", ContiguousConvolution},
    {"aten::miopen_depthwise_convolution", ContiguousConvolution},
    {"aten::_mps_convolution", MetalConvolution},
    {"aten::_mps_convolution_transpose", ContiguousConvolution},
    {"aten::mps_convolution_backward", MetalConvolutionBackward},
    {"aten::mps_convolution_transpose_backward", MetalConvolutionBackward},
    {"aten::cudnn_grid_sampler", CudnnGridSampler},
    {"aten::cudnn_grid_sampler_backward", CudnnGridSamplerBackward},
    {"aten::cudnn_affine_grid_generator", CudnnAffineGrid},
    {"aten::cudnn_affine_grid_generator_backward", CudnnAffineGridBackward},
    {"aten::max_pool2d_backward", MaxPool2dBackward},
    {"aten::_mixed_dtypes_linear", MixedDtypesLinear},
    {"aten::_use_cudnn_ctc_loss", UseCudnnCtc, Devices::kAny},
    {"aten::_use_cudnn_ctc_loss.Tensor", UseCudnnCtcTensor, Devices::kAny},
    {"aten::_use_miopen_ctc_loss", NoMiopen},
    {"aten::_use_miopen_ctc_loss.Tensor", NoMiopen, Devices::kAny},
    {"aten::_cudnn_ctc_loss", CudnnCtc, Devices::kAny},
    {"aten::_cudnn_ctc_loss.Tensor", CudnnCtc, Devices::kAny},
    {"aten::miopen_ctc_loss", MiopenCtc, Devices::kAny},
    {"aten::miopen_ctc_loss.Tensor", MiopenCtc, Devices::kAny},
};

}  // namespace

RuleRows CudaKernelsRules() { return kRows; }

}  // namespace fakeprop::rules
