#include "lib/fake/layout_conversion.h"

#include <ATen/core/Tensor.h>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/fake/converter.h"
#include "lib/fake/symbolize.h"
#include "lib/meta/identical_dims.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop::fake {
namespace {

using dispatch::PartsInside;
using dispatch::TensorParts;

class LayoutConversion {
 public:
  LayoutConversion(ModeState& mode, const at::Tensor& real, c10::Device device, const FromRealOptions& options)
      : mode_(mode), real_(real), device_(device), options_(options), parts_(dispatch::PartsOf(real)) {}

  at::Tensor Run() {
    TensorMeta meta = dispatch::ReadLayoutMeta(real_);
    meta.device = FromTorch(device_);
    const Dims sizes = meta.sizes;
    SymbolizeSizes(meta.sizes, options_);
    if (!parts_.values) return dispatch::MakeFakeOpaque(meta, dispatch::MakeFakeStorage(StorageNbytes(meta), device_));
    const bool has_symbols = !AreIdentical(sizes, meta.sizes);
    return dispatch::MakeFakeSparse(meta, has_symbols ? NewParts(meta) : ConvertParts());
  }

 private:
  TensorParts ConvertParts() {
    const auto convert = [&](const at::Tensor* part) {
      return part ? FromReal(mode_, *part, device_, {.static_shapes = true}) : at::Tensor();
    };
    return {convert(parts_.values), convert(parts_.indices), convert(parts_.plain), parts_.is_coalesced};
  }

  TensorParts NewParts(const TensorMeta& meta) {
    std::vector<Output> made = meta.layout == Layout::Sparse ? CooParts(meta) : CompressedParts(meta);
    const auto make = [&](size_t i) {
      if (i >= made.size()) return at::Tensor();
      const TensorMeta& part = made[i].meta;
      return dispatch::MakeFakeTensor(part, dispatch::MakeFakeStorage(StorageNbytes(part), device_));
    };
    return {make(0), make(1), make(2), parts_.is_coalesced};
  }

  std::vector<Output> CooParts(const TensorMeta& meta) {
    return rules::NewParts(rules::CooResult{meta.sizes, meta.dtype, parts_.indices->size(0), Nnz(0)}, meta.device);
  }

  std::vector<Output> CompressedParts(const TensorMeta& meta) {
    const int64_t batch = parts_.indices->dim() - 1;
    const bool in_blocks = rules::IsInBlocks(meta.layout);
    const int64_t dense = parts_.values->dim() - batch - 1 - (in_blocks ? 2 : 0);
    Dims block;
    if (in_blocks) block = {parts_.values->size(batch + 1), parts_.values->size(batch + 2)};
    return rules::NewParts(rules::CompressedResult{meta.sizes, meta.dtype, meta.layout, Nnz(batch), dense, block,
                               FromTorch(parts_.indices->scalar_type())},
        meta.device);
  }

  // A number of its own, even if it is equal to a size.
  Dim Nnz(int64_t dim) {
    Dims nnz{parts_.values->size(dim)};
    SymbolizeSizes(nnz, {.dims = {DimDynamic::kDynamic}, .source = options_.source + "._values()"});
    return nnz[0];
  }

  void SymbolizeSizes(Dims& sizes, const FromRealOptions& options) {
    const auto& env = mode_.options().shape_env;
    if (!env || options_.static_shapes) return;
    TensorMeta meta = ContiguousMeta(sizes, ScalarType::Float, FromTorch(device_));
    Symbolize(meta, env, options);
    sizes = meta.sizes;
  }

  ModeState& mode_;
  const at::Tensor& real_;
  const c10::Device device_;
  const FromRealOptions& options_;
  const PartsInside parts_;
};

}  // namespace

at::Tensor ConvertLayout(ModeState& mode, const at::Tensor& real, c10::Device device, const FromRealOptions& options) {
  return LayoutConversion(mode, real, device, options).Run();
}

}  // namespace fakeprop::fake
