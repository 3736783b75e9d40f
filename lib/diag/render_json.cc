#include "lib/diag/render_json.h"

#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

void WriteText(JsonKey key, std::string_view text, JsonWriter& json) {
  if (!text.empty()) json.Key(key).String(text);
}

void WriteFrame(const PythonFrame& frame, JsonWriter& json) {
  json.BeginObject();
  WriteText("file", frame.file, json);
  json.Key("line").Int(frame.line);
  WriteText("function", frame.function, json);
  WriteText("source", frame.source, json);
  json.EndObject();
}

void WriteOperand(const OperandOrigin& operand, JsonWriter& json) {
  json.BeginObject();
  WriteText("name", operand.name, json);
  WriteText("meta", operand.meta, json);
  WriteText("origin", operand.origin, json);
  json.EndObject();
}

}  // namespace

void WriteDiagnosticMembers(const Diagnostic& d, JsonWriter& json) {
  WriteText("code", d.code.id, json);
  WriteText("class", d.code.class_name, json);
  WriteText("severity", d.severity == Severity::kError ? "error" : "warning", json);
  WriteText("message", d.message, json);
  WriteText("file", d.file, json);
  WriteText("place", d.place, json);
  WriteText("node", d.node, json);
  WriteText("node_text", d.node_text, json);
  WriteText("module", d.module, json);
  if (const PythonFrame* headline = HeadlineFrame(d.frames)) {
    WriteFrame(*headline, json.Key("python"));
    json.Key("frames").Array(d.frames, [&](const PythonFrame& frame) { WriteFrame(frame, json); });
  }
  if (!d.operands.empty())
    json.Key("operands").Array(d.operands, [&](const OperandOrigin& operand) { WriteOperand(operand, json); });
  if (!d.notes.empty()) json.Key("notes").Array(d.notes, [&](const std::string& note) { json.String(note); });
}

}  // namespace fakeprop
