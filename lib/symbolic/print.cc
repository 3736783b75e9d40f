// Prints expressions in the form that SymPy reads and PyTorch prints.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/symbolic/polynomial.h"

namespace fakeprop {
namespace {

enum Level { kSumLevel, kProductLevel, kPowerLevel, kAtomLevel };

Level LevelOf(Sym node) {
  switch (node->op) {
    case SymOp::kSum: return node->arguments.size() > 1 || node->integer != 0 ? kSumLevel : kProductLevel;
    case SymOp::kInteger: return node->integer < 0 ? kSumLevel : kAtomLevel;
    case SymOp::kReal: return node->real < 0 ? kSumLevel : kAtomLevel;
    case SymOp::kProduct: return node->arguments.size() > 1 ? kProductLevel : kPowerLevel;
    case SymOp::kFloatAdd:
    case SymOp::kAtMostZero:
    case SymOp::kFloatLess:
    case SymOp::kFloatAtMost: return kSumLevel;
    case SymOp::kFloatMul:
    case SymOp::kFloatDiv: return kProductLevel;
    case SymOp::kPow:
    case SymOp::kFloatPow: return kPowerLevel;
    default: return kAtomLevel;
  }
}

class Printer {
 public:
  std::string Print(Sym node, Level at_least) {
    const std::string text = Text(node);
    return LevelOf(node) < at_least ? "(" + text + ")" : text;
  }

 private:
  std::string Text(Sym node) {
    const auto& a = node->arguments;
    switch (node->op) {
      case SymOp::kInteger: return std::to_string(node->integer);
      case SymOp::kReal: return RealText(node->real);
      case SymOp::kTruth: return node->integer ? "True" : "False";
      case SymOp::kSymbol: return node->name;
      case SymOp::kSum: return SumText(PolynomialOf(node));
      case SymOp::kProduct: return ProductText(node);
      case SymOp::kFloorDiv: return "(" + Print(a[0], kProductLevel) + "//" + Print(a[1], kPowerLevel) + ")";
      case SymOp::kMod: return Call("Mod", node);
      case SymOp::kMin: return Call("Min", node);
      case SymOp::kMax: return Call("Max", node);
      case SymOp::kWhere: return Call("Where", node);
      case SymOp::kPow:
      case SymOp::kFloatPow: return Print(a[0], kAtomLevel) + "**" + Print(a[1], kAtomLevel);
      case SymOp::kToFloat: return Call("ToFloat", node);
      case SymOp::kTruncToInt: return Call("TruncToInt", node);
      case SymOp::kFloorToInt: return Call("floor", node);
      case SymOp::kCeilToInt: return Call("ceiling", node);
      case SymOp::kRoundToInt: return Call("RoundToInt", node);
      case SymOp::kFloatAdd: return Print(a[0], kSumLevel) + " + " + Print(a[1], kProductLevel);
      case SymOp::kFloatMul: return Print(a[0], kProductLevel) + "*" + Print(a[1], kPowerLevel);
      case SymOp::kFloatDiv: return Print(a[0], kPowerLevel) + "/" + Print(a[1], kPowerLevel);
      case SymOp::kFunction: return Call(node->name.c_str(), node);
      case SymOp::kEqualZero: return "Eq(" + Sides(a[0], ", ") + ")";
      case SymOp::kAtMostZero: return Sides(a[0], " <= ");
      case SymOp::kFloatEqual: return Call("Eq", node);
      case SymOp::kFloatLess: return Print(a[0], kSumLevel) + " < " + Print(a[1], kSumLevel);
      case SymOp::kFloatAtMost: return Print(a[0], kSumLevel) + " <= " + Print(a[1], kSumLevel);
      case SymOp::kAnd: return Call("And", node);
      case SymOp::kOr: return Call("Or", node);
      case SymOp::kNot: break;
    }
    if (a[0]->op == SymOp::kEqualZero) return "Ne(" + Sides(a[0]->arguments[0], ", ") + ")";
    return Call("Not", node);
  }

  std::string Call(const char* name, Sym node) {
    std::string out = std::string(name) + "(";
    for (size_t i = 0; i < node->arguments.size(); ++i) out += (i ? ", " : "") + Print(node->arguments[i], kSumLevel);
    return out + ")";
  }

  static std::string RealText(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-oo" : "oo";
    char buffer[32];
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }

  std::string ProductText(Sym node) {
    std::string out;
    for (size_t i = 0; i < node->arguments.size(); ++i) {
      out += (i ? "*" : "") + Print(node->arguments[i], kAtomLevel);
      if (node->coefficients[i] != 1) out += "**" + std::to_string(node->coefficients[i]);
    }
    return out;
  }

  static int64_t Degree(Sym monomial) {
    int64_t degree = 0;
    for (const auto& [factor, exponent] : FactorsOf(monomial)) degree += exponent;
    return degree;
  }

  std::string SumText(Polynomial p) {
    std::stable_sort(
        p.terms.begin(), p.terms.end(), [](const auto& a, const auto& b) { return Degree(a.first) > Degree(b.first); });
    // Terms that are added come before terms that are subtracted.
    std::stable_partition(p.terms.begin(), p.terms.end(), [](const auto& term) { return term.second > 0; });
    std::string out;
    for (const auto& [monomial, coefficient] : p.terms) {
      out += coefficient < 0 ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
      const std::string factor = std::to_string(coefficient);
      if (coefficient != 1 && coefficient != -1) out += (coefficient < 0 ? factor.substr(1) : factor) + "*";
      out += Print(monomial, kProductLevel);
    }
    if (p.constant == 0 && !out.empty()) return out;
    const std::string constant = std::to_string(p.constant);
    if (out.empty()) return constant;
    return out + (p.constant < 0 ? " - " + constant.substr(1) : " + " + constant);
  }

  // p == 0, p <= 0 with what is negative on the other side: "s0 <= 4", "s0 >= 2".
  std::string Sides(Sym node, const char* between) {
    const Polynomial p = PolynomialOf(node);
    Polynomial left, right;
    for (const auto& [monomial, coefficient] : p.terms) {
      const bool moves = coefficient < 0 && coefficient != INT64_MIN;
      (moves ? right : left).terms.emplace_back(monomial, moves ? -coefficient : coefficient);
    }
    // The number goes to the side that has no other term.
    const bool keep = p.constant == INT64_MIN || left.terms.empty() || (p.constant > 0 && !right.terms.empty());
    (keep ? left : right).constant = keep ? p.constant : -p.constant;
    if (!left.terms.empty()) return SumText(left) + between + SumText(right);
    return SumText(right) + (between[0] == ',' ? between : " >= ") + SumText(left);
  }
};

}  // namespace

std::string ToString(Sym node) { return Printer().Print(node, kSumLevel); }

}  // namespace fakeprop
