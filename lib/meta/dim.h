// A size, stride or offset, and the questions that a rule can ask about it.
//
// A Dim is a number or an expression over symbols (lib/symbolic), in the 8 bytes of a number. It has no comparison
// operators that return a bool, on purpose: a comparison gives a Cond, and a rule has to choose how to ask it, so that
// no rule adds a guard by accident. Questions about numbers are answered inline. Questions about symbols go to the
// ShapeEnv of the expression.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/base/check.h"
#include "lib/base/small_vector.h"

namespace fakeprop {

struct SymNode;

class Dim {
 public:
  constexpr Dim() = default;
  constexpr Dim(int64_t value) : bits_(value) {  // NOLINT: numbers are dimensions
    if (IsTagged(value)) FailReserved();
  }
  // Makes a Dim of an integer expression. A constant becomes a number.
  static Dim Of(const SymNode* expression);

  // The number, or nothing if it is an expression.
  std::optional<int64_t> TryNumber() const { return IsSymbolic() ? std::nullopt : std::optional(bits_); }
  // The number. An expression is specialised to its hint, and a guard records that.
  int64_t Specialize() const { return IsSymbolic() ? SpecializeSymbol() : bits_; }

  bool IsSymbolic() const { return IsTagged(bits_); }
  // The expression. The Dim must be symbolic.
  const SymNode* Expression() const { return reinterpret_cast<const SymNode*>(bits_ & kPointerMask); }
  // The number, or the value at the symbols' hints. Nothing if it depends on data.
  std::optional<int64_t> Hint() const;

  // These throw an OpError of class Overflow if the result leaves int64.
  friend Dim operator+(Dim a, Dim b) {
    int64_t out;
    return Plain(a, b) && !__builtin_add_overflow(a.bits_, b.bits_, &out) ? Dim(out) : SlowAdd(a, b);
  }
  friend Dim operator-(Dim a, Dim b) {
    int64_t out;
    return Plain(a, b) && !__builtin_sub_overflow(a.bits_, b.bits_, &out) ? Dim(out) : SlowSubtract(a, b);
  }
  friend Dim operator*(Dim a, Dim b) {
    int64_t out;
    return Plain(a, b) && !__builtin_mul_overflow(a.bits_, b.bits_, &out) ? Dim(out) : SlowMultiply(a, b);
  }
  friend Dim operator-(Dim a) { return Dim(0) - a; }
  Dim& operator+=(Dim b) { return *this = *this + b; }
  Dim& operator-=(Dim b) { return *this = *this - b; }
  Dim& operator*=(Dim b) { return *this = *this * b; }

  // "3", "2*s0 + 1".
  std::string ToString() const { return IsSymbolic() ? SymbolText() : std::to_string(bits_); }

  // Returns true if both are numbers: the inline path.
  static bool Plain(Dim a, Dim b) { return !a.IsSymbolic() && !b.IsSymbolic(); }
  int64_t raw() const { return bits_; }

 private:
  // Addresses have 48 bits, so a number with these top bits stands for an address. Numbers with the same top bits, near
  // -2**63 but not -2**63 itself, cannot be Dims.
  static constexpr uint64_t kTag = 0x8001;
  static constexpr int64_t kPointerMask = 0xffffffffffff;
  static constexpr bool IsTagged(int64_t v) { return static_cast<uint64_t>(v) >> 48 == kTag; }
  [[noreturn]] static void FailReserved();
  static Dim SlowAdd(Dim a, Dim b);
  static Dim SlowSubtract(Dim a, Dim b);
  static Dim SlowMultiply(Dim a, Dim b);
  int64_t SpecializeSymbol() const;
  std::string SymbolText() const;

  int64_t bits_ = 0;
};

// Floor division and modulo as in Python. Throw an OpError of class ValueError at a division by zero.
Dim FloorDiv(Dim a, Dim b);
Dim CeilDiv(Dim a, Dim b);
Dim Mod(Dim a, Dim b);
Dim Max(Dim a, Dim b);
Dim Min(Dim a, Dim b);

// A comparison that has not been asked yet.
class Cond {
 public:
  constexpr explicit Cond(bool value) : bits_(value) {}
  // Makes a Cond of a bool expression.
  static Cond Of(const SymNode* expression);

