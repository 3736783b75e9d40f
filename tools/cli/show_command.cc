#include "tools/cli/show_command.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "lib/annotations/conditions.h"
#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "lib/meta/dtype.h"
#include "lib/schema/schema_table.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
namespace {

struct KindText {
  const char* one;
  const char* many;
};
KindText TextOf(InputKind kind) {
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

// Totals count symbols at their hints; what depends on data counts as nothing.
int64_t CountOf(Dim d) { return d.Hint().value_or(0); }

int64_t BytesOf(const Tensor& t) { return CountOf(Numel(t.meta.size_span()) * Dim(ItemSize(t.meta.dtype))); }

std::string TypeText(const Value& value) {
  if (value.Is<Dim>()) return "int";
  if (value.Is<double>() || value.IsSymbolicFloat()) return "float";
  if (value.Is<bool>() || value.IsSymbolicBool()) return "bool";
  if (value.Is<std::string>()) return "str";
  return "";
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
};

class Shower {
 public:
  Shower(const Graph& graph, const Annotations& annotations, const ShowOptions& options)
      : graph_(graph), annotations_(annotations), options_(options) {
    for (const Input& input : graph.inputs) kinds_[&graph.nodes[input.node]] = input.kind;
  }

  std::string Render() {
    if (!options_.parameters) AddStateRows();
    for (const GraphAnnotations& graph : annotations_.graphs) AddGraph(graph);
    return table_.Render(options_.width, options_.paint) + "\n" + TotalsText();
  }

 private:
  void AddGraph(const GraphAnnotations& graph) {
    if (!graph.path.empty()) {
      table_.AddRow({}, {});
      table_.AddRow({}, {graph.path + (graph.call.empty() ? "" : ", called by " + graph.call) + ":", Color::kBold});
    }
    last_module_.clear();
    for (const NodeAnnotation& node : graph.nodes) {
      auto kind = kinds_.find(node.node);
      const bool is_state = kind != kinds_.end() && IsState(kind->second);
      if (is_state) Count(kind->second, node);
      if (!is_state || options_.parameters) AddNode(node, kind == kinds_.end() ? nullptr : TextOf(kind->second).one);
    }
  }

  // One row for all parameters, one for all buffers ...
  void AddStateRows() {
    std::map<InputKind, Totals> totals;
    for (const NodeAnnotation& node : annotations_.graphs[0].nodes) {
      auto kind = kinds_.find(node.node);
      if (kind != kinds_.end() && IsState(kind->second)) AddTo(totals[kind->second], node);
    }
    for (const auto& [kind, t] : totals) {
      const std::string name = std::to_string(t.count) + " " + (t.count == 1 ? TextOf(kind).one : TextOf(kind).many);
      table_.AddRow({{name, Color::kDim}, Cell(), {std::to_string(t.elements) + " elements", Color::kDim},
          t.dtype.text(), t.device.text(), BytesText(t.bytes)});
    }
  }

  void Count(InputKind kind, const NodeAnnotation& node) {
    AddTo(state_[kind], node);
    if (const Tensor* t = node.value.TryTensor()) owners_.emplace(t->storage->id, node.node->name);
  }

  static void AddTo(Totals& totals, const NodeAnnotation& node) {
    ++totals.count;
    const Tensor* t = node.value.TryTensor();
    if (!t) return;
    totals.elements += CountOf(Numel(t->meta.size_span()));
    totals.bytes += BytesOf(*t);
    totals.dtype.Add(DtypeName(t->meta.dtype));
    totals.device.Add(t->meta.device.str());
  }

  void AddNode(const NodeAnnotation& node, const char* input_kind) {
    const std::string op = input_kind                         ? input_kind
                           : node.node->op == NodeOp::kOutput ? "output"
                                                              : ShortTarget(node.node->target);
    const Cell name{Printable(node.node->name), Color::kName};
    switch (node.kind) {
      case NodeAnnotation::Kind::kValue: return AddValue(*node.node, name, op, node.value);
      case NodeAnnotation::Kind::kError: {
        const Diagnostic& d = annotations_.diagnostics[node.diagnostic];
        return table_.AddRow({name, op}, {std::string(d.code.id) + " " + Printable(d.message), Color::kError});
      }
      case NodeAnnotation::Kind::kSkipped:
        return table_.AddRow({name, op}, {"skipped because of " + Printable(node.cause->name), Color::kDim});
    }
  }

  void AddValue(const Node& node, const Cell& name, const std::string& op, const Value& value) {
    const std::string module = ModuleText(node);
    const Tensor* t = value.TryTensor();
    if (!t) {
      const std::string text =
          value.TryList() ? Counted(value.TryList()->items.size(), "value") : Printable(ToString(value));
      return table_.AddRow(
          {name, op, value.Is<GraphRef>() ? "" : text, TypeText(value), Cell(), Cell(), Cell(), {module, Color::kDim}});
    }
    const auto [owner, is_new] = owners_.emplace(t->storage->id, node.name);
    table_.AddRow({name, op, ToString(t->meta.size_span()), std::string(DtypeName(t->meta.dtype)), t->meta.device.str(),
        BytesText(BytesOf(*t)), {owner->second == node.name ? "" : owner->second, Color::kDim}, {module, Color::kDim}});
    if (is_new && node.op != NodeOp::kPlaceholder) result_bytes_ += CountOf(t->storage->nbytes);
  }

  // Where it differs from the row's above.
  std::string ModuleText(const Node& node) {
    std::string module = InnermostModule(node.nn_module_stack);
    if (module == last_module_) return "";
    last_module_ = module;
    return Printable(module);
  }

  std::string TotalsText() {
    const Summary s = Summarize(annotations_);
    std::string out = Counted(s.nodes, "node");
    if (s.errors) out += ", " + options_.paint(Color::kError, Counted(s.errors, "error"));
    if (s.skipped) out += ", " + std::to_string(s.skipped) + " skipped";
    for (const auto& [kind, t] : state_)
      out += "; " + std::to_string(t.count) + " " + (t.count == 1 ? TextOf(kind).one : TextOf(kind).many) + ", " +
             BytesText(t.bytes);
    return out + "; results " + BytesText(result_bytes_) + "; " + graph_.kind + "\n" + SymbolsText();
  }

  // At which sizes bytes were counted, and what else the table rests on.
  std::string SymbolsText() {
    const ShapeEnv* env = annotations_.shape_env.get();
    Conditions conditions = ConditionsOf(env);
    const std::string hints = std::exchange(conditions.hints, ""), ranges = SymbolRangesText(env),
                      guards = ConditionsText(conditions);
    std::string text;
    if (!hints.empty()) text += "bytes at " + hints + "\n";
    if (!ranges.empty()) text += "sizes: " + ranges + "\n";
    return text + (guards.empty() ? "" : "this " + guards);
  }

  const Graph& graph_;
  const Annotations& annotations_;
  const ShowOptions& options_;
  Table table_{{{"node", false, 8}, {"op", false, 8}, {"shape", false, 8}, {"dtype", false, 5}, {"device", false, 6},
      {"bytes", true, 8}, {"storage of", false, 8, true}, {"module", false, 8, true}}};
  std::map<const Node*, InputKind> kinds_;
  std::map<InputKind, Totals> state_;
  std::map<int32_t, std::string> owners_;  // by storage: the first node that returned it
  std::string last_module_;
  int64_t result_bytes_ = 0;
};

}  // namespace

std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double scaled = static_cast<double>(bytes);
  int unit = 0;
  for (; scaled >= 1024 && unit < 6; ++unit) scaled /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", scaled, kUnits[unit]);
  return text;
}

std::string Show(const Graph& graph, const Annotations& annotations, const ShowOptions& options) {
  return Shower(graph, annotations, options).Render();
}

}  // namespace fakeprop::cli
