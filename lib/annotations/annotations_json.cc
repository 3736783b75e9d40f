#include "lib/annotations/annotations_json.h"

#include "lib/annotations/subgraphs.h"
#include "lib/annotations/symbols.h"
#include "lib/base/check.h"
#include "lib/base/json_text.h"
#include "lib/base/version.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// With the equalities that the run found put in.
Sym Final(Sym node) { return node->env->Simplify(node); }

void WriteDim(Dim dim, std::string& out) {
  if (dim.IsSymbolic()) dim = Dim::Of(Final(dim.Expression()));
  if (auto n = dim.TryNumber()) return WriteInt(*n, out);
  WriteString(dim.ToString(), out);
}

void WriteNumber(const SymNumber& number, std::string& out) {
  if (number.type == SymType::kFloat) WriteFloat(number.real, out);
  else if (number.type == SymType::kBool) out += number.integer ? "true" : "false";
  else WriteInt(number.integer, out);
}

// {"type": "symint", "expr": "2*s0", "hint": 16}
void WriteSymbolic(Sym node, std::string& out) {
  const std::optional<SymNumber> hint = node->hint;
  node = Final(node);
  if (node->IsConstant()) return WriteNumber(*node->hint, out);
  out += node->type == SymType::kInt     ? "{\"type\": \"symint\""
         : node->type == SymType::kFloat ? "{\"type\": \"symfloat\""
                                         : "{\"type\": \"symbool\"";
  out += ", \"expr\": ";
  WriteString(ToString(node), out);
  if (hint) {
    out += ", \"hint\": ";
    WriteNumber(*hint, out);
  }
  out += '}';
}

void WriteDims(DimSpan dims, std::string& out) {
  out += '[';
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ", ";
    WriteDim(dims[i], out);
  }
  out += ']';
}

void WriteTagged(std::string_view type, std::string_view key, std::string_view value, std::string& out) {
  out += "{\"type\": \"";
  out += type;
  out += "\", \"";
  out += key;
  out += "\": ";
  WriteString(value, out);
  out += '}';
}

class ValueWriter {
 public:
  ValueWriter(const Graph& graph, std::string& out) : graph_(graph), out_(out) {}

  void operator()(std::monostate) { out_ += "null"; }
  void operator()(Dim v) {
    if (v.IsSymbolic()) WriteSymbolic(v.Expression(), out_);
    else WriteInt(v.raw(), out_);
  }
  void operator()(Symbolic v) { WriteSymbolic(v.expression, out_); }
  void operator()(bool v) { out_ += v ? "true" : "false"; }
  void operator()(double v) { WriteFloat(v, out_); }
  void operator()(std::complex<double> v) {
    out_ += "{\"type\": \"complex\", \"value\": [";
    WriteFloat(v.real(), out_);
    out_ += ", ";
    WriteFloat(v.imag(), out_);
    out_ += "]}";
  }
  void operator()(const std::string& v) { WriteString(v, out_); }
  void operator()(ScalarType v) { WriteTagged("dtype", "value", DtypeName(v), out_); }
  void operator()(Device v) { WriteTagged("device", "value", v.str(), out_); }
  void operator()(Layout v) { WriteTagged("layout", "value", ToString(Value(v)), out_); }
  void operator()(MemoryFormat v) { WriteTagged("memory_format", "value", ToString(Value(v)), out_); }
  void operator()(GraphRef v) { WriteTagged("graph", "name", graph_.subgraphs[v.index].name, out_); }
  void operator()(NodeRef) { out_ += "null"; }
  void operator()(const Opaque& v) { WriteTagged("object", "class", v.class_name, out_); }
  void operator()(const Operator& v) { WriteTagged("object", "class", v.target, out_); }
  void operator()(const SharedValue& v) {
    if (v.class_name.empty()) return WriteValue(graph_, *v.to, out_);
    WriteTagged("object", "class", v.class_name, out_);
  }
  void operator()(const List& v) { WriteItems(v.items); }
  void operator()(const Slice& v) { WriteItems(v.bounds); }
  void operator()(const Dict& v) {
    out_ += "{\"type\": \"dict\", \"items\": [";
    for (size_t i = 0; i < v.items.size(); ++i) {
      out_ += i ? ", [" : "[";
      WriteValue(graph_, v.items[i].first, out_);
      out_ += ", ";
      WriteValue(graph_, v.items[i].second, out_);
      out_ += ']';
    }
    out_ += "]}";
  }
  void operator()(const Tensor* t) {
    out_ += "{\"type\": \"tensor\", \"shape\": ";
    WriteDims(t->meta.size_span(), out_);
    out_ += ", \"stride\": ";
    WriteDims(t->meta.stride_span(), out_);
    out_ += ", \"storage_offset\": ";
    WriteDim(t->meta.storage_offset, out_);
    out_ += ", \"dtype\": \"";
    out_ += DtypeName(t->meta.dtype);
    out_ += "\", \"device\": \"";
    out_ += t->meta.device.str();
    out_ += "\", \"layout\": \"";
    out_ += ToString(Value(t->meta.layout));
    out_ += t->own_requires_grad ? "\", \"requires_grad\": true" : "\", \"requires_grad\": false";
    out_ += ", \"storage\": ";
    WriteInt(t->storage->id, out_);
    if (t->meta.is_conj) out_ += ", \"is_conj\": true";
    if (t->meta.is_neg) out_ += ", \"is_neg\": true";
    if (t->constant) {
      out_ += ", \"value\": ";
      size_t next = 0;
      WriteConstant(*t, 0, next);
    }
    out_ += '}';
  }

