// Random numbers from explicit keys: uint64 tensors whose last dimension of 2 holds a seed and an offset.
// Source: meta_philox_* in torch/_meta_registrations.py (torch 2.15); the cpu has no kernels of most.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

Operand CheckedKey(const Call& call) {
  const Operand key = call.In("key");
  key.Require(
      key->rank() != 0 && Expect(Eq(key->sizes.back(), 2)), "takes keys whose last dimension is 2, but got shape {}");
  return key.Takes(ScalarType::UInt64, "takes uint64 keys, not {}");
}

void SplitKey(Call& call) {
  const Operand key = CheckedKey(call);
  const Dim count = call.DimArg("num_splits");
  RequireValue(call, Gt(count, 0), {"splits a key into at least one, not {}", count});
  Dims sizes = {count};
  sizes.append(key->sizes.begin(), key->sizes.end());
  ReturnContiguous(call, sizes, key->dtype);
}

// The kernel makes a contiguous key, also where FakeTensorMode keeps the strides.
void FoldIntoKey(Call& call) {
  const Operand key = CheckedKey(call);
  ReturnContiguous(call, key, key->dtype);
}

void FoldTensorIntoKey(Call& call) {
  const Operand key = CheckedKey(call);
  const Operand data = call.In("data").Takes(ScalarType::UInt64, "takes data of uint64, not {}");
  data.Require(HasNumel(data, 1), "takes a single value, not {tensor}");
  ReturnContiguous(call, key, key->dtype);
}

// One key serves all elements. A batch of keys has one for each element, or a size of 1 that serves a whole dimension.
void CheckKeysFor(const Call& call, const TensorMeta& self, const TensorMeta& key) {
  if (key.rank() == 1) return;
  bool fits = key.rank() == self.rank() + 1;
  for (int64_t d = 0; fits && d < self.rank(); ++d)
    fits = Expect(Or(Eq(key.sizes[d], 1), Eq(key.sizes[d], self.sizes[d])));
  RequireShape(call, fits, {"takes one key or one for each element of {}, but got shape {}", self.sizes, key.sizes});
}

// New random numbers in a tensor like self.
void DrawLike(Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  CheckKeysFor(call, self, CheckedKey(call));
  ReturnLike(call, self);
}

// 32 random bits for each element give a range evenly if it divides them, and nearly so if it is small.
void RequireEvenRange(const Call& call, ScalarType dtype) {
  const std::optional<int64_t> low = call.OptionalInt("low"), high = call.OptionalInt("high");
  if (ItemSize(dtype) != 4 || (!low && !high)) return;
  constexpr int64_t kAll = int64_t{1} << 32;
  const int64_t lowest = dtype == ScalarType::Int ? -(kAll / 2) : 0;
  const int64_t range = (high.value_or(lowest + kAll) - low.value_or(lowest)) & (kAll - 1);
  RequireValue(call, range == 0 || kAll % range == 0 || range < (int64_t{1} << 28),
      {"takes a range that divides 2^32 or is less than 2^28 for {}, not {}", dtype, range});
}

// New random integers in a tensor like self.
void DrawIntegersLike(Call& call) {
  constexpr Dtypes kDrawn = {ScalarType::Byte, ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64,
      ScalarType::Char, ScalarType::Short, ScalarType::Int, ScalarType::Long};
  const Operand self = call.In("self").Takes(kDrawn, "takes tensors of integers, not {}");
  RequireEvenRange(call, self->dtype);
  CheckKeysFor(call, self, CheckedKey(call));
  ReturnLike(call, self);
}

constexpr RuleRow kRows[] = {
    {"aten::_philox_key_split", SplitKey},
    {"aten::_philox_key_fold_in", FoldIntoKey},
    {"aten::_philox_key_fold_in.Tensor", FoldTensorIntoKey},
    {"aten::_philox_normal", DrawLike},
    {"aten::_philox_randint", DrawIntegersLike},
    {"aten::_philox_uniform", DrawLike},
};

}  // namespace

RuleRows PhiloxRules() { return kRows; }

}  // namespace fakeprop::rules
