#include "lib/rules/testing/parsed_call.h"

#include <algorithm>
#include <stdexcept>

#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::testing {
namespace {

// "coo", "csr"
std::string ShortName(Layout layout) {
  std::string name = ToString(Value(layout));
  for (std::string_view prefix : {"sparse_", "_"})
    if (name.starts_with(prefix)) name = name.substr(prefix.size());
  return name;
}

class Parser {
 public:
  explicit Parser(ParsedCall& call) : text_(*call.text), objects_(call.objects), tensors_(call.tensors) {}

  std::string ParseOperator() {
    const size_t open = text_.find('(');
    if (open == std::string_view::npos) Fail();
    at_ = open + 1;
    const std::string name(text_.substr(0, open));
    return name.find("::") == std::string::npos ? "aten::" + name : name;
  }

  std::vector<GivenArgument> ParseArguments() {
    std::vector<GivenArgument> arguments;
    while (!Accept(')')) {
      if (!arguments.empty()) Expect(',');
      GivenArgument argument;
      const size_t start = Skip();
      const std::string_view word = Word();
      if (!word.empty() && Peek() == '=') {
        argument.name = word;
        ++at_;
      } else {
        at_ = start;
      }
      argument.value = ParseValue();
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

 private:
  Value ParseValue() {
    Skip();
    if (Accept('[')) {
      List list;
      while (!Accept(']')) {
        if (!list.items.empty()) Expect(',');
        list.items.push_back(ParseValue());
      }
      return list;
    }
    if (Peek() == '"') {
      const size_t end = text_.find('"', at_ + 1);
      std::string value(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(Peek())) || Peek() == '-') return ParseNumber();
    const std::string_view word = Word();
    if (Peek() == '[') return ParseTensor(word);
    return ParseWord(word);
  }

  Value ParseWord(std::string_view word) {
    if (word == "True") return true;
    if (word == "False") return false;
    if (word == "None") return {};
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i <= static_cast<int>(Layout::Jagged); ++i)
      if (ToString(Value(static_cast<Layout>(i))) == word) return static_cast<Layout>(i);
    if (word == "contiguous_format") return MemoryFormat::Contiguous;
    if (word == "preserve_format") return MemoryFormat::Preserve;
    if (word == "channels_last") return MemoryFormat::ChannelsLast;
    if (word == "channels_last_3d") return MemoryFormat::ChannelsLast3d;
    if (auto dtype = DtypeFromName(word)) return *dtype;
    return ReadDevice(word);
  }

  Value ParseNumber() {
    const size_t start = at_;
    while (at_ < text_.size() && IsNumberCharacter(text_[at_])) ++at_;
    const std::string number(text_.substr(start, at_ - start));
    if (number.ends_with('j')) return ParseComplex(number);
    if (number.find_first_of(".en") == std::string::npos) return static_cast<int64_t>(std::stoll(number));
    return std::stod(number);
  }

  static bool IsNumberCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+';
  }

  // "1.0+2.5j"
  static Value ParseComplex(const std::string& number) {
    size_t end = 0;
    const double real = std::stod(number, &end);
    return std::complex<double>(real, std::stod(number.substr(end)));
  }

  static Device ReadDevice(std::string_view name) {
    if (const auto device = DeviceFromName(name)) return *device;
    throw std::invalid_argument("there is no device `" + std::string(name) + "`");
  }

  Value ParseTensor(std::string_view short_dtype) {
    TensorMeta meta;
    meta.dtype = DtypeFromShortName(short_dtype);
    Expect('[');
    meta.sizes = ParseDims(']');
    if (Accept(':')) return ParseOtherLayout(std::move(meta));
    meta.strides = Accept('{') ? ParseDims('}') : ContiguousStrides(meta.size_span());
    if (Accept('+')) meta.storage_offset = ParseNumber().Get<Dim>();
    if (Accept('@')) meta.device = ReadDevice(Word());
    Storage* storage = objects_.NewStorage(StorageNbytes(meta), meta.device);
    tensors_.push_back(objects_.NewTensor(meta, storage));
    return tensors_.back();
  }

  // "coo(i64[2,3], f32[3], coalesced)", "csr(i64[5], i64[3], f32[3])", "mkldnn", "jagged"
  Value ParseOtherLayout(TensorMeta meta) {
    meta.layout = LayoutFromShortName(Word());
    const size_t position = tensors_.size();
    SparseParts parts;
    if (meta.layout != Layout::Mkldnn && meta.layout != Layout::Jagged) parts = ParseParts(meta.layout);
    if (Accept('@')) meta.device = ReadDevice(Word());
    tensors_.resize(position);  // the parts are no tensors of the call
    tensors_.push_back(parts.values ? objects_.NewSparse(meta, parts)
                                    : objects_.NewTensor(meta, objects_.NewStorage(StorageNbytes(meta), meta.device)));
    return tensors_.back();
  }

