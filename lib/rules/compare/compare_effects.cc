#include "lib/rules/compare/compare_effects.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop {
namespace {

// Strides that say where an element is; the others count as 1.
Dims TellingStrides(const TensorMeta& m) {
  Dims strides;
  const bool empty = IsEmpty(m);
  for (int64_t d = 0; d < m.rank(); ++d)
    strides.push_back(empty || GuardOrFalse(Eq(m.sizes[d], 1)) ? Dim(1) : m.strides[d]);
  return strides;
}

bool SameStrides(const TensorMeta& a, const TensorMeta& b) {
  const Dims x = TellingStrides(a), y = TellingStrides(b);
  return GuardSame(x, y);
}

const TensorMeta& MetaOf(const Output& o) { return o.kind == Output::Kind::kArgument ? o.source->meta : o.meta; }

bool IsTensor(const Output& o) { return o.kind != Output::Kind::kValue && o.kind != Output::Kind::kList; }

// What happens to one argument, in whatever order and number of steps it is stated.
struct Change {
  std::optional<TensorMeta> meta;
  bool writes = false;
};

class Comparer {
 public:
  explicit Comparer(const Call& call) : call_(call) {}

  std::vector<EffectDifference> Compare(const Effects& a, const Effects& b) {
    if (!Same(EffectField::kCount, "number of results", "", a.outputs.size() == b.outputs.size(),
            std::to_string(a.outputs.size()), std::to_string(b.outputs.size())))
      return std::move(found_);
    for (size_t i = 0; i < a.outputs.size(); ++i) {
      const std::string of = a.outputs.size() == 1 ? "" : " of result " + std::to_string(i);
      CompareOutputs(of, a.outputs[i], b.outputs[i]);
    }
    CompareChanges(a, b);
    return std::move(found_);
  }

 private:
  bool Same(
      EffectField field, const std::string& name, const std::string& of, bool same, std::string a, std::string b) {
    if (!same) found_.push_back({field, name + of, std::move(a), std::move(b)});
    return same;
  }

  void CompareOutputs(const std::string& of, const Output& a, const Output& b) {
    if (IsTensor(a) && IsTensor(b)) {
      Same(EffectField::kAliasing, "aliasing", of, IsAliasedAlike(a, b), AliasText(a), AliasText(b));
      return CompareMetas(of, MetaOf(a), MetaOf(b));
    }
    if (a.kind != b.kind) {
      Same(EffectField::kValue, "kind", of, false, KindText(a), KindText(b));
    } else if (a.kind == Output::Kind::kValue) {
      Same(EffectField::kValue, "value", of, ToString(a.value) == ToString(b.value), ToString(a.value),
          ToString(b.value));
    } else if (Same(EffectField::kCount, "number of tensors", of, a.items.size() == b.items.size(),
                   std::to_string(a.items.size()), std::to_string(b.items.size()))) {
      for (size_t i = 0; i < a.items.size(); ++i)
        CompareOutputs((of.empty() ? " of result" : of) + "[" + std::to_string(i) + "]", a.items[i], b.items[i]);
    }
  }

  void CompareMetas(const std::string& of, const TensorMeta& a, const TensorMeta& b) {
    if (Same(EffectField::kShape, "shape", of, GuardSame(a.size_span(), b.size_span()), ToString(a.size_span()),
            ToString(b.size_span())))
      Same(EffectField::kStride, "stride", of, SameStrides(a, b), ToString(a.stride_span()), ToString(b.stride_span()));
    Same(EffectField::kOffset, "storage_offset", of, GuardOrFalse(Eq(a.storage_offset, b.storage_offset)),
        a.storage_offset.ToString(), b.storage_offset.ToString());
    Same(EffectField::kDtype, "dtype", of, a.dtype == b.dtype, std::string(ShortDtypeName(a.dtype)),
        std::string(ShortDtypeName(b.dtype)));
    Same(EffectField::kDevice, "device", of, a.device == b.device, a.device.str(), b.device.str());
    Same(EffectField::kView, "conjugation or negation", of, a.is_conj == b.is_conj && a.is_neg == b.is_neg,
        PendingText(a), PendingText(b));
  }

