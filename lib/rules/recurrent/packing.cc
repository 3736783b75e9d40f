// Packed sequences: the steps of sequences of several lengths, one after another.
// Source: aten/src/ATen/native/PackedSequence.cpp (torch 2.13).
#include <algorithm>
#include <numeric>

#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

std::optional<std::vector<int64_t>> KnownNumbers(const Operand& t) {
  const std::vector<Value>* known = t.tensor().KnownValue();
  if (!known) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Value& value : *known) {
    const Dim* number = value.TryGet<Dim>();
    if (!number || number->IsSymbolic()) return std::nullopt;
    numbers.push_back(number->raw());
  }
  return numbers;
}

Output& ReturnLong(Call& call, Dim size) {
  return call.ReturnNew(ContiguousMeta(Dims{size}, ScalarType::Long, Device(DeviceType::CPU)));
}

Output& ReturnKnown(Call& call, const std::vector<int64_t>& numbers) {
  Output& result = ReturnLong(call, static_cast<int64_t>(numbers.size()));
  result.constant = std::make_shared<std::vector<Value>>(numbers.begin(), numbers.end());
  return result;
}

// Source: _pack_padded_sequence (aten/src/ATen/native/PackedSequence.cpp).
void PackKnown(Call& call, const std::vector<int64_t>& lengths) {
  const Operand input = call.In("input");
  RequireValue(call, std::is_sorted(lengths.rbegin(), lengths.rend()),
      "expects lengths in decreasing order: `lengths` array must be sorted in decreasing order when `enforce_sorted` "
      "is True");
  RequireValue(call, !lengths.empty() && lengths.back() > 0,
      "expects lengths of at least 1: Length of all samples has to be greater than 0, but found an element in "
      "'lengths' that is <= 0");
  const Dim steps = input->sizes[call.Bool("batch_first") ? 1 : 0];
  RequireShape(call, Ge(steps, lengths[0]), {"expects lengths of at most {} steps, not {}", steps, lengths[0]});
  std::vector<int64_t> batch_sizes;
  for (int64_t step = 0; step < lengths[0]; ++step)
    batch_sizes.push_back(std::count_if(lengths.begin(), lengths.end(), [&](int64_t length) { return length > step; }));
  Dims sizes(input->sizes.begin() + 2, input->sizes.end());
  sizes.insert(sizes.begin(), Dim(std::accumulate(lengths.begin(), lengths.end(), int64_t{0})));
  ReturnContiguous(call, sizes, input->dtype);
  ReturnKnown(call, batch_sizes);
}

// How long each sequence is, by how many reach each step.
std::vector<int64_t> LengthsOf(const std::vector<int64_t>& batch_sizes) {
  std::vector<int64_t> lengths(batch_sizes.front(), 0);
  for (int64_t count : batch_sizes)
    for (int64_t i = 0; i < count; ++i) ++lengths[i];
  return lengths;
}

// -> (padded, lengths)
// Source: _pad_packed_sequence (aten/src/ATen/native/PackedSequence.cpp).
void PadPacked(Call& call) {
  const Operand data = call.In("data"), batch_sizes = call.In("batch_sizes").Rank(1);
  const auto known = KnownNumbers(batch_sizes);
  const bool is_packed_here = !known && batch_sizes->sizes[0].IsSymbolic();  // by lengths that nobody knows
  if (known ? known->empty() : !is_packed_here) return DynamicShape(call);   // as FakeTensorMode
  const Dim longest = batch_sizes->sizes[0], total = call.DimArg("total_length");
  const bool is_bounded = !GuardOrFalse(Le(total, 0));
  RequireValue(call, !is_bounded || Expect(Ge(total, longest)),
      "expects a total length of at least the longest sequence: Expected total_length to be at least the length of "
      "the longest sequence in input");
  const Dim batch = known ? Dim(known->front()) : UnbackedSize(call, MostElements(data->sizes[0]));
  Dims sizes(data->sizes.begin() + 1, data->sizes.end());
  sizes.insert(sizes.begin(), {is_bounded ? total : longest, batch});
  TensorMeta padded = NewMeta(call, sizes, data->dtype);
  call.ReturnNew(call.Bool("batch_first") ? Transposed(std::move(padded), 0, 1) : std::move(padded));
  known ? ReturnKnown(call, LengthsOf(*known)) : ReturnLong(call, batch);
}

// How many steps there are in all depends on the lengths.
void PackPadded(Call& call) {
  const Operand input = call.In("input"), lengths = call.In("lengths");
  const bool batch_first = call.Bool("batch_first");
  const auto [batch] = lengths.Sizes<1>("expects lengths of 1 dimension, not {}");
  input.RankAtLeast(2, "expects an input of at least 2 dimensions, not {}");
  const Dim sequences = input->sizes[batch_first ? 0 : 1];
  RequireShape(call, Eq(batch, sequences), {"expects lengths for a batch of {}, but it is {}", sequences, batch});
  if (const auto known = KnownNumbers(lengths)) return PackKnown(call, *known);
  // As eager: the steps of all sequences one after another, and, on the cpu, how many sequences reach each step.
  const Dim steps = input->sizes[batch_first ? 1 : 0];
  Dims sizes(input->sizes.begin() + 2, input->sizes.end());
  sizes.insert(sizes.begin(), UnbackedSize(call, MostElements(steps * batch)));
  ReturnContiguous(call, sizes, input->dtype);
  ReturnLong(call, UnbackedSize(call, MostElements(steps)));
}

// Python's function would read the batch sizes. Eager needs them only for the data.
void PackPaddedBackward(Call& call) {
  const Operand batch_sizes = call.In("batch_sizes");
  batch_sizes.Rank(1, {"expects batch sizes of 1 dimension, not {}", *batch_sizes});
  batch_sizes.Takes(ScalarType::Long, {"expects int64 batch sizes, not {}", *batch_sizes});
  Dims sizes = call.DimList("input_size");
  const bool batch_first = call.Bool("batch_first");
  RequireShape(call, sizes.size() >= 2, {"expects input sizes of at least 2 dimensions, not {}", sizes});
  if (batch_first) std::swap(sizes[0], sizes[1]);
  TensorMeta grad = NewMeta(call, sizes, call.In("grad")->dtype);
  Output& result = call.ReturnNew(batch_first ? Transposed(std::move(grad), 0, 1) : std::move(grad));
  // It is zeros then, which nothing is copied into.
  if (Known(Eq(batch_sizes->sizes[0], 0))) result.requires_grad = false;
}

constexpr RuleRow kRows[] = {
    {"aten::_pack_padded_sequence", PackPadded, Devices::kAny},  // lengths stay on cpu
    {"aten::_pack_padded_sequence_backward", PackPaddedBackward, Devices::kAny},
    {"aten::_pad_packed_sequence", PadPacked, Devices::kAny},
};

}  // namespace

RuleRows PackingRules() { return kRows; }

}  // namespace fakeprop::rules
