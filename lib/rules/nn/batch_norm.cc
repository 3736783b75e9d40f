// Batch normalization and its backends.
// Source: native_batch_norm_helper and native_batch_norm_backward in torch/_decomp/decompositions.py,
// _batch_norm_impl_index and instance_norm in aten/src/ATen/native/Normalization.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

enum class Mode { kTrain, kEval };

struct Stats {
  Tensor* mean = nullptr;
  Tensor* var = nullptr;
};

Mode ModeOf(bool training) { return training ? Mode::kTrain : Mode::kEval; }

TensorMeta Vector(Dim size, ScalarType dtype, Device device) { return ContiguousMeta(Dims{size}, dtype, device); }

// Running statistics are written below autograd, which never follows them.
void WriteStats(Call& call, const Stats& stats) {
  for (Tensor* t : {stats.mean, stats.var}) {
    if (!t) continue;
    call.Write(*t);
    call.effects().mutations.back().differentiable = false;
  }
}

void RequirePerChannel(const Call& call, const Tensor* t, Dim channels, const char* name) {
  if (!t || HasNumel(t->meta, channels)) return;
  FailShape(call,
      std::string(name) + " should contain " + channels.ToString() + " elements, not " + ToString(t->meta.size_span()));
}

Dim Channels(const Call& call, const TensorMeta& input) {
  if (input.rank() < 2)
    FailShape(call, "expected an input of at least 2 dimensions, but got " + ToString(input.size_span()));
  return input.sizes[1];
}

void RequireStats(const Call& call, const Stats& stats, Mode mode) {
  if (mode == Mode::kEval && (!stats.mean || !stats.var))
    FailValue(call, "running_mean and running_var must be defined in evaluation mode");
}

// Arguments 1 and 2 are weight and bias of every overload.
void CheckBatchNorm(const Call& call, const TensorMeta& input, const Stats& stats, Mode mode) {
  RequireFloat(call, input.dtype);
  const Dim channels = Channels(call, input);
  RequireStats(call, stats, mode);
  RequirePerChannel(call, stats.mean, channels, "running_mean");
  RequirePerChannel(call, stats.var, channels, "running_var");
  for (const Tensor* t : {stats.mean, stats.var})
    if (t && t->meta.rank() != 1) FailShape(call, "takes running statistics of 1 dimension, not " + ToString(t->meta));
  RequirePerChannel(call, call.OptionalTensor(1), channels, "weight");
  RequirePerChannel(call, call.OptionalTensor(2), channels, "bias");
}

// What the CPU kernels read: parameters of one dtype, statistics as vectors. They read the first elements of longer
// ones; FakeTensorMode refuses those unless they broadcast, which beside one channel they do. Source:
// batch_norm_cpu_update_stats_template and is_mixed_type's check (aten/src/ATen/native/Normalization.cpp).
void CheckCpuParameters(const Call& call, const TensorMeta& input, const Stats& stats) {
  std::vector<const Tensor*> given;
  for (const Tensor* t : {call.OptionalTensor(1), call.OptionalTensor(2), stats.mean, stats.var})
    if (t) given.push_back(t);
  for (const Tensor* t : given) {
    const bool fits = t->meta.dtype == input.dtype || (IsHalf(input.dtype) && t->meta.dtype == ScalarType::Float);
    if (!fits || t->meta.dtype != given[0]->meta.dtype)
      FailDtype(call, "takes parameters of one dtype that fits " + ToString(input) + ", not " + ToString(t->meta));
  }
  for (const Tensor* t : {stats.mean, stats.var}) {
    if (!t) continue;
    const bool has_one = GuardOrFalse(Eq(input.sizes[1], 1));
    if (t->meta.rank() == 1 &&
        (has_one ? Guard(Ge(t->meta.sizes[0], 1)) : Expect(Eq(t->meta.sizes[0], input.sizes[1]))))
      continue;
    FailShape(call, "takes statistics of " + input.sizes[1].ToString() + " channels, not " + ToString(t->meta));
  }
}