  // Several arguments may stand on one storage: which of them a view names makes no difference.
  static bool IsAliasedAlike(const Output& a, const Output& b) {
    if (!a.source || !b.source) return a.source == b.source && a.shares_with == b.shares_with;
    if ((a.kind == Output::Kind::kArgument) != (b.kind == Output::Kind::kArgument)) return false;
    return a.kind == Output::Kind::kArgument ? a.source == b.source : a.source->storage == b.source->storage;
  }

  std::string AliasText(const Output& o) const {
    if (o.kind == Output::Kind::kArgument) return NameOf(o.source) + " itself";
    if (o.source) return "a view of " + NameOf(o.source);
    return o.shares_with < 0 ? "a storage of its own" : "the storage of result " + std::to_string(o.shares_with);
  }

  static std::string KindText(const Output& o) {
    if (o.kind == Output::Kind::kList) return "a list of " + std::to_string(o.items.size());
    return o.kind == Output::Kind::kValue ? ToString(o.value) : ToString(MetaOf(o));
  }

  static std::string PendingText(const TensorMeta& m) {
    if (m.is_conj && m.is_neg) return "both";
    return m.is_conj ? "conjugation" : m.is_neg ? "negation" : "none";
  }

  // The argument's name in the schema.
  std::string NameOf(const Tensor* t) const {
    for (size_t i = 0; i < call_.size(); ++i) {
      const Value& value = call_.Arg(static_cast<int>(i));
      const std::string name = "`" + std::string(call_.schema().arguments[i].name) + "`";
      if (value.TryTensor() == t) return name;
      if (AnyTensor(value, [&](const Tensor& held) { return &held == t; })) return "a tensor of " + name;
    }
    return "an argument";
  }

  // Of every argument that is changed, in the order of the call's own.
  using Changes = std::vector<std::pair<Tensor*, Change>>;
  static Change& ChangeOf(Changes& changes, Tensor* t) {
    auto it = std::find_if(changes.begin(), changes.end(), [&](const auto& entry) { return entry.first == t; });
    return it != changes.end() ? it->second : changes.emplace_back(t, Change()).second;
  }

  static Changes ChangesOf(const Effects& effects) {
    Changes changes;
    for (const Mutation& m : effects.mutations) {
      Change& change = ChangeOf(changes, m.target);
      if (m.meta) change.meta = m.meta;
      change.writes = change.writes || m.writes;
    }
    return changes;
  }

  void CompareChanges(const Effects& a, const Effects& b) {
    Changes ours = ChangesOf(a), theirs = ChangesOf(b);
    for (const auto& [target, change] : theirs) ChangeOf(ours, target);
    for (const auto& [target, change] : ours) {
      const Change& other = ChangeOf(theirs, target);
      const std::string of = " of " + NameOf(target) + " afterwards";
      CompareMetas(of, change.meta.value_or(target->meta), other.meta.value_or(target->meta));
      Same(EffectField::kWrite, "data", of, change.writes == other.writes, WriteText(change), WriteText(other));
    }
  }

  static std::string WriteText(const Change& change) { return change.writes ? "written" : "as it was"; }

  const Call& call_;
  std::vector<EffectDifference> found_;
};

std::string ErrorText(const OpError& e) { return std::string(Name(e.error_class())) + ": " + e.message(); }

std::string OutcomeText(const Outcome& outcome) {
  if (outcome.error) return ErrorText(*outcome.error);
  std::string text;
  for (const Output& o : outcome.effects.outputs) {
    text += text.empty() ? "" : "; ";
    if (o.kind == Output::Kind::kList) text += "a list of " + std::to_string(o.items.size());
    else text += IsTensor(o) ? ToString(MetaOf(o)) : ToString(o.value);
  }
  return text.empty() ? "no result" : text;
}

}  // namespace

std::vector<EffectDifference> CompareOutcomes(const Call& call, const Outcome& a, const Outcome& b) {
  if (a.error && b.error) return {};
  if (a.error || b.error) {
    const bool is_refusal = a.error && a.error->error_class() == ErrorClass::kDtypeMismatch;
    return {{is_refusal ? EffectField::kRefusal : EffectField::kOutcome, "outcome", OutcomeText(a), OutcomeText(b)}};
  }
  return Comparer(call).Compare(a.effects, b.effects);
}

}  // namespace fakeprop
