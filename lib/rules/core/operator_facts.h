// The special properties of an operator beside its rule: the facts of its row. A row names only facts that are not the
// usual ones:
//   {"aten::relu", Relu},
//   {"aten::cumsum", CumulativeSum, DefaultDtype::kOfWritten},
//   {"aten::cholesky", Cholesky, OutDtype::kCast | OutStrides::kContiguous},
// The first value of each enum is the usual one. docs/adding_an_operator.md says how to find the others.
#pragma once

#include <cstdint>
#include <type_traits>

namespace fakeprop {

class Call;

// Which devices the tensors of a call may be on.
enum class Devices : uint8_t {
  kOne,     // all on one device; 0-dim cpu tensors may mix with another device
  kSame,    // all on one device, including 0-dim cpu tensors
  kByItem,  // foreach: kOne holds for the i-th items of all lists; a tensor that is not in a list does not count
  kAny,     // the rule itself decides
};

// Which results require grad if an input does. The entry of derivatives.yaml for an operator comes first
// (lib/schema/differentiability.h). A rule can also set Output::requires_grad.
enum class Grad : uint8_t {
  kFollowed,         // floating and complex ones
  kNone,             // none (zeros_like, new_ones: made from metadata alone)
  kFollowedWrites,   // as kFollowed; an in-place form is followed too, although it returns nothing (foreach)
  kFollowedByDtype,  // as kFollowed, but integers are left out everywhere (to; copy_ in VariableTypeManual.cpp)
};

// Whether autograd sees the views of a list as results of one operator, or each as that of an operator of its own.
enum class ListViews : uint8_t {
  kOfOne,   // in-place writes to them are refused (split, unbind)
  kOfEach,  // a composite operator makes them one by one (tensor_split by slices, meshgrid by expand)
};

// The dtype that a call computes in if its `dtype` argument is None.
enum class DefaultDtype : uint8_t {
  kOfRule,              // the rule decides
  kOfWritten,           // that of the tensor that an out= or in-place form writes to; an in-place form takes no other
  kOfWrittenIfFloating  // the same for an out= form of a floating or complex input
};

// Which elements of the tensor that it writes a form may read. Generated out= forms, which end in a copy, may read all.
// Source: TensorIteratorBase::compute_mem_overlaps; at::assert_no_overlap in TensorAdvancedIndexing.cpp (torch 2.13).
enum class ReadsWritten : uint8_t {
  kByTag,           // operators that are tagged pointwise as kItself; others all
  kAll,             // all
  kItself,          // those of the tensor itself, but of no other view of it
  kSelfAsItself,    // `self` as kItself, of the other operands all (addmm, which copies `self` and looks at no other)
  kNothingInplace,  // the in-place form none, since its kernel reads in another order than it writes (index_add_)
  kNothingInOut,    // the out= form none (cat)
  kIndexInOut,      // the out= form none but those of `index`, if that is the tensor itself (gather)
};

// What the kernel compares with the tensor that it writes, by ReadsWritten.
enum class Compares : uint8_t {
  kTensors,
  kViews,                 // views of the tensors with more or fewer dimensions of size 1 (outer, stack)
  kExpandedSelf,          // `self` expanded to the result's sizes, after which it is not dense (addmm)
  kViewsAndExpandedSelf,  // both (addr)
  kValues,                // nothing for the out tensors other than `values` (sort)
};

// Which conjugated and negated views the kernel takes as they are. Of others it gets copies that have applied the bit,
// and what it computes is copied into the written view later: nothing is shared.
// Source: ATen/native/MathBitsFallback.h and what ATen/ConjugateFallback.cpp lets through (torch 2.13).
enum class MathBits : uint8_t {
  kResolved,         // none
  kConjugatedTaken,  // conjugated ones (addmm)
  kTaken,            // both (copy_)
};

// When an out= form looks whether it reads what it writes.
enum class Looks : uint8_t {
  kByReads,       // kItself: before the out tensor gets its size; others: after that
  kBeforeResize,  // before (index, kthvalue)
  kAfterResize,   // after (sort, cumsum)
};

// What is known of a tensor after a call that failed instead of writing to it. An out tensor without elements is there
// to be resized, so its sizes are unknown in any case.
enum class AfterFailure : uint8_t {
  kSizesKept,  // it has its sizes
  kUnknown,    // nothing: the operator changes sizes (resize_, set_)
};

// ---- in-place forms

// What an in-place form does if the result has other sizes than the tensor that it writes to.
enum class InplaceSizes : uint8_t {
  kKept,         // an error
  kResizedOnCpu  // on the cpu the tensor is resized, as an out tensor would be (addbmm_)
};

// ---- out= forms: "the result" is that of the functional operator, "the out tensor" the one that the call gives for it

// Which dtype the out tensor may have. Most pointwise kernels cast, except those with UNARY_OP_CONFIG of
// ATen/TensorIterator.cpp, lerp and clamp. Other kernels cast if they end in a copy into the out tensor, are gradients
// on a TensorIterator, or are reductions that compute in the out tensor's dtype; cat casts too (torch 2.13).
enum class OutDtype : uint8_t {
  kByTag,       // kCast for operators that are tagged pointwise, kExact for others
  kExact,       // the result's
  kCast,        // any that the result can be cast to
  kCastReal,    // the same, but no complex one
  kBoolOrByte,  // the result's dtype, bool or uint8 (at::native::check_all_any_out)
  kAny,         // any at all: the kernel ends in copy_
  kAnyOnCpu,    // kAny on the cpu; kCast on other devices, where FakeTensorMode decides
};

// The strides of an out tensor that is resized, and the demand on one that is not.
enum class OutStrides : uint8_t {
  kOfResult,            // the result's on the cpu; contiguous on other devices, where FakeTensorMode decides
  kOfResultEverywhere,  // the result's on all devices
  kContiguous,          // contiguous: the kernel computes a tensor, resizes the out tensor and copies
  kAlwaysContiguous,    // also if the out tensor has the result's sizes: the kernel gives it others on the way
  kOnlyContiguous,      // as kOfResult, but an out tensor that is not resized has to be contiguous
  kNeverResized,        // the out tensor is never resized: the result is broadcast and copied (split_copy_Tensor_out)
};

// The ranks of results at which the kernel for the cpu resizes its out tensor to a memory format. That sets the strides
// of an out tensor that has the result's sizes already. At other ranks, and by default, such a tensor keeps its
// strides.
struct SetsStrides {
  int8_t from_rank = 0;
  int8_t to_rank = from_rank == 0 ? 0 : 5;