// Whether a CPU kernel walks the input by its channels; for other layouts, and elsewhere, the parameters broadcast.
// cuDNN's operator has no CPU kernel.
bool ByChannels(const Call& call, const TensorMeta& input) {
  return input.device.is_cpu() && call.schema().name != "aten::cudnn_batch_norm" &&
         IsContiguousIn(input, SuggestMemoryFormat(input));
}

// A 0-dim parameter is a vector of one element here, and mixes with no other device.
void RequireParametersDevice(const Call& call, const TensorMeta& input) {
  for (int i : {1, 2, 3, 4}) {
    const Tensor* t = i < static_cast<int>(call.size()) ? call.Arg(i).TryTensor() : nullptr;
    if (t && t->meta.device != input.device)
      Fail(ErrorClass::kDeviceMismatch,
          std::string(call.schema().full_name) + ": the input is on " + input.device.str() + ", its `" +
              std::string(call.schema().arguments[i].name) + "` on " + t->meta.device.str(),
          {&call.TensorArg(0), t});
  }
}

// The normalized input: elementwise over it and what broadcasts along the channels.
TensorMeta Normalized(const Call& call, const TensorMeta& input, const Stats& stats, Mode mode) {
  RequireParametersDevice(call, input);
  std::vector<TensorMeta> along;
  auto add = [&](Dim size) {
    if (ByChannels(call, input)) size = input.sizes[1];
    along.push_back(PerChannel(size, input.rank(), input.dtype, input.device));
  };
  if (mode == Mode::kEval) {
    for (const Tensor* t : {stats.mean, stats.var}) add(Numel(t->meta.size_span()));
  } else {
    add(input.sizes[1]);
  }
  for (int i : {1, 2}) {
    if (const Tensor* t = call.OptionalTensor(i)) add(Numel(t->meta.size_span()));
  }
  std::vector<const TensorMeta*> operands = {&input};
  for (const TensorMeta& t : along) operands.push_back(&t);
  return ElementwiseMeta(operands, input.dtype, input.device);
}

// The saved statistics: none in evaluation mode on cpu, the running ones elsewhere.
void ReturnSaved(Call& call, const TensorMeta& input, const Stats& stats, Mode mode) {
  const bool cpu = input.device.is_cpu();
  Dims sizes = {input.sizes[1]};
  if (mode == Mode::kEval) sizes = cpu ? Dims{0} : stats.mean->meta.sizes;
  for (int i = 0; i < 2; ++i)
    call.ReturnNew(ContiguousMeta(sizes, cpu ? input.dtype : ComputationDtype(input.dtype), input.device));
}

// Source: batch_norm_cpu_update_stats; FakeTensorMode takes a batch of none.
void RequireElements(const Call& call, Mode mode) {
  const TensorMeta& input = call.Meta(0);
  if (mode == Mode::kTrain && input.device.is_cpu() && IsKnownEmpty(input))
    FailShape(call, "takes statistics of at least one element, but the input is " + ToString(input.size_span()));
}

void ReturnBatchNorm(Call& call, const Stats& stats, Mode mode) {
  RequireElements(call, mode);
  const TensorMeta& input = call.Meta(0);
  RequireFloat(call, input.dtype);
  Channels(call, input);
  RequireStats(call, stats, mode);
  if (ByChannels(call, input)) {
    CheckCpuParameters(call, input, stats);
  } else if (mode == Mode::kTrain) {
    RequirePerChannel(call, stats.mean, input.sizes[1], "running_mean");
    RequirePerChannel(call, stats.var, input.sizes[1], "running_var");
    for (const Tensor* t : {stats.mean, stats.var})
      if (t && t->meta.rank() != 1)
        FailShape(call, "takes running statistics of 1 dimension, not " + ToString(t->meta));
  }
  call.ReturnNew(Normalized(call, input, stats, mode));
  ReturnSaved(call, input, stats, mode);
}

