#include "lib/readers/export_values.h"

#include <iterator>

#include "lib/base/torch_version.h"
#include "lib/meta/device_name.h"

namespace fakeprop {
namespace {

struct DtypeNumber {
  int64_t number;
  ScalarType dtype;
};

constexpr DtypeNumber kDtypes[] = {
    {1, ScalarType::Byte},
    {2, ScalarType::Char},
    {3, ScalarType::Short},
    {4, ScalarType::Int},
    {5, ScalarType::Long},
    {6, ScalarType::Half},
    {7, ScalarType::Float},
    {8, ScalarType::Double},
    {9, ScalarType::ComplexHalf},
    {10, ScalarType::ComplexFloat},
    {11, ScalarType::ComplexDouble},
    {12, ScalarType::Bool},
    {13, ScalarType::BFloat16},
    {28, ScalarType::UInt16},
    {29, ScalarType::Float8_e4m3fn},
    {30, ScalarType::Float8_e5m2},
    {31, ScalarType::Float8_e4m3fnuz},
    {32, ScalarType::Float8_e5m2fnuz},
    {33, ScalarType::Float8_e8m0fnu},
    {34, ScalarType::UInt32},
    {35, ScalarType::UInt64},
};

// By number less one.
constexpr Layout kLayouts[] = {Layout::Sparse, Layout::SparseCsr, Layout::SparseCsc, Layout::SparseBsr,
    Layout::SparseBsc, Layout::Mkldnn, Layout::Strided};
constexpr MemoryFormat kMemoryFormats[] = {
    MemoryFormat::Contiguous, MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d, MemoryFormat::Preserve};

constexpr std::string_view kSymIntTags[] = {"as_expr", "as_int"};
constexpr std::string_view kSymFloatTags[] = {"as_expr", "as_float"};
constexpr std::string_view kSymBoolTags[] = {"as_expr", "as_bool"};
constexpr std::string_view kHintTags[] = {"as_int", "as_bool", "as_float"};
enum HintTag { kHintInt, kHintBool, kHintFloat };

// {"expr_str": .., "hint": {"as_int": 4}}. A hint of another kind than the value's own says nothing.
void ReadExpression(JsonValue json, RecordedNumber& number) {
  number.integer.expression = json.Get("expr_str").AsString();
  if (number.integer.expression.empty()) json.Get("expr_str").FailExpected("an expression");
  std::optional<JsonValue> hint = json.Find("hint");
  if (!hint) return;
  auto [tag, value] = ReadUnion(*hint, kHintTags);
  if (tag == kHintInt) number.integer.hint = value.AsInt();
  if (tag == kHintBool) number.boolean = value.AsBool();
  if (tag == kHintFloat) number.floating = value.AsReal();
}

RecordedSize ReadSymInt(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kSymIntTags);
  RecordedNumber number;
  if (tag == 0) ReadExpression(value, number);
  else number.integer.number = value.AsInt();
  return number.integer;
}

RecordedNumber ReadSymFloat(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kSymFloatTags);
  RecordedNumber number{.kind = RecordedNumber::Kind::kFloat};
  if (tag == 0) ReadExpression(value, number);
  else number.floating = value.AsReal();
  return number;
}

RecordedNumber ReadSymBool(JsonValue json) {
  auto [tag, value] = ReadUnion(json, kSymBoolTags);
  RecordedNumber number{.kind = RecordedNumber::Kind::kBool};
  if (tag == 0) ReadExpression(value, number);
  else number.boolean = value.AsBool();
  return number;
}

RecordedSize ReadNonNegative(JsonValue json) {
  RecordedSize size = ReadSymInt(json);
  if (size.number < 0) json.Fail("expected a size of 0 or more but found " + std::to_string(size.number));
  return size;
}

// A bound that no size can reach is none.
std::optional<int64_t> ReadBound(std::optional<JsonValue> json) {
  if (!json || json->kind() == JsonKind::kBigInteger) return std::nullopt;
  return json->AsInt();
}

}  // namespace

