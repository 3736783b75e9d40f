// In-place, out= and copying forms, served by the rule of their functional operator.
// Source: torch/_prims_common/wrappers.py out_wrapper, at::native::resize_output, TensorIterator (torch 2.13).
#include <algorithm>

#include "lib/base/check.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/derived/cpu_kernels.h"
#include "lib/rules/derived/on_other_layouts.h"
#include "lib/rules/derived/out_forms.h"
#include "lib/rules/derived/pending_bits.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/support/memory_overlap.h"

namespace fakeprop {
namespace {

std::string CallName(const Call& call) { return std::string(call.schema().full_name); }

// Nothing but float32 is converted to a quantized dtype, and a quantized dtype to no other. Source:
// at::native::copy_impl in aten/src/ATen/native/Copy.cpp (torch 2.13).
bool CanStore(ScalarType from, ScalarType to) {
  if (from == to) return true;
  if (kQuantizedDtypes.Has(to)) return from == ScalarType::Float;
  return !kQuantizedDtypes.Has(from) && CanCast(from, to);
}

void RequireStore(const Call& call, ScalarType from, const Tensor& to) {
  if (CanStore(from, to.meta.dtype)) return;
  Fail(ErrorClass::kDtypeMismatch,
      Format(
          "{}: result type {} can't be cast to the desired output type {}: the tensor that it is written to holds {}",
          CallName(call), TorchName(from), TorchName(to.meta.dtype), to.meta.dtype),
      {&to});
}

void RequireNoOverlap(const Call& call, const Tensor& written, const OperatorFacts& facts) {
  rules::RequireNoPartOf(call, written, facts);
  rules::RequireUnshared(call, written);
}

// Source: at::native::infer_dtype_from_optional, meta_func_cum_ops. A mean of integers has to name its dtype. Generated
// forms (sum.out) call the functional operator as it is.
bool TakesDtypeOfWritten(const Call& call, const OperatorFacts& facts) {
  if (call.schema().Has(kTagGenerated)) return false;
  if (facts.default_dtype == DefaultDtype::kOfWrittenIfFloating)
    return call.schema().IsOut() && IsFloatOrComplex(call.In("self")->dtype);
  return facts.default_dtype == DefaultDtype::kOfWritten;
}

// One `true` for each tensor that the call has to write to.
List AllWanted(const Call& call) {
  List mask;
  for (const SchemaArgument& argument : call.schema().arguments)
    if (argument.IsOut()) mask.items.push_back(true);
  return mask;
}

// Arguments of `functional` taken from the call by name; tensor options that the call has not come from its outs.
class FunctionalArguments {
 public:
  FunctionalArguments(const Call& call, const Schema& functional, const OperatorFacts& facts) {
    values_.reserve(functional.arguments.size());
    for (size_t i = 0; i < functional.arguments.size(); ++i) {
      const SchemaArgument& argument = functional.arguments[i];
      int from = call.schema().FindArgument(argument.name);
      // In-place forms may name arguments differently; their positions agree.
      if (from < 0 && WritesFirst(call) && i < call.size()) from = static_cast<int>(i);
      if (from >= 0 && argument.name == "dtype" && call.IsNone(from) && TakesDtypeOfWritten(call, facts)) {
        values_.push_back(call.TensorArg(call.schema().IsOut() ? static_cast<int>(call.size()) - 1 : 0).meta.dtype);
        pointers_.push_back(&values_.back());
      } else if (from >= 0) {
        pointers_.push_back(&call.Arg(from));
      } else {
        values_.push_back(argument.default_value.value_or(Value()));
        if (const Tensor* out = call.schema().IsOut() ? call.Arg(call.size() - 1).TryTensor() : nullptr) {
          if (argument.name == "dtype") values_.back() = out->meta.dtype;
          if (argument.name == "device") values_.back() = out->meta.device;
          if (argument.name == "output_mask") values_.back() = AllWanted(call);
        }
        pointers_.push_back(&values_.back());
      }
    }
  }
  std::span<const Value* const> span() const { return pointers_; }