// Vectors of the input's dtype, or all of float32 beside an input in half precision.
void RequireVectors(const Call& call, const TensorMeta& input) {
  std::optional<ScalarType> dtype;
  for (int i : {1, 2, 3, 4}) {
    const Tensor* t = call.OptionalTensor(i);
    if (!t) continue;
    RequireRank(call, i, 1);
    const bool fits = dtype ? t->meta.dtype == *dtype
                            : t->meta.dtype == input.dtype || t->meta.dtype == ComputationDtype(input.dtype);
    if (!fits) FailDtype(call, "takes no " + ToString(t->meta) + " beside " + ToString(input));
    dtype = t->meta.dtype;
  }
}

// The result, or in training statistics of the batch, in the input's dtype or what it is computed in.
void WriteBatchNormOut(Call& call, ArgumentName name, Mode mode) {
  const TensorMeta& input = call.Meta(0);
  Tensor& out = call.TensorArg(name);
  const bool is_saved = name != "out";
  const bool widens = is_saved && out.meta.dtype == ComputationDtype(input.dtype);
  if (out.meta.dtype != input.dtype && !widens)
    FailDtype(
        call, "writes " + std::string(DtypeName(input.dtype)) + ", which " + ToString(out.meta) + " does not hold");
  if (is_saved && mode == Mode::kEval) return void(call.ReturnArgument(out));
  WriteOfSizes(call, out, is_saved ? Dims{input.sizes[1]} : input.sizes);
}

// The cpu's kernels that write to out tensors look at dtypes and ranks: the running statistics may have any size, as
// may weight and bias of a contiguous input, and the buffer for a backward pass is left as it is. Source:
// batch_norm_cpu_out, _batch_norm_with_update_cpu_out.
void BatchNormOut(Call& call) {
  const TensorMeta& input = call.Meta(0);
  RequireFloat(call, input.dtype);
  Channels(call, input);
  RequireVectors(call, input);
  if (!IsContiguous(input)) Normalized(call, input, {}, Mode::kTrain);
  const int training = call.schema().FindArgument("training");
  const Stats stats = {call.OptionalTensor(3), call.OptionalTensor(4)};
  const Mode mode = ModeOf(training < 0 || call.Bool(training));
  RequireStats(call, stats, mode);
  if (mode == Mode::kTrain) WriteStats(call, stats);
  for (ArgumentName name : ArgumentNames{"out", "save_mean", "save_invstd"}) WriteBatchNormOut(call, name, mode);
  const int reserve = call.schema().FindArgument("reserve");
  if (reserve >= 0) call.ReturnArgument(call.TensorArg(reserve));
}

// cuDNN's buffer between forward and backward; empty for the native kernels.
void ReturnReserve(Call& call) { call.ReturnNew(Vector(0, ScalarType::Byte, call.Meta(0).device)); }

Stats StatsAt(const Call& call, int first) { return {call.OptionalTensor(first), call.OptionalTensor(first + 1)}; }

void RunUpdating(Call& call, Mode mode) {
  const Stats stats = StatsAt(call, 3);
  ReturnBatchNorm(call, stats, mode);
  if (mode == Mode::kTrain) WriteStats(call, stats);
}

void NativeBatchNorm(Call& call) { RunUpdating(call, ModeOf(call.Bool(5))); }

void NoTraining(Call& call) { ReturnBatchNorm(call, StatsAt(call, 3), Mode::kEval); }

void NoStats(Call& call) { ReturnBatchNorm(call, {}, ModeOf(call.Bool(3))); }

void WithUpdate(Call& call) {
  RunUpdating(call, Mode::kTrain);
  ReturnReserve(call);
}

void NoUpdate(Call& call) {
  NoTraining(call);
  ReturnReserve(call);
}

// The updated statistics are results instead of writes, of the running ones' dtype as the kernels make them.
void ReturnNewStats(Call& call) {
  for (int i : {3, 4}) call.ReturnNew(EmptyLike(call.Meta(i)));
}

void Functional(Call& call) {
  ReturnBatchNorm(call, StatsAt(call, 3), ModeOf(call.Bool(5)));
  ReturnNewStats(call);
}

void WithUpdateFunctional(Call& call) {
  ReturnBatchNorm(call, StatsAt(call, 3), Mode::kTrain);
  ReturnReserve(call);
  ReturnNewStats(call);
}