  constexpr bool At(int64_t rank) const { return from_rank != 0 && rank >= from_rank && rank <= to_rank; }
  bool operator==(const SetsStrides&) const = default;
};

// Whether several elements of the written tensor may share one memory location. An out tensor that gets another size
// has memory for each; pointwise kernels look before that.
enum class Overlap : uint8_t {
  kRefused,
  kRefusedBeforeResize,  // refused in the out= form although the tensor will get another size (scatter)
  kAllowedInOut,         // allowed in the out= form, whose kernel does not check it
  kAllowed,              // allowed in the out= and the in-place form
};

// Which device the out tensor may be on.
enum class OutDevice : uint8_t {
  kOfCall,
  kAny,  // any device, since the form ends in a copy (multi_device_op_out in torch/_subclasses, torch 2.13)
};

// The result that the out= form writes.
enum class OutKernel : uint8_t {
  kOfOperator,  // the result of the functional operator
  kOfInner,     // the result of the operator with an underscore before its name
};

// ---- if LibTorch serves the operator, not our rule

// Which devices the tensors of a call to LibTorch's Meta kernel may be on.
enum class MetaKernel : uint8_t {
  kOnOneDevice,
  kOnSeveralDevices,  // on several devices; the results are on that of the first tensor
};

// The tensors that LibTorch's composite kernel gets.
enum class Composite : uint8_t {
  kOnFakeTensors,
  kOnMetaTensors,  // their device tells the kernel that there is no data
};

// Which elements of its tensors the operator reads. `fakeprop cost` counts the bytes.
enum class Reads : uint8_t {
  kAll,
  kSelected,    // of the first tensor, as many as the result has (gather, embedding)
  kNotWritten,  // none of the tensor that it writes to (fill_, copy_)
  kMetadata,    // none: only sizes, dtypes, devices (sym_size, result_type)
};

// ---- known data

// Whether the result has the elements of the first argument in the same row-major order. They may be cast.
enum class Elements : uint8_t {
  kUnknown,
  kKept,  // the elements are kept, but not by the in-place, out= and copying forms
};

// A fact that depends on the call. The function gets the call of the out= form, which writes each of the operator's
// results.
using OutDtypeOf = OutDtype (*)(const Call& out_form);
using OutStridesOf = OutStrides (*)(const Call& out_form);
using OverlapOf = Overlap (*)(const Call& out_form);
using ReadsWrittenOf = ReadsWritten (*)(const Call& form);

struct OperatorFacts {
  Devices devices = {};
  Grad grad = {};
  ListViews list_views = {};
  DefaultDtype default_dtype = {};
  ReadsWritten reads_written = {};
  Compares compares = {};
  MathBits math_bits = {};
  Looks looks = {};
  AfterFailure after_failure = {};
  InplaceSizes inplace_sizes = {};
  OutDtype out_dtype = {};
  OutStrides out_strides = {};
  SetsStrides sets_strides = {};
  Overlap overlap = {};
  OutDevice out_device = {};
  OutKernel out_kernel = {};
  MetaKernel meta_kernel = {};
  Composite composite = {};
  Reads reads = {};
  Elements elements = {};
  OutDtypeOf out_dtype_of = nullptr;          // takes the place of out_dtype
  OutStridesOf out_strides_of = nullptr;      // takes the place of out_strides
  OverlapOf overlap_of = nullptr;             // takes the place of overlap
  ReadsWrittenOf reads_written_of = nullptr;  // takes the place of reads_written

