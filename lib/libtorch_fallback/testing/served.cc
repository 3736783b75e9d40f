#include "lib/libtorch_fallback/testing/served.h"

#include <algorithm>
#include <map>

#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_text.h"

namespace fakeprop::testing {
namespace {

Dims TellingStrides(const TensorMeta& m) {
  if (Guard(Eq(Numel(m.size_span()), 0))) return ContiguousStrides(m.size_span());
  Dims strides = m.strides;
  for (int64_t d = m.rank() - 1; d >= 0; --d) {
    if (Guard(Eq(m.sizes[d], 1))) strides[d] = d + 1 < m.rank() ? strides[d + 1] * m.sizes[d + 1] : Dim(1);
  }
  return strides;
}

bool Same(const TensorMeta& a, const TensorMeta& b) {
  return GuardSame(a.size_span(), b.size_span()) && GuardSame(a.stride_span(), b.stride_span()) &&
         Guard(Eq(a.storage_offset, b.storage_offset)) && a.dtype == b.dtype && a.device == b.device &&
         a.is_conj == b.is_conj && a.is_neg == b.is_neg;
}

void Normalize(Output& o) {
  o.meta.strides = TellingStrides(o.meta);
  for (Output& item : o.items) Normalize(item);
}

// Changes of arguments' metadata, in the order of the arguments.
std::vector<Mutation> NormalizedMutations(Call& call) {
  std::vector<Tensor*> tensors;
  for (size_t i = 0; i < call.size(); ++i)
    ForEachTensor(call.Arg(static_cast<int>(i)), [&](Tensor& t) { tensors.push_back(&t); });
  std::map<const Tensor*, Mutation> changes;
  for (const Mutation& m : call.effects().mutations) {
    if (!m.meta) continue;
    TensorMeta before = m.target->meta, after = *m.meta;
    before.strides = TellingStrides(before);
    after.strides = TellingStrides(after);
    if (Same(before, after)) continue;
    changes[m.target].target = m.target;
    changes[m.target].meta = after;
  }
  std::vector<Mutation> ordered;
  for (const Tensor* t : tensors) {
    if (auto it = changes.find(t); it != changes.end()) {
      ordered.push_back(it->second);
      changes.erase(it);
    }
  }
  return ordered;
}

}  // namespace

std::string Served(const std::string& call_text, LibTorchFallback& libtorch, const ExecutionState& state) {
  const auto run = [&](Call& call) {
    const ServedRule* served = FindRule(call.schema());
    if (served) {
      RunRule(*served, call);
    } else {
      libtorch.Run(call);
    }
  };
  return ServedBy(call_text, run, state);
}

std::string ServedBy(const std::string& call_text, const std::function<void(Call&)>& run, const ExecutionState& state) {
  try {
    return RunCallWith(call_text, state, true, [&](Call& call) {
      run(call);
      for (Output& o : call.effects().outputs) Normalize(o);
      call.effects().mutations = NormalizedMutations(call);
    });
  } catch (const std::exception& e) {
    return std::string("!Internal: ") + e.what();
  }
}

}  // namespace fakeprop::testing
