// Short-time Fourier transforms, and what goes with spectra.
// Source: stft, istft, fft_fftfreq, fft_fftshift in aten/src/ATen/native/SpectralOps.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/fft_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

struct Frames {
  Dim n_fft, hop, window;
  Tensor* window_tensor = nullptr;
};

// Arguments 1 to 4: n_fft, hop_length, win_length, window.
Frames FramesFrom(const Call& call) {
  const Dim n_fft = call.DimArg(1);
  return {n_fft, call.OptionalDim(2).value_or(FloorDiv(n_fft, 4)), call.OptionalDim(3).value_or(n_fft),
      call.OptionalTensor(4)};
}

void CheckFrames(const Call& call, const Frames& f) {
  if (!Expect(Gt(f.n_fft, 0))) FailValue(call, "expected n_fft > 0, but got " + f.n_fft.ToString());
  if (!Expect(Gt(f.hop, 0))) FailValue(call, "expected hop_length > 0, but got " + f.hop.ToString());
  if (!Expect(Gt(f.window, 0)) || !Expect(Le(f.window, f.n_fft)))
    FailValue(call, "expected 0 < win_length <= n_fft, but got " + f.window.ToString() + " and " + f.n_fft.ToString());
  if (f.window_tensor && (f.window_tensor->meta.rank() != 1 || !Expect(Eq(f.window_tensor->meta.sizes[0], f.window))))
    FailShape(call, "expected a 1-d window of " + f.window.ToString() + " elements, but got " +
                        ToString(f.window_tensor->meta.size_span()));
}

// A batch of signals, reflected at both ends where frames are centered.
TensorMeta Signals(const Call& call, const Frames& f, bool center) {
  TensorMeta t = call.Meta(0);
  if (!IsFloatOrComplex(t.dtype) || t.rank() < 1 || t.rank() > 2)
    FailShape(call, "expected a 1-d or 2-d tensor of floating point or complex values, but got " + ToString(t));
  if (t.rank() == 1) t = Unsqueezed(t, 0);
  if (!center) return t;
  const Dim pad = FloorDiv(f.n_fft, 2);
  if (call.String(6) == "reflect" && !Expect(Lt(pad, t.sizes[1])))
    FailShape(
        call, "padding of " + pad.ToString() + " should be less than the signal's length " + t.sizes[1].ToString());
  return ContiguousMeta(Dims{t.sizes[0], t.sizes[1] + Dim(2) * pad}, t.dtype, t.device);
}

