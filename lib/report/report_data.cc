#include "lib/report/report_data.h"

#include <set>
#include <unordered_map>

#include "lib/annotations/annotations_json.h"
#include "lib/annotations/subgraphs.h"
#include "lib/diag/python_trace.h"
#include "lib/graph/node_text.h"
#include "lib/json/json_writer.h"
#include "lib/lint/findings_report.h"
#include "lib/report/comparison.h"
#include "lib/report/node_links.h"

namespace fakeprop {
namespace {

// Gives equal keys one index, in the order of their first use.
template <typename Row>
class Numbered {
 public:
  // `make()` makes the row of a new key.
  template <typename Make>
  int IndexOf(const std::string& key, const Make& make) {
    const auto known = indices_.find(key);
    if (known != indices_.end()) return known->second;
    Row row = make();
    const int index = static_cast<int>(rows_.size());
    indices_.emplace(key, index);
    rows_.push_back(std::move(row));
    return index;
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::unordered_map<std::string, int> indices_;
  std::vector<Row> rows_;
};

struct ReportModule {
  int parent = -1;
  std::string path, type;
};

std::string_view KindName(InputKind kind) {
  switch (kind) {
    case InputKind::kParameter: return "parameter";
    case InputKind::kBuffer: return "buffer";
    case InputKind::kTensorConstant: return "constant";
    case InputKind::kUserInput: return "input";
    case InputKind::kConstant: return "constant input";
    case InputKind::kCustomObject: return "object";
    case InputKind::kToken: return "token";
  }
  return "input";
}

class DetailsWriter {
 public:
  DetailsWriter(const ReportSource& source, JsonWriter& json) : source_(source), json_(json) {}

  void Write() {
    json_.BeginObject();
    WriteGraphs();
    WriteInputs();
    WriteModules();
    WriteTraces();
    WriteServices();
    WriteFindings();
    if (source_.measures) WriteMeasures(*source_.measures, source_.graph, source_.annotations, json_);
    if (source_.comparison) WriteComparison(*source_.comparison, json_.KeyOnLine("comparison"));
    json_.EndObject();
  }