 private:
  static bool WritesFirst(const Call& call) { return !call.schema().IsOut() && call.schema().arguments[0].is_write; }
  std::vector<Value> values_;
  std::vector<const Value*> pointers_;
};

void RequireSameDtypeInplace(const Call& call, const OperatorFacts& facts) {
  if (facts.default_dtype != DefaultDtype::kOfWritten) return;
  const auto dtype = call.OptionalDtype("dtype");
  if (dtype && *dtype != call.Meta(0).dtype)
    Fail(ErrorClass::kDtypeMismatch, CallName(call) + " writes " + std::string(DtypeName(call.Meta(0).dtype)) +
                                         " in place and cannot compute in " + std::string(DtypeName(*dtype)));
}

void Resize(Call& call, Tensor& target, const Dims& sizes, const Dims& strides) {
  TensorMeta resized = target.meta;
  resized.sizes = sizes;
  resized.strides = strides;
  const Dim nbytes = StorageNbytes(resized);
  call.SetMeta(target, std::move(resized));
  call.effects().mutations.back().nbytes = nbytes;
  call.effects().mutations.back().writes = true;
}

// The tag of the functional operator holds for the kernel of its in-place and out= forms, which may lack the tag.
OperatorFacts FactsOfForm(const Call& call, const Schema& functional, OperatorFacts facts) {
  const bool is_pointwise = functional.Has(kTagPointwise) && !call.schema().Has(kTagGenerated);
  if (facts.reads_written_of) facts.reads_written = facts.reads_written_of(call);
  if (is_pointwise && facts.reads_written == ReadsWritten::kByTag) facts.reads_written = ReadsWritten::kItself;
  if (facts.reads_written == ReadsWritten::kItself && call.schema().Has(kTagGenerated))
    facts.reads_written = ReadsWritten::kAll;
  // MathBitsFallback knows operators by their names, and the out= form has another one.
  if (call.schema().IsOut() && facts.math_bits == MathBits::kTaken) facts.math_bits = MathBits::kResolved;
  return facts;
}

// Returns true if the written tensor is one of the operands as well.
bool IsRead(const Call& call, const Tensor& written) {
  for (size_t i = 0; i < call.size(); ++i)
    if (!call.schema().arguments[i].is_write && call.Arg(static_cast<int>(i)).TryTensor() == &written) return true;
  return false;
}

bool HaveSameElements(const Tensor& a, const Tensor& b) {
  const TensorMeta &x = a.meta, &y = b.meta;
  return a.storage == b.storage && x.dtype == y.dtype && x.is_conj == y.is_conj && x.is_neg == y.is_neg &&
         x.storage_offset.TryNumber() == y.storage_offset.TryNumber() &&
         GuardSameOrFalse(x.size_span(), y.size_span()) && GuardSameOrFalse(x.stride_span(), y.stride_span());
}

// Returns true if what copy_ reads is what it writes to, perhaps by another view. Source: at::native::copy_impl.
bool IsCopyOntoItself(const Call& call, const OperatorFacts& facts, const Tensor& target) {
  if (facts.reads_written != ReadsWritten::kItself || facts.reads != Reads::kNotWritten) return false;
  for (size_t i = 0; i < call.size(); ++i)
    if (const Tensor* t = call.Arg(static_cast<int>(i)).TryTensor(); t && !call.schema().arguments[i].is_write)
      if (HaveSameElements(*t, target)) return true;
  return false;
}

// One result written into `target`, an in-place form's argument.
void WriteInplace(Call& call, const OperatorFacts& facts, const Output& result, Tensor& target) {
  // A composite (dropout_) that has nothing to do hands its argument back, unseen by autograd.
  if (result.source == &target && result.kind == Output::Kind::kArgument && call.schema().Has(kHasCompositeImplicit))
    return;
  if (call.schema().Has(kTagInplaceView)) {
    call.SetMeta(target, result.kind == Output::Kind::kArgument ? target.meta : result.meta);
    return;
  }
  if (result.kind != Output::Kind::kArgument) {
    const TensorMeta& m = result.meta;
    if (!ExpectSame(m.size_span(), target.meta.size_span())) {
      if (facts.inplace_sizes == InplaceSizes::kResizedOnCpu && call.device().is_cpu())
        return Resize(call, target, m.sizes, m.strides);
      Fail(ErrorClass::kShapeMismatch,
          Format("{} keeps the shape of the tensor that it writes to: output with shape {} doesn't match the broadcast "
                 "shape {}",
              CallName(call), target.meta.sizes, m.sizes));
    }
    RequireStore(call, m.dtype, target);
  }
  // Nothing is looked at where nothing is computed (conj_physical_ of real numbers, copy_ of a tensor onto itself).
  if (result.source != &target && !IsCopyOntoItself(call, facts, target))
    OverlapIn(call, facts) == Overlap::kAllowed ? rules::RequireNoPartOf(call, target, facts)
                                                : RequireNoOverlap(call, target, facts);
  call.Write(target);
}

// A number of the cpu takes no result of another device.
void RequireTargetDevice(const Call& call, const Tensor& target) {
  if (target.meta.device == call.device()) return;
  Fail(ErrorClass::kDeviceMismatch,
      CallName(call) + ": the result is on " + call.device().str() + ", the written-to tensor on " +
          target.meta.device.str(),
      {&target});
}

void RunInplace(Call& call, const OperatorFacts& facts, const Effects& functional) {
  FAKEPROP_CHECK(!functional.outputs.empty());
  RequireSameDtypeInplace(call, facts);
  const Output& result = functional.outputs[0];
  if (result.kind == Output::Kind::kList) {
    const std::vector<Tensor*> targets = call.Tensors(0);
    FAKEPROP_CHECK(targets.size() == result.items.size());
    for (size_t i = 0; i < targets.size(); ++i) WriteInplace(call, facts, result.items[i], *targets[i]);
    return;
  }
  Tensor& target = call.TensorArg(0);
  RequireTargetDevice(call, target);
  WriteInplace(call, facts, result, target);
  call.ReturnArgument(target);
}

// Operators that do not cast their result want the very dtype.
void RequireOutDtype(
    const Call& call, const Schema& functional, const OperatorFacts& facts, ScalarType from, const Tensor& out) {
  const OutDtype wanted = OutDtypeIn(call, functional, facts);
  if (wanted == OutDtype::kAny) return;
  if (wanted == OutDtype::kCast || (wanted == OutDtype::kCastReal && !IsComplex(out.meta.dtype)))
    return RequireStore(call, from, out);
  if (from == out.meta.dtype) return;
  const bool is_bool_or_byte = out.meta.dtype == ScalarType::Byte || out.meta.dtype == ScalarType::Bool;
  if (is_bool_or_byte && wanted == OutDtype::kBoolOrByte) return;
  Fail(ErrorClass::kDtypeMismatch,
      Format("{} writes its result's own dtype: expected out tensor to have dtype {}, but got {} instead",
          CallName(call), TorchCppName(from), TorchCppName(out.meta.dtype)),
      {&out});
}

// FakeTensorMode gives an out tensor back where it is on the call's device, which a 0-dim cpu argument does not choose.
// Where a call returns nothing it asks for no common device.
void RequireOutDevice(const Call& call, const OperatorFacts& facts, const Tensor& out) {
  if (facts.out_device == OutDevice::kAny || call.schema().returns.empty() || out.meta.device == call.device()) return;
  Fail(ErrorClass::kDeviceMismatch,
      CallName(call) + ": the result is on " + call.device().str() + ", the out tensor on " + out.meta.device.str(),
      {&out});
}

void CopyInto(Call& call, const OperatorFacts& facts, const TensorMeta& m, Tensor& out) {
  if (!CanExpandTo(m.size_span(), out.meta.size_span())) {
    Fail(ErrorClass::kShapeMismatch,
        CallName(call) + ": a result of shape " + ToString(m.size_span()) + " does not broadcast to the out tensor's " +
            ToString(out.meta.size_span()),
        {&out});
  }
  RequireNoOverlap(call, out, facts);
  call.Write(out);
}

// A copy from one layout into another is not there.
void RequireLayout(const Call& call, const TensorMeta& result, Tensor& out) {
  if (result.layout == out.meta.layout) return;
  Fail(ErrorClass::kTypeError,
      Format("{} writes a {} tensor, and not to {}", CallName(call), Value(result.layout), out.meta), {&out});
}

// Returns true if the kernel is a TensorIterator that gets the out tensor as it is given, by its tag or its facts.
bool IsPointwise(const Schema& functional, const OperatorFacts& facts) {
  if (facts.reads_written == ReadsWritten::kAll) return false;
  return functional.Has(kTagPointwise) ||
         (facts.reads_written == ReadsWritten::kItself && facts.looks != Looks::kAfterResize);
}

// masked_select and nonzero look at the out tensor before they know how much there is.
bool LooksAtGiven(const Schema& functional, const OperatorFacts& facts) {
  return functional.Has(kTagDynamicShape) || IsPointwise(functional, facts);
}

// Returns true if the kernel looks whether it reads the out tensor before that gets its size.
bool LooksBeforeResize(const Schema& functional, const OperatorFacts& facts) {
  return LooksAtGiven(functional, facts) || facts.looks == Looks::kBeforeResize;
}

// What the kernel demands of the out tensor before that gets its size.
void RequireOfGivenOut(const Call& call, const Schema& functional, const OperatorFacts& facts, const Tensor& out) {
  if (call.schema().Has(kTagGenerated)) return;
  if (LooksBeforeResize(functional, facts)) rules::RequireNoPartOf(call, out, facts);
  const bool looks = LooksAtGiven(functional, facts) || RefusesOverlapBeforeResize(call, facts);
  if (looks && !rules::IsResolved(facts, out.meta)) rules::RequireUnshared(call, out);
}

// `out` takes the result's sizes where its own differ, else keeps its strides.
void WriteOut(Call& call, const Schema& functional, const OperatorFacts& facts, const Output& result, Tensor& out) {
  const TensorMeta& m = result.kind == Output::Kind::kArgument ? result.source->meta : result.meta;
  RequireLayout(call, m, out);
  if (OtherLayoutOf(m.layout)) {
    RequireOutDtype(call, functional, facts, m.dtype, out);
    RequireOutDevice(call, facts, out);
    return WriteOutOfLayout(call, functional, result, out);
  }
  if (facts.out_strides == OutStrides::kNeverResized) return CopyInto(call, facts, m, out);
  RequireOutDtype(call, functional, facts, m.dtype, out);
  RequireOutDevice(call, facts, out);
  const bool looks_first = LooksBeforeResize(functional, facts), may_overlap = MayOverlapInOut(call, facts, m.rank());
  if (!may_overlap) RequireOfGivenOut(call, functional, facts, out);
  if (!GuardSameOrFalse(m.size_span(), out.meta.size_span())) {
    if (IsPointwise(functional, facts) && !call.schema().Has(kTagGenerated) && IsRead(call, out) &&
        !CanExpandTo(m.size_span(), out.meta.size_span()))
      Fail(ErrorClass::kShapeMismatch,
          Format("{} does not resize a tensor that it reads too: output with shape {} doesn't match the broadcast "
                 "shape {}",
              CallName(call), out.meta.sizes, m.sizes),
          {&out});
    Resize(call, out, m.sizes, StridesOfResized(call, facts, result, m, out.meta));
    if (!looks_first) rules::RequireNoPartOf(call, out, facts);
  } else {
    if (!may_overlap) RequireNoOverlap(call, out, facts);
    if (facts.out_strides == OutStrides::kOnlyContiguous && !IsContiguous(out.meta))
      Fail(ErrorClass::kValueError, CallName(call) + " writes contiguous tensors only, not " + ToString(out.meta),
          {&out});
    if (SetsStridesInOut(call, facts, m)) return Resize(call, out, m.sizes, m.strides);
    call.Write(out);
  }
}

// The results one by one, those of lists too.
std::vector<const Output*> ResultsOf(const Effects& functional) {
  std::vector<const Output*> results;
  for (const Output& output : functional.outputs) {
    if (output.kind != Output::Kind::kList) results.push_back(&output);
    for (const Output& item : output.items) results.push_back(&item);
  }
  return results;
}

// Generated forms resize all out tensors before they copy. A tensor that is given twice has its last size then.
// `mutations`: those of the out tensors so far.
void RequireSizeKept(const Call& call, std::span<const Mutation> mutations, const Output& result, const Tensor& out) {
  if (!call.schema().Has(kTagGenerated)) return;
  for (const Mutation& mutation : mutations) {
    const Dims& earlier = mutation.meta ? mutation.meta->sizes : out.meta.sizes;
    if (mutation.target != &out || CanExpandTo(earlier, result.meta.size_span())) continue;
    Fail(ErrorClass::kShapeMismatch,
        Format("{} copies a result of shape {} into an out tensor that is resized to {} for another result",
            CallName(call), earlier, result.meta.sizes),
        {&out});
  }
}

void RunOut(Call& call, const Schema& schema, const OperatorFacts& facts, const Effects& functional) {
  size_t next = 0;
  const std::vector<const Output*> results = ResultsOf(functional);
  // What it does to arguments that are no outs (running statistics) it does here as well.
  for (const Mutation& mutation : functional.mutations) call.effects().mutations.push_back(mutation);
  const bool returns = !call.schema().returns.empty();
  for (size_t i = 0; i < call.size(); ++i) {
    if (!call.schema().arguments[i].IsOut()) continue;
    for (Tensor* out : call.Tensors(static_cast<int>(i))) {
      if (next == results.size())
        Fail(ErrorClass::kValueError,
            CallName(call) + " gives " + std::to_string(next) + " results, but more out tensors are given");
      RequireSizeKept(
          call, std::span(call.effects().mutations).subspan(functional.mutations.size()), *results[next], *out);
      const Output& result = *results[next++];
      WriteOut(call, schema, facts, result, *out);
      Mutation& written = call.effects().mutations.back();
      if (result.requires_grad == false) written.differentiable = false;
      if (result.nbytes && !call.schema().Has(kTagGenerated)) GrowStorage(written, *result.nbytes);
      if (returns) call.ReturnArgument(*out);
    }
  }
  // An optimizer's writes the first of its lists alone.
  if (!returns && functional.outputs.size() == 1 && next < results.size())
    Fail(ErrorClass::kValueError, CallName(call) + " gives " + std::to_string(results.size()) + " results, but only " +
                                      std::to_string(next) + " out tensors are given");
}

void MakeCopy(Output& output) {
  for (Output& item : output.items) MakeCopy(item);
  if (output.kind == Output::Kind::kList || output.kind == Output::Kind::kValue) return;
  if (output.kind == Output::Kind::kArgument) output.meta = output.source->meta;
  output.kind = Output::Kind::kNew;
  output.source = nullptr;
  output.meta.strides = ContiguousStrides(output.meta.size_span());
  output.meta.storage_offset = 0;
  output.meta.is_conj = output.meta.is_neg = false;  // the copy has applied them
}

void Run(const ServedRule& served, Call& call) {
  const std::optional<OtherLayout> layout = FindOtherLayout(call);
  if (layout && RunOnLayout(served, *layout, call)) return;
  if (served.form == Form::kDirect) {
    RequireCpuKernel(*served.row, call);
    served.row->rule(call);
    return RequireHeldNumbers(*served.row, call);
  }
  const FunctionalArguments arguments(call, *served.functional, *served.facts);
  Effects effects;
  Call functional(*served.functional, arguments.span(), call, effects);
  Run(*served.inner, functional);
  if (layout && ReplaceWritten(served.form, call, effects)) return;
  const OperatorFacts facts = FactsOfForm(call, *served.functional, *served.facts);
  switch (served.form) {
    case Form::kInplace: return RunInplace(call, facts, effects);
    case Form::kOut: return RunOut(call, *served.functional, facts, effects);
    default:
      // A copy applies the negation of a view.
      for (const Output& output : effects.outputs) RequireNoNegatedBools(call, output.meta);
      for (Output& output : effects.outputs) MakeCopy(output);
      call.effects() = std::move(effects);
  }
}

}  // namespace

void RunRule(const ServedRule& served, Call& call) {
  Run(served, call);
  CopyResizedViews(call);
  RequireBitsApplied(call, *served.facts);
}

}  // namespace fakeprop