// The frames as rows that overlap in memory: [batch, frames, n_fft].
TensorMeta Framed(const Call& call, const TensorMeta& signals, const Frames& f, bool align_to_window) {
  const Dim length = signals.sizes[1];
  if (!Expect(Le(f.n_fft, length)))
    FailValue(call, "expected n_fft " + f.n_fft.ToString() + " to be at most " + length.ToString());
  TensorMeta rows = signals;
  rows.sizes = {signals.sizes[0], FloorDiv(length - (align_to_window ? f.window : f.n_fft), f.hop) + 1, f.n_fft};
  rows.strides = {signals.strides[0], f.hop * signals.strides[1], signals.strides[1]};
  if (!f.window_tensor) return rows;
  const TensorMeta window = ContiguousMeta(Dims{f.n_fft}, f.window_tensor->meta.dtype, signals.device);
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

void RunStft(Call& call, bool center, int normalized) {
  const TensorMeta& self = call.Meta(0);
  const Frames f = FramesFrom(call);
  const std::optional<bool> onesided_given = call.OptionalBool(normalized + 1),
                            complex_given = call.OptionalBool(normalized + 2);
  const bool align = call.OptionalBool(normalized + 3).value_or(false);
  const bool complex_input = IsComplex(self.dtype) || (f.window_tensor && IsComplex(f.window_tensor->meta.dtype));
  if (!complex_given && !complex_input)
    FailValue(call, "requires the return_complex parameter be given for real inputs");
  if (center && !call.IsNone(normalized + 3)) FailValue(call, "takes align_to_window only where center is false");
  const TensorMeta signals = Signals(call, f, center);
  CheckFrames(call, f);
  const TensorMeta rows = Framed(call, signals, f, align && !center);
  if (IsComplex(rows.dtype) && onesided_given.value_or(false))
    FailValue(call, "cannot have onesided output if window or input is complex");
  // MKL transforms in single and double precision.
  if (rows.device.is_cpu()) RequireFullFloat(call, ToRealDtype(rows.dtype));
  TensorMeta out =
      IsComplex(rows.dtype) ? TransformComplex(rows, {2}) : TransformReal(rows, {2}, onesided_given.value_or(true));
  out = Transposed(out, 1, 2);
  if (self.rank() == 1) out = Squeezed(out, 0);
  call.ReturnNew(complex_given.value_or(true) ? out : AsReal(out));
}

void Stft(Call& call) { RunStft(call, false, 5); }

void StftCenter(Call& call) { RunStft(call, call.Bool(5), 7); }

// Python stops at the kernel's check of the window's sum, which only data can tell; the sizes are known all the same.
void Istft(Call& call) {
  const TensorMeta& self = call.Meta(0);
  if (!IsComplex(self.dtype))
    FailDtype(call, "requires a complex-valued input tensor, not " + std::string(DtypeName(self.dtype)));
  if (self.rank() != 2 && self.rank() != 3)
    FailShape(call, "expected a tensor with 2 or 3 dimensions, but got " + ToString(self.size_span()));
  const Frames f = FramesFrom(call);
  CheckFrames(call, f);
  if (!call.Bool(9) && f.window_tensor && IsComplex(f.window_tensor->meta.dtype))
    FailDtype(call, "gives no real signal by a complex window");
  const Dim bins = self.sizes[self.rank() - 2];
  const bool onesided = call.OptionalBool(7).value_or(!GuardOrFalse(Eq(bins, f.n_fft)));
  const Dim expected = onesided ? FloorDiv(f.n_fft, 2) + 1 : f.n_fft;
  if (!Expect(Eq(bins, expected)))
    FailShape(call, "expected " + expected.ToString() + " frequencies, but got " + bins.ToString());
  Dim length = f.n_fft + f.hop * (self.sizes.back() - 1);
  if (call.Bool(5)) length -= Dim(2) * FloorDiv(f.n_fft, 2);
  Dims sizes(self.sizes.begin(), self.sizes.end() - 2);
  sizes.push_back(call.OptionalDim(8).value_or(length));
  ReturnContiguous(call, sizes, call.Bool(9) ? self.dtype : ToRealDtype(self.dtype));
}

void Shift(Call& call) {
  const TensorMeta& t = call.Meta(0);
  // at::roll takes no tensor without dimensions, nor no dimension at all.
  const std::vector<int64_t> dims = call.IsNone(1) ? std::vector<int64_t>() : call.Ints(1);
  if (t.rank() == 0 && !dims.empty())
    Fail(ErrorClass::kIndexOutOfRange,
        "dimension " + std::to_string(dims[0]) + " is given, but the tensor has no dimensions");
  if (t.rank() == 0 || (!call.IsNone(1) && dims.empty())) FailValue(call, "has no dimension to shift");
  for (int64_t dim : dims) WrapDim(dim, t.rank());
  ReturnContiguous(call, t.size_span(), t.dtype);
}

// Frequencies of n points: all of them, or the half that real transforms keep.
void Frequencies(Call& call, Dim size) {
  RequireNonNegative(Dims{size});
  const ScalarType dtype = call.OptionalDtype(2).value_or(call.state().default_dtype);
  if (!IsFloatOrComplex(dtype))
    FailDtype(call, "requires a floating point or complex dtype, not " + std::string(DtypeName(dtype)));
  call.ReturnNew(ContiguousMeta(Dims{size}, dtype, call.OptionalDevice(4).value_or(Device(DeviceType::CPU))));
}

void FftFreq(Call& call) { Frequencies(call, call.DimArg(0)); }

// n is halved as C++ does, towards zero: from -3 on there are none.
void RfftFreq(Call& call) {
  const Dim n = call.DimArg(0);
  const bool is_negative = Guard(Lt(n, 0));
  Frequencies(call, (is_negative ? Dim(0) - FloorDiv(Dim(0) - n, 2) : FloorDiv(n, 2)) + 1);
}

constexpr RuleRow kRows[] = {
    {"aten::stft", Stft},
    {"aten::stft.center", StftCenter},
    {"aten::istft", DecidedOnCpu<Istft, DataDependent>},
    {"aten::fft_fftshift", Shift},
    {"aten::fft_ifftshift", Shift},
    {"aten::fft_fftfreq", FftFreq, Devices::kOne, Grad::kNone},
    {"aten::fft_rfftfreq", RfftFreq, Devices::kOne, Grad::kNone},
};

}  // namespace

RuleRows StftRules() { return kRows; }

}  // namespace fakeprop::rules
