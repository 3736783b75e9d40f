#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "lib/deferred_init/stored_tensors.h"
#include "lib/json/json_parse.h"

namespace fakeprop::deferred_init {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

using c10::ScalarType;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMostHeaderBytes = 100'000'000;  // as in the format's own implementation

constexpr struct {
  std::string_view name;
  ScalarType dtype;
} kDtypes[] = {{"BOOL", ScalarType::Bool}, {"U8", ScalarType::Byte}, {"I8", ScalarType::Char},
    {"I16", ScalarType::Short}, {"U16", ScalarType::UInt16}, {"I32", ScalarType::Int}, {"U32", ScalarType::UInt32},
    {"I64", ScalarType::Long}, {"U64", ScalarType::UInt64}, {"F16", ScalarType::Half}, {"BF16", ScalarType::BFloat16},
    {"F32", ScalarType::Float}, {"F64", ScalarType::Double}, {"C64", ScalarType::ComplexFloat},
    {"F8_E4M3", ScalarType::Float8_e4m3fn}, {"F8_E5M2", ScalarType::Float8_e5m2},
    {"F8_E8M0", ScalarType::Float8_e8m0fnu}};

ScalarType ReadDtype(JsonValue json) {
  const std::string_view name = json.AsString();
  const auto it =
      std::find_if(std::begin(kDtypes), std::end(kDtypes), [&](const auto& known) { return known.name == name; });
  if (it == std::end(kDtypes)) json.FailExpected("a dtype such as F32, BF16 or I64");
  return it->dtype;
}

int64_t ReadCount(JsonValue json) {
  const int64_t count = json.AsInt();
  if (count < 0) json.FailExpected("a number that is not negative");
  return count;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  return strides;
}

// Their bytes; fails if they leave 63 bits.
int64_t CountBytes(JsonValue shape, const std::vector<int64_t>& sizes, ScalarType dtype) {
  int64_t count = static_cast<int64_t>(c10::elementSize(dtype)), nonzero = count;
  for (int64_t size : sizes) {
    if (__builtin_mul_overflow(nonzero, std::max<int64_t>(size, 1), &nonzero))
      shape.Fail("a tensor of this shape has more than 2^63 bytes");
    count *= size;
  }
  return count;
}

struct Part {
  int64_t begin, end;
  std::string name;
  std::string pointer;
};

class Header {
 public:
  Header(std::shared_ptr<const MappedFile> file, std::string_view data) : file_(std::move(file)), data_(data) {}

  StoredTensors Read(JsonValue root) {
    for (JsonValue entry : root.AsObject())
      if (entry.key() == "__metadata__") CheckMetadata(entry);
      else ReadEntry(entry);
    CheckParts();
    return std::move(tensors_);
  }

 private:
  static void CheckMetadata(JsonValue json) {
    for (JsonValue text : json.AsObject()) text.AsString();
  }

  void ReadEntry(JsonValue json) {
    StoredTensor tensor;
    tensor.dtype = ReadDtype(json.Get("dtype"));
    const JsonValue shape = json.Get("shape");
    for (JsonValue size : shape.AsArray()) tensor.sizes.push_back(ReadCount(size));
    const int64_t nbytes = CountBytes(shape, tensor.sizes, tensor.dtype);
    tensor.strides = ContiguousStrides(tensor.sizes);
    const auto [begin, end] = ReadOffsets(json.Get("data_offsets"));
    if (end - begin != nbytes)
      json.Fail("the shape and dtype have " + std::to_string(nbytes) + " bytes, but the offsets hold " +
                std::to_string(end - begin));
    tensor.blob = BlobOf(file_, data_.substr(static_cast<size_t>(begin), static_cast<size_t>(nbytes)));
    parts_.push_back({begin, end, std::string(json.key()), json.Get("data_offsets").Pointer()});
    tensors_.emplace(json.key(), std::move(tensor));
  }

