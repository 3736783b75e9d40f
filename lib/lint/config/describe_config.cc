// The text of `fakeprop config`.
#include "lib/diag/code_table.h"
#include "lib/lint/config/lint_config.h"

namespace fakeprop {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}
std::string TextOf(const std::string& value) { return Quoted(value); }
std::string TextOf(bool value) { return value ? "true" : "false"; }
std::string TextOf(int64_t value) { return std::to_string(value); }
std::string TextOf(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : ", ") + Quoted(value);
  return "[" + out + "]";
}
std::string TextOf(CheckLevel level) {
  return level == CheckLevel::kOff ? "\"off\"" : level == CheckLevel::kWarning ? "\"warning\"" : "\"error\"";
}

class Describer {
 public:
  explicit Describer(const LintConfig& config) : config_(config) {}

  std::string Describe() {
    if (config_.file.empty()) out_ = "# no fakeprop.toml here or in a folder above: all settings are the defaults\n";
    else out_ = "# " + config_.file + "\n";
    DescribeLint();
    DescribeRules();
    DescribeLimits();
    for (const GraphConfig& graph : config_.graph) DescribeGraph(graph);
    return std::move(out_);
  }

 private:
  void DescribeLint() {
    out_ += "\n[lint]\n";
    AddIfSet("graphs", config_.graphs);
    AddIfSet("inputs", config_.inputs);
    AddIfSet("golden", config_.golden);
    Add("recorded", config_.recorded, false);
    AddIfSet("baseline", config_.baseline);
    Add("formats", config_.formats, std::vector<std::string>{"text"});
    AddIfSet("jobs", config_.jobs);
    AddIfSet("device", config_.device);
    Add("max-memory", config_.max_memory, std::to_string(int64_t{8} << 30));
    AddIfSet("libraries", config_.libraries);
    AddIfSet("op-rules", config_.op_rules);
  }

  void DescribeRules() {
    out_ += "\n[rules]\n";
    for (const CheckInfo& info : AllChecks()) {
      const auto set = config_.rules.find(std::string(info.code.id));
      const Set<CheckLevel> level = set == config_.rules.end() ? Set<CheckLevel>{info.level} : set->second;
      AddLine(std::string(info.code.id), TextOf(level.value),
          std::string(info.code.class_name) + ", " + Origin(level.line));
    }
  }

  void DescribeLimits() {
    const CheckSettings defaults;
    out_ += "\n[limits]\n";
    Add("broadcast-factor", config_.broadcast_factor, defaults.broadcast_factor);
    Add("broadcast-bytes", config_.broadcast_bytes, defaults.broadcast_bytes);
    Add("intermediate-bytes", config_.intermediate_bytes, defaults.intermediate_bytes);
  }

  void DescribeGraph(const GraphConfig& graph) {
    out_ += "\n[[graph]]\n";
    AddLine("path", TextOf(graph.path), Origin(graph.line));
    AddIfSet("inputs", graph.inputs);
    AddIfSet("golden", graph.golden);
    AddIfSet("static", graph.is_static);
    for (const auto& [code, level] : graph.rules) AddLine("rules." + code, TextOf(level.value), Origin(level.line));
    for (const LintException& exception : graph.exceptions) {
      out_ += "[[graph.ignore]]\ncode = " + Quoted(exception.code) + "\n";
      if (!exception.node.empty()) out_ += "node = " + Quoted(exception.node) + "\n";
      if (!exception.reason.empty()) out_ += "reason = " + Quoted(exception.reason) + "\n";
    }
  }

  template <typename T>
  void Add(const std::string& key, const Set<T>& setting, const T& otherwise) {
    AddLine(key, TextOf(setting.is_set() ? setting.value : otherwise), Origin(setting.line));
  }
  template <typename T>
  void AddIfSet(const std::string& key, const Set<T>& setting) {
    if (setting.is_set()) AddLine(key, TextOf(setting.value), Origin(setting.line));
  }
  void AddLine(const std::string& key, const std::string& value, const std::string& origin) {
    out_ += key + " = " + value + "  # " + origin + "\n";
  }
  static std::string Origin(int line) { return line > 0 ? "line " + std::to_string(line) : "default"; }

  const LintConfig& config_;
  std::string out_;
};

}  // namespace

std::string DescribeConfig(const LintConfig& config) { return Describer(config).Describe(); }

}  // namespace fakeprop
