// Reads fakeprop.toml.
#include <toml++/toml.h>
#include <filesystem>
#include <functional>

#include "lib/base/byte_count.h"
#include "lib/base/suggest.h"
#include "lib/diag/code_table.h"
#include "lib/lint/config/lint_config.h"

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

int LineOf(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// "an integer", for messages.
std::string KindOf(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "the string `" + node.as_string()->get() + "`";
    case toml::node_type::integer: return "the integer " + std::to_string(node.as_integer()->get());
    case toml::node_type::floating_point: return "a float";
    case toml::node_type::boolean: return node.as_boolean()->get() ? "true" : "false";
    default: return "a date or time";
  }
}

class ConfigReader {
 public:
  ConfigReader(const std::string& file, DiagnosticSink& sink) : folder_(fs::path(file).parent_path()), sink_(sink) {
    config_.file = file;
  }

  std::optional<LintConfig> Read(const toml::table& root) {
    ReadKeys(root, "the file",
        {{"lint", Table([this](const toml::table& table) { ReadLint(table); })},
            {"rules", Table([this](const toml::table& table) { ReadRules(table, config_.rules); })},
            {"limits", Table([this](const toml::table& table) { ReadLimits(table); })},
            {"graph", Tables([this](const toml::table& table) { ReadGraph(table); })}});
    return is_wrong_ ? std::nullopt : std::optional(std::move(config_));
  }

 private:
  using Field = std::function<void(const toml::node&)>;
  using Fields = std::vector<std::pair<std::string, Field>>;

  void ReadLint(const toml::table& table) {
    ReadKeys(table, "[lint]",
        {{"graphs", Paths(config_.graphs)}, {"inputs", Path(config_.inputs)}, {"golden", Path(config_.golden)},
            {"recorded", Bool(config_.recorded)}, {"baseline", Path(config_.baseline)},
            {"formats", Texts(config_.formats)}, {"jobs", Count(config_.jobs)}, {"device", Text(config_.device)},
            {"max-memory", ByteText(config_.max_memory)}, {"libraries", Paths(config_.libraries)},
            {"op-rules", Paths(config_.op_rules)}});
  }

  void ReadLimits(const toml::table& table) {
    ReadKeys(table, "[limits]",
        {{"broadcast-factor", Count(config_.broadcast_factor)}, {"broadcast-bytes", Bytes(config_.broadcast_bytes)},
            {"intermediate-bytes", Bytes(config_.intermediate_bytes)}});
  }

  void ReadGraph(const toml::table& table) {
    GraphConfig graph{.line = LineOf(table)};
    Set<std::string> path;
    ReadKeys(table, "[[graph]]",
        {{"path", Path(path)}, {"inputs", Path(graph.inputs)}, {"golden", Path(graph.golden)},
            {"static", Bool(graph.is_static)},
            {"rules", Table([&](const toml::table& rules) { ReadRules(rules, graph.rules); })},
            {"ignore", Tables([&](const toml::table& ignore) { ReadException(ignore, graph); })}});
    if (!path.is_set()) Fail(table, "[[graph]] needs `path`, a pattern of paths");
    graph.path = path.value;
    config_.graph.push_back(std::move(graph));
  }

  void ReadException(const toml::table& table, GraphConfig& graph) {
    LintException exception;
    Set<std::string> code, node, reason;
    ReadKeys(table, "[[graph.ignore]]", {{"code", Text(code)}, {"node", Text(node)}, {"reason", Text(reason)}});
    const CodeInfo* info = FindCodeInfo(code.value);
    if (!info) return Fail(table, "[[graph.ignore]] needs `code`, a code such as FP8012");
    graph.exceptions.push_back({std::string(info->code.id), node.value, reason.value});
  }

  // FP8003 = "off"
  void ReadRules(const toml::table& table, CheckLevels& levels) {
    for (const auto& [key, node] : table) {
      const CodeInfo* info = FindCodeInfo(std::string_view(key));
      if (!info || !info->code.id.starts_with("FP8")) {
        FailUnknown(node, "rule", std::string(key.str()), RuleNames());
        continue;
      }
      const std::string level = node.is_string() ? node.as_string()->get() : "";
      if (level != "off" && level != "warning" && level != "error")
        Fail(node, "a rule is \"off\", \"warning\" or \"error\", not " + KindOf(node));
      levels[std::string(info->code.id)] = {level == "off"       ? CheckLevel::kOff
                                            : level == "warning" ? CheckLevel::kWarning
                                                                 : CheckLevel::kError,
          LineOf(node)};
    }
  }

  static std::vector<std::string> RuleNames() {
    std::vector<std::string> names;
    for (const CheckInfo& info : AllChecks()) {
      names.emplace_back(info.code.id);
      names.emplace_back(info.code.class_name);
    }
    return names;
  }

  // ---- keys and their types

