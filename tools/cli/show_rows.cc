#include "tools/cli/show_rows.h"

#include <map>

#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "lib/meta/dtype.h"
#include "tools/cli/fits_name.h"

namespace fakeprop::cli {
namespace {

struct KindName {
  const char* one;
  const char* many;
};
KindName NameOf(InputKind kind) {
  switch (kind) {
    case InputKind::kParameter: return {"parameter", "parameters"};
    case InputKind::kBuffer: return {"buffer", "buffers"};
    case InputKind::kTensorConstant: return {"constant", "constants"};
    case InputKind::kUserInput: return {"input", "inputs"};
    case InputKind::kConstant: return {"constant input", "constant inputs"};
    case InputKind::kCustomObject: return {"object", "objects"};
    case InputKind::kToken: return {"token", "tokens"};
  }
  return {"input", "inputs"};
}

bool IsState(InputKind kind) {
  return kind == InputKind::kParameter || kind == InputKind::kBuffer || kind == InputKind::kTensorConstant;
}

// "aten.conv2d", "aten.add.Tensor", "getitem".
std::string ShortTarget(std::string_view target) {
  for (std::string_view prefix : {"torch.ops.", "_operator."})
    if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
  if (target.ends_with(".default")) target.remove_suffix(8);
  return Printable(target);
}

int64_t CountOf(Dim d) { return d.Hint().value_or(0); }

int64_t BytesOf(const Tensor& t) { return CountOf(Numel(t.meta.size_span()) * Dim(ItemSize(t.meta.dtype))); }

std::string TypeText(const Value& value) {
  if (value.Is<Dim>()) return "int";
  if (value.Is<double>() || value.IsSymbolicFloat()) return "float";
  if (value.Is<bool>() || value.IsSymbolicBool()) return "bool";
  if (value.Is<std::string>()) return "str";
  return "";
}

std::string ValueText(const Value& value) {
  if (value.Is<GraphRef>()) return "";
  return value.TryList() ? Counted(value.TryList()->items.size(), "value") : Printable(ToString(value));
}

// What all of a set have in common: "float32", or "mixed".
class Common {
 public:
  void Add(std::string_view text) {
    if (text_.empty()) text_ = text;
    if (text_ != text) text_ = "mixed";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Totals {
  size_t count = 0;
  int64_t elements = 0;
  int64_t bytes = 0;
  Common dtype, device;

  void Add(const Tensor* t) {
    ++count;
    if (!t) return;
    elements += CountOf(Numel(t->meta.size_span()));
    bytes += BytesOf(*t);
    dtype.Add(DtypeName(t->meta.dtype));
    device.Add(t->meta.device.str());
  }
};

class RowMaker {
 public:
  RowMaker(const Graph& graph, const Annotations& annotations, const ValuesTextOf& values)
      : annotations_(annotations), values_(values) {
    for (const Input& input : graph.inputs) kinds_[&graph.nodes[input.node]] = input.kind;
  }

  ShowRows Make() {
    for (const GraphAnnotations& graph : annotations_.graphs) {
      subgraph_ = graph.path + (graph.call.empty() ? "" : ", called by " + graph.call);
      for (const NodeAnnotation& node : graph.nodes) {
        AddNode(node);
        if (values_) rows_.rows.back().values = values_(graph, node);
      }
    }
    for (const auto& [kind, t] : totals_)
      rows_.state.push_back({std::to_string(t.count) + " " + (t.count == 1 ? NameOf(kind).one : NameOf(kind).many),
          t.elements, t.bytes, t.dtype.text(), t.device.text()});
    return std::move(rows_);
  }

 private:
  void AddNode(const NodeAnnotation& annotation) {
    const Node& node = *annotation.node;
    const auto kind = kinds_.find(&node);
    ShowRow row;
    row.subgraph = subgraph_;
    row.node = Printable(node.name);
    row.op = kind != kinds_.end()         ? NameOf(kind->second).one
             : node.op == NodeOp::kOutput ? "output"
                                          : ShortTarget(node.target);
    row.module = Printable(InnermostModule(node.nn_module_stack));
    if (kind != kinds_.end() && IsState(kind->second)) {
      totals_[kind->second].Add(annotation.value.TryTensor());
      row.kind = ShowRow::Kind::kState;
    }
    AddOutcome(annotation, row);
    rows_.rows.push_back(std::move(row));
  }

  void AddOutcome(const NodeAnnotation& annotation, ShowRow& row) {
    switch (annotation.kind) {
      case NodeAnnotation::Kind::kValue: return AddValue(*annotation.node, annotation.value, row);
      case NodeAnnotation::Kind::kError: {
        const Diagnostic& d = annotations_.diagnostics[annotation.diagnostic];
        row.kind = ShowRow::Kind::kError;
        row.message = std::string(d.code.id) + " " + Printable(d.message);
        return;
      }
      case NodeAnnotation::Kind::kSkipped:
        row.kind = ShowRow::Kind::kSkipped;
        row.message = "skipped because of " + Printable(annotation.cause->name);
        return;
    }
  }

  void AddValue(const Node& node, const Value& value, ShowRow& row) {
    const Tensor* t = value.TryTensor();
    if (!t) {
      row.shape = ValueText(value);
      row.dtype = TypeText(value);
      return;
    }
    row.shape = ToString(t->meta.size_span());
    row.dtype = DtypeName(t->meta.dtype);
    row.device = t->meta.device.str();
    row.bytes = BytesOf(*t);
    const auto [owner, is_new] = owners_.emplace(t->storage->id, node.name);
    if (owner->second != node.name) row.storage_of = Printable(owner->second);
    if (is_new && node.op != NodeOp::kPlaceholder) rows_.result_bytes += CountOf(t->storage->nbytes);
  }

  const Annotations& annotations_;
  const ValuesTextOf& values_;
  std::string subgraph_;
  std::map<const Node*, InputKind> kinds_;
  std::map<InputKind, Totals> totals_;
  std::map<int32_t, std::string> owners_;  // by storage: the first node that returned it
  ShowRows rows_;
};

bool IsPattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

}  // namespace

bool IsInModule(const std::string& module, const std::string& wanted) {
  if (IsPattern(wanted)) return FitsName(wanted, module);
  return module == wanted || module.starts_with(wanted + ".");
}

ShowRows MakeShowRows(const Graph& graph, const Annotations& annotations, const ValuesTextOf& values) {
  return RowMaker(graph, annotations, values).Make();
}

bool ShowFilter::Has(const ShowRow& row) const {
  if (errors && row.kind != ShowRow::Kind::kError) return false;
  if (!module.empty() && !IsInModule(row.module, module)) return false;
  return op.empty() || (IsPattern(op) ? FitsName(op, row.op) : row.op.find(op) != std::string::npos);
}

}  // namespace fakeprop::cli
