#include "tools/cli/cost_text.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/prove/point.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
namespace {

constexpr size_t kNamedUncounted = 10;

// A number in the largest of units that are 1000 apart.
std::string Scaled(double number, const char* const* units, int count, int first) {
  int unit = first;
  for (; number >= 1000 && unit + 1 < count; ++unit) number /= 1000;
  for (; number > 0 && number < 1 && unit > 0; --unit) number *= 1000;
  char text[48];
  std::snprintf(text, sizeof text, number == static_cast<int64_t>(number) ? "%.0f %s" : "%.1f %s", number, units[unit]);
  return text;
}

std::string SecondsText(double seconds) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  return Scaled(seconds, kUnits, 4, 3);
}

struct Row {
  std::string name;
  size_t nodes = 1;
  double flops = 0, read = 0, written = 0, seconds = 0;
};

std::string IntensityText(const Row& row) {
  const double bytes = row.read + row.written;
  if (bytes <= 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", row.flops / bytes);
  return text;
}

class CostTextMaker {
 public:
  CostTextMaker(const GraphCost& cost, const SymbolValues& point, const CostTextOptions& options)
      : cost_(cost), point_(point), options_(options) {}

  std::string Render() {
    std::vector<Row> rows = Rows();
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.flops != b.flops ? a.flops > b.flops : a.read + a.written > b.read + b.written;
    });
    return TotalText() + "\n" + TableText(rows) + UncountedText();
  }

 private:
  bool HasSeconds() const { return options_.cost.device.has_value(); }

  Row RowOf(const std::string& name, size_t nodes, const Cost& cost) const {
    return {Printable(name), nodes, NumberAt(cost.flops, point_), NumberAt(cost.bytes_read, point_),
        NumberAt(cost.bytes_written, point_)};
  }

  // A node's seconds are its operator's, or those of each module that it is in.
  void AddSeconds(std::vector<Row>& rows, bool by_module) const {
    if (!HasSeconds()) return;
    std::map<std::string, double> seconds;
    for (const NodeCost& node : cost_.nodes) {
      const double taken = SecondsOf(node, *options_.cost.device, point_);
      if (!by_module) seconds[Printable(node.op)] += taken;
      for (size_t end = 0; by_module && !node.module.empty() && end != std::string::npos;) {
        end = node.module.find('.', end + (end > 0));
        seconds[Printable(node.module.substr(0, end))] += taken;
      }
    }
    for (Row& row : rows) row.seconds = seconds[row.name];
  }

  std::vector<Row> Rows() const {
    std::vector<Row> rows;
    const bool by_module = options_.cost.by == CostRows::kModules;
    if (options_.cost.by == CostRows::kNodes) {
      for (const NodeCost& node : cost_.nodes) {
        rows.push_back(RowOf(node.node->name, 1, node.cost));
        if (HasSeconds()) rows.back().seconds = SecondsOf(node, *options_.cost.device, point_);
      }
      return rows;
    }
    for (const CostGroup& group : by_module ? cost_.modules : cost_.operators)
      rows.push_back(RowOf(group.name, group.nodes, group.cost));
    AddSeconds(rows, by_module);
    return rows;
  }

  std::string TotalText() const {
    const Row total = RowOf("", cost_.nodes.size(), cost_.total);
    std::string text = options_.paint(Color::kBold, FlopsText(total.flops)) + ", read " +
                       BytesText(static_cast<int64_t>(total.read)) + ", written " +
                       BytesText(static_cast<int64_t>(total.written));
    const std::string intensity = IntensityText(total);
    if (!intensity.empty()) text += ", " + intensity + " FLOP a byte";
    if (HasSeconds())
      text += "; at least " + SecondsText(TotalSeconds()) + " on " + std::string(options_.cost.device->name);
    if (!point_.empty() && cost_.total.flops.IsSymbolic()) {
      text += "\nFLOPs = " + cost_.total.flops.ToString() + "\nat ";
      bool is_first = true;
      for (const auto& [name, value] : point_) {
        text += (is_first ? "" : ", ") + name + " = " + std::to_string(value);
        is_first = false;
      }
    }
    return text + "\n";
  }

  double TotalSeconds() const {
    double seconds = 0;
    for (const NodeCost& node : cost_.nodes) seconds += SecondsOf(node, *options_.cost.device, point_);
    return seconds;
  }

  std::string TableText(const std::vector<Row>& rows) const {
    const char* titles[] = {"operator", "module", "node"};
    Table table({{titles[static_cast<int>(options_.cost.by)]}, {"nodes", true, 5, Fit::kOptional},
        {"FLOPs", true, 8, Fit::kKeep}, {"read", true, 8, Fit::kKeep}, {"written", true, 8, Fit::kKeep},
        {"FLOP/byte", true, 8, Fit::kOptional}, {"time", true, 8, Fit::kOptional}});
    const size_t shown = std::min(rows.size(), static_cast<size_t>(options_.cost.top));
    for (size_t i = 0; i < shown; ++i) {
      const Row& row = rows[i];
      const bool is_node = options_.cost.by == CostRows::kNodes;
      table.AddRow({{row.name, Color::kName}, is_node ? "" : std::to_string(row.nodes), FlopsText(row.flops),
          BytesText(static_cast<int64_t>(row.read)), BytesText(static_cast<int64_t>(row.written)), IntensityText(row),
          HasSeconds() ? SecondsText(row.seconds) : ""});
    }
    std::string text = table.Render(options_.width, options_.paint);
    if (shown < rows.size()) text += "and " + Counted(rows.size() - shown, "more row") + ", which `--top` shows\n";
    return text;
  }

  std::string UncountedText() const {
    const std::vector<const NodeCost*> uncounted = cost_.Uncounted();
    if (uncounted.empty()) return "";
    std::string text = "\nFLOPs of " + Counted(uncounted.size(), "node") + " are not counted:\n";
    for (size_t i = 0; i < std::min(uncounted.size(), kNamedUncounted); ++i)
      text += "  " + Printable(uncounted[i]->node->name) + " (" + Printable(uncounted[i]->op) +
              "): " + uncounted[i]->why + "\n";
    if (uncounted.size() > kNamedUncounted)
      text += "  and " + std::to_string(uncounted.size() - kNamedUncounted) + " more, which JSON lists\n";
    return text;
  }

  const GraphCost& cost_;
  const SymbolValues& point_;
  const CostTextOptions& options_;
};

}  // namespace

std::string CostText(const GraphCost& cost, const SymbolValues& point, const CostTextOptions& options) {
  return CostTextMaker(cost, point, options).Render();
}

std::string FlopsText(double flops) {
  constexpr const char* kUnits[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  return Scaled(flops, kUnits, 7, 0);
}

double NumberAt(Dim dim, const SymbolValues& point) {
  if (const auto number = dim.TryNumber()) return static_cast<double>(*number);
  const std::optional<SymNumber> value = ValueAt(dim.Expression(), point);
  return value ? value->AsReal() : 0;
}

}  // namespace fakeprop::cli
