#include "lib/readers/fx_values.h"

#include <cmath>
#include <limits>

#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

struct LayoutName {
  std::string_view name;
  Layout layout;
};
constexpr LayoutName kLayouts[] = {
    {"strided", Layout::Strided},
    {"sparse_coo", Layout::Sparse},
    {"sparse_csr", Layout::SparseCsr},
    {"sparse_csc", Layout::SparseCsc},
    {"sparse_bsr", Layout::SparseBsr},
    {"sparse_bsc", Layout::SparseBsc},
    {"_mkldnn", Layout::Mkldnn},
    {"jagged", Layout::Jagged},
};

struct FormatName {
  std::string_view name;
  MemoryFormat format;
};
constexpr FormatName kFormats[] = {
    {"contiguous_format", MemoryFormat::Contiguous},
    {"preserve_format", MemoryFormat::Preserve},
    {"channels_last", MemoryFormat::ChannelsLast},
    {"channels_last_3d", MemoryFormat::ChannelsLast3d},
};

std::string_view WithoutTorch(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  return name;
}

MemoryFormat ReadFormatName(JsonValue json) {
  for (const FormatName& known : kFormats)
    if (known.name == WithoutTorch(json.AsString())) return known.format;
  json.FailExpected("the name of a memory format, such as channels_last,");
}

Value ReadFloatTag(JsonValue json) {
  const std::string_view text = json.AsString();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  json.FailExpected("`nan`, `inf` or `-inf`");
}

JsonValue Item(JsonValue array, size_t index) {
  JsonValue::Iterator it = array.begin();
  for (; index > 0; --index) ++it;
  return *it;
}

Value ReadComplexTag(JsonValue json) {
  if (json.AsArray().size() != 2) json.FailExpected("[re, im]");
  return std::complex<double>(Item(json, 0).AsReal(), Item(json, 1).AsReal());
}

GraphValue ReadSymIntTag(JsonValue json, const FxReferences& references) {
  if (json.kind() == JsonKind::kInteger) return json.AsInt();
  const std::optional<Expression> expression = ParseExpression(json.AsString());
  if (!expression) json.FailExpected("a size such as `2*s0 + 1`");
  if (expression->kind == Expression::Kind::kNumber && expression->number.is_integer) return expression->number.integer;
  return references.size(json);
}

GraphValue ReadItems(ContainerKind kind, JsonValue json, const FxReferences& references) {
  std::vector<GraphValue> items;
  items.reserve(json.AsArray().size());
  for (JsonValue item : json) items.push_back(ReadFxArgument(item, references));
  return ContainerOf(kind, std::move(items));
}

GraphValue ReadDict(JsonValue json, const FxReferences& references) {
  std::vector<GraphValue> items;
  for (JsonValue pair : json.AsArray()) {
    if (pair.AsArray().size() != 2) pair.FailExpected("[key, value]");
    for (JsonValue item : pair) items.push_back(ReadFxArgument(item, references));
  }
  return ContainerOf(ContainerKind::kDict, std::move(items));
}

GraphValue ReadSlice(JsonValue json, const FxReferences& references) {
  if (json.AsArray().size() != 3) json.FailExpected("[start, stop, step]");
  return ReadItems(ContainerKind::kSlice, json, references);
}

constexpr std::string_view kTags[] = {"node", "tuple", "dict", "slice", "dtype", "device", "layout", "memory_format",
    "complex", "float", "ellipsis", "symint", "graph", "operator", "object", "module"};
enum Tag {
  kNode,
  kTuple,
  kDict,
  kSlice,
  kDtype,
  kDevice,
  kLayout,
  kMemoryFormat,
  kComplex,
  kFloat,
  kEllipsis,
  kSymInt,
  kGraph,
  kOperator,
  kObject,
  kModule,
};

