#include "lib/dispatch/apply_effects.h"

#include <ATen/core/stack.h>

#include "lib/base/check.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/sym_ints.h"

namespace fakeprop::dispatch {
namespace {

class Application {
 public:
  explicit Application(c10::ArrayRef<StandIn> tensors) : tensors_(tensors) {}

  void Mutate(const Mutation& m) {
    const at::Tensor& fake = Of(m.target);
    if (m.fresh_storage) fake.unsafeGetTensorImpl()->set_storage_keep_dtype(MakeFakeStorage(0, fake.device()));
    if (m.storage_of) fake.unsafeGetTensorImpl()->set_storage_keep_dtype(Of(m.storage_of).storage());
    if (m.nbytes) {
      if (GuardOrFalse(Gt(*m.nbytes, ToDim(fake.storage().sym_nbytes()))))
        fake.storage().set_nbytes(ToSymInt(*m.nbytes));
    }
    if (!m.parts.empty()) ReplaceParts(fake, m.meta, MakeParts(m.parts, m.is_coalesced));
    else if (m.meta) SetGeometry(fake, *m.meta);
    // Below autograd, or if the schema does not declare the write (running statistics), the write is not noted anywhere
    // else.
    if (m.writes && Host::Current()) Host::Current()->NoteWrite(fake);
  }

  c10::IValue MakeResult(const Output& o, const c10::Argument& result) {
    switch (o.kind) {
      case Output::Kind::kValue: return ToIValue(o.value, result, [this](Tensor& t) { return Of(&t); });
      case Output::Kind::kArgument: return Of(o.source);
      case Output::Kind::kNew:
      case Output::Kind::kView:
      case Output::Kind::kAlias: return MakeTensor(o);
      case Output::Kind::kList: break;
    }
    c10::impl::GenericList list(result.type()->expectRef<c10::ListType>().getElementType());
    for (const Output& item : o.items)
      list.push_back(IsMissing(item) ? c10::IValue(at::Tensor()) : MakeResult(item, result));
    return list;
  }

 private:
  // A gradient that nothing asks for.
  static bool IsMissing(const Output& item) { return item.kind == Output::Kind::kValue && item.value.IsNone(); }
  const at::Tensor& Of(const Tensor* object) const { return FakeOf(tensors_, object); }

  at::Tensor MakeTensor(const Output& o) {
    at::Tensor fake = MakeUnremembered(o);
    if (o.constant && Host::Current()) Host::Current()->RememberConstant(fake, o.constant);
    made_.push_back(fake);
    return fake;
  }

  at::Tensor MakeUnremembered(const Output& o) {
    if (!o.items.empty()) return MakeFakeSparse(o.meta, MakeParts(o.items, o.is_coalesced));
    if (o.meta.layout != Layout::Strided) return MakeFakeOpaque(o.meta, StorageFor(o));
    if (o.kind != Output::Kind::kNew) {
      const at::Tensor& source = DataOf(Of(o.source));
      return MakeFakeAlias(o.meta, source.storage(), source.key_set());
    }
    if (o.shares_with >= 0) {
      const at::Tensor& source = made_[o.shares_with];
      return MakeFakeAlias(o.meta, source.storage(), source.key_set());
    }
    return MakeFakeTensor(o.meta, StorageFor(o));
  }

  // The storage of a new tensor, or of the tensor that a result of oneDNN's layout is an alias of.
  c10::Storage StorageFor(const Output& o) const {
    if (o.kind != Output::Kind::kNew) return Of(o.source).unsafeGetTensorImpl()->unsafe_storage();
    return MakeFakeStorage(o.nbytes ? *o.nbytes : StorageNbytes(o.meta), ToTorch(o.meta.device));
  }

  // In the order of SparseParts.
  TensorParts MakeParts(const std::vector<Output>& parts, bool is_coalesced) {
    const auto part = [&](size_t i) { return i < parts.size() ? MakePart(parts[i]) : at::Tensor(); };
    return {.values = part(0), .indices = part(1), .plain = part(2), .is_coalesced = is_coalesced};
  }

  at::Tensor MakePart(const Output& part) {
    return part.kind == Output::Kind::kArgument ? Of(part.source) : MakeUnremembered(part);
  }

  const c10::ArrayRef<StandIn> tensors_;
  c10::SmallVector<at::Tensor, 2> made_;
};

}  // namespace

const at::Tensor& FakeOf(c10::ArrayRef<StandIn> tensors, const Tensor* object) {
  for (const StandIn& tensor : tensors)
    if (tensor.object == object) return *tensor.fake;
  throw InternalError("a rule's effects name a tensor that is no argument");
}

void ApplyEffects(
    const c10::OperatorHandle& op, const Effects& effects, c10::ArrayRef<StandIn> tensors, torch::jit::Stack& stack) {
  Application application(tensors);
  for (const Mutation& mutation : effects.mutations) application.Mutate(mutation);
  c10::SmallVector<c10::IValue, 2> results;
  const c10::FunctionSchema& schema = op.schema();
  const auto& returns = schema.returns();
  for (size_t i = 0; i < effects.outputs.size() && i < returns.size(); ++i)
    results.push_back(application.MakeResult(effects.outputs[i], returns[i]));
  FAKEPROP_CHECK(results.size() == returns.size());
  torch::jit::drop(stack, schema.arguments().size());
  for (c10::IValue& result : results) stack.push_back(std::move(result));
}

}  // namespace fakeprop::dispatch