  SparseParts ParseParts(Layout layout) {
    SparseParts parts;
    Expect('(');
    parts.indices = ParseValue().TryTensor();
    Expect(',');
    if (layout != Layout::Sparse) {
      parts.plain = ParseValue().TryTensor();
      Expect(',');
    }
    parts.values = ParseValue().TryTensor();
    parts.is_coalesced = Accept(',') && (Skip(), Word() == "coalesced");
    Expect(')');
    if (!parts.indices || !parts.values) Fail();
    return parts;
  }

  static Layout LayoutFromShortName(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(Layout::Jagged); ++i)
      if (ShortName(static_cast<Layout>(i)) == name) return static_cast<Layout>(i);
    throw std::invalid_argument("no layout " + std::string(name));
  }

  Dims ParseDims(char close) {
    Dims dims;
    while (!Accept(close)) {
      if (!dims.empty()) Expect(',');
      Skip();
      dims.push_back(ParseNumber().Get<Dim>());
    }
    return dims;
  }

  static ScalarType DtypeFromShortName(std::string_view name) {
    for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i)
      if (ShortDtypeName(static_cast<ScalarType>(i)) == name) return static_cast<ScalarType>(i);
    throw std::invalid_argument("no dtype " + std::string(name));
  }

  size_t Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Accept(char c) {
    Skip();
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Fail();
  }
  std::string_view Word() {
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == ':'))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  [[noreturn]] void Fail() const {
    throw std::invalid_argument("call text at " + std::to_string(at_) + ": " + std::string(text_));
  }

  std::string_view text_;
  ObjectTable& objects_;
  std::vector<Tensor*>& tensors_;
  size_t at_ = 0;
};

std::string DimsText(DimSpan dims, char open, char close) {
  std::string out(1, open);
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? "," : "") + dims[i].ToString();
  return out + close;
}

// As ParseNumber reads it, the sign between the parts included.
std::string ComplexText(std::complex<double> z) {
  return ToString(Value(z.real())) + (std::signbit(z.imag()) ? "" : "+") + ToString(Value(z.imag())) + "j";
}

std::string ValueText(const Value& value) {
  if (const Tensor* t = value.TryTensor()) return TensorText(*t);
  if (auto z = value.TryGet<std::complex<double>>()) return ComplexText(*z);
  const List* list = value.TryList();
  if (!list) return ToString(value);
  std::string out = "[";
  for (const Value& item : list->items) out += (out.size() > 1 ? ", " : "") + ValueText(item);
  return out + "]";
}

}  // namespace

std::string TensorText(const TensorMeta& m) {
  std::string out(ShortDtypeName(m.dtype));
  out += DimsText(m.size_span(), '[', ']');
  if (m.layout != Layout::Strided) return out + ":" + ShortName(m.layout);
  if (!GuardSameOrFalse(m.stride_span(), ContiguousStrides(m.size_span()))) out += DimsText(m.stride_span(), '{', '}');
  if (!Guard(Eq(m.storage_offset, 0))) out += "+" + m.storage_offset.ToString();
  if (!m.device.is_cpu()) out += "@" + m.device.str();
  if (m.is_conj) out += " conj";
  if (m.is_neg) out += " neg";
  return out;
}

std::string SparseText(const TensorMeta& whole, const std::vector<std::string>& parts, bool is_coalesced) {
  std::string out = TensorText(whole) + "(";
  for (const std::string& part : parts) out += part + ", ";
  out.resize(out.size() - 2);
  return out + (is_coalesced ? ", coalesced)" : ")") + (whole.device.is_cpu() ? "" : "@" + whole.device.str());
}

std::string TensorText(const Tensor& t) {
  if (!t.parts) return TensorText(t.meta);
  std::vector<std::string> parts;
  for (const Tensor* part : {t.parts->indices, t.parts->plain, t.parts->values})
    if (part) parts.push_back(TensorText(part->meta));
  return SparseText(t.meta, parts, t.parts->is_coalesced);
}

ParsedCall ParseCall(std::string text) {
  ParsedCall call;
  call.text = std::make_unique<std::string>(std::move(text));
  Parser parser(call);
  call.op = parser.ParseOperator();
  call.schema = FindSchema(call.op);
  call.arguments = parser.ParseArguments();
  return call;
}

const SchemaArgument& ArgumentOf(const ParsedCall& call, size_t i) {
  const auto& arguments = call.schema->arguments;
  const std::string_view name = call.arguments[i].name;
  const auto it = name.empty()
                      ? arguments.begin() + static_cast<ptrdiff_t>(i)
                      : std::find_if(arguments.begin(), arguments.end(), [&](auto& a) { return a.name == name; });
  if (it >= arguments.end()) throw std::invalid_argument("no argument " + std::to_string(i) + " of " + call.op);
  return *it;
}

std::string CallText(const ParsedCall& call) {
  std::string out;
  for (const GivenArgument& argument : call.arguments)
    out += (out.empty() ? "" : ", ") + (argument.name.empty() ? "" : std::string(argument.name) + "=") +
           ValueText(argument.value);
  return (call.op.starts_with("aten::") ? call.op.substr(6) : call.op) + "(" + out + ")";
}

}  // namespace fakeprop::testing