// A module among the arguments of another: what it is made of, as a dict.
GraphValue ReadModule(JsonValue json, const FxReferences& references) {
  std::vector<GraphValue> module = {"class", std::string(json.Get("class").AsString())};
  if (auto bases = json.Find("bases")) {
    module.push_back("bases");
    module.push_back(ReadItems(ContainerKind::kList, bases->AsArray(), references));
  }
  std::vector<GraphValue> arguments;
  if (auto given = json.Find("arguments"))
    for (JsonValue argument : given->AsObject()) {
      arguments.push_back(std::string(argument.key()));
      arguments.push_back(ReadFxArgument(argument, references));
    }
  module.push_back("arguments");
  module.push_back(ContainerOf(ContainerKind::kDict, std::move(arguments)));
  if (auto training = json.Find("training")) {
    module.push_back("training");
    module.push_back(training->AsBool());
  }
  return ContainerOf(ContainerKind::kDict, std::move(module));
}

GraphValue ReadTagged(JsonValue json, const FxReferences& references) {
  auto [tag, value] = ReadUnion(json, kTags);
  switch (tag) {
    case kNode: return references.node(value);
    case kTuple: return ReadItems(ContainerKind::kTuple, value, references);
    case kDict: return ReadDict(value, references);
    case kSlice: return ReadSlice(value, references);
    case kDtype: return ReadDtypeName(value);
    case kDevice: return ReadDeviceName(value);
    case kLayout: return ReadLayoutName(value);
    case kMemoryFormat: return ReadFormatName(value);
    case kComplex: return ReadComplexTag(value);
    case kFloat: return ReadFloatTag(value);
    case kEllipsis: return Opaque{"builtins.ellipsis", "..."};
    case kSymInt: return ReadSymIntTag(value, references);
    case kGraph: return references.graph(value);
    case kOperator: return Operator{std::string(value.AsString())};
    case kObject: return Opaque{std::string(value.AsString()), ""};
    case kModule: return ReadModule(value, references);
  }
  return {};
}

std::vector<RecordedSize> ReadSizes(JsonValue json) {
  std::vector<RecordedSize> sizes;
  for (JsonValue size : json.AsArray()) {
    RecordedSize read;
    if (size.kind() == JsonKind::kString) read.expression = size.AsString();
    else if (read.number = size.AsInt(); read.number < 0) size.FailExpected("a size of 0 or more");
    sizes.push_back(read);
  }
  return sizes;
}

// Of sizes in numbers; a product that leaves int64 is found where the tensor is made.
std::vector<RecordedSize> Contiguous(const std::vector<RecordedSize>& sizes, JsonValue json) {
  std::vector<RecordedSize> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (!sizes[d].expression.empty()) json.Fail("a tensor of symbolic sizes needs its `stride`");
    strides[d].number = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[d].number, 1), &stride))
      json.Fail("the tensor is too large");
  }
  return strides;
}

void ReadElementsInto(JsonValue json, const RecordedTensor& tensor, size_t dim, std::vector<Value>& elements) {
  if (dim == tensor.sizes.size()) {
    elements.push_back(tensor.dtype == ScalarType::Bool ? Value(json.AsBool()) : Value(json.AsInt()));
    return;
  }
  if (static_cast<int64_t>(json.AsArray().size()) != tensor.sizes[dim].number)
    json.Fail("expected " + std::to_string(tensor.sizes[dim].number) + " items, as the shape says, but found " +
              std::to_string(json.size()));
  for (JsonValue item : json) ReadElementsInto(item, tensor, dim + 1, elements);
}

RecordedNumber ReadSymbolicNumber(JsonValue json, RecordedNumber::Kind kind) {
  RecordedNumber number{.kind = kind};
  number.integer.expression = json.Get("expr").AsString();
  const std::optional<JsonValue> hint = json.Find("hint");
  if (!hint) return number;
  if (kind == RecordedNumber::Kind::kInt) number.integer.hint = hint->AsInt();
  if (kind == RecordedNumber::Kind::kFloat) number.floating = hint->AsReal();
  if (kind == RecordedNumber::Kind::kBool) number.boolean = hint->AsBool();
  return number;
}

}  // namespace

ScalarType ReadDtypeName(JsonValue json) {
  if (auto dtype = DtypeFromName(WithoutTorch(json.AsString()))) return *dtype;
  json.FailExpected("the name of a dtype, such as float32,");
}