void CheckedBatchNorm(Call& call) {
  CheckBatchNorm(call, call.Meta(0), StatsAt(call, 3), ModeOf(call.Bool(5)));
  NativeBatchNorm(call);
}

// An empty input is copied, and its statistics are left alone.
void BatchNorm(Call& call) {
  if (IsEmpty(call.Meta(0))) {
    call.ReturnNew(EmptyLike(call.Meta(0)));
    return;
  }
  CheckedBatchNorm(call);
  call.effects().outputs.resize(1);
}

void BatchNormImplIndex(Call& call) {
  const TensorMeta& input = call.Meta(0);
  if (IsEmpty(input)) {
    const Dim channels = Channels(call, input);
    const bool widens = !input.device.is_cpu() || IsHalf(input.dtype);
    const ScalarType saved = widens ? ComputationDtype(input.dtype) : ScalarType::Double;
    call.ReturnNew(EmptyLike(input));
    for (int i = 0; i < 2; ++i) call.ReturnNew(Vector(channels, saved, input.device));
  } else {
    CheckedBatchNorm(call);
  }
  ReturnReserve(call);
  call.ReturnNumber(int64_t{0});
}

void CudnnBatchNorm(Call& call) {
  NativeBatchNorm(call);
  if (!call.Bool(5)) {
    const TensorMeta& weight = call.Meta(1);
    for (int i : {1, 2}) call.effects().outputs[i].meta = Vector(0, weight.dtype, weight.device);
  }
  ReturnReserve(call);
}

// Source: meta_miopen_batch_norm in torch/_meta_registrations.py.
void MiopenBatchNorm(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const MemoryFormat format = SuggestMemoryFormat(input);
  if (!IsContiguousIn(input, format))
    FailShape(call, "takes an input that is contiguous or channels last, not " + ToString(input));
  call.ReturnNew(EmptyLike(input, format));
  const TensorMeta& weight = call.Meta(1);
  const bool training = call.Bool(5);
  for (int i : {3, 4}) {
    const Tensor* running = call.OptionalTensor(i);
    const Dims saved = training ? (running ? running->meta.sizes : weight.sizes) : Dims{0};
    call.ReturnNew(ContiguousMeta(saved, weight.dtype, weight.device));
  }
}

// Each channel of each batch on its own: a batch norm of one batch. The statistics are written in both modes.
void InstanceNorm(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Stats stats = StatsAt(call, 3);
  const Mode mode = ModeOf(call.Bool(5));
  if (!stats.mean != !stats.var) FailValue(call, "takes both of running_mean and running_var or neither");
  CheckBatchNorm(call, input, stats, mode);
  // They are repeated for each batch, as vectors.
  for (int i : {1, 2, 3, 4})
    if (const Tensor* t = call.OptionalTensor(i); t && t->meta.rank() > 1) RequireRank(call, i, 1);
  call.ReturnNew(EmptyLike(input, MemoryFormat::Contiguous));
  WriteStats(call, stats);
}

// Statistics in the input's dtype, or both in float32 beside an input in half precision.
// Source: check_mixed_data_type and is_mixed_type in aten/src/ATen/native/cpu/mixed_data_type.h.
ScalarType StatsDtype(const Call& call, const TensorMeta& input, const Stats& stats) {
  ScalarType dtype = input.dtype;
  for (const Tensor* t : {stats.mean, stats.var}) {
    if (!t || t->meta.dtype == dtype) continue;
    if (!IsHalf(input.dtype) || t->meta.dtype != ScalarType::Float || (t == stats.var && stats.mean))
      FailDtype(call, "takes statistics of the input's dtype, or float32 ones of half precision, but found " +
                          ToString(input) + " and " + ToString(t->meta));
    dtype = ScalarType::Float;
  }
  return dtype;
}

void UpdateStats(Call& call) {
  const TensorMeta& input = call.Meta(0);
  RequireFloat(call, input.dtype);
  for (int i : {1, 2})
    if (call.OptionalTensor(i)) RequireRank(call, i, 1);
  const Dim channels = Channels(call, input);
  if (input.device.is_cpu() && IsEmpty(input))
    FailShape(call, "takes at least one element, but got " + ToString(input));
  const ScalarType dtype = StatsDtype(call, input, StatsAt(call, 1));
  for (int i = 0; i < 2; ++i) call.ReturnNew(Vector(channels, dtype, input.device));
  WriteStats(call, StatsAt(call, 1));
}

