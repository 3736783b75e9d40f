#include "lib/annotations/annotations_json.h"

#include <array>

#include "lib/annotations/crossref_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/annotations/symbols_json.h"
#include "lib/base/check.h"
#include "lib/base/version.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// The expression with the equalities that the run found.
Sym Final(Sym node) { return node->env->Simplify(node); }

void WriteDim(Dim dim, JsonWriter& json) {
  if (dim.IsSymbolic()) dim = Dim::Of(Final(dim.Expression()));
  if (auto n = dim.TryNumber()) return json.Int(*n);
  json.String(dim.ToString());
}

void WriteDims(DimSpan dims, JsonWriter& json) {
  json.Array(dims, [&](Dim dim) { WriteDim(dim, json); });
}

void WriteNumber(const SymNumber& number, JsonWriter& json) {
  switch (number.type) {
    case SymType::kInt: return json.Int(number.integer);
    case SymType::kFloat: return json.Float(number.real);
    case SymType::kBool: return json.Bool(number.integer);
  }
}

std::string_view TypeName(SymType type) {
  return type == SymType::kInt ? "symint" : type == SymType::kFloat ? "symfloat" : "symbool";
}

// {"type": "symint", "expr": "2*s0", "hint": 16}
void WriteSymbolic(Sym node, JsonWriter& json) {
  const std::optional<SymNumber> hint = node->hint;
  node = Final(node);
  if (node->IsConstant()) return WriteNumber(*node->hint, json);
  json.BeginObject();
  json.Key("type").String(TypeName(node->type));
  json.Key("expr").String(ToString(node));
  if (hint) WriteNumber(*hint, json.Key("hint"));
  json.EndObject();
}

// {"type": "dtype", "value": "float32"}
void WriteTagged(std::string_view type, JsonKey key, std::string_view value, JsonWriter& json) {
  json.BeginObject();
  json.Key("type").String(type);
  json.Key(key).String(value);
  json.EndObject();
}

class ValueWriter {
 public:
  ValueWriter(const Graph& graph, JsonWriter& json) : graph_(graph), json_(json) {}

  void operator()(std::monostate) { json_.Null(); }
  void operator()(Dim v) {
    if (v.IsSymbolic()) WriteSymbolic(v.Expression(), json_);
    else json_.Int(v.raw());
  }
  void operator()(Symbolic v) { WriteSymbolic(v.expression, json_); }
  void operator()(bool v) { json_.Bool(v); }
  void operator()(double v) { json_.Float(v); }
  void operator()(std::complex<double> v) {
    json_.BeginObject();
    json_.Key("type").String("complex");
    json_.Key("value").Array(std::array{v.real(), v.imag()}, [&](double part) { json_.Float(part); });
    json_.EndObject();
  }
  void operator()(const std::string& v) { json_.String(v); }
  void operator()(ScalarType v) { WriteTagged("dtype", "value", DtypeName(v), json_); }
  void operator()(Device v) { WriteTagged("device", "value", v.str(), json_); }
  void operator()(Layout v) { WriteTagged("layout", "value", ToString(Value(v)), json_); }
  void operator()(MemoryFormat v) { WriteTagged("memory_format", "value", ToString(Value(v)), json_); }
  void operator()(GraphRef v) { WriteTagged("graph", "name", graph_.subgraphs[v.index].name, json_); }
  void operator()(const Opaque& v) { WriteTagged("object", "class", v.class_name, json_); }
  void operator()(const Operator& v) { WriteTagged("object", "class", v.target, json_); }
  void operator()(const SharedValue& v) {
    if (v.class_name.empty()) return WriteValue(graph_, *v.to, json_);
    WriteTagged("object", "class", v.class_name, json_);
  }
  void operator()(const List& v) { WriteItems(v.items); }
  void operator()(const Slice& v) { WriteItems(v.bounds); }
  void operator()(const Dict& v) {
    json_.BeginObject();
    json_.Key("type").String("dict");
    json_.Key("items").Array(v.items, [&](const auto& item) { WritePair(item.first, item.second); });
    json_.EndObject();
  }
  void operator()(const Tensor* t) {
    json_.BeginObject();
    json_.Key("type").String("tensor");
    WriteMeta(t->meta);
    if (t->parts) WriteParts(t->meta.layout, *t->parts);
    json_.Key("requires_grad").Bool(t->own_requires_grad);
    json_.Key("storage").Int(t->storage->id);
    if (t->meta.is_conj) json_.Key("is_conj").Bool(true);
    if (t->meta.is_neg) json_.Key("is_neg").Bool(true);
    if (t->constant) {
      json_.Key("value");
      size_t next = 0;
      WriteConstant(*t, 0, next);
    }
    json_.EndObject();
  }

