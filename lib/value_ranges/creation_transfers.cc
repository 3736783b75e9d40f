// Operators that make tensors from numbers.
#include "lib/value_ranges/transfer_rows.h"

namespace fakeprop {
namespace {

void Arange(RangeCall& call) {
  const RangeMath& math = call.math();
  const std::optional<Dim> start = call.Has("start") ? call.SizeOf("start") : Dim(0);
  const std::optional<int64_t> step = call.Has("step") ? call.NumberOf("step") : 1;
  if (!start || !step || call.result().meta.rank() != 1) return;
  const Sym first = math.Of(*start);
  const Sym last = Add(first, Scale(Subtract(math.Of(call.result().meta.sizes[0]), math.Number(1)), *step));
  if (*step < 0) return call.Give({{last, Met::ByOne()}, {first, Met::ByOne()}});
  call.Give({.low = {first, Met::ByOne()},
      .high = {last, Met::ByOne()},
      .is_sorted = true,
      .is_permutation = *step == 1,
      .counts_along = 0,
      .step = *step});
}

void GiveNumber(RangeCall& call, int64_t number) { call.Give(call.math().Point(call.math().Number(number))); }
void Zeros(RangeCall& call) { GiveNumber(call, 0); }
void Ones(RangeCall& call) { GiveNumber(call, 1); }
void Bits(RangeCall& call) { call.Give(call.math().Between(call.math().Number(0), call.math().Number(1))); }

void GiveArgument(RangeCall& call, ArgumentName name) {
  const ValueRange number = call.RangeOf(name);
  if (number.IsKnown()) call.Give(call.math().Cast(number, ScalarType::Long, call.result().meta.dtype));
}
void Full(RangeCall& call) { GiveArgument(call, "fill_value"); }
void ScalarTensor(RangeCall& call) { GiveArgument(call, "s"); }

void TriangleIndices(RangeCall& call) {
  const RangeMath& math = call.math();
  const std::optional<Dim> rows = call.SizeOf("row"), columns = call.SizeOf("col");
  if (!rows || !columns) return;
  const Sym most = math.Greatest(math.Of(*rows), math.Of(*columns));
  call.Give(math.Between(math.Number(0), Subtract(most, math.Number(1))));
}

void RandomIntegers(RangeCall& call) {
  const RangeMath& math = call.math();
  const std::optional<Dim> low = call.Has("low") ? call.SizeOf("low") : Dim(0), high = call.SizeOf("high");
  if (low && high) call.Give(math.Between(math.Of(*low), Subtract(math.Of(*high), math.Number(1))));
}

void RandomPermutation(RangeCall& call) {
  const RangeMath& math = call.math();
  const std::optional<Dim> count = call.SizeOf("n");
  if (!count) return;
  ValueRange range{{math.Number(0), Met::ByOne()}, {Subtract(math.Of(*count), math.Number(1)), Met::ByOne()}};
  range.is_permutation = true;
  call.Give(range);
}

constexpr TransferRow kRows[] = {
    {"arange", Arange},
    {"zeros", Zeros},
    {"zeros_like", Zeros},
    {"new_zeros", Zeros},
    {"zero", Zeros},
    {"ones", Ones},
    {"ones_like", Ones},
    {"new_ones", Ones},
    {"full", Full},
    {"full_like", Full},
    {"new_full", Full},
    {"scalar_tensor", ScalarTensor},
    {"eye", Bits},
    {"tril_indices", TriangleIndices},
    {"triu_indices", TriangleIndices},
    {"randint", RandomIntegers},
    {"randint_like", RandomIntegers},
    {"randperm", RandomPermutation},
};

}  // namespace

std::span<const TransferRow> CreationTransfers() { return kRows; }

}  // namespace fakeprop
