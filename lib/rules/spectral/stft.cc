// Short-time Fourier transforms, shifts of spectra, and the frequencies of a transform.
// Source: stft, istft, fft_fftfreq, fft_fftshift in aten/src/ATen/native/SpectralOps.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/fft_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

struct Frames {
  Dim n_fft, hop, window_length;
  Operand window;
};

Frames FramesFrom(const Call& call) {
  const Dim n_fft = call.DimArg("n_fft");
  return {n_fft, call.OptionalDim("hop_length").value_or(FloorDiv(n_fft, 4)),
      call.OptionalDim("win_length").value_or(n_fft), call.OptionalIn("window")};
}

bool HasComplexWindow(const Frames& f) { return f.window && IsComplex(f.window->dtype); }

void CheckFrames(const Call& call, const Frames& f) {
  RequireValue(call, Gt(f.n_fft, 0), {"expected n_fft > 0, but got {}", f.n_fft});
  RequireValue(call, Gt(f.hop, 0), {"expected hop_length > 0, but got {}", f.hop});
  RequireValue(call, {Gt(f.window_length, 0), Le(f.window_length, f.n_fft)},
      {"expected 0 < win_length <= n_fft, but got {} and {}", f.window_length, f.n_fft});
  f.window.Sizes({f.window_length}, {"expected a 1-d window of {} elements, but got {}", f.window_length});
}

// A batch of signals. If frames are centered, they are padded at both ends.
TensorMeta Signals(const Call& call, const Frames& f, bool center) {
  const Operand self = call.In("self");
  self.Require(IsFloatOrComplex(self->dtype) && (self->rank() == 1 || self->rank() == 2),
      "expected a 1-d or 2-d tensor of floating point or complex values, but got {tensor}");
  const TensorMeta t = self->rank() == 1 ? Unsqueezed(self, 0) : *self;
  if (!center) return t;
  const Dim pad = FloorDiv(f.n_fft, 2), length = t.sizes[1];
  RequireShape(call, call.String("pad_mode") != "reflect" || Expect(Lt(pad, length)),
      {"padding of {} should be less than the signal's length {}", pad, length});
  return ContiguousMeta(Dims{t.sizes[0], length + Dim(2) * pad}, t.dtype, t.device);
}

// The frames as rows that overlap in memory: [batch, frames, n_fft].
TensorMeta Framed(const Call& call, const TensorMeta& signals, const Frames& f, bool align_to_window) {
  const Dim length = signals.sizes[1];
  RequireValue(call, Le(f.n_fft, length), {"expected n_fft {} to be at most {}", f.n_fft, length});
  TensorMeta rows = signals;
  rows.sizes = {signals.sizes[0], FloorDiv(length - (align_to_window ? f.window_length : f.n_fft), f.hop) + 1, f.n_fft};
  rows.strides = {signals.strides[0], f.hop * signals.strides[1], signals.strides[1]};
  if (!f.window) return rows;
  const TensorMeta window = ContiguousMeta(Dims{f.n_fft}, f.window->dtype, signals.device);
  const TensorMeta* operands[] = {&rows, &window};
  return ElementwiseMeta(operands, PromoteTypes(rows.dtype, window.dtype), signals.device);
}

TensorMeta AsReal(TensorMeta t) {
  for (Dim& stride : t.strides) stride *= 2;
  t.sizes.push_back(2);
  t.strides.push_back(1);
  t.dtype = ToRealDtype(t.dtype);
  return t;
}

void RunStft(Call& call, bool center) {
  const Operand self = call.In("self");
  const Frames f = FramesFrom(call);
  const std::optional<bool> is_onesided = call.OptionalBool("onesided"),
                            returns_complex = call.OptionalBool("return_complex");
  const bool align = call.OptionalBool("align_to_window").value_or(false);
  RequireValue(call, returns_complex || IsComplex(self->dtype) || HasComplexWindow(f),
      "requires the return_complex parameter be given for real inputs");
  RequireValue(call, !center || !call.Has("align_to_window"), "takes align_to_window only where center is false");
  const TensorMeta signals = Signals(call, f, center);
  CheckFrames(call, f);
  const TensorMeta rows = Framed(call, signals, f, align);
  const bool is_complex = IsComplex(rows.dtype);
  RequireValue(
      call, !is_complex || !is_onesided.value_or(false), "cannot have onesided output if window or input is complex");
  RequireTransformDtype(call, rows);
  TensorMeta out = is_complex ? TransformComplex(rows, {2}) : TransformReal(rows, {2}, is_onesided.value_or(true));
  out = Transposed(out, 1, 2);
  if (self->rank() == 1) out = Squeezed(out, 0);
  if (returns_complex.value_or(true)) return void(call.ReturnNew(out));
  call.ReturnNew(AsReal(out));
  EndInView(call);
}

