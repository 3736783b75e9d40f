// A size, stride or offset, and the questions that a rule may ask about it.
//
// Dim has no comparison operators on purpose. A comparison gives a Cond, and a Cond is asked by kind, so that no rule
// guards by accident once sizes can be symbolic: today each question has a plain answer, a symbolic Dim adds answers
// and changes no rule.
#pragma once

#include <c10/util/SmallVector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/base/check.h"

namespace fakeprop {

class Dim {
 public:
  constexpr Dim() = default;
  constexpr Dim(int64_t value) : value_(value) {}  // NOLINT: numbers are dimensions

  // The number, where it is one.
  std::optional<int64_t> TryNumber() const { return value_; }
  // The number; specialises a symbol to its hint and records that.
  int64_t Specialize() const { return value_; }

  // A product or sum that leaves int64 is an OpError of class Overflow.
  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);
  friend Dim operator-(Dim a) { return Dim(0) - a; }
  Dim& operator+=(Dim b) { return *this = *this + b; }
  Dim& operator-=(Dim b) { return *this = *this - b; }
  Dim& operator*=(Dim b) { return *this = *this * b; }

  std::string ToString() const { return std::to_string(value_); }

 private:
  int64_t value_ = 0;
};

// Floor division and modulo as Python has them; division by zero is an OpError of class ValueError.
Dim FloorDiv(Dim a, Dim b);
Dim CeilDiv(Dim a, Dim b);
Dim Mod(Dim a, Dim b);
Dim Max(Dim a, Dim b);
Dim Min(Dim a, Dim b);

// The truth of a comparison, not yet asked for.
class Cond {
 public:
  constexpr explicit Cond(bool value) : value_(value) {}
  friend Cond operator!(Cond a) { return Cond(!a.value_); }
  friend Cond And(Cond a, Cond b) { return Cond(a.value_ && b.value_); }
  friend Cond Or(Cond a, Cond b) { return Cond(a.value_ || b.value_); }

  // Holds for every value of the symbols; asking adds no guard.
  friend bool Known(Cond c) { return c.value_; }
  // Decides, and records the answer as a guard.
  friend bool Guard(Cond c) { return c.value_; }
  // Decides where that needs no new assumption about data, else the default.
  friend bool GuardOrFalse(Cond c) { return c.value_; }
  friend bool GuardOrTrue(Cond c) { return c.value_; }
  // Whether the condition may be relied on: false where it is known to be wrong, else recorded as a runtime assertion.
  friend bool Expect(Cond c) { return c.value_; }

 private:
  bool value_;
};

Cond Eq(Dim a, Dim b);
Cond Ne(Dim a, Dim b);
Cond Lt(Dim a, Dim b);
Cond Le(Dim a, Dim b);
Cond Gt(Dim a, Dim b);
Cond Ge(Dim a, Dim b);

// Sizes or strides of one tensor. An index out of range is a bug of a rule: an InternalError, not a crash.
class Dims : public c10::SmallVector<Dim, 6> {
 public:
  using c10::SmallVector<Dim, 6>::SmallVector;
  Dim& operator[](size_t i) { return begin()[Checked(i)]; }
  const Dim& operator[](size_t i) const { return begin()[Checked(i)]; }
  Dim& back() { return (*this)[size() - 1]; }
  const Dim& back() const { return (*this)[size() - 1]; }

 private:
  size_t Checked(size_t i) const {
    FAKEPROP_CHECK(i < size());
    return i;
  }
};
using DimSpan = std::span<const Dim>;

// "[2, 3]", as sizes are written in messages.
std::string ToString(DimSpan dims);
// All pairwise equal, as a guard, and of one length.
bool GuardSame(DimSpan a, DimSpan b);

inline Cond Eq(Dim a, Dim b) { return Cond(*a.TryNumber() == *b.TryNumber()); }
inline Cond Ne(Dim a, Dim b) { return !Eq(a, b); }
inline Cond Lt(Dim a, Dim b) { return Cond(*a.TryNumber() < *b.TryNumber()); }
inline Cond Le(Dim a, Dim b) { return Cond(*a.TryNumber() <= *b.TryNumber()); }
inline Cond Gt(Dim a, Dim b) { return Lt(b, a); }
inline Cond Ge(Dim a, Dim b) { return Le(b, a); }

}  // namespace fakeprop
