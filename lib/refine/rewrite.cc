#include "lib/refine/rewrite.h"

#include "lib/error/error.h"
#include "lib/json/json_copy.h"
#include "lib/json/json_writer.h"

namespace fakeprop {
namespace {

void WriteNumber(const SymNumber& number, SymType type, JsonWriter& json) {
  switch (type) {
    case SymType::kInt: return json.Int(number.integer);
    case SymType::kFloat: return json.Float(number.AsReal());
    case SymType::kBool: return json.Bool(number.Truth());
  }
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
  Rewriter(RefinedSymbols& symbols, JsonWriter& json) : symbols_(symbols), json_(json) {}

  bool has_errors() const { return has_errors_; }

  void Document(JsonValue root) {
    json_.BeginObject();
    for (JsonValue field : root) {
      json_.NewLine(2);
      json_.KeyOf(field.key());
      Field(field);
    }
    json_.NewLine(0);
    json_.EndObject();
  }

 private:
  void Field(JsonValue field) {
    if (field.key() == "symbols") Symbols(field.AsObject());
    else if (field.key() == "guards") Guards(field.AsArray());
    else if (field.key() == "storages") Lines(field.AsArray(), 4, [&](JsonValue storage) { Storage(storage); });
    else if (field.key() == "nodes") Nodes(field, 4);
    else if (field.key() == "subgraphs") Subgraphs(field.AsObject());
    else Copy(field);
  }

  void Copy(JsonValue value) { WriteJson(value, json_); }

  // Each item on a line of its own.
  template <typename Write>
  void Lines(JsonValue array, size_t indent, const Write& write) {
    json_.Array(array, [&](JsonValue item) {
      json_.NewLine(indent);
      write(item);
    });
  }

  // An object of the members that `keep` accepts. `write` writes their values.
  template <typename Keep, typename Write>
  void Members(JsonValue object, const Keep& keep, const Write& write) {
    json_.BeginObject();
    for (JsonValue member : object.AsObject()) {
      if (!keep(member)) continue;
      json_.KeyOf(member.key());
      write(member);
    }
    json_.EndObject();
  }

  template <typename Write>
  void Members(JsonValue object, const Write& write) {
    Members(
        object, [](JsonValue) { return true; }, write);
  }

  // The symbols that have no number.
  void Symbols(JsonValue symbols) {
    json_.BeginObject();
    for (JsonValue symbol : symbols) {
      if (symbols_.IsSet(symbol.key())) continue;
      json_.NewLine(4);
      WriteJson(symbol, json_.KeyOf(symbol.key()));
    }
    json_.EndObject();
  }

  // The guards that the numbers do not decide.
  void Guards(JsonValue guards) {
    json_.BeginArray();
    for (JsonValue guard : guards) {
      Sym remaining = Evaluated(guard, [&] { return symbols_.Remaining(guard); });
      if (!remaining) continue;
      json_.NewLine(4);
      Guard(guard, remaining);
    }
    json_.EndArray();
  }

  void Guard(JsonValue guard, Sym remaining) {
    Members(guard, [&](JsonValue member) {
      if (member.key() == "expr") json_.String(ToString(remaining));
      else Copy(member);
    });
  }

  void Storage(JsonValue storage) {
    Members(storage, [&](JsonValue member) { member.key() == "nbytes" ? WriteDim(member) : Copy(member); });
  }

  void Nodes(JsonValue nodes, size_t indent) {
    Lines(nodes.AsArray(), indent, [&](JsonValue node) { Node(node); });
  }

  void Node(JsonValue node) {
    has_errors_ |= node.Find("error").has_value();
    const bool binds = HasOpenBinding(node);
    Members(
        node, [&](JsonValue member) { return binds || member.key() != "unbacked_bindings"; },
        [&](JsonValue member) { NodeField(member); });
  }

  void NodeField(JsonValue field) {
    if (field.key() == "meta") Members(field, [&](JsonValue val) { WriteValue(val); });
    else if (field.key() == "unbacked_bindings") Bindings(field);
    else Copy(field);
  }

  bool IsOpen(JsonValue binding) const { return !symbols_.IsSet(binding.key()); }

  bool HasOpenBinding(JsonValue node) const {
    const std::optional<JsonValue> bindings = node.Find("unbacked_bindings");
    if (!bindings) return false;
    for (JsonValue binding : bindings->AsObject())
      if (IsOpen(binding)) return true;
    return false;
  }

  void Bindings(JsonValue bindings) {
    Members(
        bindings, [&](JsonValue binding) { return IsOpen(binding); }, [&](JsonValue binding) { Copy(binding); });
  }

  void WriteValue(JsonValue value) {
    if (value.kind() == JsonKind::kArray) return json_.Array(value, [&](JsonValue item) { WriteValue(item); });
    if (value.kind() != JsonKind::kObject) return Copy(value);
    if (IsTensor(value)) return WriteTensor(value);
    if (auto type = SymbolicTypeOf(value)) return WriteSymbolic(value, *type);
    Members(value, [&](JsonValue member) { member.key() == "items" ? WriteValue(member) : Copy(member); });
  }

  void WriteTensor(JsonValue tensor) {
    Members(tensor, [&](JsonValue member) {
      if (member.key() == "shape" || member.key() == "stride") WriteDims(member.AsArray());
      else if (member.key() == "storage_offset") WriteDim(member);
      else Copy(member);
    });
  }

  void WriteDims(JsonValue dims) {
    json_.Array(dims, [&](JsonValue dim) { WriteDim(dim); });
  }

  void WriteDim(JsonValue dim) {
    if (dim.kind() != JsonKind::kString) return json_.Int(dim.AsInt());
    Sym value = Evaluated(dim, [&] { return symbols_.Evaluate(dim); });
    if (value->IsInteger()) json_.Int(value->integer);
    else json_.String(ToString(value));
  }

  void WriteSymbolic(JsonValue number, SymType type) {
    const JsonValue expression = number.Get("expr");
    Sym value = Evaluated(expression, [&] { return symbols_.Evaluate(expression); });
    if (value->IsConstant()) return WriteNumber(*value->hint, type, json_);
    Members(number, [&](JsonValue member) {
      if (member.key() == "expr") json_.String(ToString(value));
      else if (member.key() == "hint" && value->hint) WriteNumber(*value->hint, type, json_);
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
    json_.BeginObject();
    for (JsonValue graph : graphs) {
      json_.NewLine(4);
      json_.KeyOf(graph.key());
      Run(graph);
    }
    json_.EndObject();
  }

  void Run(JsonValue run) {
    json_.BeginObject();
    json_.Key("nodes");
    Nodes(run.Get("nodes"), 6);
    const std::optional<JsonValue> calls = run.Find("calls");
    if (calls && calls->AsObject().size() > 0) Calls(*calls);
    json_.EndObject();
  }

  void Calls(JsonValue calls) {
    json_.NewLine(5);
    json_.Key("calls").BeginObject();
    for (JsonValue call : calls) {
      json_.NewLine(6);
      json_.KeyOf(call.key()).BeginObject();
      json_.Key("nodes");
      Nodes(call.Get("nodes"), 8);
      json_.EndObject();
    }
    json_.EndObject();
  }

  RefinedSymbols& symbols_;
  JsonWriter& json_;
  bool has_errors_ = false;
};

}  // namespace

std::string RewriteAnnotations(JsonValue root, RefinedSymbols& symbols, bool& has_errors) {
  JsonWriter json;
  Rewriter rewriter(symbols, json);
  rewriter.Document(root);
  has_errors = rewriter.has_errors();
  return json.Take() + "\n";
}

}  // namespace fakeprop
