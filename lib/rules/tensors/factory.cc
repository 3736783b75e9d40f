// Tensors made from sizes and numbers, and tensors like others.
// Source: aten/src/ATen/native/TensorFactories.cpp, RangeFactories.cpp; arange in torch/_refs/__init__.py;
// constructors in torch/_subclasses/fake_impls.py (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/symbolic_number.h"
#include "lib/rules/support/tensor_options.h"
#include "lib/rules/support/view_metas.h"
#include "lib/symbolic/calls.h"

namespace fakeprop::rules {
namespace {

template <int Sizes>
void FromSizes(Call& call) {
  ReturnFactory(call, call.DimList(Sizes), call.state().default_dtype);
}

void Full(Call& call) { ReturnFactory(call, call.DimList(0), NumberDtype(call.Number(1), call.state())); }

// scalar_tensor asks nothing of the number: without a dtype it is the default one.
void ScalarTensor(Call& call) {
  call.Number(0);
  ReturnFactory(call, {}, call.state().default_dtype);
}

void Empty(Call& call) {
  const Dims sizes = call.DimList(0);
  const MemoryFormat format = call.OptionalMemoryFormat("memory_format").value_or(MemoryFormat::Contiguous);
  const TensorOptions options = TensorOptionsOf(call, call.state().default_dtype, Device(DeviceType::CPU));
  RequireNonNegative(sizes);
  call.ReturnNew(MetaInFormat(sizes, options.dtype, options.device, format));
}

// Source: at::native::empty_out, whose out tensor says how it lies in memory.
void EmptyOut(Call& call) {
  const Dims sizes = call.DimList(0);
  Tensor& out = call.TensorArg("out");
  if (!call.IsNone("memory_format")) FailValue(call, "takes no memory_format beside an out tensor");
  RequireNonNegative(sizes);
  WriteOfSizes(call, out, sizes);
}

void ReturnStrided(Call& call, const TensorOptions& options, Dims sizes, Dims strides) {
  if (sizes.size() != strides.size())
    FailValue(
        call, "takes as many strides as sizes, got " + ToString(DimSpan(strides)) + " for " + ToString(DimSpan(sizes)));
  RequireNonNegative(sizes);
  for (Dim stride : strides)
    if (!Expect(Ge(stride, 0))) FailValue(call, "takes no negative strides, got " + ToString(DimSpan(strides)));
  TensorMeta out = ContiguousMeta(sizes, options.dtype, options.device);
  out.strides = std::move(strides);
  call.ReturnNew(std::move(out));
}

void EmptyStrided(Call& call) {
  const TensorOptions options = TensorOptionsOf(call, call.state().default_dtype, Device(DeviceType::CPU));
  ReturnStrided(call, options, call.DimList(0), call.DimList(1));
}

void NewEmptyStrided(Call& call) {
  const TensorMeta& t = call.Meta(0);
  ReturnStrided(call, TensorOptionsOf(call, t.dtype, t.device), call.DimList(1), call.DimList(2));
}

// Dense, with the dimensions in the order of `physical_layout`, outermost first.
void EmptyPermuted(Call& call) {
  const Dims sizes = call.DimList(0);
  const auto layout = call.Ints(1);
  if (layout.size() != sizes.size())
    FailValue(call, "takes a physical layout of " + std::to_string(sizes.size()) + " dims, but got " +
                        std::to_string(layout.size()));
  Dims strides(sizes.size());
  Dim step = 1;
  for (int64_t dim : layout)
    if (dim < 0) FailValue(call, "counts the dims of its physical layout from 0, but got " + std::to_string(dim));
  const auto order = WrapDims(layout, static_cast<int64_t>(sizes.size()));
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= Max(sizes[order[i]], 1);
  }
  ReturnStrided(
      call, TensorOptionsOf(call, call.state().default_dtype, Device(DeviceType::CPU)), sizes, std::move(strides));
}

void Eye(Call& call) {
  const Dim n = call.DimArg(0);
  const Dim m = call.schema().arguments[1].name == "m" ? call.DimArg(1) : n;
  ReturnFactory(call, Dims{n, m}, call.state().default_dtype);
}

// ---- ranges

double AsDouble(const Call& call, int i) {
  const Value& v = call.Number(i);
  if (auto d = v.TryGet<double>()) return *d;
  if (auto d = v.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  if (auto b = v.TryGet<bool>()) return *b;
  if (auto s = v.TryGet<Symbolic>()) return s->expression->env->Specialize(s->expression).AsReal();
  FailDtype(call, "takes real numbers");
}

double FiniteDouble(const Call& call, int i) {
  const double v = AsDouble(call, i);
  if (!std::isfinite(v)) FailValue(call, "takes finite bounds, got " + ToString(call.Number(i)));
  return v;
}

bool IsIntArgument(const Call& call, int i) { return call.Number(i).Is<Dim>() || call.Number(i).Is<bool>(); }

// An int, or a float cut down to one.
Dim TruncatedDim(const Call& call, int i) {
  if (IsIntArgument(call, i)) return call.DimArg(i);
  if (Sym expression = ExpressionOf(call.Number(i))) return Dim::Of(RoundWith(SymOp::kTruncToInt, expression));
  return static_cast<int64_t>(FiniteDouble(call, i));
}

// Where the bounds and the step of a range stand among the arguments; -1 for those it leaves out.
struct RangeArguments {
  int start, end, step;
};

Dim Countable(const Call& call, double length) {
  if (!(length < 9.2e18)) Fail(ErrorClass::kOverflow, OpName(call) + " would have more elements than int64 counts");
  return static_cast<int64_t>(length);
}

bool IsConstant(Sym number, int64_t value) {
  return number->IsInteger(value) || (number->op == SymOp::kReal && number->real == static_cast<double>(value));
}

[[noreturn]] void FailRange(const Call& call) { FailValue(call, "has bounds that do not fit the sign of its step"); }

Dim IntRangeLength(const Call& call, RangeArguments at) {
  const Dim start = at.start < 0 ? Dim(0) : TruncatedDim(call, at.start);
  const Dim end = TruncatedDim(call, at.end);
  const Dim step = at.step < 0 ? Dim(1) : TruncatedDim(call, at.step);
  if (GuardOrFalse(Eq(step, 0))) FailValue(call, "takes no step of 0");
  const bool up = Guard(Gt(step, 0));
  if (!Expect(up ? Ge(end, start) : Le(end, start))) FailRange(call);
  const Dim span = up ? end - start : start - end, width = up ? step : -step;
  // Of symbols in the form that arange in torch/_refs/__init__.py has, so that equal sizes are written alike.
  return Dim::Plain(span, width) ? CeilDiv(span, width) : FloorDiv(span + width - 1, width);
}

// Where the symbols of a range come from; null where it has none.
ShapeEnv* EnvOf(const Call& call, RangeArguments at) {
  for (int i : {at.start, at.end, at.step}) {
    Sym expression = i < 0 ? nullptr : ExpressionOf(call.Number(i));
    if (expression) return expression->env;
  }
  return nullptr;
}

// A quotient of floats, rounded up; by a step of 1 from 0 on the end itself. Source: arange in torch/_refs/__init__.py.
Dim SymbolicRangeLength(const Call& call, RangeArguments at, ShapeEnv& env) {
  auto node = [&](int i, int64_t missing) {
    Sym number = i < 0 ? env.Integer(missing) : NodeOf(call.Number(i), env);
    if (!number) FailDtype(call, "takes real numbers");
    return number;
  };
  Sym zero = env.Integer(0), start = node(at.start, 0), end = node(at.end, 0), step = node(at.step, 1);
  const bool up = Guard(Cond::Of(Less(zero, step)));
  if (!up && !Guard(Cond::Of(Less(step, zero)))) FailValue(call, "takes no step of 0");
  if (!Expect(Cond::Of(up ? AtMost(start, end) : AtMost(end, start)))) FailRange(call);
  const Sym ends[] = {end, start};
  Sym length = IsConstant(start, 0) ? end : calls::Difference(ends);
  const Sym quotient[] = {length, step};
  if (!IsConstant(step, 1)) length = calls::Quotient(quotient);
  return Dim::Of(RoundWith(SymOp::kCeilToInt, length));
}

Dim FloatRangeLength(const Call& call, RangeArguments at) {
  if (ShapeEnv* env = EnvOf(call, at)) return SymbolicRangeLength(call, at, *env);
  const double start = at.start < 0 ? 0 : FiniteDouble(call, at.start);
  const double end = FiniteDouble(call, at.end), step = at.step < 0 ? 1 : FiniteDouble(call, at.step);
  if (step == 0) FailValue(call, "takes no step of 0");
  if (step > 0 ? end < start : end > start) FailRange(call);
  return Countable(call, std::ceil((end - start) / step));
}

void RequireRangeDtype(const Call& call, ScalarType dtype) {
  if (dtype == ScalarType::Bool || IsComplex(dtype))
    FailDtype(call, "gives no " + std::string(DtypeName(dtype)) + " ranges");
}

// int64 ranges cut their bounds down to ints first; other integral dtypes do not.
void ReturnRange(Call& call, RangeArguments at) {
  bool ints = true;
  for (int i : {at.start, at.end, at.step}) ints = ints && (i < 0 || IsIntArgument(call, i));
  const ScalarType dtype = TryDtype(call).value_or(ints ? ScalarType::Long : call.state().default_dtype);
  RequireRangeDtype(call, dtype);
  const bool int_length = ints || dtype == ScalarType::Long;
  // The bounds are compared as they were given.
  if (int_length && !ints) FloatRangeLength(call, at);
  ReturnFactory(call, Dims{int_length ? IntRangeLength(call, at) : FloatRangeLength(call, at)}, dtype);
}

template <int Start, int End, int Step>
void Arange(Call& call) {
  ReturnRange(call, {Start, End, Step});
}

// torch.range includes its end. Bounds and step are cut down to ints for integral dtypes (range_out).
template <int Step>
Dim RangeLength(const Call& call, ScalarType dtype) {
  const auto read = [&](int i) {
    return IsIntegral(dtype) ? std::trunc(FiniteDouble(call, i)) : FiniteDouble(call, i);
  };
  const double start = read(0), end = read(1), step = Step < 0 ? 1 : read(Step);
  if (step == 0) FailValue(call, "takes no step of 0");
  if (step > 0 ? end < start : end > start) FailRange(call);
  return Countable(call, std::floor((end - start) / step) + 1);
}

template <int Step>
void Range(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireRangeDtype(call, dtype);
  ReturnFactory(call, Dims{RangeLength<Step>(call, dtype)}, dtype);
}

// Unlike other out forms: a tensor of as many elements keeps its shape. Source: range_cpu_out.
template <int Step>
void RangeOut(Call& call) {
  Tensor& out = call.TensorArg("out");
  RequireRangeDtype(call, out.meta.dtype);
  const Dim length = RangeLength<Step>(call, out.meta.dtype);
  if (!GuardOrFalse(Eq(Numel(out.meta.size_span()), length))) return WriteOfSizes(call, out, Dims{length});
  call.Write(out);
  call.ReturnArgument(out);
}

bool IsComplexArgument(const Call& call, int i) {
  if (const Tensor* t = call.Arg(i).TryTensor()) {
    if (t->meta.rank() != 0)
      FailShape(call, "takes numbers and 0-dim tensors, but got " + ToString(t->meta.size_span()));
    return IsComplex(t->meta.dtype);
  }
  return call.Number(i).Is<std::complex<double>>();
}

Dim StepsOf(const Call& call) {
  const Dim steps = call.DimArg(2);
  if (!Expect(Ge(steps, 0))) FailValue(call, "takes no negative number of steps, got " + steps.ToString());
  return steps;
}

void Linspace(Call& call) {
  const bool complex_start = IsComplexArgument(call, 0), complex_end = IsComplexArgument(call, 1);
  const Dim steps = StepsOf(call);
  const ScalarType real = call.state().default_dtype;
  const ScalarType inferred = complex_start || complex_end ? ToComplexDtype(real) : real;
  const ScalarType dtype = TryDtype(call).value_or(inferred);
  if (dtype == ScalarType::Bool || (IsComplex(inferred) && !IsComplex(dtype)))
    FailDtype(call, "cannot give " + std::string(DtypeName(inferred)) + " numbers as " + std::string(DtypeName(dtype)));
  ReturnFactory(call, Dims{steps}, dtype);
}

// Takes its bounds as the out tensor's dtype, which must be one that the kernel knows where there are steps between
// them; a tensor of as many elements keeps its shape. Source: linspace_out and logspace_out.
void LinspaceOut(Call& call) {
  Tensor& out = call.TensorArg("out");
  for (int i : {0, 1}) {
    IsComplexArgument(call, i);
    const Tensor* bound = call.Arg(i).TryTensor();
    if (bound && !bound->meta.device.is_cpu() && bound->meta.device != out.meta.device)
      Fail(ErrorClass::kDeviceMismatch,
          OpName(call) + " takes a bound on " + bound->meta.device.str() + ", but writes to " + out.meta.device.str(),
          {bound, &out});
  }
  const Dim steps = StepsOf(call);
  if (out.meta.dtype == ScalarType::Bool && Guard(Gt(steps, 1))) FailDtype(call, "gives no bool numbers");
  const bool fits = GuardOrFalse(Eq(Numel(out.meta.size_span()), steps));
  if (fits && HasInternalOverlap(out.meta)) FailValue(call, "can't write to a tensor whose elements share memory");
  WriteOfSizes(call, out, fits ? out.meta.sizes : Dims{steps});
}

// The window of one element more, without its end. Source: hann_window in ATen/native/TensorFactories.cpp.
bool IsPeriodic(const Call& call) {
  const int position = call.schema().FindArgument("periodic");
  return position < 0 || call.Bool(position);
}

// hann_window and kin; the arguments between the length and the options shape the values alone.
void Window(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireFloatOrComplex(call, dtype);
  const Dim length = call.DimArg(0);
  // A window of one element is a one; longer ones start with a range, which has no complex numbers.
  const bool is_long = Guard(Gt(length, 1));
  if (IsComplex(dtype) && is_long) RequireFloat(call, dtype);
  Output& window = ReturnFactory(call, Dims{length}, dtype);
  if (is_long && IsPeriodic(call))
    window.nbytes = StorageNbytes(ContiguousMeta(Dims{length + 1}, dtype, window.meta.device));
}

// ---- indices of triangles

// How many elements of a rows x columns matrix are on or below a diagonal. Source: get_tril_size.
Dim LowerTriangleSize(Dim rows, Dim columns, Dim offset) {
  if (GuardOrFalse(Eq(rows, 0)) || GuardOrFalse(Eq(columns, 0))) return 0;
  const Dim first = Guard(Gt(offset, 0)) ? Min(columns, offset + 1) : Guard(Gt(rows + offset, 0)) ? Dim(1) : Dim(0);
  const Dim last = Max(0, Min(columns, rows + offset));
  const Dim row_count = Max(0, Min(rows, rows + offset));
  const Dim slanted = last - first + 1;
  const Dim full = row_count - slanted;
  return FloorDiv((first + last) * slanted, 2) + (Guard(Gt(full, 0)) ? full * columns : Dim(0));
}

template <bool Upper>
void TriangleIndices(Call& call) {
  const Dim rows = call.DimArg(0), columns = call.DimArg(1), offset = call.DimArg(2);
  if (!Expect(Ge(rows, 0)) || !Expect(Ge(columns, 0)))
    FailValue(call, "takes no negative sizes, got " + ToString(Dims{rows, columns}));
  const ScalarType dtype = TryDtype(call).value_or(ScalarType::Long);
  if (!IsIntegral(dtype) || dtype == ScalarType::Bool) FailDtype(call, "gives indices of an integral dtype");
  const Dim size =
      Upper ? rows * columns - LowerTriangleSize(rows, columns, offset - 1) : LowerTriangleSize(rows, columns, offset);
  ReturnFactory(call, Dims{2, size}, dtype);
}

// ---- like another tensor

void NewFromSizes(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const Dims sizes = call.DimList(1);
  RequireNonNegative(sizes);
  const TensorOptions options = TensorOptionsOf(call, t.dtype, t.device);
  call.ReturnNew(ContiguousMeta(sizes, options.dtype, options.device));
}

// A tensor over the first elements of a file, which is never opened here: (filename, shared, size).
void FromFile(Call& call) {
  const Dim size = call.OptionalDim(2).value_or(0);
  if (!Expect(Ge(size, 0))) FailValue(call, "takes a size of at least 0, not " + size.ToString());
  ReturnFactory(call, Dims{size}, call.state().default_dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::zeros", FromSizes<0>},
    {"aten::ones", FromSizes<0>},
    {"aten::_efficientzerotensor", FromSizes<0>},
    {"aten::full", Full},
    {"aten::scalar_tensor", ScalarTensor},
    {"aten::empty.memory_format", Empty},
    {"aten::empty.out", EmptyOut},
    {"aten::empty_strided", EmptyStrided},
    {"aten::empty_permuted", EmptyPermuted},
    {"aten::from_file", FromFile},
    {"aten::eye", Eye},
    {"aten::eye.m", Eye},

    {"aten::arange", Arange<-1, 0, -1>},
    {"aten::arange.start", Arange<0, 1, -1>},
    {"aten::arange.start_step", Arange<0, 1, 2>},
    {"aten::range", Range<-1>},
    {"aten::range.step", Range<2>},
    {"aten::range.out", RangeOut<2>},
    {"aten::range.out_", RangeOut<-1>},
    {"aten::linspace", Linspace},
    {"aten::linspace.Tensor_Tensor", Linspace},
    {"aten::linspace.Tensor_Scalar", Linspace},
    {"aten::linspace.Scalar_Tensor", Linspace},
    {"aten::logspace", Linspace},
    {"aten::logspace.Tensor_Tensor", Linspace},
    {"aten::logspace.Tensor_Scalar", Linspace},
    {"aten::logspace.Scalar_Tensor", Linspace},
    {"aten::linspace.out", LinspaceOut},
    {"aten::linspace.Tensor_Tensor_out", LinspaceOut},
    {"aten::linspace.Tensor_Scalar_out", LinspaceOut},
    {"aten::linspace.Scalar_Tensor_out", LinspaceOut},
    {"aten::logspace.out", LinspaceOut},
    {"aten::logspace.Tensor_Tensor_out", LinspaceOut},
    {"aten::logspace.Tensor_Scalar_out", LinspaceOut},
    {"aten::logspace.Scalar_Tensor_out", LinspaceOut},
    {"aten::bartlett_window", Window},
    {"aten::bartlett_window.periodic", Window},
    {"aten::blackman_window", Window},
    {"aten::blackman_window.periodic", Window},
    {"aten::hann_window", Window},
    {"aten::hann_window.periodic", Window},
    {"aten::hamming_window", Window},
    {"aten::hamming_window.periodic", Window},
    {"aten::hamming_window.periodic_alpha", Window},
    {"aten::hamming_window.periodic_alpha_beta", Window},
    {"aten::kaiser_window", Window},
    {"aten::kaiser_window.periodic", Window},
    {"aten::kaiser_window.beta", Window},
    {"aten::tril_indices", TriangleIndices<false>},
    {"aten::triu_indices", TriangleIndices<true>},

    {"aten::zeros_like", FactoryLike, Devices::kOne, Grad::kNone},
    {"aten::ones_like", FactoryLike, Devices::kOne, Grad::kNone},
    {"aten::empty_like", FactoryLike, Devices::kOne, Grad::kNone},
    {"aten::full_like", FactoryLike, Devices::kOne, Grad::kNone},
    {"aten::new_zeros", NewFromSizes, Devices::kOne, Grad::kNone},
    {"aten::new_ones", NewFromSizes, Devices::kOne, Grad::kNone},
    {"aten::new_empty", NewFromSizes, Devices::kOne, Grad::kNone},
    {"aten::new_full", NewFromSizes, Devices::kOne, Grad::kNone},
    {"aten::new_empty_strided", NewEmptyStrided, Devices::kOne, Grad::kNone},
};

}  // namespace

RuleRows FactoryRules() { return kRows; }

}  // namespace fakeprop::rules