 private:
  void WriteMeta(const TensorMeta& meta) {
    WriteDims(meta.size_span(), json_.Key("shape"));
    WriteDims(meta.stride_span(), json_.Key("stride"));
    WriteDim(meta.storage_offset, json_.Key("storage_offset"));
    json_.Key("dtype").String(DtypeName(meta.dtype));
    json_.Key("device").String(meta.device.str());
    json_.Key("layout").String(ToString(Value(meta.layout)));
  }

  // The parts of a sparse tensor, by the names of PyTorch's methods.
  void WriteParts(Layout layout, const SparseParts& parts) {
    if (layout == Layout::Sparse) {
      json_.Key("is_coalesced").Bool(parts.is_coalesced);
      WritePart("indices", parts.indices);
    } else {
      const bool by_row = layout == Layout::SparseCsr || layout == Layout::SparseBsr;
      WritePart(by_row ? JsonKey("crow_indices") : JsonKey("ccol_indices"), parts.indices);
      WritePart(by_row ? JsonKey("col_indices") : JsonKey("row_indices"), parts.plain);
    }
    WritePart("values", parts.values);
  }

  void WritePart(JsonKey name, Tensor* part) {
    json_.Key(name);
    WriteValue(graph_, Value(part), json_);
  }

  void WriteItems(const std::vector<Value>& items) {
    json_.Array(items, [&](const Value& item) { WriteValue(graph_, item, json_); });
  }

  void WritePair(const Value& key, const Value& value) {
    json_.BeginArray();
    WriteValue(graph_, key, json_);
    WriteValue(graph_, value, json_);
    json_.EndArray();
  }

  // The known elements, nested as the shape is.
  void WriteConstant(const Tensor& t, int64_t d, size_t& next) {
    if (d == t.meta.rank()) {
      FAKEPROP_CHECK(next < t.constant->size());
      WriteValue(graph_, (*t.constant)[next++], json_);
      return;
    }
    json_.BeginArray();
    for (int64_t i = 0; i < t.meta.sizes[d].Specialize(); ++i) WriteConstant(t, d + 1, next);
    json_.EndArray();
  }

  const Graph& graph_;
  JsonWriter& json_;
};

class AnnotationsWriter {
 public:
  AnnotationsWriter(const Graph& graph, const Annotations& annotations, const WriteMore& more, JsonWriter& json)
      : graph_(graph), annotations_(annotations), more_(more), json_(json) {}

  void Write() {
    json_.BeginObject();
    json_.KeyOnLine("format").String("fakeprop.annotations/1");
    WriteGenerator();
    WriteSource();
    WriteSymbols(annotations_.shape_env.get(), json_.KeyOnLine("symbols"));
    WriteGuards(annotations_.shape_env.get(), json_.KeyOnLine("guards"));
    WriteStorages();
    json_.NewLine(2);
    WriteNodes(graph_, annotations_.graphs[0], 4);
    WriteSubgraphs();
    if (annotations_.crossref.was_asked) WriteCrossref(annotations_.crossref, json_.KeyOnLine("crossref"));
    json_.NewLine(0);
    json_.EndObject();
  }

 private:
  void WriteGenerator() {
    json_.KeyOnLine("generator").BeginObject();
    json_.Key("fakeprop").String(kVersion);
    json_.Key("torch").String(kTorchVersion);
    json_.EndObject();
  }

  void WriteSource() {
    json_.KeyOnLine("graph").BeginObject();
    json_.Key("source").String(graph_.source);
    json_.Key("kind").String(graph_.kind);
    json_.EndObject();
  }

  void WriteStorages() {
    int64_t id = 0;
    json_.KeyOnLine("storages").Array(annotations_.storages, [&](const auto& storage) {
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("id").Int(id++);
      WriteDim(storage->nbytes, json_.Key("nbytes"));
      json_.Key("device").String(storage->device.str());
      json_.EndObject();
    });
  }

