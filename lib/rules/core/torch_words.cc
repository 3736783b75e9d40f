#include "lib/rules/core/torch_words.h"

#include "lib/rules/core/failures.h"

namespace fakeprop {
namespace {

// The name of the kernel, which stands before it, differs from device to device.
constexpr std::string_view kNotImplemented = "not implemented for '{}'";

struct ClassWords {
  const DtypeClass* dtypes;
  std::string_view words;  // with {} for PyTorch's name of the dtype
};

constexpr ClassWords kClassWords[] = {{&kFloating, kNotImplemented}, {&kFloatingOrComplex, kNotImplemented},
    {&kIntegral, kNotImplemented}, {&kNotComplex, kNotImplemented}, {&kNotBool, kNotImplemented},
    {&kIndexDtype, "expected dtype int32/int64 for index"}};

}  // namespace

std::string TorchName(const Operand& argument) {
  const std::string quoted = argument.QuotedName();
  return quoted.substr(1, quoted.size() - 2);
}

std::string TorchSizes(DimSpan sizes) {
  std::string text;
  for (Dim size : sizes) text += (text.empty() ? "(" : " x ") + size.ToString();
  return text + ")";
}

std::string NoCpuKernel(std::string_view kernel, ScalarType dtype) {
  return Format("has no kernel for {} on the cpu: \"{}\" not implemented for '{}'", dtype, kernel, C10DtypeName(dtype));
}

void RequireCompiled(const Call& call, std::string_view kernel, ScalarType dtype, Dtypes refused) {
  if (call.OnCpu() && refused.Has(dtype)) FailDtype(call, NoCpuKernel(kernel, dtype));
}

std::string WithTorchWords(std::string refusal, ScalarType dtype) {
  const std::string_view name = C10DtypeName(dtype);
  for (const ClassWords& known : kClassWords)
    if (refusal == Text(known.dtypes->text).ToString(Shown(dtype)))
      return refusal + ": " + Text(known.words).ToString(Shown(name));
  return refusal;
}

}  // namespace fakeprop
