#include "lib/refine/rewrite.h"

#include "lib/base/json_text.h"
#include "lib/meta/error.h"

namespace fakeprop {
namespace {

void WriteConstant(const SymNumber& number, SymType type, std::string& out) {
  if (type == SymType::kFloat) WriteFloat(number.AsReal(), out);
  else if (type == SymType::kBool) out += number.Truth() ? "true" : "false";
  else WriteInt(number.integer, out);
}

std::optional<SymType> SymbolicTypeOf(JsonValue object) {
  const std::optional<JsonValue> type = object.Find("type");
  const std::string_view name = type && type->kind() == JsonKind::kString ? type->AsString() : std::string_view();
  if (name == "symint") return SymType::kInt;
  if (name == "symfloat") return SymType::kFloat;
  return name == "symbool" ? std::optional(SymType::kBool) : std::nullopt;
}

bool IsTensor(JsonValue object) {
  const std::optional<JsonValue> type = object.Find("type");
  return type && type->kind() == JsonKind::kString && type->AsString() == "tensor";
}

class Rewriter {
 public:
  Rewriter(RefinedSymbols& symbols, std::string& out) : symbols_(symbols), out_(out) {}

  bool has_errors() const { return has_errors_; }

  void Document(JsonValue root) {
    std::string_view separator = "{\n  ";
    for (JsonValue field : root) {
      out_ += separator;
      separator = ",\n  ";
      Key(field);
      if (field.key() == "symbols") Symbols(field);
      else if (field.key() == "guards") Guards(field.AsArray());
      else if (field.key() == "storages") Lines(field.AsArray(), "    ", [&](JsonValue storage) { Storage(storage); });
      else if (field.key() == "nodes") Nodes(field, "    ");
      else if (field.key() == "subgraphs") Subgraphs(field.AsObject());
      else Copy(field);
    }
    out_ += "\n}\n";
  }

 private:
  void Key(JsonValue member) {
    WriteString(member.key(), out_);
    out_ += ": ";
  }

  // One a line.
  template <typename Write>
  void Lines(JsonValue array, std::string_view indent, Write write) {
    out_ += '[';
    std::string_view separator = "\n";
    for (JsonValue item : array) {
      out_ += separator;
      separator = ",\n";
      out_ += indent;
      write(item);
    }
    out_ += ']';
  }

  template <typename Write>
  void Members(JsonValue object, Write write) {
    out_ += '{';
    std::string_view separator;
    for (JsonValue member : object.AsObject()) {
      out_ += separator;
      separator = ", ";
      Key(member);
      write(member);
    }
    out_ += '}';
  }

  template <typename Write>
  void Items(JsonValue array, Write write) {
    out_ += '[';
    std::string_view separator;
    for (JsonValue item : array.AsArray()) {
      out_ += separator;
      separator = ", ";
      write(item);
    }
    out_ += ']';
  }

  void Copy(JsonValue json) {
    switch (json.kind()) {
      case JsonKind::kNull: out_ += "null"; return;
      case JsonKind::kBool: out_ += json.AsBool() ? "true" : "false"; return;
      case JsonKind::kInteger: return WriteInt(json.AsInt(), out_);
      case JsonKind::kBigInteger:
      case JsonKind::kReal: return WriteFloat(json.AsReal(), out_);
      case JsonKind::kString: return WriteString(json.AsString(), out_);
      case JsonKind::kArray: return Items(json, [&](JsonValue item) { Copy(item); });
      case JsonKind::kObject: return Members(json, [&](JsonValue member) { Copy(member); });
    }
  }

  // Those without a number.
  void Symbols(JsonValue symbols) {
    out_ += '{';
    std::string_view separator = "\n    ";
    for (JsonValue symbol : symbols.AsObject()) {
      if (symbols_.IsSet(symbol.key())) continue;
      out_ += separator;
      separator = ",\n    ";
      Key(symbol);
      Copy(symbol);
    }
    out_ += '}';
  }

  // Those that the numbers leave open.
  void Guards(JsonValue guards) {
    out_ += '[';
    std::string_view separator = "\n    ";
    for (JsonValue guard : guards) {
      Sym remaining = Evaluated(guard, [&] { return symbols_.Remaining(guard); });
      if (!remaining) continue;
      out_ += separator;
      separator = ",\n    ";
      Members(guard, [&](JsonValue member) {
        if (member.key() == "expr") WriteString(ToString(remaining), out_);
        else Copy(member);
      });
    }
    out_ += ']';
  }

  void Storage(JsonValue storage) {
    Members(storage, [&](JsonValue member) { member.key() == "nbytes" ? WriteDim(member) : Copy(member); });
  }

