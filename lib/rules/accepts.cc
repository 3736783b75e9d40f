#include "lib/rules/accepts.h"

#include "lib/meta/dtype.h"
#include "lib/rules/results.h"

namespace fakeprop {
namespace {

std::string_view Describe(Accepts accepts) {
  switch (accepts) {
    case Accepts::kAll: return "any";
    case Accepts::kReal: return "real";
    case Accepts::kNumbers: return "non-bool";
    case Accepts::kRealNumbers: return "real non-bool";
    case Accepts::kIntegral: return "integral or bool";
    case Accepts::kIntegers: return "integral";
    case Accepts::kFloat: return "floating-point";
    case Accepts::kFloatOrComplex: return "floating-point or complex";
  }
  return "any";
}

}  // namespace

bool Accepted(Accepts accepts, ScalarType dtype) {
  const bool is_bool = dtype == ScalarType::Bool;
  switch (accepts) {
    case Accepts::kAll: return true;
    case Accepts::kReal: return !IsComplex(dtype);
    case Accepts::kNumbers: return !is_bool;
    case Accepts::kRealNumbers: return !is_bool && !IsComplex(dtype);
    case Accepts::kIntegral: return IsIntegral(dtype);
    case Accepts::kIntegers: return IsIntegral(dtype) && !is_bool;
    case Accepts::kFloat: return IsFloat(dtype);
    case Accepts::kFloatOrComplex: return IsFloatOrComplex(dtype);
  }
  return true;
}

void RequireAccepted(const Call& call, Accepts accepts, ScalarType dtype) {
  if (Accepted(accepts, dtype)) return;
  FailDtype(call, "takes " + std::string(Describe(accepts)) + " tensors, not " + std::string(DtypeName(dtype)));
}

}  // namespace fakeprop