  std::pair<int64_t, int64_t> ReadOffsets(JsonValue json) const {
    if (json.AsArray().size() != 2) json.FailExpected("two offsets");
    auto it = json.begin();
    const int64_t begin = ReadCount(*it);
    ++it;
    const int64_t end = ReadCount(*it);
    if (begin > end)
      json.Fail("the offsets are reversed: " + std::to_string(begin) + " comes after " + std::to_string(end));
    if (static_cast<uint64_t>(end) > data_.size())
      json.Fail("the tensor ends at byte " + std::to_string(end) + " of the data, but the file has only " +
                std::to_string(data_.size()) + ": is it cut off?");
    return {begin, end};
  }

  // Tensors lie one after the other, without gaps.
  void CheckParts() {
    std::sort(parts_.begin(), parts_.end(),
        [](const Part& a, const Part& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
    int64_t at = 0;
    for (const Part& part : parts_) {
      if (part.begin != at) throw JsonError(part.pointer, Misplaced(part, at));
      at = part.end;
    }
    if (static_cast<uint64_t>(at) != data_.size())
      throw JsonError("header", "the tensors end at byte " + std::to_string(at) + " of the data, but the file has " +
                                    std::to_string(data_.size()));
  }

  static std::string Misplaced(const Part& part, int64_t at) {
    const std::string begins = "tensor " + Quote(part.name) + " begins at byte " + std::to_string(part.begin);
    return part.begin < at ? begins + ", but the one before it ends at " + std::to_string(at) + ": they overlap"
                           : begins + ", but the one before it ends at " + std::to_string(at) + ": there is a gap";
  }

  const std::shared_ptr<const MappedFile> file_;
  const std::string_view data_;
  StoredTensors tensors_;
  std::vector<Part> parts_;
};

std::string_view HeaderText(const std::string& path, std::string_view bytes) {
  if (bytes.size() < kLengthBytes)
    throw WeightsError{
        path, "byte 0", "the file has " + std::to_string(bytes.size()) + " bytes; safetensors begin with 8"};
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMostHeaderBytes)
    throw WeightsError{path, "byte 0",
        "the header would have " + std::to_string(length) + " bytes; at most " + std::to_string(kMostHeaderBytes) +
            " are allowed"};
  if (length > bytes.size() - kLengthBytes)
    throw WeightsError{path, "byte 0",
        "the header would have " + std::to_string(length) + " bytes, but the file has only " +
            std::to_string(bytes.size() - kLengthBytes) + " after the length: is it cut off?"};
  const std::string_view text = bytes.substr(kLengthBytes, length);
  if (!text.starts_with('{'))
    throw WeightsError{path, "byte 8", "the header must begin with `{`: is this a safetensors file?"};
  return text;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// The file that an index names. It must lie beside the index.
std::string ReadFileName(JsonValue json) {
  const std::string_view name = json.AsString();
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos)
    json.FailExpected("the name of a file in the index's own folder");
  return std::string(name);
}

StoredTensors ReadShards(const std::string& path, JsonValue weight_map) {
  std::map<std::string, StoredTensors> shards;
  StoredTensors all;
  for (JsonValue entry : weight_map.AsObject()) {
    const std::string file = ReadFileName(entry);
    auto [shard, is_new] = shards.try_emplace(file);
    if (is_new) shard->second = ReadSafetensors(FolderOf(path) + file);
    const auto it = shard->second.find(std::string(entry.key()));
    if (it == shard->second.end()) entry.Fail("the file " + Quote(file) + " has no tensor " + Quote(entry.key()));
    all.insert(*it);
  }
  return all;
}

}  // namespace

StoredTensors ReadSafetensors(const std::string& path) {
  const auto file = MappedFile::Open(path);
  const std::string_view text = HeaderText(path, file->bytes());
  try {
    const JsonTree tree = ParseJson(text);
    return Header(file, file->bytes().substr(kLengthBytes + text.size())).Read(tree.root());
  } catch (const JsonError& error) {
    const bool is_byte = error.place.starts_with("byte");
    throw WeightsError{path, (is_byte ? "header: " : "") + error.place, error.message};
  }
}

StoredTensors ReadSafetensorsIndex(const std::string& path) {
  const auto file = MappedFile::Open(path);
  try {
    const JsonTree tree = ParseJson(file->bytes());
    return ReadShards(path, tree.root().Get("weight_map"));
  } catch (const JsonError& error) {
    throw WeightsError{path, error.place, error.message};
  }
}

}  // namespace fakeprop::deferred_init