  void ReadKeys(const toml::table& table, const std::string& where, const Fields& fields) {
    std::vector<std::string> names;
    for (const auto& [name, field] : fields) names.push_back(name);
    for (const auto& [key, node] : table) {
      const auto it =
          std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == key.str(); });
      if (it == fields.end()) FailUnknown(node, "key of " + where, std::string(key.str()), names);
      else it->second(node);
    }
  }

  Field Table(std::function<void(const toml::table&)> read) {
    return [this, read](const toml::node& node) {
      if (const toml::table* table = node.as_table()) read(*table);
      else FailExpected(node, "a table");
    };
  }
  Field Tables(std::function<void(const toml::table&)> read) {
    return [this, read](const toml::node& node) {
      const toml::array* array = node.as_array();
      if (!array) return FailExpected(node, "an array of tables");
      for (const toml::node& item : *array) Table(read)(item);
    };
  }
  Field Text(Set<std::string>& to) {
    return [this, &to](const toml::node& node) {
      if (node.is_string()) to = {node.as_string()->get(), LineOf(node)};
      else FailExpected(node, "a string");
    };
  }
  Field Path(Set<std::string>& to) {
    return [this, &to](const toml::node& node) {
      Text(to)(node);
      if (to.is_set()) to.value = Resolve(to.value);
    };
  }
  Field Texts(Set<std::vector<std::string>>& to) {
    return [this, &to](const toml::node& node) {
      const toml::array* array = node.as_array();
      if (!array) return FailExpected(node, "an array of strings");
      to.line = LineOf(node);
      for (const toml::node& item : *array) {
        if (item.is_string()) to.value.push_back(item.as_string()->get());
        else FailExpected(item, "a string");
      }
    };
  }
  Field Paths(Set<std::vector<std::string>>& to) {
    return [this, &to](const toml::node& node) {
      Texts(to)(node);
      for (std::string& path : to.value) path = Resolve(path);
    };
  }
  Field Bool(Set<bool>& to) {
    return [this, &to](const toml::node& node) {
      if (node.is_boolean()) to = {node.as_boolean()->get(), LineOf(node)};
      else FailExpected(node, "true or false");
    };
  }
  Field Count(Set<int64_t>& to) {
    return [this, &to](const toml::node& node) {
      if (node.is_integer() && node.as_integer()->get() > 0) to = {node.as_integer()->get(), LineOf(node)};
      else FailExpected(node, "a whole number of at least 1");
    };
  }
  Field Bytes(Set<int64_t>& to) {
    return [this, &to](const toml::node& node) {
      const std::optional<int64_t> bytes = node.is_string()    ? ReadByteCount(node.as_string()->get())
                                           : node.is_integer() ? std::optional(node.as_integer()->get())
                                                               : std::nullopt;
      if (bytes && *bytes > 0) to = {*bytes, LineOf(node)};
      else FailExpected(node, "a number of bytes such as \"500M\" or \"16G\"");
    };
  }
  Field ByteText(Set<std::string>& to) {
    return [this, &to](const toml::node& node) {
      Set<int64_t> bytes;
      Bytes(bytes)(node);
      to = {std::to_string(bytes.value), bytes.line};
    };
  }

  std::string Resolve(const std::string& path) const { return (folder_ / path).lexically_normal().generic_string(); }

  // ---- errors

  void Fail(const toml::node& node, std::string message, std::vector<std::string> notes = {}) {
    is_wrong_ = true;
    const auto place = node.source().begin;
    sink_.Add({.code = kBadConfig,
        .message = std::move(message),
        .file = config_.file,
        .place = "line " + std::to_string(place.line) + ", column " + std::to_string(place.column),
        .notes = std::move(notes)});
  }
  void FailExpected(const toml::node& node, const std::string& expected) {
    Fail(node, "expected " + expected + " but found " + KindOf(node));
  }
  void FailUnknown(
      const toml::node& node, const std::string& what, const std::string& name, const std::vector<std::string>& known) {
    std::string all;
    for (const std::string& word : known) all += (all.empty() ? "`" : ", `") + word + "`";
    const std::string nearest = Nearest(name, known);
    Fail(node, "unknown " + what + " `" + name + "`", {nearest.empty() ? "known are " + all : DidYouMean(nearest)});
  }

  const fs::path folder_;
  DiagnosticSink& sink_;
  LintConfig config_;
  bool is_wrong_ = false;
};

}  // namespace

std::optional<LintConfig> ReadLintConfig(std::string_view text, const std::string& file, DiagnosticSink& sink) {
  try {
    return ConfigReader(file, sink).Read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    const auto place = error.source().begin;
    sink.Add({.code = kBadConfig,
        .message = "this is no TOML: " + std::string(error.description()),
        .file = file,
        .place = "line " + std::to_string(place.line) + ", column " + std::to_string(place.column)});
    return std::nullopt;
  }
}

}  // namespace fakeprop
