// What is known of the elements of a tensor of integers or bools: an interval whose ends are expressions over the
// symbols of a run. docs/value_ranges.md explains the domain.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/meta/dim.h"
#include "lib/meta/scalar_type.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

// Whether elements are equal to an end of the interval, if the tensor has elements at all.
struct Met {
  // Inputs of the graph for which the end is met. All runs, or those in which a tensor that the caller chooses freely
  // is everywhere at one end of its own interval.
  static constexpr int32_t kInAllRuns = -1;

  bool by_one = false;  // some element is the end
  bool by_all = false;  // every element is
  int32_t when = kInAllRuns;

  static Met Always() { return {true, true, kInAllRuns}; }
  static Met ByOne() { return {true, false, kInAllRuns}; }
  // In runs in which the tensor of this node is everywhere low, or everywhere high.
  static Met Chosen(int32_t node, bool high) { return {true, true, 2 * node + (high ? 1 : 0)}; }
};

struct ValueEnd {
  Sym at = nullptr;  // null: nothing is known
  Met met;
};

struct ValueRange {
  ValueEnd low, high;
  bool is_sorted = false;       // along the last dimension, equal elements allowed
  bool is_permutation = false;  // of a tensor of rank 1: each number from low to high once
  // The elements count up along this dimension, from `low` by `step`, and are the same along the others.
  int32_t counts_along = -1;
  int64_t step = 0;
  int32_t origin = -1;  // the node that chose the elements; views and sums pass it on
  // The elements are elements of this input (the index of its placeholder), each plus `shift`.
  int32_t input = -1;
  int64_t shift = 0;
  bool is_buffer = false;  // the input is a buffer of the module: no caller chooses its elements

  bool IsPoint() const { return low.at && low.at == high.at; }
  bool IsKnown() const { return low.at && high.at; }
};

// Arithmetic of intervals over the symbols of one environment. Every function may throw an OpError of class Overflow.
class RangeMath {
 public:
  explicit RangeMath(ShapeEnv& env) : env_(env) {}

  ShapeEnv& env() const { return env_; }
  Sym Number(int64_t value) const {
    if (value < kLeastKept || value >= kLeastKept + kKept) return env_.Integer(value);
    Sym& kept = kept_[static_cast<size_t>(value - kLeastKept)];
    return kept ? kept : kept = env_.Integer(value);
  }
  Sym Of(Dim size) const { return size.IsSymbolic() ? size.Expression() : Number(*size.TryNumber()); }
  ValueRange Point(Sym value) const { return {{value, Met::Always()}, {value, Met::Always()}, true}; }
  // The interval from low to high. It is not known whether its ends are met.
  ValueRange Between(Sym low, Sym high) const { return {{low, {}}, {high, {}}}; }
  // Any number of the dtype. Of int64 and int32 no end is known, of uint64 no high one.
  ValueRange Any(ScalarType dtype) const;

  // Returns true if the condition holds for all sizes.
  bool Holds(Sym condition) const { return env_.Static(condition) == true; }
  bool IsAtMost(Sym a, Sym b) const {
    if (!a || !b) return false;
    return a->IsInteger() && b->IsInteger() ? a->integer <= b->integer : Holds(AtMost(a, b));
  }
  // Null counts as unknown, and so the result is null.
  Sym Least(Sym a, Sym b) const;
  Sym Greatest(Sym a, Sym b) const;
  // The least and the greatest of the ends that are known.
  Sym LeastKnown(Sym a, Sym b) const { return a && b ? Least(a, b) : a ? a : b; }
  Sym GreatestKnown(Sym a, Sym b) const { return a && b ? Greatest(a, b) : a ? a : b; }

  // Of two tensors that are combined element by element. `is_outer`: each element of the one meets each of the other.
  ValueRange Add(const ValueRange& a, const ValueRange& b, bool is_outer) const;
  ValueRange Multiply(const ValueRange& a, const ValueRange& b, bool is_outer) const;
  ValueRange Minimum(const ValueRange& a, const ValueRange& b, bool is_outer) const;
  ValueRange Maximum(const ValueRange& a, const ValueRange& b, bool is_outer) const;
  ValueRange Negate(const ValueRange& a) const;
  // Elements of either. An end is met only if it is so in both.
  ValueRange Join(const ValueRange& a, const ValueRange& b) const;
  // All elements times a number that is 0 or more.
  ValueRange Scale(const ValueRange& a, Sym factor) const;

  // The range itself, if all of it can be of the dtype, else any number of it: arithmetic wraps around.
  ValueRange Fit(ValueRange range, ScalarType dtype) const;
  // The elements as another dtype of integers or bools.
  ValueRange Cast(const ValueRange& range, ScalarType from, ScalarType to) const;

 private:
  // Returns true if the end is a number of `whole`, for all sizes.
  bool IsWithin(Sym end, Range whole) const;
  bool MayWrap(const ValueRange& a, const ValueRange& b) const;
  ValueRange AddEnds(const ValueRange& a, const ValueRange& b, bool is_outer) const;
  ValueRange CastToBool(const ValueRange& range) const;
  ValueRange Whole(const ValueRange& range, ScalarType dtype) const;
  Sym Extreme(Sym a, Sym b, bool greatest) const;
  ValueRange MultiplyNumbers(const ValueRange& a, const ValueRange& b) const;

  ShapeEnv& env_;
  // Small numbers, which most questions have.
  static constexpr int64_t kLeastKept = -2, kKept = 34;
  mutable std::array<Sym, kKept> kept_{};
};

// The range of some of the elements, in any order. They may miss the ends of the interval.
ValueRange SomeOf(ValueRange range);
// The range of all elements in another order or shape.
ValueRange Rearranged(ValueRange range);

// Whether an element of the result is at the end that two ends make together, such as the sum of two greatest elements.
Met BothMet(const Met& a, const Met& b, bool is_outer);

}  // namespace fakeprop