  void WriteNodes(const Graph& graph, const GraphAnnotations& of, size_t indent) {
    json_.Key("nodes").Array(of.nodes, [&](const NodeAnnotation& node) {
      json_.NewLine(indent);
      WriteNode(graph, of, node);
    });
  }

  void WriteNode(const Graph& graph, const GraphAnnotations& of, const NodeAnnotation& node) {
    json_.BeginObject();
    json_.Key("name").String(node.node->name);
    json_.Key("op").String(Name(node.node->op));
    json_.Key("target").String(node.node->target);
    WriteResultNames(*node.node);
    switch (node.kind) {
      case NodeAnnotation::Kind::kValue: WriteResult(graph, node); break;
      case NodeAnnotation::Kind::kError: WriteError(annotations_.diagnostics[node.diagnostic]); break;
      case NodeAnnotation::Kind::kSkipped: json_.Key("skipped").String(node.cause->name); break;
    }
    if (more_) more_(of, node, json_);
    json_.EndObject();
  }

  // The names in TorchScript: "torchscript": {"values": ["input.7"]}
  void WriteResultNames(const Node& node) {
    if (node.result_names.empty()) return;
    json_.Key("torchscript").BeginObject();
    json_.Key("values").Array(node.result_names, [&](const auto& name) { json_.String(name); });
    json_.EndObject();
  }

  void WriteResult(const Graph& graph, const NodeAnnotation& node) {
    json_.Key("meta").BeginObject();
    WriteValue(graph, node.value, json_.Key("val"));
    json_.EndObject();
    WriteBindings(node.unbacked);
  }

  // "unbacked_bindings": {"u0": "size(0)"}
  void WriteBindings(const std::vector<UnbackedBinding>& bindings) {
    if (bindings.empty()) return;
    json_.Key("unbacked_bindings").BeginObject();
    for (const UnbackedBinding& binding : bindings) json_.KeyOf(binding.symbol->name).String(binding.place);
    json_.EndObject();
  }

  void WriteError(const Diagnostic& d) {
    json_.Key("error").BeginObject();
    json_.Key("class").String(d.code.class_name);
    json_.Key("code").String(d.code.id);
    json_.Key("message").String(d.message);
    json_.EndObject();
  }

  void WriteSubgraphs() {
    bool any = false;
    for (size_t i = 1; i < annotations_.graphs.size(); ++i) {
      const GraphAnnotations& run = annotations_.graphs[i];
      if (!run.call.empty()) continue;
      if (!any) json_.KeyOnLine("subgraphs").BeginObject();
      any = true;
      json_.NewLine(4);
      json_.KeyOf(run.path);
      WriteRuns(GraphAt(graph_, run.path), i);
    }
    if (any) json_.EndObject();
  }

  // The first run of a subgraph, then the later ones, each under the node that called it.
  void WriteRuns(const Graph& graph, size_t first) {
    const GraphAnnotations& run = annotations_.graphs[first];
    json_.BeginObject();
    WriteNodes(graph, run, 6);
    bool has_calls = false;
    for (size_t i = first + 1; i < annotations_.graphs.size(); ++i) {
      const GraphAnnotations& later = annotations_.graphs[i];
      if (later.path != run.path) continue;
      if (!has_calls) BeginCalls();
      has_calls = true;
      WriteCall(graph, later);
    }
    if (has_calls) json_.EndObject();
    json_.EndObject();
  }

  void BeginCalls() {
    json_.NewLine(5);
    json_.Key("calls").BeginObject();
  }

  void WriteCall(const Graph& graph, const GraphAnnotations& run) {
    json_.NewLine(6);
    json_.KeyOf(run.call).BeginObject();
    WriteNodes(graph, run, 8);
    json_.EndObject();
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const WriteMore& more_;
  JsonWriter& json_;
};

}  // namespace

void WriteValue(const Graph& graph, const Value& value, JsonWriter& json) {
  std::visit(ValueWriter(graph, json), value.variant());
}

std::string WriteAnnotations(const Graph& graph, const Annotations& annotations, const WriteMore& more) {
  JsonWriter json;
  json.Reserve(graph.nodes.size() * 320 + annotations.storages.size() * 64 + 4096);
  AnnotationsWriter(graph, annotations, more, json).Write();
  return json.Take() + "\n";
}

}  // namespace fakeprop