 private:
  // Each graph once, however often it was run.
  void WriteGraphs() {
    json_.KeyOnLine("graphs").BeginArray();
    for (const GraphAnnotations& run : source_.annotations.graphs) {
      if (!run.call.empty()) continue;
      json_.NewLine(4);
      json_.BeginObject();
      json_.Key("path").String(run.path);
      WriteNodes(GraphAt(source_.graph, run.path));
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteNodes(const Graph& graph) {
    json_.Key("nodes").Array(graph.nodes, [&](const Node& node) {
      json_.NewLine(6);
      WriteNode(graph, node);
    });
  }

  // [call, module, trace, service, inputs, written inputs]; a missing one is -1 or left out at the end
  void WriteNode(const Graph& graph, const Node& node) {
    const auto write_index = [&](int32_t index) { json_.Int(index); };
    const bool is_call = node.op != NodeOp::kPlaceholder && node.op != NodeOp::kOutput && node.op != NodeOp::kGetAttr;
    const std::vector<int32_t> written = WrittenNodes(node);
    json_.BeginArray();
    json_.String(is_call ? CallText(graph, node) : "");
    json_.Int(ModuleOf(node.nn_module_stack));
    json_.Int(TraceOf(node));
    json_.Int(is_call ? ServiceOf(node) : -1);
    json_.Array(InputNodes(node), write_index);
    if (!written.empty()) json_.Array(written, write_index);
    json_.EndArray();
  }

  // The innermost module of the stack. The outermost one, which is the graph itself, has no row.
  int ModuleOf(std::string_view stack) {
    if (stack.empty()) return -1;
    const auto known = module_of_stack_.find(stack);
    if (known != module_of_stack_.end()) return known->second;
    int module = -1;
    std::string key;
    for (const ModuleFrame& frame : ParseModuleStack(stack)) {
      if (frame.path.empty()) continue;
      key += std::string(frame.path) + '\n' + std::string(frame.type) + '\n';
      module = modules_.IndexOf(key, [&] {
        return ReportModule{module, std::string(frame.path), std::string(frame.type)};
      });
    }
    return module_of_stack_.emplace(stack, module).first->second;
  }

  int TraceOf(const Node& node) {
    if (node.stack_trace.empty()) return -1;
    return traces_.IndexOf(std::string(node.stack_trace), [&] {
      std::vector<int> frames;
      for (PythonFrame& frame : ParseStackTrace(node.stack_trace, node.nn_module_stack))
        frames.push_back(IndexOf(frame));
      return frames;
    });
  }

  int IndexOf(PythonFrame& frame) {
    const std::string key =
        frame.file + '\n' + std::to_string(frame.line) + '\n' + frame.function + '\n' + frame.source;
    return frames_.IndexOf(key, [&] { return std::move(frame); });
  }

  int ServiceOf(const Node& node) {
    const std::string key =
        std::to_string(static_cast<int>(node.op)) + node.target + '\n' + std::to_string(node.member);
    return services_.IndexOf(key, [&] { return source_.service(node); });
  }

  // [node, kind, qualified name]
  void WriteInputs() {
    json_.KeyOnLine("inputs").Array(source_.graph.inputs, [&](const Input& input) {
      json_.BeginArray();
      json_.Int(input.node);
      json_.String(KindName(input.kind));
      json_.String(input.qualified_name);
      json_.EndArray();
    });
  }

  // [parent, path, class]
  void WriteModules() {
    json_.KeyOnLine("modules").Array(modules_.rows(), [&](const ReportModule& module) {
      json_.BeginArray();
      json_.Int(module.parent);
      json_.String(module.path);
      json_.String(module.type);
      json_.EndArray();
    });
  }

  // Traces are lists of frames, the innermost last.
  void WriteTraces() {
    json_.KeyOnLine("frames").Array(frames_.rows(), [&](const PythonFrame& frame) {
      json_.BeginArray();
      json_.String(frame.file);
      json_.Int(frame.line);
      json_.String(frame.function);
      json_.String(frame.source);
      json_.Bool(IsTorchFrame(frame));
      json_.EndArray();
    });
    json_.KeyOnLine("traces").Array(traces_.rows(),
        [&](const std::vector<int>& trace) { json_.Array(trace, [&](int frame) { json_.Int(frame); }); });
  }

  void WriteServices() {
    json_.KeyOnLine("services").Array(services_.rows(), [&](const NodeService& service) {
      json_.BeginArray();
      json_.String(service.by);
      json_.String(service.file);
      json_.EndArray();
    });
  }

  void WriteFindings() {
    json_.KeyOnLine("findings").Array(source_.findings, [&](const Finding& finding) {
      json_.NewLine(4);
      WriteFinding(finding);
    });
  }

  void WriteFinding(const Finding& finding) {
    const Diagnostic& diagnostic = finding.diagnostic;
    json_.BeginObject();
    json_.Key("code").String(diagnostic.code.id);
    json_.Key("severity").String(diagnostic.severity == Severity::kError ? "error" : "warning");
    json_.Key("message").String(diagnostic.message);
    json_.Key("graph").String(finding.subgraph);
    json_.Key("node").String(diagnostic.node);
    json_.Key("also").Array(finding.also_differ, [&](const std::string& node) { json_.String(node); });
    json_.Key("text").String(FindingText(finding, Paint{false}));
    json_.EndObject();
  }

  const ReportSource& source_;
  JsonWriter& json_;
  std::unordered_map<std::string_view, int> module_of_stack_;
  Numbered<ReportModule> modules_;
  Numbered<PythonFrame> frames_;
  Numbered<std::vector<int>> traces_;
  Numbered<NodeService> services_;
};

}  // namespace

std::string ReportData(const ReportSource& source) {
  JsonWriter details;
  DetailsWriter(source, details).Write();
  return "{\"format\": \"fakeprop.report/1\", \"annotations\": " + WriteAnnotations(source.graph, source.annotations) +
         ", \"details\": " + details.Take() + "}";
}

}  // namespace fakeprop