  friend Cond operator!(Cond a) { return a.IsSymbolic() ? Not(a) : Cond(!a.bits_); }
  friend Cond And(Cond a, Cond b) {
    return a.IsSymbolic() || b.IsSymbolic() ? SlowAnd(a, b) : Cond(a.bits_ && b.bits_);
  }
  friend Cond Or(Cond a, Cond b) { return a.IsSymbolic() || b.IsSymbolic() ? SlowOr(a, b) : Cond(a.bits_ || b.bits_); }

  // Returns true if it is known to hold for every value of the symbols. Adds no guard.
  friend bool Known(Cond c) { return c.IsSymbolic() ? c.AskKnown() : c.bits_; }
  // Decides at the hints if necessary, and records that as a guard.
  friend bool Guard(Cond c) { return c.IsSymbolic() ? c.AskGuard() : c.bits_; }
  // As Guard, but returns false if the answer depends on data.
  friend bool GuardOrFalse(Cond c) { return c.IsSymbolic() ? c.AskGuardOr(false) : c.bits_; }
  friend bool GuardOrTrue(Cond c) { return c.IsSymbolic() ? c.AskGuardOr(true) : c.bits_; }
  // Returns false if the condition is known to be false. Else relies on it and returns true; a condition on data
  // becomes a runtime assertion.
  friend bool Expect(Cond c) { return c.IsSymbolic() ? c.AskExpect() : c.bits_; }

  bool IsSymbolic() const { return bits_ > 1; }
  const SymNode* Expression() const { return reinterpret_cast<const SymNode*>(bits_); }

 private:
  static Cond Not(Cond a);
  static Cond SlowAnd(Cond a, Cond b);
  static Cond SlowOr(Cond a, Cond b);
  bool AskKnown() const;
  bool AskGuard() const;
  bool AskGuardOr(bool otherwise) const;
  bool AskExpect() const;

  uintptr_t bits_;  // 0, 1 or an expression
};

bool Known(Cond c);
bool Guard(Cond c);
bool GuardOrFalse(Cond c);
bool GuardOrTrue(Cond c);
bool Expect(Cond c);

Cond SlowEq(Dim a, Dim b);
Cond SlowLt(Dim a, Dim b);
Cond SlowLe(Dim a, Dim b);

// Sizes or strides of one tensor. An index out of range is a bug of a rule. It throws an InternalError and does not
// crash.
class Dims : public SmallVector<Dim, 6> {
  using Base = SmallVector<Dim, 6>;

 public:
  using Base::Base;
  template <typename Iterator>
  void append(Iterator first, Iterator last) {
    insert(end(), first, last);
  }
  void append(size_t count, Dim value) { insert(end(), count, value); }
  Dim pop_back_val() {
    const Dim last = back();
    pop_back();
    return last;
  }
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
// Returns true if both have the same length and are equal in each place. Adds guards.
bool GuardSame(DimSpan a, DimSpan b);
// The same, but returns false if the answer depends on data.
bool GuardSameOrFalse(DimSpan a, DimSpan b);
// The same with Expect.
bool ExpectSame(DimSpan a, DimSpan b);

inline Cond Eq(Dim a, Dim b) { return Dim::Plain(a, b) ? Cond(a.raw() == b.raw()) : SlowEq(a, b); }
inline Cond Ne(Dim a, Dim b) { return !Eq(a, b); }
inline Cond Lt(Dim a, Dim b) { return Dim::Plain(a, b) ? Cond(a.raw() < b.raw()) : SlowLt(a, b); }
inline Cond Le(Dim a, Dim b) { return Dim::Plain(a, b) ? Cond(a.raw() <= b.raw()) : SlowLe(a, b); }
inline Cond Gt(Dim a, Dim b) { return Lt(b, a); }
inline Cond Ge(Dim a, Dim b) { return Le(b, a); }

}  // namespace fakeprop