ScalarType ReadScalarType(JsonValue json) {
  int64_t number = json.AsInt();
  for (const DtypeNumber& known : kDtypes)
    if (known.number == number) return known.dtype;
  json.FailExpected("the number of a dtype (1 to 13 or 28 to 35)");
}

Layout ReadLayout(JsonValue json) {
  int64_t number = json.AsInt();
  if (number < 1 || number > std::ssize(kLayouts)) json.FailExpected("the number of a layout (1 to 7)");
  return kLayouts[number - 1];
}

MemoryFormat ReadMemoryFormat(JsonValue json) {
  int64_t number = json.AsInt();
  if (number < 1 || number > std::ssize(kMemoryFormats)) json.FailExpected("the number of a memory format (1 to 4)");
  return kMemoryFormats[number - 1];
}

Device ReadDevice(JsonValue json) {
  std::string name(json.Get("type").AsString());
  std::optional<Device> device = name.find(':') == std::string::npos ? DeviceFromName(name) : std::nullopt;
  if (!device) json.Get("type").FailExpected("the type of a device, such as cpu or cuda,");
  std::optional<JsonValue> index = json.Find("index");
  if (!index) return *device;
  device = DeviceFromName(name + ":" + std::to_string(index->AsInt()));
  if (!device) index->FailExpected("the index of a " + name + " device");
  return *device;
}

RecordedTensor ReadTensorMeta(JsonValue json) {
  RecordedTensor tensor;
  tensor.dtype = ReadScalarType(json.Get("dtype"));
  for (JsonValue size : json.Get("sizes").AsArray()) tensor.sizes.push_back(ReadNonNegative(size));
  for (JsonValue stride : json.Get("strides").AsArray()) tensor.strides.push_back(ReadNonNegative(stride));
  tensor.storage_offset = ReadNonNegative(json.Get("storage_offset"));
  tensor.requires_grad = json.Get("requires_grad").AsBool();
  tensor.device = ReadDevice(json.Get("device"));
  tensor.layout = ReadLayout(json.Get("layout"));
  if (tensor.layout == Layout::Strided && tensor.sizes.size() != tensor.strides.size())
    json.Fail(std::to_string(tensor.sizes.size()) + " sizes but " + std::to_string(tensor.strides.size()) + " strides");
  return tensor;
}

std::map<std::string, Recorded, std::less<>> ReadRecordedValues(JsonValue graph) {
  std::map<std::string, Recorded, std::less<>> recorded;
  auto read_table = [&](std::string_view table, auto read_entry) {
    std::optional<JsonValue> entries = graph.Find(table);
    if (!entries) return;
    for (JsonValue entry : entries->AsObject()) recorded.insert_or_assign(std::string(entry.key()), read_entry(entry));
  };
  read_table("tensor_values", ReadTensorMeta);
  read_table("sym_int_values", [](JsonValue json) { return RecordedNumber{.integer = ReadSymInt(json)}; });
  read_table("sym_float_values", ReadSymFloat);
  read_table("sym_bool_values", ReadSymBool);
  return recorded;
}

std::map<std::string, SymbolRange, std::less<>> ReadRanges(JsonValue ranges) {
  std::map<std::string, SymbolRange, std::less<>> read;
  for (JsonValue range : ranges.AsObject())
    read[std::string(range.key())] = {ReadBound(range.Find("min_val")), ReadBound(range.Find("max_val"))};
  return read;
}

std::optional<int> ReadTorch(JsonValue root) {
  const std::optional<JsonValue> version = root.Find("torch_version");
  if (!version) return std::nullopt;
  const std::optional<int> torch =
      version->kind() == JsonKind::kString ? ReadTorchVersion(version->AsString()) : std::nullopt;
  return torch ? NearestKnownTorch(*torch) : kNewestTorch;
}

TorchBuild ReadBuild(JsonValue root) {
  const std::optional<JsonValue> version = root.Find("torch_version");
  const bool is_text = version && version->kind() == JsonKind::kString;
  return is_text ? ReadTorchBuild(version->AsString()).value_or(TorchBuild::kCuda) : TorchBuild::kCuda;
}

}  // namespace fakeprop
