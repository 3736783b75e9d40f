#include "tools/cli/memory_command.h"

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "lib/memory/largest_size.h"
#include "lib/memory/liveness.h"
#include "lib/memory/memory_codes.h"
#include "lib/memory/memory_json.h"
#include "tools/cli/allocator_run.h"
#include "tools/cli/memory_text.h"
#include "tools/cli/sharding_run.h"
#include "tools/cli/sized_run.h"
#include "tools/cli/training_run.h"

namespace fakeprop::cli {
namespace {

constexpr size_t kNamedInFindings = 3;

// "batch = seq", as in "batch = seq = 8".
std::string Joined(const std::vector<std::string>& symbols) {
  std::string text;
  for (const std::string& symbol : symbols) text += (text.empty() ? "" : " = ") + symbol;
  return text;
}

class MemoryCommand {
 public:
  MemoryCommand(const SizedRun& run, const CommandLineOptions& options, Paint paint, size_t width)
      : run_(run),
        options_(options),
        text_{options.memory, width, paint},
        training_(RunTraining(run, options.memory)),
        sharding_(MakeSharding(run, options, training_)),
        profile_(MakeProfile(run, options, sharding_)),
        point_(run.fixed.Point()) {}

  Answer Make() {
    Answer answer;
    if (auto refused = RefuseTraining(run_, options_.memory, training_)) return std::move(*refused);
    if (auto refused = RefuseSharding(run_, options_.memory, training_.step)) return std::move(*refused);
    if (!options_.memory.max_symbols.empty()) FindLargest();
    if (options_.memory.budget) CheckBudget(answer);
    for (const auto& sizes : SizesOfTable()) rows_.push_back(PeakAtSize(sizes));
    answer.text = options_.format == OutputFormat::kJson ? Json() : Text();
    return answer;
  }

 private:
  static ShardingRun MakeSharding(const SizedRun& run, const CommandLineOptions& options, TrainingRun& training) {
    if (IsSharded(options.memory)) return RunSharding(run, options.memory, std::move(training.step.timeline));
    ShardingRun whole;
    whole.step.timeline = std::move(training.step.timeline);
    return whole;
  }

  static MemoryProfile MakeProfile(const SizedRun& run, const CommandLineOptions& options, ShardingRun& sharding) {
    Timeline timeline = options.memory.training ? std::move(sharding.step.timeline)
                                                : FindLifetimes(run.loaded.graph, run.annotations,
                                                      WhenFreed(options.memory).value_or(FreeWhen::kAfterLastUse));
    PutNumbers(run.fixed, timeline);
    return {std::move(timeline), *run.annotations.shape_env};
  }

  // What a budget is compared with.
  MemoryPeak NeedAt(const SymbolValues& point) const {
    const MemoryPeak peak = profile_.PeakAt(point);
    if (!options_.memory.has_allocator) return peak;
    return {RunAllocator(profile_, point, options_.memory).Need(), peak.step};
  }

  // From here on everything is about the largest size, or about the least one if none fits.
  void FindLargest() {
    const std::vector<std::string>& symbols = options_.memory.max_symbols;
    const auto bytes_at = [&](const SymbolValues& point) { return NeedAt(point).bytes; };
    largest_ = FindLargestSize(run_.fixed, *run_.annotations.shape_env, symbols, *options_.memory.budget, bytes_at);
    FixedSymbols at = run_.fixed;
    for (const std::string& symbol : symbols) at.TryFix(symbol, largest_->value);
    point_ = at.Point();
  }

  void CheckBudget(Answer& answer) const {
    const MemoryPeak peak = NeedAt(point_);
    const int64_t budget = *options_.memory.budget;
    const bool none_fits = largest_ && largest_->outcome == LargestSize::Outcome::kNoneFits;
    const int64_t needed = none_fits ? largest_->bytes : peak.bytes;
    if (needed <= budget && !none_fits) return;
    Diagnostic finding{.code = kOverBudget};
    finding.message = "the peak of " + BytesText(needed) + " is over the budget of " + BytesText(budget) + " by " +
                      WithCommas(needed - budget) + " bytes";
    AddPlace(peak, finding);
    answer.status = ExitStatus::kFindings;
    answer.findings.push_back(run_.About(std::move(finding)));
  }

  AllocatorRun Allocated() const { return RunAllocator(profile_, point_, options_.memory); }

  void AddPlace(const MemoryPeak& peak, Diagnostic& finding) const {
    if (peak.step < 0) return;
    if (const Node* node = profile_.timeline().steps[peak.step].node) {
      finding.node = node->name;
      finding.place = node->Place();
      finding.frames = ParseStackTrace(node->stack_trace, node->nn_module_stack);
      finding.module = InnermostModule(node->nn_module_stack);
    }
    const std::vector<AliveBlock> alive = LargestAlive(profile_, peak.step, point_);
    for (size_t i = 0; i < std::min(alive.size(), kNamedInFindings); ++i)
      finding.operands.push_back({ValueName(*alive[i].block), BytesText(alive[i].bytes),
          std::string(SingularName(alive[i].block->category)) + " that is alive there"});
  }

  // Every combination of the values of --table.
  std::vector<std::vector<int64_t>> SizesOfTable() const {
    if (options_.memory.table.empty()) return {};
    std::vector<std::vector<int64_t>> all = {{}};
    for (const SizeColumn& column : options_.memory.table) {
      std::vector<std::vector<int64_t>> longer;
      for (const std::vector<int64_t>& sizes : all) {
        for (int64_t value : column.second) {
          longer.push_back(sizes);
          longer.back().push_back(value);
        }
      }
      all = std::move(longer);
    }
    return all;
  }

