#include "tools/cli/memory_text.h"

#include <algorithm>

#include "lib/annotations/conditions.h"
#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "lib/error/error.h"
#include "lib/memory/memory_json.h"
#include "lib/symbolic/polynomial.h"
#include "lib/symbolic/shape_env.h"
#include "tools/cli/table.h"

namespace fakeprop::cli {
namespace {

std::string ExactText(int64_t bytes) { return BytesText(bytes) + " (" + WithCommas(bytes) + " bytes)"; }

std::string PointText(const ShapeEnv& env, const SymbolValues& point) {
  std::string text;
  for (const SymbolInfo& symbol : env.symbols())
    if (const auto value = point.find(symbol.node->name); value != point.end())
      text += (text.empty() ? "" : ", ") + symbol.node->name + " = " + std::to_string(value->second);
  return text;
}

// ", in encoder.layers.0, model.py:7", as far as it is known.
std::string PlaceText(const Node* node) {
  if (!node) return "";
  const std::string module = Printable(InnermostModule(node->nn_module_stack)), line = Printable(LineOf(*node));
  return (module.empty() ? "" : ", in " + module) + (line.empty() ? "" : ", " + line);
}

// Sizes that data decides, of which some bytes are a multiple. They count as their least.
struct SizesOfData {
  bool any = false, have_bounds = true;
  SymbolValues greatest;  // the point, with the greatest of these
};

bool Mention(const std::vector<Dim>& pieces, Sym symbol) {
  return std::any_of(pieces.begin(), pieces.end(),
      [&](Dim piece) { return piece.IsSymbolic() && Contains(piece.Expression(), symbol); });
}

SizesOfData FindSizesOfData(ShapeEnv& env, const SymbolValues& point, const std::vector<Dim>& pieces) {
  constexpr int64_t kGreatestBound = int64_t{1} << 40;  // beyond it, nothing is learnt from a bound
  SizesOfData found{.greatest = point};
  for (const SymbolInfo& symbol : env.symbols()) {
    if (!symbol.is_unbacked || !Mention(pieces, symbol.node)) continue;
    const int64_t high = env.RangeOf(symbol.node).high;
    found.any = true;
    found.have_bounds &= high <= kGreatestBound;
    found.greatest[symbol.node->name] = high;
  }
  return found;
}

class MemoryTextMaker {
 public:
  MemoryTextMaker(const MemoryProfile& profile, const SymbolValues& point, const MemoryTextOptions& options)
      : profile_(profile), point_(point), options_(options), peak_(profile.PeakAt(point)) {}

  std::string Render() {
    if (peak_.step < 0) return "peak 0 bytes: no node holds a tensor\n";
    std::string text = PeakText() + "\n" + AliveText() + "\n" + CategoriesText() + DevicesText();
    if (options_.memory.plot)
      text += "\n" + PlotText(profile_.CurveAt(point_), options_.width ? options_.width : 100, 12);
    return text + ConditionsOfSizes();
  }

 private:
  std::string StepText(int32_t step) const { return Printable(StepName(profile_.timeline(), step)); }

  std::string PeakText() const {
    const std::vector<Dim> pieces = profile_.PeakPieces();
    const SizesOfData data = FindSizesOfData(profile_.env(), point_, pieces);
    const std::string at = profile_.IsSymbolic() ? ", at " + PointText(profile_.env(), point_) : "";
    const std::string peak = (data.any ? "peak at least " : "peak ") + ExactText(peak_.bytes);
    std::string text = options_.paint(Color::kBold, peak) + " after " +
                       options_.paint(Color::kName, StepText(peak_.step)) +
                       PlaceText(profile_.timeline().steps[peak_.step].node) + at + "\n";
    if (data.any && data.have_bounds) text += GreatestText(data.greatest);
    if (profile_.IsSymbolic()) text += "peak = " + MaxText(pieces) + "\n";
    return text;
  }

  std::string GreatestText(const SymbolValues& greatest) const {
    try {
      const std::string bytes = ExactText(profile_.PeakAt(greatest).bytes);
      return "peak at most " + bytes + ", at " + PointText(profile_.env(), greatest) + "\n";
    } catch (const OpError&) {
      return "";  // more than 64 bits hold
    }
  }

  std::string AliveText() const {
    const std::vector<AliveBlock> alive = LargestAlive(profile_, peak_.step, point_);
    const size_t shown = std::min(alive.size(), static_cast<size_t>(options_.memory.top));
    Table table({{"alive there"}, {"category", false, 8, Fit::kKeep}, {"bytes", true, 8, Fit::kKeep},
        {"module", false, 8, Fit::kOptional}, {"line", false, 8, Fit::kOptional}});
    for (size_t i = 0; i < shown; ++i) {
      const MemoryBlock& block = *alive[i].block;
      const std::string module = block.maker ? Printable(InnermostModule(block.maker->nn_module_stack)) : "";
      table.AddRow({{Printable(ValueName(block)), Color::kName}, std::string(SingularName(block.category)),
          BytesText(alive[i].bytes), {module, Color::kDim},
          {block.maker ? Printable(LineOf(*block.maker)) : "", Color::kDim}});
    }
    int64_t rest = 0;
    for (size_t i = shown; i < alive.size(); ++i) rest += alive[i].bytes;
    std::string text = table.Render(options_.width, options_.paint);
    if (shown < alive.size())
      text += "and " + Counted(alive.size() - shown, "more value") + ", " + BytesText(rest) + "\n";
    return text;
  }