Device ReadDeviceName(JsonValue json) {
  if (auto device = DeviceFromName(std::string(json.AsString()))) return *device;
  json.FailExpected("the name of a device, such as cpu or cuda:0,");
}

Layout ReadLayoutName(JsonValue json) {
  for (const LayoutName& known : kLayouts)
    if (known.name == WithoutTorch(json.AsString())) return known.layout;
  json.FailExpected("the name of a layout, such as strided,");
}

RecordedTensor ReadTensorFields(JsonValue json) {
  RecordedTensor tensor;
  tensor.sizes = ReadSizes(json.Get("shape"));
  tensor.dtype = ReadDtypeName(json.Get("dtype"));
  if (auto layout = json.Find("layout")) tensor.layout = ReadLayoutName(*layout);
  if (auto stride = json.Find("stride")) {
    tensor.strides = ReadSizes(*stride);
    if (tensor.layout == Layout::Strided && tensor.strides.size() != tensor.sizes.size())
      stride->Fail(
          std::to_string(tensor.strides.size()) + " strides for " + std::to_string(tensor.sizes.size()) + " sizes");
  } else if (tensor.layout == Layout::Strided) {
    tensor.strides = Contiguous(tensor.sizes, json);
  }
  if (auto offset = json.Find("storage_offset")) {
    if (offset->kind() == JsonKind::kString) tensor.storage_offset.expression = offset->AsString();
    else if (tensor.storage_offset.number = offset->AsInt(); tensor.storage_offset.number < 0)
      offset->FailExpected("an offset of 0 or more");
  }
  if (auto device = json.Find("device")) tensor.device = WithIndex(ReadDeviceName(*device));
  if (auto requires_grad = json.Find("requires_grad")) tensor.requires_grad = requires_grad->AsBool();
  return tensor;
}

Constant ReadTensorElements(JsonValue json, const RecordedTensor& tensor) {
  if (!IsIntegral(tensor.dtype)) return nullptr;
  auto elements = std::make_shared<std::vector<Value>>();
  ReadElementsInto(json, tensor, 0, *elements);
  return elements;
}

GraphValue ReadFxArgument(JsonValue json, const FxReferences& references) {
  switch (json.kind()) {
    case JsonKind::kNull: return {};
    case JsonKind::kBool: return json.AsBool();
    case JsonKind::kInteger: return json.AsInt();
    case JsonKind::kBigInteger: json.FailExpected("an integer of 64 bits");
    case JsonKind::kReal: return json.AsReal();
    case JsonKind::kString: return std::string(json.AsString());
    case JsonKind::kArray: return ReadItems(ContainerKind::kList, json, references);
    case JsonKind::kObject: break;
  }
  return ReadTagged(json, references);
}

Value ReadFxValue(JsonValue json) {
  const auto refuse = [](JsonValue at) -> GraphValue { at.FailExpected("a plain value"); };
  return *ReadFxArgument(json, {refuse, refuse, refuse}).TryPlain();
}

std::optional<Recorded> ReadRecordedValue(JsonValue json) {
  if (json.kind() == JsonKind::kBool)
    return RecordedNumber{.kind = RecordedNumber::Kind::kBool, .boolean = json.AsBool()};
  if (json.kind() == JsonKind::kInteger) return RecordedNumber{.integer = {.number = json.AsInt()}};
  if (json.kind() == JsonKind::kReal)
    return RecordedNumber{.kind = RecordedNumber::Kind::kFloat, .floating = json.AsReal()};
  if (json.kind() != JsonKind::kObject) return std::nullopt;
  const std::string_view type = json.Get("type").AsString();
  if (type == "tensor") return ReadTensorFields(json);
  if (type == "symint") return ReadSymbolicNumber(json, RecordedNumber::Kind::kInt);
  if (type == "symfloat") return ReadSymbolicNumber(json, RecordedNumber::Kind::kFloat);
  if (type == "symbool") return ReadSymbolicNumber(json, RecordedNumber::Kind::kBool);
  return std::nullopt;
}

}  // namespace fakeprop