  PeakAtSizes PeakAtSize(const std::vector<int64_t>& sizes) const {
    FixedSymbols at = run_.fixed;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (!at.TryFix(options_.memory.table[i].first, sizes[i])) return {sizes, std::nullopt};
    return {sizes, NeedAt(at.Point())};
  }

  std::string Text() const {
    std::string text;
    if (largest_) text += LargestText(*largest_, Joined(options_.memory.max_symbols), *options_.memory.budget);
    if (!rows_.empty()) return text + SizeTableText(profile_, options_.memory.table, rows_, text_);
    text += MemoryText(profile_, point_, text_) + UncountedText();
    if (options_.memory.has_allocator) text += AllocatorText(Allocated(), profile_.timeline());
    if (IsSharded(options_.memory)) text += ShardingText(sharding_, options_.memory, point_);
    return options_.memory.training ? text + TrainingText(training_) : text;
  }

  // What subgraphs hold while they run.
  std::string UncountedText() const {
    const std::vector<const Node*> calls = CallsOfSubgraphs(run_.loaded.graph, run_.annotations);
    if (calls.empty()) return "";
    std::string text = "not counted: memory inside of the graphs that these nodes run:";
    for (size_t i = 0; i < std::min(calls.size(), kNamedInFindings); ++i)
      text += (i ? ", " : " ") + Printable(calls[i]->name);
    if (calls.size() > kNamedInFindings) text += " and " + Counted(calls.size() - kNamedInFindings, "more node");
    return text + "\n";
  }

  std::string Json() const {
    JsonWriter json;
    json.BeginObject();
    json.KeyOnLine("format").String("fakeprop.memory/1");
    WriteRunMembers(run_, point_, json);
    if (options_.memory.budget) json.KeyOnLine("budget").Int(*options_.memory.budget);
    if (largest_) WriteLargest(json);
    if (options_.memory.training) WriteTraining(options_.memory, training_, json);
    if (IsSharded(options_.memory)) WriteSharding(sharding_, options_.memory, json);
    if (options_.memory.has_allocator) WriteAllocator(Allocated(), profile_.timeline(), json);
    WriteMemoryMembers(profile_, point_, json);
    const std::vector<const Node*> calls = CallsOfSubgraphs(run_.loaded.graph, run_.annotations);
    if (!calls.empty()) json.KeyOnLine("uncounted").Array(calls, [&](const Node* node) { json.String(node->name); });
    if (!rows_.empty()) WriteTable(json);
    json.NewLine(0);
    json.EndObject();
    return json.Take() + "\n";
  }

  void WriteLargest(JsonWriter& json) const {
    json.KeyOnLine("largest").BeginObject();
    json.Key("symbols").Array(options_.memory.max_symbols, [&](const std::string& symbol) { json.String(symbol); });
    const bool fits = largest_->outcome != LargestSize::Outcome::kNoneFits;
    if (fits) json.Key("value").Int(largest_->value);
    else json.Key("value").Null();
    json.Key("bytes").Int(largest_->bytes);
    json.Key("bounded").Bool(largest_->outcome != LargestSize::Outcome::kUnbounded);
    json.EndObject();
  }

  void WriteTable(JsonWriter& json) const {
    json.KeyOnLine("table").Array(rows_, [&](const PeakAtSizes& row) {
      json.NewLine(4);
      json.BeginObject();
      json.Key("sizes").BeginObject();
      for (size_t i = 0; i < row.sizes.size(); ++i) json.KeyOf(options_.memory.table[i].first).Int(row.sizes[i]);
      json.EndObject();
      if (row.peak) {
        json.Key("bytes").Int(row.peak->bytes);
        json.Key("node").String(StepName(profile_.timeline(), row.peak->step));
      }
      json.EndObject();
    });
  }

  const SizedRun& run_;
  const CommandLineOptions& options_;
  MemoryTextOptions text_;
  TrainingRun training_;
  ShardingRun sharding_;
  MemoryProfile profile_;
  SymbolValues point_;
  std::optional<LargestSize> largest_;
  std::vector<PeakAtSizes> rows_;
};

// Names of symbols are known once the graph has run.
std::optional<Diagnostic> UnknownName(const SizedRun& run, const MemoryOptions& memory) {
  std::vector<std::string> names = memory.max_symbols;
  for (const SizeColumn& column : memory.table) names.push_back(column.first);
  for (const std::string& name : names) {
    Sym symbol = run.annotations.shape_env->FindSymbol(name);
    DiagnosticSink sink;
    if (symbol) continue;
    FixedSymbols(*run.annotations.shape_env).Fix({{name, 0}}, run.loaded.graph.source, sink);
    return sink.diagnostics()[0];
  }
  return std::nullopt;
}

}  // namespace

ExitStatus RunMemory(const CommandLineOptions& options, const Console& console) {
  return AnswerSizedRun(options, console, [&](const SizedRun& run, const Paint& paint, size_t width) {
    if (auto unknown = UnknownName(run, options.memory)) return Answer{"", ExitStatus::kTrouble, {std::move(*unknown)}};
    return MemoryCommand(run, options, paint, width).Make();
  });
}

}  // namespace fakeprop::cli