  std::string CategoriesText() const {
    const std::vector<int64_t> bytes = BytesByCategory(profile_, peak_.step, point_);
    std::string text;
    for (int i = 0; i < kMemoryCategories; ++i) {
      if (!bytes[i]) continue;
      std::string name(Name(static_cast<MemoryCategory>(i)));
      std::replace(name.begin(), name.end(), '_', ' ');
      text += (text.empty() ? "" : "; ") + name + " " + BytesText(bytes[i]);
    }
    return text + "\n";
  }

  std::string DevicesText() const {
    if (profile_.devices().size() < 2) return "";
    std::string text;
    for (Device device : profile_.devices()) {
      const MemoryPeak peak = profile_.PeakAt(point_, device);
      text += device.str() + ": peak " + ExactText(peak.bytes);
      text += (peak.step < 0 ? "" : " after " + StepText(peak.step)) + "\n";
    }
    return text;
  }

  std::string ConditionsOfSizes() const {
    Conditions conditions = ConditionsOf(&profile_.env());
    const std::string guards = ConditionsText(conditions);
    return guards.empty() ? "" : "this " + guards;
  }

  const MemoryProfile& profile_;
  const SymbolValues& point_;
  const MemoryTextOptions& options_;
  const MemoryPeak peak_;
};

}  // namespace

std::string MemoryText(const MemoryProfile& profile, const SymbolValues& point, const MemoryTextOptions& options) {
  return MemoryTextMaker(profile, point, options).Render();
}

std::string PlotText(const std::vector<int64_t>& curve, size_t width, size_t height) {
  constexpr size_t kLabel = 12;
  const int64_t most = curve.empty() ? 0 : *std::max_element(curve.begin(), curve.end());
  if (most == 0) return "";
  const size_t columns = std::min(curve.size(), width > kLabel + 10 ? width - kLabel : 10);
  // The most bytes of the steps that share a column.
  std::vector<int64_t> heights(columns);
  for (size_t i = 0; i < curve.size(); ++i) {
    int64_t& column = heights[i * columns / curve.size()];
    column = std::max(column, curve[i]);
  }
  std::string text;
  for (size_t row = height; row > 0; --row) {
    const double from = static_cast<double>(most) * (static_cast<double>(row) - 0.5) / static_cast<double>(height);
    std::string line = row == height ? BytesText(most) : "";
    line.insert(0, kLabel - 2 - std::min(line.size(), kLabel - 2), ' ');
    line += " |";
    for (int64_t bytes : heights) line += static_cast<double>(bytes) >= from ? '#' : ' ';
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + std::string(kLabel - 3, ' ') + "0 +" + std::string(columns, '-') + " " + Counted(curve.size(), "node") +
         "\n";
}

std::string SizeTableText(const MemoryProfile& profile, const std::vector<SizeColumn>& columns,
    const std::vector<PeakAtSizes>& rows, const MemoryTextOptions& options) {
  std::vector<Column> titles;
  for (const SizeColumn& column : columns) titles.push_back({column.first, true, 8, Fit::kKeep});
  titles.push_back({"peak", true, 8, Fit::kKeep});
  titles.push_back({"bytes", true, 8, Fit::kKeep});
  titles.push_back({"node"});
  Table table(titles);
  for (const PeakAtSizes& row : rows) {
    std::vector<Cell> cells;
    for (int64_t size : row.sizes) cells.push_back(std::to_string(size));
    if (!row.peak) {
      table.AddRow(cells, {"excluded by a range or guard", Color::kDim});
      continue;
    }
    cells.push_back(BytesText(row.peak->bytes));
    cells.push_back(WithCommas(row.peak->bytes));
    cells.push_back({Printable(StepName(profile.timeline(), row.peak->step)), Color::kName});
    table.AddRow(cells);
  }
  return table.Render(options.width, options.paint);
}

std::string LargestText(const LargestSize& largest, const std::string& symbol, int64_t budget) {
  const std::string at = symbol + " = " + std::to_string(largest.value);
  switch (largest.outcome) {
    case LargestSize::Outcome::kNoneFits:
      return "no " + symbol + " fits " + BytesText(budget) +
             (largest.bytes ? ": the least, " + at + ", needs " + ExactText(largest.bytes) : "") + "\n";
    case LargestSize::Outcome::kUnbounded:
      return "every " + symbol + " up to " + std::to_string(largest.value) + " fits " + BytesText(budget) + "\n";
    case LargestSize::Outcome::kFound: break;
  }
  return at + (largest.at_limit ? ", the largest that the graph allows, fits " : " is the largest that fits ") +
         BytesText(budget) + "\n";
}

}  // namespace fakeprop::cli
