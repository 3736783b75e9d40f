#include "lib/rules/derived/out_forms.h"

#include <algorithm>
#include <string_view>

#include "lib/schema/schema_flags.h"

namespace fakeprop {
namespace {

// A CPU kernel that resizes its out tensor to a memory format, which sets the strides of one that has the sizes
// already.
struct Restriding {
  std::string_view op;
  int from_rank;  // results of lower ranks leave the strides alone
  int to_rank = 5;
};

// Found by asking eager (tools/dev/programs/sweep.py --vary outs; torch 2.13). Sorted.
constexpr Restriding kRestriding[] = {
    {"aten::_adaptive_avg_pool2d", 4},
    {"aten::_slow_conv2d_forward", 4},
    {"aten::col2im", 3, 3},
    {"aten::im2col", 2, 2},
    {"aten::max_pool3d_with_indices", 5},
    {"aten::max_pool3d_with_indices_backward", 4},
    {"aten::max_unpool2d", 4},
    {"aten::reflection_pad2d", 4},
    {"aten::reflection_pad2d_backward", 3},
    {"aten::reflection_pad3d", 4},
    {"aten::reflection_pad3d_backward", 4},
    {"aten::replication_pad2d", 3},
    {"aten::replication_pad2d_backward", 3},
    {"aten::replication_pad3d", 4},
    {"aten::replication_pad3d_backward", 4},
    {"aten::thnn_conv2d", 4},
};

}  // namespace

// Generated forms call the functional operator, check, and copy: what is said of kernels is not said of them.
OutDtype OutDtypeIn(const Call& out_form, const Schema& functional, const OperatorFacts& facts) {
  if (out_form.schema().Has(kTagGenerated))
    return facts.out_dtype == OutDtype::kBoolOrByte ? facts.out_dtype : OutDtype::kExact;
  const OutDtype dtype = facts.out_dtype_of ? facts.out_dtype_of(out_form) : facts.out_dtype;
  if (dtype == OutDtype::kByTag) return functional.Has(kTagPointwise) ? OutDtype::kCast : OutDtype::kExact;
  if (dtype == OutDtype::kAnyOnCpu) return out_form.device().is_cpu() ? OutDtype::kAny : OutDtype::kCast;
  return dtype;
}

bool KeepsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& out) {
  if (out_form.schema().Has(kTagGenerated)) return false;
  if (facts.out_strides == OutStrides::kOfResultEverywhere) return true;
  // Only the cpu's kernels were there to be asked; for others it is FakeTensorMode that speaks.
  if (!out.device.is_cpu()) return false;
  return (facts.out_strides_of ? facts.out_strides_of(out_form) : facts.out_strides) != OutStrides::kContiguous;
}

bool SetsStridesInOut(const Call& out_form, const Schema& functional, const TensorMeta& result) {
  if (out_form.schema().Has(kTagGenerated) || !out_form.device().is_cpu()) return false;
  const auto it = std::ranges::lower_bound(kRestriding, functional.full_name, {}, &Restriding::op);
  return it != std::end(kRestriding) && it->op == functional.full_name && result.rank() >= it->from_rank &&
         result.rank() <= it->to_rank;
}

bool MayOverlapInOut(const Schema& out_form, const OperatorFacts& facts) {
  return !out_form.Has(kTagGenerated) && facts.overlap != Overlap::kRefused;
}

}  // namespace fakeprop
