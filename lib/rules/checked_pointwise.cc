#include "lib/rules/checked_pointwise.h"

#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

void RequireNotBool(const Call& call, ScalarType dtype) {
  if (dtype == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors");
}

void RequireIntegral(const Call& call, ScalarType dtype) {
  if (!IsIntegral(dtype)) FailDtype(call, "takes integral tensors, not " + std::string(DtypeName(dtype)));
}

}  // namespace

void RequireDtype(const Call& call, ScalarType dtype, Takes takes) {
  switch (takes) {
    case Takes::kAny: return;
    case Takes::kNotComplex: return RequireNotComplex(call, dtype);
    case Takes::kNotBool: return RequireNotBool(call, dtype);
    case Takes::kReal: RequireNotComplex(call, dtype); return RequireNotBool(call, dtype);
    case Takes::kFloat: return RequireFloat(call, dtype);
    case Takes::kFloatOrComplex: return RequireFloatOrComplex(call, dtype);
    case Takes::kIntegral: return RequireIntegral(call, dtype);
    case Takes::kInteger: RequireIntegral(call, dtype); return RequireNotBool(call, dtype);
  }
}

}  // namespace fakeprop