 private:
  void WriteItems(const std::vector<Value>& items) {
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i) out_ += ", ";
      WriteValue(graph_, items[i], out_);
    }
    out_ += ']';
  }

  // The known elements, nested as the shape is.
  void WriteConstant(const Tensor& t, int64_t d, size_t& next) {
    if (d == t.meta.rank()) {
      FAKEPROP_CHECK(next < t.constant->size());
      WriteValue(graph_, (*t.constant)[next++], out_);
      return;
    }
    out_ += '[';
    for (int64_t i = 0; i < t.meta.sizes[d].Specialize(); ++i) {
      if (i) out_ += ", ";
      WriteConstant(t, d + 1, next);
    }
    out_ += ']';
  }

  const Graph& graph_;
  std::string& out_;
};

void WriteError(const Diagnostic& d, std::string& out) {
  out += "\"error\": {\"class\": ";
  WriteString(d.code.class_name, out);
  out += ", \"code\": ";
  WriteString(d.code.id, out);
  out += ", \"message\": ";
  WriteString(d.message, out);
  out += '}';
}

// "unbacked_bindings": {"u0": "size(0)"}
void WriteBindings(const std::vector<UnbackedBinding>& bindings, std::string& out) {
  if (bindings.empty()) return;
  out += ", \"unbacked_bindings\": {";
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (i) out += ", ";
    WriteString(bindings[i].symbol->name, out);
    out += ": ";
    WriteString(bindings[i].place, out);
  }
  out += '}';
}

// Of TorchScript: "torchscript": {"values": ["input.7"]}
void WriteResultNames(const Node& node, std::string& out) {
  if (node.result_names.empty()) return;
  out += "\"torchscript\": {\"values\": [";
  for (size_t i = 0; i < node.result_names.size(); ++i) {
    if (i) out += ", ";
    WriteString(node.result_names[i], out);
  }
  out += "]}, ";
}

