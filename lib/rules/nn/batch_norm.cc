// Batch normalization and its backends.
// Source: native_batch_norm_helper and native_batch_norm_backward in torch/_decomp/decompositions.py,
// _batch_norm_impl_index and instance_norm in aten/src/ATen/native/Normalization.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/normalization_metas.h"

namespace fakeprop::rules {
namespace {

enum class Mode { kTrain, kEval };
// The `impl_index` that tells a backward pass which kernel ran.
enum class Backend : int64_t { kNative = 0, kCudnn = 1 };

struct Stats {
  Operand mean, var;

  Operands Given() const {
    Operands given;
    for (const Operand& t : {mean, var})
      if (t) given.push_back(t);
    return given;
  }
};

Stats RunningStats(const Call& call) { return {call.OptionalIn("running_mean"), call.OptionalIn("running_var")}; }

Mode ModeOf(const Call& call, ArgumentName training) { return call.Bool(training) ? Mode::kTrain : Mode::kEval; }

TensorMeta Vector(Dim size, ScalarType dtype, Device device) { return ContiguousMeta(Dims{size}, dtype, device); }

// Autograd never follows running statistics: kernels write them below it.
void WriteStats(Call& call, const Stats& stats) {
  for (const Operand& t : stats.Given()) call.WriteUnfollowed(t.tensor());
}

// ---- demands

// native_batch_norm has no formula for the running statistics.
void RequireUnfollowedStats(const Call& call) { RequireNoGrad(call, {"running_mean", "running_var"}); }

// Autograd's fallback, which records out= forms, forbids writes to leaves alone.
void RequireNoLeafStats(Call& call) {
  for (const Operand& t : RunningStats(call).Given())
    if (t.tensor().is_leaf && t.tensor().RequiresGrad()) RequireUnfollowedStats(call);
}

void RequirePerChannel(const Operand& t, Dim channels) {
  if (t && !HasNumel(t, channels))
    Fail(ErrorClass::kShapeMismatch, Format("{} should contain {} elements not {}", TorchName(t), channels, t.Numel()),
        {&t.tensor()});
}

Dim Channels(const Operand& input) {
  return input.RankAtLeast(2, "expected an input of at least 2 dimensions, but got {}")->sizes[1];
}

void RequireStats(const Call& call, const Stats& stats, Mode mode) {
  RequireValue(call, mode == Mode::kTrain || (stats.mean && stats.var),
      "running_mean must be defined in evaluation mode, and running_var too");
}

void RequireStatsVectors(const Stats& stats, Dim channels) {
  for (const Operand& t : stats.Given()) RequirePerChannel(t, channels);
  stats.Given().Rank(1);
}

void CheckBatchNorm(const Call& call, const Operand& input, const Stats& stats, Mode mode) {
  const Dim channels = Channels(input.Takes(kFloating));
  RequireStats(call, stats, mode);
  RequireStatsVectors(stats, channels);
  for (const Operand& t : call.Given({"weight", "bias"})) RequirePerChannel(t, channels);
}

// The dtype of the parameters, and of statistics that are saved. Only the CPU kernels read parameters of one dtype. If
// the first one has the input's dtype and there is nothing to normalize, they read no other.
ScalarType RequireParameterDtype(const Call& call, const Operand& input, const Stats& stats) {
  const Operands given = call.Given(kBatchNormParameters);
  if (IsKnownEmpty(input) && !given.empty() && given.front()->dtype == input->dtype) return input->dtype;
  return RequireFittingDtype({call.TryIn("weight"), call.TryIn("bias"), stats.mean, stats.var}, input);
}

// Kernels that go by channels read only the first elements of longer vectors. FakeTensorMode refuses those unless they
// broadcast, as with one channel. Source: batch_norm_cpu_update_stats_template
// (aten/src/ATen/native/Normalization.cpp).
void RequireChannelStats(const Operand& input, const Stats& stats) {
  const Dim channels = input->sizes[1];
  for (const Operand& t : stats.Given()) {
    const bool has_one = GuardOrFalse(Eq(channels, 1));
    const bool fits = t->rank() == 1 && (has_one ? Guard(Ge(t->sizes[0], 1)) : Expect(Eq(t->sizes[0], channels)));
    t.Require(fits, {"takes statistics of {} channels, not {tensor}", channels});
  }
}

// cuDNN's operator has no CPU kernel.
bool HasCpuKernel(Backend backend, const TensorMeta& input) {
  return input.device.is_cpu() && backend != Backend::kCudnn;
}

// Returns true if a CPU kernel goes by channels. For other layouts, of parameters too, and elsewhere they broadcast.
bool ByChannels(const Call& call, Backend backend, const TensorMeta& input) {
  return HasCpuKernel(backend, input) && IsContiguousIn(input, SuggestMemoryFormat(input)) &&
         HasContiguousParameters(call);
}

// ---- results

// The normalized input: elementwise over the input, the statistics and the parameters.
TensorMeta Normalized(
    const Call& call, const Operand& input, const Stats& stats, Mode mode, Backend backend = Backend::kNative) {
  RequireParametersOnDevice(call, input);
  std::vector<TensorMeta> along;
  auto add = [&](Dim size) {
    if (ByChannels(call, backend, input)) size = input->sizes[1];
    const auto vector = HasCpuKernel(backend, input) ? ExpandedPerChannel : PerChannel;
    along.push_back(vector(size, input->rank(), input->dtype, input->device));
  };
  if (mode == Mode::kEval) {
    for (const Operand& t : {stats.mean, stats.var}) add(Numel(t->size_span()));
  } else {
    add(input->sizes[1]);
  }
  for (const Operand& t : call.Given({"weight", "bias"})) add(Numel(t->size_span()));
  std::vector<const TensorMeta*> operands = {&*input};
  for (const TensorMeta& t : along) operands.push_back(&t);
  TensorMeta out = ElementwiseMeta(operands, input->dtype, input->device);
  if (HasCpuKernel(backend, input) && GuardSameOrFalse(out.size_span(), input->size_span()))
    out.strides = StridesInFormat(out.size_span(), BatchNormFormatOnCpu(call, input));
  return out;
}

// The saved statistics: none in evaluation mode on cpu, the running ones elsewhere.
void ReturnSaved(Call& call, const TensorMeta& input, const Stats& stats, Mode mode, ScalarType dtype) {
  Dims sizes = {input.sizes[1]};
  if (mode == Mode::kEval) sizes = input.device.is_cpu() ? Dims{0} : stats.mean->sizes;
  for (int i = 0; i < 2; ++i) call.ReturnNew(ContiguousMeta(sizes, dtype, input.device));
}

// FakeTensorMode takes an empty batch. Source: batch_norm_cpu_update_stats.
void RequireElements(const Call& call, const TensorMeta& input, Mode mode) {
  RequireShape(call, mode == Mode::kEval || !input.device.is_cpu() || !IsKnownEmpty(input),
      {"takes statistics of at least one element, but the input is {}", input.sizes});
}

void ReturnBatchNorm(Call& call, const Stats& stats, Mode mode, Backend backend = Backend::kNative) {
  const Operand input = call.In("input");
  RequireElements(call, input, mode);
  const Dim channels = Channels(input.Takes(kFloating));
  RequireStats(call, stats, mode);
  if (ByChannels(call, backend, input)) {
    RequireChannelStats(input, stats);
  } else if (mode == Mode::kTrain) {
    RequireStatsVectors(stats, channels);
  }
  const ScalarType saved =
      HasCpuKernel(backend, input) ? RequireParameterDtype(call, input, stats) : ComputationDtype(input->dtype);
  call.ReturnNew(Normalized(call, input, stats, mode, backend));
  ReturnSaved(call, input, stats, mode, saved);
}

// ---- out tensors of the cpu's kernels

// The result has the input's dtype, saved statistics that of the parameters. Evaluation saves nothing.
void WriteBatchNormOut(Call& call, ArgumentName name, Mode mode, const Dims& sizes, ScalarType parameters) {
  const Operand input = call.In("input"), out = call.In(name);
  const bool is_saved = name != "out";
  const ScalarType dtype = is_saved ? parameters : input->dtype;
  out.Takes(dtype, {"writes {}, which {tensor} does not hold", dtype});
  if (is_saved && mode == Mode::kEval) return void(call.ReturnArgument(out.tensor()));
  const bool is_kept = GuardSameOrFalse(sizes, out->size_span());
  if (!is_saved && is_kept) RequireUnshared(call, out);
  WriteOfSizes(call, out.tensor(), is_saved ? Dims{input->sizes[1]} : sizes);
}

// The cpu's kernels for out tensors look only at dtypes and ranks: running statistics may have any size, and so may the
// weight and bias of a contiguous input. Source: batch_norm_cpu_out, _batch_norm_with_update_cpu_out.
void WriteBatchNormOuts(Call& call, Mode mode) {
  const Operand input = call.In("input").Takes(kFloating);
  RequireElements(call, input, mode);
  Channels(input);
  call.Given(kBatchNormParameters).Rank(1);
  const Stats stats = RunningStats(call);
  const ScalarType dtype =
      RequireFittingDtype({call.TryIn("weight"), call.TryIn("bias"), stats.mean, stats.var}, input);
  const bool broadcasts = !IsContiguous(input) || !HasContiguousParameters(call);
  const Dims sizes = broadcasts ? Normalized(call, input, stats, Mode::kTrain).sizes : input->sizes;
  RequireStats(call, stats, mode);
  if (mode == Mode::kTrain) WriteStats(call, stats);
  for (ArgumentName name : ArgumentNames{"out", "save_mean", "save_invstd"})
    WriteBatchNormOut(call, name, mode, sizes, dtype);
}

void NativeBatchNormOut(Call& call) { WriteBatchNormOuts(call, ModeOf(call, "training")); }

// The buffer for a backward pass is left as it is.
void WithUpdateOut(Call& call) {
  WriteBatchNormOuts(call, Mode::kTrain);
  call.ReturnArgument(call.In("reserve").tensor());
}

// ---- forward

// cuDNN's buffer between forward and backward; empty for the native kernels.
void ReturnReserve(Call& call) { call.ReturnNew(Vector(0, ScalarType::Byte, call.In("input")->device)); }

void RunUpdating(Call& call, Mode mode, Backend backend = Backend::kNative) {
  const Stats stats = RunningStats(call);
  ReturnBatchNorm(call, stats, mode, backend);
  if (mode == Mode::kTrain) WriteStats(call, stats);
}

void NativeBatchNorm(Call& call) { RunUpdating(call, ModeOf(call, "training")); }

void NoTraining(Call& call) { ReturnBatchNorm(call, RunningStats(call), Mode::kEval); }

// Has no running statistics.
void NoStats(Call& call) {
  ReturnBatchNorm(call, {call.TryIn("running_mean"), call.TryIn("running_var")}, ModeOf(call, "training"));
}

void WithUpdate(Call& call) {
  RunUpdating(call, Mode::kTrain);
  ReturnReserve(call);
}

void NoUpdate(Call& call) {
  NoTraining(call);
  ReturnReserve(call);
}

// The updated statistics are results instead of writes. They have the running ones' dtype, as the kernels make them.
void ReturnNewStats(Call& call) {
  call.ReturnNew(EmptyLike(call.In("running_mean")));
  call.ReturnNew(EmptyLike(call.In("running_var")));
}

void Functional(Call& call) {
  ReturnBatchNorm(call, RunningStats(call), ModeOf(call, "training"));
  ReturnNewStats(call);
}

void WithUpdateFunctional(Call& call) {
  ReturnBatchNorm(call, RunningStats(call), Mode::kTrain);
  ReturnReserve(call);
  ReturnNewStats(call);
}

Backend CheckedBatchNorm(Call& call) {
  const Operand input = call.In("input");
  CheckBatchNorm(call, input, RunningStats(call), ModeOf(call, "training"));
  RequireUnfollowedStats(call);
  NativeBatchNorm(call);
  if (!UsesCudnnBatchNorm(call)) return Backend::kNative;
  call.effects().outputs[0].meta.strides = StridesInFormat(input->size_span(), SuggestMemoryFormat(input));
  SaveAsCudnn(call);
  return Backend::kCudnn;
}

// An empty input is copied, multiplied by the first weight, and added to the first bias. Its statistics are left alone.
void ReturnEmpty(Call& call, const Operand& input) {
  Dims sizes = input->sizes;
  for (const Operand& t : call.Given({"weight", "bias"})) {
    t.Require(t->rank() > 0 && !Known(Eq(t->sizes[0], 0)), "reads the first element of {name}, but it is {tensor}");
    sizes = BroadcastSizes(sizes, t->size_span().subspan(1));
  }
  const bool is_kept = GuardSameOrFalse(sizes, input->size_span());
  call.ReturnNew(is_kept ? EmptyLike(input) : ContiguousMeta(sizes, input->dtype, input->device));
}

void BatchNorm(Call& call) {
  const Operand input = call.In("input");
  if (IsEmpty(input)) return ReturnEmpty(call, input);
  CheckedBatchNorm(call);
  call.effects().outputs.resize(1);
}

void BatchNormImplIndex(Call& call) {
  const Operand input = call.In("input");
  Backend backend = Backend::kNative;
  if (IsEmpty(input)) {
    const bool widens = !input->device.is_cpu() || IsHalf(input->dtype);
    const ScalarType saved = widens ? ComputationDtype(input->dtype) : ScalarType::Double;
    ReturnEmpty(call, input);
    for (int i = 0; i < 2; ++i) call.ReturnNew(Vector(Channels(input), saved, input->device));
  } else {
    backend = CheckedBatchNorm(call);
  }
  ReturnReserve(call);
  call.ReturnNumber(static_cast<int64_t>(backend));
}

void CudnnBatchNorm(Call& call) {
  RunUpdating(call, ModeOf(call, "training"), Backend::kCudnn);
  SaveAsCudnn(call);
  ReturnReserve(call);
}

// Source: meta_miopen_batch_norm in torch/_meta_registrations.py.
void MiopenBatchNorm(Call& call) {
  const Operand input = call.In("input");
  const MemoryFormat format = SuggestMemoryFormat(input);
  input.Require(IsContiguousIn(input, format), "takes an input that is contiguous or channels last, not {tensor}");
  call.ReturnNew(EmptyLike(input, format));
  const Operand weight = call.In("weight");
  const Mode mode = ModeOf(call, "training");
  const auto [mean, var] = RunningStats(call);
  for (const Operand& running : {mean, var}) {
    const Dims saved = mode == Mode::kEval ? Dims{0} : running ? running->sizes : weight->sizes;
    call.ReturnNew(ContiguousMeta(saved, weight->dtype, weight->device));
  }
}

// Each channel of each batch on its own: a batch norm of one batch. Training writes to an alias of the statistics.
void InstanceNorm(Call& call) {
  const Operand input = call.In("input");
  const Stats stats = RunningStats(call);
  const Mode mode = ModeOf(call, "use_input_stats");
  RequireValue(call, !stats.mean == !stats.var, "takes both of running_mean and running_var or neither");
  RequireStats(call, stats, mode);
  if (!IsKnownEmpty(input)) {
    CheckBatchNorm(call, input, stats, mode);
    RequireUnfollowedStats(call);
    // The statistics may have any dtype, but if the mean has that of the parameters, so has the variance.
    if (HasCpuKernel(Backend::kNative, input)) {
      const ScalarType dtype = RequireFittingDtype({call.TryIn("weight"), call.TryIn("bias")}, input);
      if (stats.mean && stats.mean->dtype == dtype) stats.var.Takes(dtype);
    }
  }
  call.Given(kBatchNormParameters).RankAtMost(1);  // they are repeated for each batch
  call.ReturnNew(EmptyLike(input, MemoryFormat::Contiguous));
  if (mode == Mode::kEval) return;
  RequireNoLeafStats(call);
  for (const Operand& t : stats.Given()) RequireUnshared(call, t);
  WriteStats(call, stats);
}

void UpdateStats(Call& call) {
  const Operand input = call.In("input").Takes(kFloating);
  const Stats stats = RunningStats(call);
  stats.Given().Rank(1);
  const Dim channels = Channels(input);
  input.Require(!input->device.is_cpu() || !IsEmpty(input), "takes at least one element, but got {tensor}");
  const ScalarType dtype = RequireFittingDtype({stats.mean, stats.var}, input);
  for (int i = 0; i < 2; ++i) call.ReturnNew(Vector(channels, dtype, input->device));
  WriteStats(call, stats);
}

// `stats`: those of the mode. The gradient of the input is returned whether it is wanted or not.
void Backward(
    Call& call, Backend backend, const Operand& grad, const Stats& stats, Mode mode, const std::vector<bool>& wanted) {
  const Operand input = call.In("input"), weight = call.OptionalIn("weight");
  const Dim channels = Channels(input);
  input.Require(grad->rank() == input->rank(), {"gradient and input differ in rank: {} and {}", grad->sizes});
  RequireValue(call, stats.mean && stats.var, "the statistics of this mode must be defined");
  RequirePerChannel(stats.mean, channels);
  if (!IsEmpty(input)) input.Takes(kFloating);
  const TensorMeta channel = PerChannel(channels, input->rank(), input->dtype, input->device);
  const TensorMeta *train[] = {&*grad, &*input, &channel}, *eval[] = {&*grad, &channel};
  const TensorMeta out = mode == Mode::kTrain ? ElementwiseMeta(train, input->dtype, input->device)
                                              : ElementwiseMeta(eval, input->dtype, input->device);
  call.ReturnNew(HasCpuKernel(backend, input) ? BatchNormGradient(grad, input, out) : out);
  weight.Rank(1, "takes a weight of 1 dimension, not {tensor}");
  for (int i : {1, 2})
    ReturnWanted(call, wanted[i], Vector(channels, weight ? weight->dtype : input->dtype, input->device));
}

// Only the statistics of the mode are looked at.
template <ArgumentName Training, ArgumentName SavedVar>
void NativeBackward(Call& call) {
  const Mode mode = ModeOf(call, Training);
  const ArgumentName mean = mode == Mode::kTrain ? ArgumentName("save_mean") : ArgumentName("running_mean");
  const ArgumentName var = mode == Mode::kTrain ? SavedVar : ArgumentName("running_var");
  RequireDeviceOfFirst(call, {"input", "grad_out", "weight", mean, var});
  const Stats stats = {call.OptionalIn(mean), call.OptionalIn(var)};
  Backward(call, Backend::kNative, call.In("grad_out"), stats, mode, call.Bools("output_mask"));
}

void CudnnBackward(Call& call) {
  const Stats stats = {call.OptionalIn("save_mean"), call.OptionalIn("save_var")};
  Backward(call, Backend::kCudnn, call.In("grad_output"), stats, Mode::kTrain, {true, true, true});
}

constexpr RuleRow kRows[] = {
    {"aten::batch_norm", BatchNorm},
    {"aten::_batch_norm_impl_index", BatchNormImplIndex},
    {"aten::native_batch_norm", NativeBatchNorm},
    {"aten::native_batch_norm.out", NativeBatchNormOut},
    {"aten::_native_batch_norm_legit", InOrder<RequireUnfollowedStats, NativeBatchNorm>},
    {"aten::_native_batch_norm_legit.no_stats", NoStats, OutStrides::kContiguous | Overlap::kAllowedInOut},
    {"aten::_native_batch_norm_legit_no_training", NoTraining},
    {"aten::_native_batch_norm_legit_functional", Functional},
    {"aten::_batch_norm_with_update", InOrder<RequireUnfollowedStats, WithUpdate>},
    {"aten::_batch_norm_with_update.out", InOrder<RequireNoLeafStats, WithUpdateOut>},
    {"aten::_native_batch_norm_legit.out", InOrder<RequireNoLeafStats, NativeBatchNormOut>},
    {"aten::_batch_norm_with_update_functional", WithUpdateFunctional},
    {"aten::_batch_norm_no_update", NoUpdate},
    {"aten::batch_norm_update_stats", UpdateStats},
    {"aten::cudnn_batch_norm", CudnnBatchNorm},
    {"aten::miopen_batch_norm", MiopenBatchNorm},
    {"aten::instance_norm", InOrder<InstanceNorm, EndInView>},
    {"aten::native_batch_norm_backward", NativeBackward<"train", "save_invstd">, Devices::kAny},
    {"aten::batch_norm_backward", NativeBackward<"update", "save_var">, Devices::kAny},
    {"aten::cudnn_batch_norm_backward", CudnnBackward},
    {"aten::miopen_batch_norm_backward", CudnnBackward},
};

}  // namespace

RuleRows BatchNormRules() { return kRows; }

}  // namespace fakeprop::rules
