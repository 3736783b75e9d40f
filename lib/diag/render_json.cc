#include "lib/diag/render_json.h"

#include "lib/base/json_text.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

// Writes ", " before every member but the first.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}

  void Add(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    Key(key);
    WriteString(text, out_);
  }
  void Add(std::string_view key, int number) {
    Key(key);
    WriteInt(number, out_);
  }
  void Key(std::string_view key) {
    if (!first_) out_ += ", ";
    first_ = false;
    WriteString(key, out_);
    out_ += ": ";
  }

 private:
  std::string& out_;
  bool first_ = true;
};

template <typename Items, typename Write>
void WriteArray(const Items& items, std::string& out, Write write) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    first = false;
    write(item);
  }
  out += ']';
}

void WriteFrame(const PythonFrame& frame, std::string& out) {
  out += '{';
  Members members(out);
  members.Add("file", frame.file);
  members.Add("line", frame.line);
  members.Add("function", frame.function);
  members.Add("source", frame.source);
  out += '}';
}

void WriteOperand(const Operand& operand, std::string& out) {
  out += '{';
  Members members(out);
  members.Add("name", operand.name);
  members.Add("meta", operand.meta);
  members.Add("origin", operand.origin);
  out += '}';
}

}  // namespace

void WriteDiagnosticMembers(const Diagnostic& d, std::string& out) {
  Members members(out);
  members.Add("code", d.code.id);
  members.Add("class", d.code.class_name);
  members.Add("severity", d.severity == Severity::kError ? "error" : "warning");
  members.Add("message", d.message);
  members.Add("file", d.file);
  members.Add("place", d.place);
  members.Add("node", d.node);
  members.Add("node_text", d.node_text);
  members.Add("module", d.module);
  if (const PythonFrame* headline = HeadlineFrame(d.frames)) {
    members.Key("python");
    WriteFrame(*headline, out);
    members.Key("frames");
    WriteArray(d.frames, out, [&](const PythonFrame& frame) { WriteFrame(frame, out); });
  }
  if (!d.operands.empty()) {
    members.Key("operands");
    WriteArray(d.operands, out, [&](const Operand& operand) { WriteOperand(operand, out); });
  }
  if (!d.notes.empty()) {
    members.Key("notes");
    WriteArray(d.notes, out, [&](const std::string& note) { WriteString(note, out); });
  }
}

}  // namespace fakeprop