void WriteNode(const Graph& graph, const Annotations& annotations, const NodeAnnotation& node, std::string& out) {
  out += "{\"name\": ";
  WriteString(node.node->name, out);
  out += ", \"op\": \"";
  out += Name(node.node->op);
  out += "\", \"target\": ";
  WriteString(node.node->target, out);
  out += ", ";
  WriteResultNames(*node.node, out);
  switch (node.kind) {
    case NodeAnnotation::Kind::kValue:
      out += "\"meta\": {\"val\": ";
      WriteValue(graph, node.value, out);
      out += '}';
      WriteBindings(node.unbacked, out);
      break;
    case NodeAnnotation::Kind::kError: WriteError(annotations.diagnostics[node.diagnostic], out); break;
    case NodeAnnotation::Kind::kSkipped:
      out += "\"skipped\": ";
      WriteString(node.cause->name, out);
      break;
  }
  out += '}';
}

void WriteNodes(const Graph& graph, const Annotations& annotations, const GraphAnnotations& of, std::string_view indent,
    std::string& out) {
  out += "\"nodes\": [";
  for (size_t i = 0; i < of.nodes.size(); ++i) {
    out += i ? ",\n" : "\n";
    out += indent;
    WriteNode(graph, annotations, of.nodes[i], out);
  }
  out += "]";
}

// The first run of a subgraph, and the later ones by the node that called it.
void WriteRuns(const Graph& graph, const Annotations& annotations, size_t first, std::string& out) {
  const GraphAnnotations& run = annotations.graphs[first];
  out += '{';
  WriteNodes(graph, annotations, run, "      ", out);
  bool has_calls = false;
  for (size_t i = first + 1; i < annotations.graphs.size(); ++i) {
    const GraphAnnotations& later = annotations.graphs[i];
    if (later.path != run.path) continue;
    out += has_calls ? ",\n      " : ",\n     \"calls\": {\n      ";
    has_calls = true;
    WriteString(later.call, out);
    out += ": {";
    WriteNodes(graph, annotations, later, "        ", out);
    out += '}';
  }
  out += has_calls ? "}}" : "}";
}

void WriteSubgraphs(const Graph& graph, const Annotations& annotations, std::string& out) {
  bool any = false;
  for (size_t i = 1; i < annotations.graphs.size(); ++i) {
    const GraphAnnotations& run = annotations.graphs[i];
    if (!run.call.empty()) continue;
    out += any ? ",\n    " : ",\n  \"subgraphs\": {\n    ";
    any = true;
    WriteString(run.path, out);
    out += ": ";
    WriteRuns(GraphAt(graph, run.path), annotations, i, out);
  }
  if (any) out += '}';
}

void WriteHeader(const Graph& graph, const Annotations& annotations, std::string& out) {
  out += "{\n  \"format\": \"fakeprop.annotations/1\",\n  \"generator\": {\"fakeprop\": \"";
  out += kVersion;
  out += "\", \"torch\": \"";
  out += kTorchVersion;
  out += "\"},\n  \"graph\": {\"source\": ";
  WriteString(graph.source, out);
  out += ", \"kind\": ";
  WriteString(graph.kind, out);
  out += "},\n  \"symbols\": ";
  WriteSymbols(annotations.shape_env.get(), out);
  out += ",\n  \"guards\": ";
  WriteGuards(annotations.shape_env.get(), out);
  out += ",\n  \"storages\": [";
  for (size_t i = 0; i < annotations.storages.size(); ++i) {
    out += i ? ",\n    {\"id\": " : "\n    {\"id\": ";
    WriteInt(static_cast<int64_t>(i), out);
    out += ", \"nbytes\": ";
    WriteDim(annotations.storages[i]->nbytes, out);
    out += ", \"device\": \"";
    out += annotations.storages[i]->device.str();
    out += "\"}";
  }
  out += "],\n  ";
}

}  // namespace

void WriteValue(const Graph& graph, const Value& value, std::string& out) {
  std::visit(ValueWriter(graph, out), value.variant());
}

std::string WriteAnnotations(const Graph& graph, const Annotations& annotations) {
  std::string out;
  out.reserve(graph.nodes.size() * 320 + 4096);
  WriteHeader(graph, annotations, out);
  WriteNodes(graph, annotations, annotations.graphs[0], "    ", out);
  WriteSubgraphs(graph, annotations, out);
  out += "\n}\n";
  return out;
}

}  // namespace fakeprop
