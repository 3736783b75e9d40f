// Windows of signals: hann_window and kin.
// Source: aten/src/ATen/native/TensorFactories.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

// A periodic window is computed with one element more, which is then cut off.
// Source: hann_window.
bool IsPeriodic(const Call& call) { return !call.Declares("periodic") || call.Bool("periodic"); }

// hann_window and kin. The arguments between the length and the options decide the values alone.
void Window(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireDtype(call, dtype, kFloatingOrComplex);
  const Dim length = call.DimArg("window_length");
  // A window of one element holds 1. Longer ones start with a range, and there are no complex ranges.
  const bool is_long = Guard(Gt(length, 1));
  if (IsComplex(dtype) && is_long) RequireDtype(call, dtype, kFloating);
  Output& window = ReturnFactory(call, Dims{length}, dtype);
  if (!is_long || !IsPeriodic(call)) return;
  // The greater part of a window of one more element.
  window.nbytes = StorageNbytes(ContiguousMeta(Dims{length + 1}, dtype, window.meta.device));
  window.ends_in_view = true;
}

constexpr RuleRow kRows[] = {
    {"aten::bartlett_window", Window},
    {"aten::bartlett_window.periodic", Window},
    {"aten::blackman_window", Window},
    {"aten::blackman_window.periodic", Window},
    {"aten::hann_window", Window},
    {"aten::hann_window.periodic", Window},
    {"aten::hamming_window", Window},
    {"aten::hamming_window.periodic", Window},
    {"aten::hamming_window.periodic_alpha", Window},
    {"aten::hamming_window.periodic_alpha_beta", Window},
    {"aten::kaiser_window", Window},
    {"aten::kaiser_window.periodic", Window},
    {"aten::kaiser_window.beta", Window},
};

}  // namespace

RuleRows WindowRules() { return kRows; }

}  // namespace fakeprop::rules