  void Nodes(JsonValue nodes, std::string_view indent) {
    Lines(nodes.AsArray(), indent, [&](JsonValue node) { Node(node); });
  }

  void Node(JsonValue node) {
    has_errors_ |= node.Find("error").has_value();
    const bool binds = HasOpenBinding(node);
    out_ += '{';
    std::string_view separator;
    for (JsonValue member : node.AsObject()) {
      if (member.key() == "unbacked_bindings" && !binds) continue;
      out_ += separator;
      separator = ", ";
      Key(member);
      if (member.key() == "meta") Members(member, [&](JsonValue val) { WriteValue(val); });
      else if (member.key() == "unbacked_bindings") Bindings(member);
      else Copy(member);
    }
    out_ += '}';
  }

  bool HasOpenBinding(JsonValue node) const {
    const std::optional<JsonValue> bindings = node.Find("unbacked_bindings");
    if (!bindings) return false;
    for (JsonValue binding : bindings->AsObject())
      if (!symbols_.IsSet(binding.key())) return true;
    return false;
  }

  void Bindings(JsonValue bindings) {
    out_ += '{';
    std::string_view separator;
    for (JsonValue binding : bindings) {
      if (symbols_.IsSet(binding.key())) continue;
      out_ += separator;
      separator = ", ";
      Key(binding);
      Copy(binding);
    }
    out_ += '}';
  }

  void WriteValue(JsonValue value) {
    if (value.kind() == JsonKind::kArray) return Items(value, [&](JsonValue item) { WriteValue(item); });
    if (value.kind() != JsonKind::kObject) return Copy(value);
    if (IsTensor(value)) return WriteTensor(value);
    if (auto type = SymbolicTypeOf(value)) return WriteSymbolic(value, *type);
    Members(value, [&](JsonValue member) { member.key() == "items" ? WriteValue(member) : Copy(member); });
  }

  void WriteTensor(JsonValue tensor) {
    Members(tensor, [&](JsonValue member) {
      if (member.key() == "shape" || member.key() == "stride") Items(member, [&](JsonValue dim) { WriteDim(dim); });
      else if (member.key() == "storage_offset") WriteDim(member);
      else Copy(member);
    });
  }

  void WriteDim(JsonValue dim) {
    if (dim.kind() != JsonKind::kString) return WriteInt(dim.AsInt(), out_);
    Sym value = Evaluated(dim, [&] { return symbols_.Evaluate(dim); });
    if (value->IsInteger()) WriteInt(value->integer, out_);
    else WriteString(ToString(value), out_);
  }

  void WriteSymbolic(JsonValue number, SymType type) {
    const JsonValue expression = number.Get("expr");
    Sym value = Evaluated(expression, [&] { return symbols_.Evaluate(expression); });
    if (value->IsConstant()) return WriteConstant(*value->hint, type, out_);
    Members(number, [&](JsonValue member) {
      if (member.key() == "expr") WriteString(ToString(value), out_);
      else if (member.key() == "hint" && value->hint) WriteConstant(*value->hint, type, out_);
      else Copy(member);
    });
  }

  template <typename Evaluate>
  static Sym Evaluated(JsonValue at, Evaluate evaluate) {
    try {
      return evaluate();
    } catch (const OpError& error) {
      at.Fail("has no value at these sizes: " + error.message());
    }
  }

  void Subgraphs(JsonValue graphs) {
    out_ += '{';
    std::string_view separator = "\n    ";
    for (JsonValue graph : graphs) {
      out_ += separator;
      separator = ",\n    ";
      Key(graph);
      Run(graph);
    }
    out_ += '}';
  }

  void Run(JsonValue run) {
    out_ += "{\"nodes\": ";
    Nodes(run.Get("nodes"), "      ");
    if (const std::optional<JsonValue> calls = run.Find("calls")) {
      std::string_view separator = ",\n     \"calls\": {\n      ";
      for (JsonValue call : calls->AsObject()) {
        out_ += separator;
        separator = ",\n      ";
        Key(call);
        out_ += "{\"nodes\": ";
        Nodes(call.Get("nodes"), "        ");
        out_ += '}';
      }
      out_ += '}';
    }
    out_ += '}';
  }

  RefinedSymbols& symbols_;
  std::string& out_;
  bool has_errors_ = false;
};

}  // namespace

std::string RewriteAnnotations(JsonValue root, RefinedSymbols& symbols, bool& has_errors) {
  std::string out;
  Rewriter rewriter(symbols, out);
  rewriter.Document(root);
  has_errors = rewriter.has_errors();
  return out;
}

}  // namespace fakeprop
