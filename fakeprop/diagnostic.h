// Errors in a user's graph, input spec or command line, with their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// A stable code such as "FP3001", and its class name as annotations write it. docs/diagnostics.md has a heading for
// each. FP1xxx reading files, FP2xxx input specs, FP3xxx propagation, FP4xxx lint, FP5xxx the command line and output,
// FP6xxx custom operators, FP7xxx refined annotations and proofs, FP9xxx bugs in fakeprop. Codes are never reused.
struct Code {
  std::string_view id;
  std::string_view class_name;
};

// One line of the user's Python. Traces have the innermost frame last.
struct PythonFrame {
  std::string file;
  int line = 0;
  std::string function;
  std::string source;  // the line's text, empty if the trace has none
};

// A tensor that the diagnostic is about, and its origin: `%relu`, "f32[2, 7] on cpu", the place where it was made.
struct OperandOrigin {
  std::string name;
  std::string meta;
  std::string origin;  // "made at model.py:40: a = x.relu()", "input `y` of inputs.json", "parameter `fc.weight`"
};

enum class Severity { kError, kWarning };

struct Diagnostic {
  Code code;
  Severity severity = Severity::kError;
  std::string message;              // lower case, no full stop, the values seen
  std::string file;                 // the graph or spec
  std::string place;                // JSON pointer, or "byte 17"; empty if there is none
  std::string node;                 // the node's name; empty if the diagnostic is not about a node
  std::string node_text;            // "%mm = aten::mm(%relu, %y)"
  std::vector<PythonFrame> frames;  // of the node's stack_trace
  std::string module;               // "encoder.layers.0.fc1" of the node's nn_module_stack
  std::vector<OperandOrigin> operands;
  std::vector<std::string> notes;  // "3 nodes depend on %mm and were skipped"
};

// The diagnostic as the command line prints it: several lines, the user's Python line first, without colours.
std::string ToString(const Diagnostic& diagnostic);

// Collects diagnostics in the order in which they are found.
class DiagnosticSink {
 public:
  void Add(Diagnostic d) { diagnostics_.push_back(std::move(d)); }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool HasErrors() const;

 private:
  std::vector<Diagnostic> diagnostics_;
};

// All of them, one after another.
std::string ToString(const DiagnosticSink& sink);

}  // namespace fakeprop
