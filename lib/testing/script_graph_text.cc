#include "lib/testing/script_graph_text.h"

#include <bit>
#include <sstream>

namespace fakeprop {
namespace {

// With its kind and all digits, which messages leave out.
std::string TextOf(const Value& value) {
  if (auto* number = value.TryGet<double>()) {
    std::ostringstream out;
    out.precision(17);
    out << "float " << *number;
    return out.str();
  }
  if (auto* list = value.TryGet<List>()) {
    std::string text = list->is_tuple ? "(" : "[";
    for (const Value& item : list->items) text += TextOf(item) + ", ";
    return text + (list->is_tuple ? ")" : "]");
  }
  if (auto* dict = value.TryGet<Dict>()) {
    std::string text = "{";
    for (const auto& [key, item] : dict->items) text += TextOf(key) + ": " + TextOf(item) + ", ";
    return text + "}";
  }
  if (auto* opaque = value.TryGet<Opaque>()) return "opaque " + opaque->class_name + " " + opaque->name;
  return std::to_string(value.variant().index()) + " " + ToString(value);
}

std::string TextOf(const ScriptType& type) {
  std::string text = type.name + "<";
  for (const ScriptType& part : type.of) text += TextOf(part) + ",";
  return text + ">";
}

class Writer {
 public:
  explicit Writer(const ScriptGraph& graph) : graph_(graph) {}

  std::string Run() {
    for (const ScriptInput& input : graph_.inputs)
      out_ << "input " << input.name << " " << TextOf(input.type) << " "
           << (input.default_value ? TextOf(*input.default_value) : "-") << "\n";
    WriteBlock(graph_.body, "");
    for (const auto& [name, block] : graph_.setstates) {
      out_ << "setstate " << name << "\n";
      WriteBlock(block, "");
    }
    for (const ScriptValue& value : graph_.values)
      out_ << "value " << value.name << " : " << value.type << (value.is_module ? " module" : "") << "\n";
    for (const std::string& text : graph_.texts) out_ << "text " << text << "\n";
    return out_.str();
  }

 private:
  void WriteValues(const std::vector<int32_t>& values) {
    for (int32_t value : values) out_ << " %" << graph_.values.at(value).name;
  }

  void WriteBlock(const ScriptBlock& block, const std::string& indent) {
    out_ << indent << "block";
    WriteValues(block.inputs);
    out_ << "\n";
    for (const ScriptNode& node : block.nodes) WriteNode(node, indent + "  ");
    out_ << indent << "return";
    WriteValues(block.outputs);
    out_ << "\n";
  }

  void WriteNode(const ScriptNode& node, const std::string& indent) {
    out_ << indent;
    WriteValues(node.outputs);
    out_ << " = " << node.kind << "(";
    WriteValues(node.inputs);
    out_ << ") name=" << node.attribute << " constant=" << TextOf(node.constant) << " #" << node.archive_constant
         << " module=" << TextAt(node.module_path) << " at";
    for (const ScriptPlace& place : node.places)
      out_ << " " << TextAt(place.member) << ":" << place.offset << ":" << TextAt(place.function);
    out_ << "\n";
    for (const ScriptBlock& block : node.blocks) WriteBlock(block, indent + "  ");
  }

  std::string TextAt(int32_t index) const { return index < 0 ? "-" : graph_.texts.at(index); }

  const ScriptGraph& graph_;
  std::ostringstream out_;
};

}  // namespace

std::string TextOf(const ScriptGraph& graph) {
  if (!graph.other_methods) return Writer(graph).Run();
  std::string names = "has methods";
  for (const std::string& name : *graph.other_methods) names += " " + name;
  return names;
}

std::string FirstDifference(const std::string& got, const std::string& want) {
  std::istringstream got_lines(got), want_lines(want);
  std::string got_line, want_line;
  for (int number = 1;; ++number) {
    const bool has_got = static_cast<bool>(std::getline(got_lines, got_line));
    const bool has_want = static_cast<bool>(std::getline(want_lines, want_line));
    if (!has_got && !has_want) return "";
    if (has_got && has_want && got_line == want_line) continue;
    return "line " + std::to_string(number) + " is\n  " + (has_got ? got_line : "nothing") + "\nnot\n  " +
           (has_want ? want_line : "nothing");
  }
}

}  // namespace fakeprop
