// Makes the tensor of a placeholder. Fields of the spec win over what the graph recorded.
#pragma once

#include <vector>

#include "lib/inputs/evaluate_sizes.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/slots.h"

namespace fakeprop {

class TensorMaker {
 public:
  // `bases` has for each slot the base that it is a view of, or itself (FindViewBases). All of these must outlive the
  // TensorMaker.
  TensorMaker(const std::vector<Slot>& slots, const std::vector<int>& bases, SizeEvaluator& sizes)
      : slots_(slots), bases_(bases), sizes_(sizes) {}

  // Fills in what a tensor has. The slot is one of the slots. Throws SpecError or JsonError if the spec is wrong; adds
  // a diagnostic if the tensor is too large.
  void Make(const Slot& slot, InputValue& value);

 private:
  ScalarType DtypeOf(size_t position) const;
  Device DeviceOf(size_t position) const;
  void FillSizes(const Slot& slot, TensorMeta& meta);
  SparseInput ReadSparse(const SpecEntry& entry, const TensorMeta& meta);
  void FillStrides(const Slot& slot, TensorMeta& meta);
  void FillOffset(const Slot& slot, TensorMeta& meta);
  void FillLayout(const Slot& slot, TensorMeta& meta);

  const std::vector<Slot>& slots_;
  const std::vector<int>& bases_;
  SizeEvaluator& sizes_;
};

}  // namespace fakeprop