void Stft(Call& call) { RunStft(call, false); }

void StftCenter(Call& call) { RunStft(call, call.Bool("center")); }

// Python stops at the kernel's check of the window's sum, which depends on data. The sizes do not depend on it.
void Istft(Call& call) {
  const Operand self = call.In("self").Takes(kComplexDtypes, "requires a complex-valued input tensor, not {}");
  self.RankBetween(2, 3, "expected a tensor with 2 or 3 dimensions, but got {}");
  const Frames f = FramesFrom(call);
  CheckFrames(call, f);
  const bool returns_complex = call.Bool("return_complex");
  if (!returns_complex && HasComplexWindow(f)) FailDtype(call, "gives no real signal by a complex window");
  const Dim bins = self->sizes[self->rank() - 2];
  const bool is_onesided = call.OptionalBool("onesided").value_or(!GuardOrFalse(Eq(bins, f.n_fft)));
  const Dim expected = is_onesided ? FloorDiv(f.n_fft, 2) + 1 : f.n_fft;
  RequireShape(call, Eq(bins, expected), {"expected {} frequencies, but got {}", expected, bins});
  Dim length = f.n_fft + f.hop * (self->sizes.back() - 1);
  if (call.Bool("center")) length -= Dim(2) * FloorDiv(f.n_fft, 2);
  Dims sizes(self->sizes.begin(), self->sizes.end() - 2);
  sizes.push_back(call.OptionalDim("length").value_or(length));
  ReturnContiguous(call, sizes, returns_complex ? self->dtype : ToRealDtype(self->dtype));
}

// at::roll takes no tensor without dimensions, and no empty list of dimensions.
void Shift(Call& call) {
  const Operand t = call.In("self");
  const std::vector<int64_t> dims = call.Has("dim") ? call.Ints("dim") : std::vector<int64_t>();
  if (t->rank() == 0 && !dims.empty()) FailIndex({"dimension {} is given, but the tensor has no dimensions", dims[0]});
  RequireValue(call, t->rank() > 0 && (!call.Has("dim") || !dims.empty()), "has no dimension to shift");
  for (int64_t dim : dims) WrapDim(dim, t->rank());
  ReturnContiguous(call, t);
}

// ---- frequencies of n points: all of them, or the half that real transforms keep

using CountOf = Dim (*)(const Call&);

Dim AllCount(const Call& call) { return call.DimArg("n"); }

// Like C++, n / 2 rounds towards zero.
Dim RealCount(const Call& call) {
  const Dim n = call.DimArg("n");
  return (Guard(Lt(n, 0)) ? Dim(0) - FloorDiv(Dim(0) - n, 2) : FloorDiv(n, 2)) + 1;
}

template <CountOf Count>
void Frequencies(Call& call) {
  const Dim size = Count(call);
  RequireNonNegative(Dims{size});
  const ScalarType dtype = call.OptionalDtype("dtype").value_or(call.state().default_dtype);
  RequireDtype(call, dtype, {kFloatingOrComplex.dtypes, "requires a floating point or complex dtype, not {}"});
  call.ReturnNew(ContiguousMeta(Dims{size}, dtype, call.OptionalDevice("device").value_or(Device(DeviceType::CPU))));
}

// A range is written to the out tensor, and one of as many elements keeps its sizes. Source: fft_fftfreq_out.
template <CountOf Count>
void FrequenciesOut(Call& call) {
  const Dim size = Count(call);
  RequireNonNegative(Dims{size});
  const Operand out = call.In("out").Takes(kFloating, "writes a range, for which there is no kernel of {}");
  const bool fits = GuardOrFalse(Eq(out.Numel(), size));
  if (fits) RequireUnshared(call, out);
  WriteOfSizes(call, out.tensor(), fits ? out->sizes : Dims{size});
}

constexpr RuleRow kRows[] = {
    {"aten::stft", Stft},
    {"aten::stft.center", StftCenter},
    {"aten::istft", DecidedOnCpu<Istft, DataDependent>},
    {"aten::fft_fftshift", Shift},
    {"aten::fft_ifftshift", Shift},
    {"aten::fft_fftfreq", Frequencies<AllCount>, Grad::kNone},
    {"aten::fft_fftfreq.out", FrequenciesOut<AllCount>},
    {"aten::fft_rfftfreq", Frequencies<RealCount>, Grad::kNone},
    {"aten::fft_rfftfreq.out", FrequenciesOut<RealCount>},
};

}  // namespace

RuleRows StftRules() { return kRows; }

}  // namespace fakeprop::rules
