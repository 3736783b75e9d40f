// Random numbers from explicit keys: uint64 tensors whose last dimension of 2 holds a seed and an offset.
// Source: meta_philox_* in torch/_meta_registrations.py (torch 2.13); the cpu has no kernels of these.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

void CheckKey(const Call& call, const TensorMeta& key) {
  if (key.rank() == 0 || !Expect(Eq(key.sizes.back(), 2)))
    FailShape(call, "takes keys whose last dimension is 2, but got shape " + ToString(key.size_span()));
  if (key.dtype != ScalarType::UInt64) FailDtype(call, "takes uint64 keys, not " + std::string(DtypeName(key.dtype)));
}

void SplitKey(Call& call) {
  const TensorMeta& key = call.Meta(0);
  CheckKey(call, key);
  const Dim count = call.DimArg(1);
  if (!Expect(Gt(count, 0))) FailValue(call, "splits a key into at least one, not " + count.ToString());
  Dims sizes = {count};
  sizes.append(key.sizes.begin(), key.sizes.end());
  ReturnContiguous(call, sizes, key.dtype);
}

void FoldIntoKey(Call& call) {
  CheckKey(call, call.Meta(0));
  ReturnLike(call, call.Meta(0), call.Meta(0).dtype);
}

// A batch of keys has one for each element, or for each of those that a size of 1 stands for.
void CheckKeysFor(const Call& call, const TensorMeta& self, const TensorMeta& key) {
  if (key.rank() == 1) return;
  bool fits = key.rank() == self.rank() + 1;
  for (int64_t d = 0; fits && d < self.rank(); ++d)
    fits = Expect(Or(Eq(key.sizes[d], 1), Eq(key.sizes[d], self.sizes[d])));
  if (!fits)
    FailShape(call, "takes one key or one for each element of " + ToString(self.size_span()) + ", but got shape " +
                        ToString(key.size_span()));
}

// self drawn anew.
void DrawLike(Call& call) {
  const TensorMeta& self = call.Meta(0);
  RequireFloat(call, self.dtype);
  CheckKey(call, call.Meta(1));
  CheckKeysFor(call, self, call.Meta(1));
  ReturnLike(call, self, self.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::_philox_key_split", SplitKey},
    {"aten::_philox_key_fold_in", FoldIntoKey},
    {"aten::_philox_normal", DrawLike},
    {"aten::_philox_uniform", DrawLike},
};

}  // namespace

RuleRows PhiloxRules() { return kRows; }

}  // namespace fakeprop::rules
