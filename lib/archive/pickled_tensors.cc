#include "lib/archive/pickled_tensors.h"

#include <algorithm>

#include "lib/archive/elements.h"
#include "lib/meta/device_name.h"
#include "lib/meta/scalar_type.h"

namespace fakeprop {
namespace {

using Kind = PickleItem::Kind;

struct StorageType {
  std::string_view global;
  ScalarType dtype;
};
constexpr StorageType kStorageTypes[] = {
    {"torch.BoolStorage", ScalarType::Bool},
    {"torch.ByteStorage", ScalarType::Byte},
    {"torch.CharStorage", ScalarType::Char},
    {"torch.ShortStorage", ScalarType::Short},
    {"torch.IntStorage", ScalarType::Int},
    {"torch.LongStorage", ScalarType::Long},
    {"torch.HalfStorage", ScalarType::Half},
    {"torch.BFloat16Storage", ScalarType::BFloat16},
    {"torch.FloatStorage", ScalarType::Float},
    {"torch.DoubleStorage", ScalarType::Double},
    {"torch.ComplexFloatStorage", ScalarType::ComplexFloat},
    {"torch.ComplexDoubleStorage", ScalarType::ComplexDouble},
    {"torch.QInt8Storage", ScalarType::QInt8},
    {"torch.QUInt8Storage", ScalarType::QUInt8},
    {"torch.QInt32Storage", ScalarType::QInt32},
    {"torch.QUInt4x2Storage", ScalarType::QUInt4x2},
    {"torch.QUInt2x4Storage", ScalarType::QUInt2x4},
};

constexpr std::string_view kOthers[] = {
    "collections.OrderedDict",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_sparse_tensor",
    "torch._utils._rebuild_qtensor",
    "torch._utils._rebuild_parameter_with_state",
    "torch.device",
    "torch.Size",
    "builtins.complex",
    // Schemes of quantized tensors, which nothing here looks at.
    "torch.per_tensor_affine",
    "torch.per_channel_affine",
    "torch.per_tensor_symmetric",
    "torch.per_channel_symmetric",
    "torch.per_channel_affine_float_qparams",
};

const StorageType* FindStorageType(std::string_view global) {
  auto it = std::find_if(std::begin(kStorageTypes), std::end(kStorageTypes),
      [&](const StorageType& type) { return type.global == global; });
  return it == std::end(kStorageTypes) ? nullptr : it;
}

// The items of a tuple of at least so many; null for anything else.
const std::vector<PickleIndex>* TupleOf(const Pickle& pickle, PickleIndex index, size_t at_least) {
  const PickleItem& item = pickle[index];
  return item.kind == Kind::kTuple && item.children.size() >= at_least ? &item.children : nullptr;
}

bool ReadSizes(const Pickle& pickle, PickleIndex index, std::vector<RecordedSize>& sizes) {
  const auto* items = TupleOf(pickle, index, 0);
  if (!items) return false;
  for (PickleIndex item : *items) {
    if (pickle[item].kind != Kind::kInt || pickle[item].integer < 0) return false;
    sizes.push_back({.number = pickle[item].integer});
  }
  return true;
}

// ("storage", torch.FloatStorage, key, device, number of elements)
bool ReadStorage(const Pickle& pickle, PickleIndex index, PickledTensor& out) {
  if (pickle[index].kind != Kind::kPersistent) return false;
  const auto* id = TupleOf(pickle, pickle[index].children[0], 4);
  if (!id || pickle[(*id)[1]].kind != Kind::kGlobal || pickle[(*id)[2]].kind != Kind::kString) return false;
  const StorageType* type = FindStorageType(pickle[(*id)[1]].text);
  const auto device = DeviceFromName(pickle[(*id)[3]].text);
  if (!type || !device) return false;
  out.storage = pickle[(*id)[2]].text;
  const PickleItem* numel = id->size() > 4 ? &pickle[(*id)[4]] : nullptr;
  if (numel && numel->kind == Kind::kInt && numel->integer >= 0 &&
      __builtin_mul_overflow(numel->integer, ItemSize(type->dtype), &out.nbytes))
    return false;
  out.tensor.dtype = type->dtype;
  out.tensor.device = WithIndex(*device);
  return true;
}

// {"neg": True}, in TorchScript's archives restore_type_tag({"neg": True}, "Dict[str, bool]").
bool HasBit(const Pickle& pickle, PickleIndex index, std::string_view name) {
  const bool is_tagged = pickle.CalleeOf(pickle[index]) == "torch.jit._pickle.restore_type_tag";
  const auto* tagged = is_tagged ? TupleOf(pickle, pickle[index].arguments, 1) : nullptr;
  const PickleItem& bits = pickle[tagged ? tagged->front() : index];
  if (bits.kind != Kind::kDict) return false;
  for (size_t i = 0; i + 1 < bits.children.size(); i += 2)
    if (pickle[bits.children[i]].text == name) return pickle[bits.children[i + 1]].integer != 0;
  return false;
}

// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks, bits), and _rebuild_qtensor, which has its
// scheme and scales before requires_grad.
std::optional<PickledTensor> ReadRebuilt(const Pickle& pickle, PickleIndex arguments, size_t requires_grad) {
  const auto* items = TupleOf(pickle, arguments, 4);
  PickledTensor out;
  if (!items || !ReadStorage(pickle, (*items)[0], out)) return std::nullopt;
  const PickleItem& offset = pickle[(*items)[1]];
  if (offset.kind != Kind::kInt || offset.integer < 0) return std::nullopt;
  out.tensor.storage_offset.number = offset.integer;
  if (!ReadSizes(pickle, (*items)[2], out.tensor.sizes) || !ReadSizes(pickle, (*items)[3], out.tensor.strides))
    return std::nullopt;
  if (out.tensor.sizes.size() != out.tensor.strides.size()) return std::nullopt;
  if (items->size() > requires_grad) {
    const PickleItem& flag = pickle[(*items)[requires_grad]];
    out.tensor.requires_grad = flag.kind == Kind::kBool && flag.integer;
  }
  if (items->size() > requires_grad + 2) {
    out.tensor.is_conj = HasBit(pickle, (*items)[requires_grad + 2], "conj");
    out.tensor.is_neg = HasBit(pickle, (*items)[requires_grad + 2], "neg");
  }
  return out;
}

bool IsAllowed(std::string_view global) { return IsTensorGlobal(global); }

// The member of an archive that ends so, in whatever folder all is.
const ZipArchive::Member* FindEnding(const ZipArchive& archive, std::string_view ending) {
  for (const ZipArchive::Member& member : archive.members())
    if (member.name.ends_with(ending)) return &member;
  return nullptr;
}

void AttachFrom(const Pickle& pickle, const ZipArchive& archive, const std::string& folder, Graph& graph) {
  const PickleItem& dict = pickle[pickle.root()];
  std::map<std::string_view, PickleIndex> values;
  for (size_t i = 0; i + 1 < dict.children.size(); i += 2) values[pickle[dict.children[i]].text] = dict.children[i + 1];
  for (Input& input : graph.inputs) {
    auto it = values.find(input.qualified_name);
    if (input.kind != InputKind::kTensorConstant || it == values.end()) continue;
    if (const auto tensor = ReadPickledTensor(pickle, it->second))
      input.elements = ReadElements(tensor->tensor, archive, folder + "data/" + tensor->storage);
  }
}

}  // namespace

bool IsTensorGlobal(std::string_view global) {
  return FindStorageType(global) || std::find(std::begin(kOthers), std::end(kOthers), global) != std::end(kOthers);
}

std::optional<PickledTensor> ReadPickledTensor(const Pickle& pickle, PickleIndex index) {
  const PickleItem& item = pickle[index];
  const std::string_view callee = pickle.CalleeOf(item);
  if (callee == "torch._utils._rebuild_tensor_v2" || callee == "torch._utils._rebuild_tensor")
    return ReadRebuilt(pickle, item.arguments, 4);
  if (callee == "torch._utils._rebuild_qtensor") return ReadRebuilt(pickle, item.arguments, 5);
  if (callee != "torch._utils._rebuild_parameter") return std::nullopt;
  // (data, requires_grad, hooks)
  const auto* items = TupleOf(pickle, item.arguments, 2);
  const std::string_view inner = items ? pickle.CalleeOf(pickle[(*items)[0]]) : std::string_view();
  if (inner != "torch._utils._rebuild_tensor_v2") return std::nullopt;
  auto out = ReadRebuilt(pickle, pickle[(*items)[0]].arguments, 4);
  if (out) out->tensor.requires_grad = pickle[(*items)[1]].integer != 0;
  return out;
}

void AttachPickledConstants(std::string bytes, Graph& graph) {
  constexpr uint64_t kMostBytes = uint64_t{16} << 20;
  std::string error;
  const auto archive = ZipArchive::FromBytes(std::move(bytes), error);
  const ZipArchive::Member* member = archive ? FindEnding(*archive, "data.pkl") : nullptr;
  const auto text = member ? archive->Read(*member, kMostBytes, error) : std::nullopt;
  if (!text) return;
  try {
    const std::string folder = member->name.substr(0, member->name.size() - std::string_view("data.pkl").size());
    AttachFrom(Pickle::Read(*text, IsAllowed), *archive, folder, graph);
  } catch (const PickleError&) {
    // Objects of other classes: nothing is known of the constants then, as where the file had none.
  }
}

}  // namespace fakeprop
