#include "lib/meta/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/symbolic/node.h"

namespace fakeprop {
namespace {

std::string FloatText(double v) {
  if (std::isnan(v)) return "nan";  // whatever its sign
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

template <typename Items>
std::string Joined(const Items& items, const char* open, const char* close) {
  std::string out = open;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out += ", ";
    out += ToString(items[i]);
  }
  return out + close;
}

struct Printer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(Tensor* v) const { return ToString(v->meta); }
  std::string operator()(Dim v) const { return v.ToString(); }
  std::string operator()(double v) const { return FloatText(v); }
  std::string operator()(bool v) const { return v ? "True" : "False"; }
  std::string operator()(std::complex<double> v) const {
    return "(" + FloatText(v.real()) + " + " + FloatText(v.imag()) + "j)";
  }
  std::string operator()(ScalarType v) const { return std::string(DtypeName(v)); }
  std::string operator()(Device v) const { return v.str(); }
  std::string operator()(Layout v) const {
    switch (v) {
      case Layout::Strided: return "strided";
      case Layout::Sparse: return "sparse_coo";
      case Layout::SparseCsr: return "sparse_csr";
      case Layout::SparseCsc: return "sparse_csc";
      case Layout::SparseBsr: return "sparse_bsr";
      case Layout::SparseBsc: return "sparse_bsc";
      case Layout::Mkldnn: return "_mkldnn";
      case Layout::Jagged: return "jagged";
      default: return "unknown";
    }
  }
  std::string operator()(MemoryFormat v) const {
    switch (v) {
      case MemoryFormat::Contiguous: return "contiguous_format";
      case MemoryFormat::Preserve: return "preserve_format";
      case MemoryFormat::ChannelsLast: return "channels_last";
      case MemoryFormat::ChannelsLast3d: return "channels_last_3d";
      default: return "unknown";
    }
  }
  std::string operator()(GraphRef v) const { return "graph " + std::to_string(v.index); }
  std::string operator()(const std::string& v) const { return '"' + v + '"'; }
  std::string operator()(const List& v) const {
    return v.is_tuple ? Joined(v.items, "(", ")") : Joined(v.items, "[", "]");
  }
  std::string operator()(const Dict& v) const {
    std::string out = "{";
    for (size_t i = 0; i < v.items.size(); ++i)
      out += (i ? ", " : "") + ToString(v.items[i].first) + ": " + ToString(v.items[i].second);
    return out + "}";
  }
  std::string operator()(const Slice& v) const { return Joined(v.bounds, "slice(", ")"); }
  std::string operator()(const Opaque& v) const { return "object " + v.name; }
  std::string operator()(const Operator& v) const { return v.target; }
  // A list or dict that holds itself ends as Python prints it.
  std::string operator()(const SharedValue& v) const {
    if (!v.class_name.empty()) return "object of class " + v.class_name;
    thread_local std::vector<const Value*> within;
    if (std::find(within.begin(), within.end(), v.to.get()) != within.end())
      return v.to->Is<Dict>() ? "{...}" : "[...]";
    within.push_back(v.to.get());
    std::string text = ToString(*v.to);
    within.pop_back();
    return text;
  }
  std::string operator()(Symbolic v) const { return ToString(v.expression); }
};

}  // namespace

Value Value::Of(const SymNode* expression) {
  if (expression->type == SymType::kInt) return Dim::Of(expression);
  if (expression->op == SymOp::kReal) return expression->real;
  if (expression->op == SymOp::kTruth) return expression->integer != 0;
  Value value;
  value.v_ = Symbolic{expression};
  return value;
}

bool Value::IsSymbolicFloat() const { return Is<Symbolic>() && Get<Symbolic>().expression->type == SymType::kFloat; }

bool Value::IsSymbolicBool() const { return Is<Symbolic>() && Get<Symbolic>().expression->type == SymType::kBool; }

std::string ToString(const Value& value) { return std::visit(Printer{}, value.variant()); }

}  // namespace fakeprop