// Where a backward's tensors stand among its arguments.
struct BackwardArguments {
  int grad, input, weight, running_mean, save_mean;
};

// The gradient of the input comes whether it is wanted or not.
void Backward(Call& call, const BackwardArguments& at, Mode mode, const std::vector<bool>& wanted) {
  const TensorMeta& input = call.Meta(at.input);
  const Dim channels = Channels(call, input);
  if (call.Meta(at.grad).rank() != input.rank())
    FailShape(call, "gradient and input differ in rank: " + ToString(call.Meta(at.grad).size_span()) + " and " +
                        ToString(input.size_span()));
  const int mean = mode == Mode::kTrain ? at.save_mean : at.running_mean;
  if (call.IsNone(mean) || call.IsNone(mean + 1)) FailValue(call, "the statistics of this mode must be defined");
  RequirePerChannel(call, call.OptionalTensor(mean), channels, "mean");
  if (!IsEmpty(input)) RequireFloat(call, input.dtype);
  const TensorMeta channel = PerChannel(channels, input.rank(), input.dtype, input.device);
  const TensorMeta* train[] = {&call.Meta(at.grad), &input, &channel};
  const TensorMeta* eval[] = {&call.Meta(at.grad), &channel};
  call.ReturnNew(mode == Mode::kTrain ? ElementwiseMeta(train, input.dtype, input.device)
                                      : ElementwiseMeta(eval, input.dtype, input.device));
  const Tensor* weight = call.OptionalTensor(at.weight);
  if (weight && weight->meta.rank() != 1)
    FailShape(call, "takes a weight of 1 dimension, not " + ToString(weight->meta));
  for (int i : {1, 2})
    ReturnWanted(call, wanted[i], Vector(channels, weight ? weight->meta.dtype : input.dtype, input.device));
}

// Only the statistics of the mode are looked at.
void NativeBackward(Call& call) {
  const bool train = call.Bool(7);
  RequireDeviceOfFirst(call, {1, 0, 2, train ? 5 : 3, train ? 6 : 4});
  Backward(call, {0, 1, 2, 3, 5}, ModeOf(train), call.Bools(9));
}

void CudnnBackward(Call& call) { Backward(call, {1, 0, 2, 3, 5}, Mode::kTrain, {true, true, true}); }

constexpr RuleRow kRows[] = {
    {"aten::batch_norm", BatchNorm},
    {"aten::_batch_norm_impl_index", BatchNormImplIndex},
    {"aten::native_batch_norm", NativeBatchNorm},
    {"aten::_native_batch_norm_legit", NativeBatchNorm},
    {"aten::_native_batch_norm_legit.no_stats", NoStats},
    {"aten::_native_batch_norm_legit_no_training", NoTraining},
    {"aten::_native_batch_norm_legit_functional", Functional},
    {"aten::_batch_norm_with_update", WithUpdate},
    {"aten::_batch_norm_with_update.out", BatchNormOut},
    {"aten::_native_batch_norm_legit.out", BatchNormOut},
    {"aten::_batch_norm_with_update_functional", WithUpdateFunctional},
    {"aten::_batch_norm_no_update", NoUpdate},
    {"aten::batch_norm_update_stats", UpdateStats},
    {"aten::cudnn_batch_norm", CudnnBatchNorm},
    {"aten::miopen_batch_norm", MiopenBatchNorm},
    {"aten::instance_norm", InstanceNorm},
    {"aten::native_batch_norm_backward", NativeBackward, Devices::kAny},
    {"aten::batch_norm_backward", NativeBackward, Devices::kAny},
    {"aten::cudnn_batch_norm_backward", CudnnBackward},
    {"aten::miopen_batch_norm_backward", CudnnBackward},
};

}  // namespace

RuleRows BatchNormRules() { return kRows; }

}  // namespace fakeprop::rules
