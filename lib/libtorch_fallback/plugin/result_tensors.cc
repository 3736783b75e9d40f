#include "lib/libtorch_fallback/plugin/result_tensors.h"

#include <torch/csrc/autograd/variable.h>

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::libtorch {

using namespace dispatch;

namespace {

const c10::StorageImpl* StorageOf(const at::Tensor& t) { return t.storage().unsafeGetStorageImpl(); }

bool SameGeometry(const TensorMeta& a, const TensorMeta& b) {
  return GuardSame(a.size_span(), b.size_span()) && GuardSame(a.stride_span(), b.stride_span()) &&
         Guard(Eq(a.storage_offset, b.storage_offset));
}

class EffectsReader {
 public:
  EffectsReader(const c10::OperatorHandle& op, const ArgumentTensors& arguments, Call& call)
      : op_(op), arguments_(arguments), call_(call), changes_view_(op.hasTag(at::Tag::inplace_view)) {}

  void ReadMutations() {
    for (const ArgumentTensors::Pair& pair : arguments_.pairs()) {
      if (!pair.is_argument) continue;
      Mutation m;
      m.target = pair.tensor;
      ReadStorage(pair, m);
      TensorMeta now = ReadMeta(pair.fake);
      if (!SameGeometry(now, pair.tensor->meta)) m.meta = std::move(now);
      m.writes = WritesTo(pair);
      // Autograd has run: what requires grad now is what it saw.
      m.differentiable = pair.fake.requires_grad();
      if (pair.fake.is_leaf() && pair.fake.requires_grad() != pair.tensor->RequiresGrad())
        m.requires_grad = pair.fake.requires_grad();
      if (m.requires_grad || m.meta || m.nbytes || m.storage_of || m.fresh_storage || m.writes)
        call_.effects().mutations.push_back(std::move(m));
    }
  }

  void ReadResults(const torch::jit::Stack& results) {
    for (size_t i = 0; i < results.size(); ++i) call_.effects().outputs.push_back(ReadResult(results[i]));
  }

 private:
  void ReadStorage(const ArgumentTensors::Pair& pair, Mutation& m) const {
    const c10::Storage& now = pair.fake.storage();
    if (StorageOf(pair.fake) != pair.storage.unsafeGetStorageImpl()) {
      m.storage_of = arguments_.FindOnStorage(StorageOf(pair.fake), pair.tensor);
      m.fresh_storage = !m.storage_of;
    }
    const auto nbytes = static_cast<int64_t>(now.nbytes());
    const Tensor* holder = m.storage_of ? m.storage_of : pair.tensor;
    if (m.fresh_storage || Guard(Ne(holder->storage->nbytes, nbytes))) m.nbytes = nbytes;
  }

  // What the schema marks as written to, and what was written to all the same (running statistics).
  bool WritesTo(const ArgumentTensors::Pair& pair) const {
    if (changes_view_) return false;
    if (IsMarked(pair.tensor)) return true;
    if (pair.version == pair.fake._version()) return false;
    for (const ArgumentTensors::Pair& other : arguments_.pairs())
      if (other.tensor->storage == pair.tensor->storage && IsMarked(other.tensor)) return false;
    return true;
  }

  bool IsMarked(const Tensor* t) const {
    for (size_t i = 0; i < call_.size(); ++i)
      if (call_.schema().arguments[i].is_write && Contains(call_.Arg(static_cast<int>(i)), t)) return true;
    return false;
  }

  static bool Contains(const Value& value, const Tensor* t) {
    return AnyTensor(value, [&](const Tensor& held) { return &held == t; });
  }

  Output ReadResult(const c10::IValue& boxed) {
    Output out;
    if (boxed.isTensor() && boxed.toTensor().defined()) return ReadTensor(boxed.toTensor());
    if (boxed.isTensorList() || boxed.isOptionalTensorList()) {
      out.kind = Output::Kind::kList;
      for (const c10::IValue& item : boxed.toListRef()) out.items.push_back(ReadResult(item));
    } else {
      // Unlike arguments, dtypes are returned as the ints that they are boxed as: so does torch.ops.
      out.value = ToValue(boxed, Type(), [](const at::Tensor&) { return Value(); });
    }
    return out;
  }

  Output ReadTensor(const at::Tensor& t) {
    Output out;
    if ((out.source = arguments_.Find(t.unsafeGetTensorImpl()))) {
      out.kind = Output::Kind::kArgument;
      return out;
    }
    RestoreFakeDevice(t);
    out.meta = ReadMeta(t);
    out.requires_grad = t.requires_grad();
    if (Host* host = Host::Current()) out.constant = host->FindConstant(t);
    if ((out.source = arguments_.FindOnStorage(StorageOf(t)))) {
      out.kind = IsFollowedTo(t, *out.source) ? Output::Kind::kView : Output::Kind::kAlias;
    } else {
      out.kind = Output::Kind::kNew;
      for (size_t i = 0; i < made_.size() && out.shares_with < 0; ++i)
        if (StorageOf(made_[i]) == StorageOf(t)) out.shares_with = static_cast<int>(i);
    }
    made_.push_back(t);
    return out;
  }

  // Whether autograd sees `t` as a view of the argument, or of what that is itself a view of.
  bool IsFollowedTo(const at::Tensor& t, const Tensor& source) const {
    if (!t.is_view()) return false;
    const Tensor* base = arguments_.Find(t._base().unsafeGetTensorImpl());
    return base && (base == &source || base == source.base);
  }

  const c10::OperatorHandle& op_;
  const ArgumentTensors& arguments_;
  Call& call_;
  const bool changes_view_;
  std::vector<at::Tensor> made_;  // as Output::shares_with counts them
};

}  // namespace

void ReadEffects(
    const c10::OperatorHandle& op, const torch::jit::Stack& results, const ArgumentTensors& arguments, Call& call) {
  EffectsReader reader(op, arguments, call);
  reader.ReadMutations();
  reader.ReadResults(results);
}

}  // namespace fakeprop::libtorch