  constexpr OperatorFacts() = default;
  // A row may give a single fact.
  constexpr OperatorFacts(Devices fact) : devices(fact) {}
  constexpr OperatorFacts(Grad fact) : grad(fact) {}
  constexpr OperatorFacts(ListViews fact) : list_views(fact) {}
  constexpr OperatorFacts(DefaultDtype fact) : default_dtype(fact) {}
  constexpr OperatorFacts(ReadsWritten fact) : reads_written(fact) {}
  constexpr OperatorFacts(Compares fact) : compares(fact) {}
  constexpr OperatorFacts(MathBits fact) : math_bits(fact) {}
  constexpr OperatorFacts(Looks fact) : looks(fact) {}
  constexpr OperatorFacts(AfterFailure fact) : after_failure(fact) {}
  constexpr OperatorFacts(InplaceSizes fact) : inplace_sizes(fact) {}
  constexpr OperatorFacts(OutDtype fact) : out_dtype(fact) {}
  constexpr OperatorFacts(OutStrides fact) : out_strides(fact) {}
  constexpr OperatorFacts(SetsStrides fact) : sets_strides(fact) {}
  constexpr OperatorFacts(Overlap fact) : overlap(fact) {}
  constexpr OperatorFacts(OutDevice fact) : out_device(fact) {}
  constexpr OperatorFacts(OutKernel fact) : out_kernel(fact) {}
  constexpr OperatorFacts(MetaKernel fact) : meta_kernel(fact) {}
  constexpr OperatorFacts(Composite fact) : composite(fact) {}
  constexpr OperatorFacts(Reads fact) : reads(fact) {}
  constexpr OperatorFacts(Elements fact) : elements(fact) {}
  constexpr OperatorFacts(OutDtypeOf fact) : out_dtype_of(fact) {}
  constexpr OperatorFacts(OutStridesOf fact) : out_strides_of(fact) {}
  constexpr OperatorFacts(OverlapOf fact) : overlap_of(fact) {}
  constexpr OperatorFacts(ReadsWrittenOf fact) : reads_written_of(fact) {}
};

// The facts of both. If both have one of the same kind, that of `b` counts.
constexpr OperatorFacts Join(OperatorFacts a, const OperatorFacts& b) {
  const auto take = [](auto& fact, auto other) {
    if (other != decltype(other){}) fact = other;
  };
  take(a.devices, b.devices);
  take(a.grad, b.grad);
  take(a.list_views, b.list_views);
  take(a.default_dtype, b.default_dtype);
  take(a.reads_written, b.reads_written);
  take(a.compares, b.compares);
  take(a.math_bits, b.math_bits);
  take(a.looks, b.looks);
  take(a.after_failure, b.after_failure);
  take(a.inplace_sizes, b.inplace_sizes);
  take(a.out_dtype, b.out_dtype);
  take(a.out_strides, b.out_strides);
  take(a.sets_strides, b.sets_strides);
  take(a.overlap, b.overlap);
  take(a.out_device, b.out_device);
  take(a.out_kernel, b.out_kernel);
  take(a.meta_kernel, b.meta_kernel);
  take(a.composite, b.composite);
  take(a.reads, b.reads);
  take(a.elements, b.elements);
  take(a.out_dtype_of, b.out_dtype_of);
  take(a.out_strides_of, b.out_strides_of);
  take(a.overlap_of, b.overlap_of);
  take(a.reads_written_of, b.reads_written_of);
  return a;
}

template <typename T>
concept Fact = std::is_convertible_v<T, OperatorFacts>;

// `OutDtype::kCast | OutStrides::kContiguous`
template <Fact A, Fact B>
constexpr OperatorFacts operator|(A a, B b) {
  return Join(a, b);
}

// Kernels on a TensorIterator that get their out tensors when these have their size.
constexpr OperatorFacts kIteratesAfterResize = ReadsWritten::kItself | Looks::kAfterResize;

}  // namespace fakeprop
