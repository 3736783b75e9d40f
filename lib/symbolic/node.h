// An expression over symbols: integers in canonical form, floats and bools above them.
//
// An ExpressionArena makes and owns the nodes. Equal expressions are one node, and every node has its value at the
// hints of its symbols. The functions below simplify what holds for all integers. What holds only within ranges or by
// facts is up to the ShapeEnv. Semantics: torch/utils/_sympy/functions.py (torch 2.13).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fakeprop {

class ExpressionArena;
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
  kAtMostZero,  // with kEqualZero the only comparisons of integers: others are rewritten to these
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
  bool is_unbacked = false;  // a symbol in it has no hint
  uint32_t id = 0;           // in order of creation
  uint16_t depth = 1;
  uint16_t size = 1;                 // how many nodes the expression has when it is written out
  mutable uint32_t range_epoch = 0;  // KnownRanges': when it last computed low and high
  uint64_t symbols = 0;              // which symbols it may have: bit (index % 64)
  int64_t integer = 0;               // kInteger, kTruth, kSum's constant; a kSymbol's index
  double real = 0;                   // kReal
  ExpressionArena* arena = nullptr;  // owns the node, and makes expressions over it
  ShapeEnv* env = nullptr;           // answers questions about it
  std::vector<const SymNode*> arguments;
  std::vector<int64_t> coefficients;
  std::string name;                   // of a kSymbol or kFunction
  std::optional<SymNumber> hint;      // its value at the hints; none if unbacked or beyond 64 bits
  mutable int64_t low = 0, high = 0;  // KnownRanges': the range last computed

  bool IsInteger() const { return op == SymOp::kInteger; }
  bool IsInteger(int64_t value) const { return op == SymOp::kInteger && integer == value; }
  bool IsConstant() const { return op <= SymOp::kTruth; }
};
using Sym = const SymNode*;

// All of these throw an OpError of class Overflow if a number leaves int64 or the expression is too large.
// ---- integers
Sym Add(Sym a, Sym b);
Sym Subtract(Sym a, Sym b);
Sym Multiply(Sym a, Sym b);
Sym Scale(Sym a, int64_t factor);
// Floor division and modulo as in Python. Throw an OpError of class ValueError if the divisor is the constant 0.
Sym FloorDivide(Sym a, Sym b);
Sym Modulo(Sym a, Sym b);
Sym Minimum(Sym a, Sym b);
Sym Maximum(Sym a, Sym b);
Sym Power(Sym base, Sym exponent);
// The quotient of two polynomials; null if there is a remainder.
Sym TryDivideExactly(Sym a, Sym b);

// ---- floats. Arguments that are integers become floats if they have to.
Sym ToFloat(Sym a);
// The op is kFloatAdd, kFloatMul, kFloatDiv or kFloatPow. Throws an OpError of class ValueError if it divides by the
// constant 0.
Sym FloatArithmetic(SymOp op, Sym a, Sym b);
// Rounds a float; the op is kTruncToInt, kFloorToInt, kCeilToInt or kRoundToInt. An integer is returned as it is.
Sym RoundWith(SymOp op, Sym a);
// A function of Python's math by its name: "sqrt", "exp" ...
Sym ApplyFunction(const std::string& name, Sym a);

// ---- bools
Sym Equal(Sym a, Sym b);
Sym Less(Sym a, Sym b);
Sym AtMost(Sym a, Sym b);
Sym Not(Sym a);
Sym And(Sym a, Sym b);
Sym Or(Sym a, Sym b);
// `a` if the condition holds, else `b`. These may have any type.
Sym Where(Sym condition, Sym a, Sym b);

// The value of the node's operation on these values; nothing if it is undefined or leaves 64 bits.
std::optional<SymNumber> ApplyOperation(const SymNode& node, std::span<const SymNumber> arguments);
// The value of a function of Python's math by its name; nothing if there is no such function.
std::optional<double> ApplyRealFunction(const std::string& name, double x);

// The expression as SymPy reads it: "2*s0 + 1".
std::string ToString(Sym node);

}  // namespace fakeprop
