// An expression over symbols: integers in canonical form, floats and bools above them.
//
// Nodes are hash-consed by the ShapeEnv that owns them, so equal expressions are one pointer, and every node carries
// its value at the symbols' hints. Functions that make nodes simplify what holds for all integers; what holds within
// ranges and under facts only is ShapeEnv's business. Semantics: torch/utils/_sympy/functions.py (torch 2.13).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fakeprop {

class ShapeEnv;

enum class SymOp : uint8_t {
  kInteger,
  kReal,
  kTruth,
  kSymbol,
  kSum,      // integer + coefficients[i] * arguments[i]; the arguments are products or atoms
  kProduct,  // arguments[i] ** coefficients[i]
  kFloorDiv,
  kMod,
  kMin,
  kMax,
  kWhere,
  kPow,
  kToFloat,
  kTruncToInt,
  kFloorToInt,
  kCeilToInt,
  kRoundToInt,
  kFloatAdd,
  kFloatMul,
  kFloatDiv,
  kFloatPow,
  kFunction,
  kEqualZero,
  kAtMostZero,  // of an integer; all comparisons of integers come down to these
  kFloatEqual,
  kFloatLess,
  kFloatAtMost,
  kAnd,
  kOr,
  kNot,
};

enum class SymType : uint8_t { kInt, kFloat, kBool };

// A value of an expression: `integer` of ints and bools, `real` of floats.
struct SymNumber {
  SymType type = SymType::kInt;
  int64_t integer = 0;
  double real = 0;

  static SymNumber Of(int64_t v) { return {SymType::kInt, v, 0}; }
  static SymNumber Of(double v) { return {SymType::kFloat, 0, v}; }
  static SymNumber Of(bool v) { return {SymType::kBool, v, 0}; }
  double AsReal() const { return type == SymType::kFloat ? real : static_cast<double>(integer); }
  bool Truth() const { return type == SymType::kFloat ? real != 0 : integer != 0; }
};

struct SymNode {
  SymOp op = SymOp::kInteger;
  SymType type = SymType::kInt;
  bool is_unbacked = false;  // a symbol in it has no hint, and never will
  uint32_t id = 0;           // in order of creation
  uint32_t depth = 1;
  uint32_t size = 1;     // of the expression written out
  uint64_t symbols = 0;  // which symbols it may have: bit (index % 64)
  int64_t integer = 0;   // kInteger, kTruth, kSum's constant; a kSymbol's index
  double real = 0;       // kReal
  ShapeEnv* env = nullptr;
  std::vector<const SymNode*> arguments;
  std::vector<int64_t> coefficients;
  std::string name;               // of a kSymbol or kFunction
  std::optional<SymNumber> hint;  // nothing where unbacked, or beyond 64 bits
  // ShapeEnv's: the range last computed, and the state of knowledge it was computed in.
  mutable int64_t low = 0, high = 0;
  mutable uint32_t range_epoch = 0;

  bool IsInteger() const { return op == SymOp::kInteger; }
  bool IsInteger(int64_t value) const { return op == SymOp::kInteger && integer == value; }
  bool IsConstant() const { return op <= SymOp::kTruth; }
};
using Sym = const SymNode*;

// ---- integers. What leaves int64 is an OpError of class Overflow, as is an expression too large to be one.
Sym Add(Sym a, Sym b);
Sym Subtract(Sym a, Sym b);
Sym Multiply(Sym a, Sym b);
Sym Scale(Sym a, int64_t factor);
// Floor division and modulo as Python has them; by a constant zero an OpError of class ValueError.
Sym FloorDivide(Sym a, Sym b);
Sym Modulo(Sym a, Sym b);
Sym Minimum(Sym a, Sym b);
Sym Maximum(Sym a, Sym b);
Sym Power(Sym base, Sym exponent);
// The quotient of polynomials, where there is no remainder.
Sym TryDivideExactly(Sym a, Sym b);

// ---- floats; integers become floats where they have to.
Sym ToFloat(Sym a);
// kFloatAdd, kFloatMul, kFloatDiv, kFloatPow.
Sym FloatArithmetic(SymOp op, Sym a, Sym b);
// kTruncToInt, kFloorToInt, kCeilToInt, kRoundToInt of a float; an integer is itself.
Sym RoundWith(SymOp op, Sym a);
// A function of math: "sqrt", "exp" ...
Sym ApplyFunction(const std::string& name, Sym a);

// ---- bools
Sym Equal(Sym a, Sym b);
Sym Less(Sym a, Sym b);
Sym AtMost(Sym a, Sym b);
Sym Not(Sym a);
Sym And(Sym a, Sym b);
Sym Or(Sym a, Sym b);
// `a` where the condition holds, else `b`; of any type.
Sym Where(Sym condition, Sym a, Sym b);

// The value of one operation on values; nothing where it is undefined or beyond 64 bits.
std::optional<SymNumber> ApplyOperation(const SymNode& node, std::span<const SymNumber> arguments);
// A function of math by its name; nothing where it is none.
std::optional<double> ApplyRealFunction(const std::string& name, double x);

// "2*s0 + 1": as SymPy reads it.
std::string ToString(Sym node);

}  // namespace fakeprop
