// Tensors made from sizes and numbers, and tensors like others.
// Source: aten/src/ATen/native/TensorFactories.cpp, RangeFactories.cpp; arange in torch/_refs/__init__.py;
// constructors in torch/_subclasses/fake_impls.py (torch 2.13).
#include <cmath>
#include <ranges>

#include "lib/meta/dtype.h"
#include "lib/meta/ordered_strides.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/symbolic_number.h"
#include "lib/rules/support/tensor_options.h"
#include "lib/symbolic/calls.h"

namespace fakeprop::rules {
namespace {

// zeros, ones ...
void Zeros(Call& call) { ReturnUnspecified(call, call.DimList("size"), call.state().default_dtype); }
void FromSizes(Call& call) { ReturnFactory(call, call.DimList("size"), call.state().default_dtype); }

void Full(Call& call) {
  ReturnFactory(call, call.DimList("size"), NumberDtype(call.Number("fill_value"), call.state()));
}

// The number does not decide the dtype: without a dtype argument it is the default one.
void ScalarTensor(Call& call) {
  call.Number("s");
  ReturnFactory(call, {}, call.state().default_dtype);
}

// The options of a call without tensors.
TensorOptions OptionsOf(const Call& call) {
  return TensorOptionsOf(call, call.state().default_dtype, Device(DeviceType::CPU));
}

void Empty(Call& call) {
  const Dims sizes = call.DimList("size");
  const MemoryFormat format = call.OptionalMemoryFormat("memory_format").value_or(MemoryFormat::Contiguous);
  if (call.Has("layout") && call.OptionalLayout("layout") != Layout::Strided)
    return void(ReturnUnspecified(call, sizes, call.state().default_dtype));
  const TensorOptions options = OptionsOf(call);
  RequireNonNegative(sizes);
  call.ReturnNew(MetaInFormat(sizes, options.dtype, options.device, format));
}

// Source: at::native::empty_out. The out tensor decides the layout in memory.
void EmptyOut(Call& call) {
  const Dims sizes = call.DimList("size");
  const Operand out = call.In("out");
  RequireResizable(call, out.tensor());
  RequireValue(call, call.IsNone("memory_format"), "takes no memory_format beside an out tensor");
  RequireNonNegative(sizes);
  WriteOfSizes(call, out.tensor(), sizes);
}

void ReturnStrided(Call& call, const TensorOptions& options, const Dims& sizes, const Dims& strides) {
  RequireValue(call, sizes.size() == strides.size(), {"takes as many strides as sizes, got {} for {}", strides, sizes});
  RequireNonNegative(sizes);
  for (Dim stride : strides) RequireValue(call, Ge(stride, 0), {"takes no negative strides, got {}", strides});
  TensorMeta out = ContiguousMeta(sizes, options.dtype, options.device);
  out.strides = strides;
  call.ReturnNew(std::move(out));
}

void EmptyStrided(Call& call) {
  const TensorOptions options = OptionsOf(call);
  ReturnStrided(call, options, call.DimList("size"), call.DimList("stride"));
}

void NewEmptyStrided(Call& call) {
  const Operand self = call.In("self");
  const TensorOptions options = TensorOptionsOf(call, self->dtype, self->device);
  ReturnStrided(call, options, call.DimList("size"), call.DimList("stride"));
}

// Dense, with the dimensions in the order of `physical_layout`, outermost first.
void EmptyPermuted(Call& call) {
  const Dims sizes = call.DimList("size");
  const std::vector<int64_t> layout = call.Ints("physical_layout");
  RequireValue(call, layout.size() == sizes.size(),
      {"takes a physical layout of {} dims, but got {}", sizes.size(), layout.size()});
  for (int64_t dim : layout)
    RequireValue(call, dim >= 0, {"counts the dims of its physical layout from 0, but got {}", dim});
  const auto order = WrapDims(layout, static_cast<int64_t>(sizes.size()));
  ReturnStrided(call, OptionsOf(call), sizes, StridesInOrder(sizes, std::views::reverse(order)));
}

void Eye(Call& call) {
  const Dim n = call.DimArg("n");
  const Dim m = call.Declares("m") ? call.DimArg("m") : n;
  ReturnFactory(call, Dims{n, m}, call.state().default_dtype);
}

// ---- ranges

double AsDouble(const Call& call, const Value& number) {
  if (auto d = number.TryGet<double>()) return *d;
  if (auto d = number.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  if (auto b = number.TryGet<bool>()) return *b;
  if (auto s = number.TryGet<Symbolic>()) return s->expression->env->Specialize(s->expression).AsReal();
  FailDtype(call, "takes real numbers");
}

double FiniteDouble(const Call& call, const Value& number) {
  const double v = AsDouble(call, number);
  RequireValue(call, std::isfinite(v), {"takes finite bounds, got {}", number});
  return v;
}

bool IsInt(const Value& number) { return number.Is<Dim>() || number.Is<bool>(); }

// An int, or a float cut down to one.
Dim TruncatedDim(const Call& call, const Value& number) {
  if (auto d = number.TryGet<Dim>()) return *d;
  if (auto b = number.TryGet<bool>()) return *b ? 1 : 0;
  if (Sym expression = ExpressionOf(number)) return Dim::Of(RoundWith(SymOp::kTruncToInt, expression));
  return static_cast<int64_t>(FiniteDouble(call, number));
}

// The bounds and the step of a range; where the operator has no such argument, it starts at 0 and steps by 1.
struct RangeArguments {
  const Value &start, &end, &step;
};

RangeArguments RangeOf(const Call& call) {
  static const Value zero(0), one(1);
  const auto read = [&](ArgumentName name, const Value& otherwise) -> const Value& {
    return call.Declares(name) ? call.Number(name) : otherwise;
  };
  return {read("start", zero), call.Number("end"), read("step", one)};
}

Dim Countable(const Call& call, double length) {
  if (!(length < 9.2e18)) Fail(ErrorClass::kOverflow, OpName(call) + " would have more elements than int64 counts");
  return static_cast<int64_t>(length);
}

bool IsConstant(Sym number, int64_t value) {
  return number->IsInteger(value) || (number->op == SymOp::kReal && number->real == static_cast<double>(value));
}

void RequireStep(const Call& call, bool holds) {
  RequireValue(call, holds, "takes no step of 0: step must be nonzero");
}

void RequireDirection(const Call& call, bool holds) {
  RequireValue(
      call, holds, "has bounds that its step does not reach: upper bound and lower bound inconsistent with step sign");
}

Dim IntRangeLength(const Call& call, const RangeArguments& range) {
  const Dim start = TruncatedDim(call, range.start), end = TruncatedDim(call, range.end);
  const Dim step = TruncatedDim(call, range.step);
  RequireStep(call, !GuardOrFalse(Eq(step, 0)));
  const bool up = Guard(Gt(step, 0));
  RequireDirection(call, Expect(up ? Ge(end, start) : Le(end, start)));
  const Dim span = up ? end - start : start - end, width = up ? step : -step;
  // Symbols take the form that arange in torch/_refs/__init__.py gives them, so that equal sizes are written alike.
  return Dim::Plain(span, width) ? CeilDiv(span, width) : FloorDiv(span + width - 1, width);
}

// Where the symbols of a range come from; null where it has none.
ShapeEnv* EnvOf(const RangeArguments& range) {
  for (const Value* number : {&range.start, &range.end, &range.step})
    if (Sym expression = ExpressionOf(*number)) return expression->env;
  return nullptr;
}

// A quotient of floats, rounded up; with a step of 1 from 0 on, the end itself.
// Source: arange in torch/_refs/__init__.py.
Dim SymbolicRangeLength(const Call& call, const RangeArguments& range, ShapeEnv& env) {
  const auto node = [&](const Value& number) {
    Sym node = NodeOf(number, env);
    if (!node) FailDtype(call, "takes real numbers");
    return node;
  };
  Sym zero = env.Integer(0), start = node(range.start), end = node(range.end), step = node(range.step);
  const bool up = Guard(Cond::Of(Less(zero, step)));
  RequireStep(call, up || Guard(Cond::Of(Less(step, zero))));
  RequireDirection(call, Expect(Cond::Of(up ? AtMost(start, end) : AtMost(end, start))));
  const Sym ends[] = {end, start};
  Sym length = IsConstant(start, 0) ? end : calls::Difference(ends);
  const Sym quotient[] = {length, step};
  if (!IsConstant(step, 1)) length = calls::Quotient(quotient);
  return Dim::Of(RoundWith(SymOp::kCeilToInt, length));
}

// How many steps lie between the bounds, as a fraction.
double StepCount(const Call& call, double start, double end, double step) {
  RequireStep(call, step != 0);
  RequireDirection(call, step > 0 ? !(end < start) : !(end > start));
  return (end - start) / step;
}

Dim FloatRangeLength(const Call& call, const RangeArguments& range) {
  if (ShapeEnv* env = EnvOf(range)) return SymbolicRangeLength(call, range, *env);
  const double start = FiniteDouble(call, range.start), end = FiniteDouble(call, range.end);
  return Countable(call, std::ceil(StepCount(call, start, end, FiniteDouble(call, range.step))));
}

void RequireRangeDtype(const Call& call, ScalarType dtype) {
  RequireDtype(call, dtype, {kReal.dtypes, "gives no {} ranges"});
}

// Before torch 2.14, int64 ranges cut their bounds down to ints first; other integral dtypes do not.
void Arange(Call& call) {
  const RangeArguments range = RangeOf(call);
  const bool ints = IsInt(range.start) && IsInt(range.end) && IsInt(range.step);
  const ScalarType dtype = TryDtype(call).value_or(ints ? ScalarType::Long : call.state().default_dtype);
  RequireRangeDtype(call, dtype);
  const bool int_length = ints || (dtype == ScalarType::Long && !Has(call, kRangesOfFloats));
  // Checks the bounds as they were given, before they are cut down.
  if (int_length && !ints) FloatRangeLength(call, range);
  ReturnFactory(call, Dims{int_length ? IntRangeLength(call, range) : FloatRangeLength(call, range)}, dtype);
}

// torch.range includes its end. Bounds and step are cut down to ints for integral dtypes (range_out).
Dim RangeLength(const Call& call, ScalarType dtype) {
  const RangeArguments range = RangeOf(call);
  const auto read = [&](const Value& number) {
    return IsIntegral(dtype) ? std::trunc(FiniteDouble(call, number)) : FiniteDouble(call, number);
  };
  const double start = read(range.start), end = read(range.end);
  return Countable(call, std::floor(StepCount(call, start, end, read(range.step))) + 1);
}

void Range(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireRangeDtype(call, dtype);
  ReturnFactory(call, Dims{RangeLength(call, dtype)}, dtype);
}

// Unlike other out forms: a tensor of as many elements keeps its shape. Source: range_cpu_out.
void RangeOut(Call& call) {
  Tensor& out = call.In("out").tensor();
  RequireRangeDtype(call, out.meta.dtype);
  const Dim length = RangeLength(call, out.meta.dtype);
  if (!GuardOrFalse(Eq(Numel(out.meta.size_span()), length))) return WriteOfSizes(call, out, Dims{length});
  ReturnWritten(call, call.In("out"));
}

bool IsComplexBound(const Call& call, ArgumentName name) {
  const Operand bound = call.TryIn(name).Rank(0, "takes numbers and 0-dim tensors, but got {}");
  return bound ? IsComplex(bound->dtype) : call.Number(name).Is<std::complex<double>>();
}

Dim StepsOf(const Call& call) {
  return call.SizeAtLeast("steps", 0, "takes no {} steps: number of steps must be non-negative");
}

// The kernel runs where there are steps between the ends.
void RequireStepDtype(const Call& call, ScalarType dtype, Dim steps) {
  if (dtype == ScalarType::ComplexHalf && call.OnCpu() && Guard(Gt(steps, 1)))
    FailDtype(call, "gives no complex32 numbers on the cpu: not implemented for 'ComplexHalf'");
}

void Linspace(Call& call) {
  const bool complex_start = IsComplexBound(call, "start"), complex_end = IsComplexBound(call, "end");
  const Dim steps = StepsOf(call);
  const ScalarType real = call.state().default_dtype;
  const ScalarType inferred = complex_start || complex_end ? ToComplexDtype(real) : real;
  const ScalarType dtype = TryDtype(call).value_or(inferred);
  if (dtype == ScalarType::Bool || (IsComplex(inferred) && !IsComplex(dtype)))
    FailDtype(call, {"cannot give {} numbers as {}", inferred, dtype});
  RequireStepDtype(call, dtype, steps);
  ReturnFactory(call, Dims{steps}, dtype);
}

void CheckBoundOf(const Call& call, ArgumentName name, const Operand& out) {
  IsComplexBound(call, name);
  const Operand bound = call.TryIn(name);
  if (bound && !bound->device.is_cpu()) bound.SameDeviceAs(out);
}

// The bounds are read in the out tensor's dtype. Where there are steps between them the kernel must know that dtype.
// A tensor of as many elements keeps its shape. Source: linspace_out and logspace_out.
void LinspaceOut(Call& call) {
  const Operand out = call.In("out");
  for (ArgumentName bound : ArgumentNames{"start", "end"}) CheckBoundOf(call, bound, out);
  const Dim steps = StepsOf(call);
  if (out->dtype == ScalarType::Bool && Guard(Gt(steps, 1))) FailDtype(call, "gives no bool numbers");
  RequireStepDtype(call, out->dtype, steps);
  const bool fits = GuardOrFalse(Eq(out.Numel(), steps));
  if (fits) RequireUnshared(call, out);
  WriteOfSizes(call, out.tensor(), fits ? out->sizes : Dims{steps});
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
  const Dim rows = call.DimArg("row"), columns = call.DimArg("col"), offset = call.DimArg("offset");
  RequireValue(call, {Ge(rows, 0), Ge(columns, 0)}, {"takes no negative sizes, got {}", Dims{rows, columns}});
  const ScalarType dtype = TryDtype(call).value_or(ScalarType::Long);
  RequireDtype(call, dtype, {kInteger.dtypes, "gives indices of an integral dtype"});
  const Dim size =
      Upper ? rows * columns - LowerTriangleSize(rows, columns, offset - 1) : LowerTriangleSize(rows, columns, offset);
  ReturnFactory(call, Dims{2, size}, dtype);
}

// ---- like another tensor

void NewFromSizes(Call& call) {
  const Operand self = call.In("self");
  const Dims sizes = call.DimList("size");
  RequireNonNegative(sizes);
  const TensorOptions options = TensorOptionsOf(call, self->dtype, self->device);
  call.ReturnNew(ContiguousMeta(sizes, options.dtype, options.device));
}

// A tensor over the first elements of a file, which is never opened here.
void FromFile(Call& call) {
  const Dim size = call.OptionalDim("size").value_or(0);
  RequireValue(call, Ge(size, 0), {"takes a size of at least 0, not {}", size});
  ReturnFactory(call, Dims{size}, call.state().default_dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::zeros", Zeros, Overlap::kAllowedInOut},
    {"aten::ones", FromSizes, Overlap::kAllowedInOut},
    {"aten::_efficientzerotensor", FromSizes},
    {"aten::full", Full, Overlap::kAllowedInOut},
    {"aten::scalar_tensor", ScalarTensor},
    {"aten::empty.memory_format", Empty},
    {"aten::empty.out", EmptyOut},
    {"aten::empty_strided", EmptyStrided},
    {"aten::empty_permuted", EmptyPermuted},
    {"aten::from_file", FromFile},
    {"aten::eye", Eye, Overlap::kAllowedInOut},
    {"aten::eye.m", Eye, Overlap::kAllowedInOut},

    {"aten::arange", Arange},
    {"aten::arange.start", Arange},
    {"aten::arange.start_step", Arange},
    {"aten::range", Range},
    {"aten::range.step", Range},
    {"aten::range.out", RangeOut},
    {"aten::range.out_", RangeOut},
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
    {"aten::tril_indices", TriangleIndices<false>},
    {"aten::triu_indices", TriangleIndices<true>},

    {"aten::zeros_like", FactoryLike, Grad::kNone},
    {"aten::ones_like", FactoryLike, Grad::kNone},
    {"aten::empty_like", FactoryLike, Grad::kNone | MathBits::kTaken},
    {"aten::full_like", FactoryLike, Grad::kNone | MathBits::kTaken},
    {"aten::new_zeros", NewFromSizes, Grad::kNone},
    {"aten::new_ones", NewFromSizes, Grad::kNone},
    {"aten::new_empty", NewFromSizes, Grad::kNone},
    {"aten::new_full", NewFromSizes, Grad::kNone},
    {"aten::new_empty_strided", NewEmptyStrided, Grad::kNone},
};

}  // namespace

RuleRows FactoryRules() { return kRows; }

}  // namespace fakeprop::rules
