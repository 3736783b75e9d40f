#include "lib/lint/checks/graph_checks.h"

#include <algorithm>
#include <map>

#include "lib/annotations/subgraphs.h"
#include "lib/diag/code_table.h"
#include "lib/diag/python_trace.h"
#include "lib/lint/checks/checks.h"
#include "lib/value_ranges/value_codes.h"

namespace fakeprop {
namespace {

struct CheckRow {
  CheckInfo info;
  CheckFunction run;
};

constexpr CheckLevel kOff = CheckLevel::kOff, kWarning = CheckLevel::kWarning, kError = CheckLevel::kError;

constexpr CheckRow kRows[] = {
    {{kSilentBroadcast, kWarning}, CheckSilentBroadcast},
    {{kPromotedDtype, kWarning}, CheckPromotedDtype},
    {{kBroadcastBlowUp, kWarning}, CheckBroadcastBlowUp},
    {{kLargeIntermediate, kWarning}, CheckLargeIntermediate},
    {{kNeedlessCopy, kWarning}, CheckNeedlessCopy},
    {{kLostWrite, kWarning}, CheckLostWrite},
    {{kCopyingReshape, kOff}, CheckCopyingReshape},
    {{kOutputAliasesInput, kWarning}, CheckOutputAliasesInput},
    {{kInputWritten, kWarning}, CheckInputWritten},
    {{kUnusedResult, kWarning}, CheckUnusedResult},
    {{kUnusedInput, kWarning}, CheckUnusedInput},
    {{kUnusedParameter, kWarning}, CheckUnusedParameter},
    {{kFixedDimension, kWarning}, CheckFixedDimension},
    {{kMixedDevices, kWarning}, CheckMixedDevices},
    {{kLostLayout, kWarning}, CheckLostLayout},
    {{kDataDependentSize, kOff}, CheckDataDependentSize},
    {{kHalfReduction, kWarning}, CheckHalfReduction},
    {{kDuplicateWeight, kWarning}, CheckDuplicateWeight},
    {{kIndexAlwaysOutOfRange, kError}, CheckIndexOutOfRange},
    {{kIndexLimit, kWarning}, CheckIndexLimit},
};

CheckLevel LevelOf(const CheckInfo& info, const CheckSettings& settings) {
  const auto set = settings.levels.find(info.code.id);
  return set == settings.levels.end() ? info.level : set->second;
}

// The line that reports of one check share; the node where there is no line.
std::string LineOf(const CheckedGraph& graph, int32_t node) {
  const std::vector<PythonFrame> frames = ParseStackTrace(graph.at(node).node->stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? frame->file + ":" + std::to_string(frame->line) : "%" + graph.at(node).node->name;
}

// Reports on one line of Python, such as those of a module that is called for each layer, become one.
std::vector<CheckReport> JoinLines(const CheckedGraph& graph, std::vector<CheckReport> reports) {
  std::map<std::string, size_t> by_line;
  std::vector<CheckReport> joined;
  for (CheckReport& report : reports) {
    const auto [it, is_new] = by_line.emplace(LineOf(graph, report.node), joined.size());
    if (is_new) {
      joined.push_back(std::move(report));
      continue;
    }
    std::vector<int32_t>& others = joined[it->second].others;
    others.push_back(report.node);
    others.insert(others.end(), report.others.begin(), report.others.end());
  }
  return joined;
}

class Checker {
 public:
  Checker(const LintRun& run, const CheckSettings& settings) : run_(run), settings_(settings) {}

  std::vector<Finding> Run() {
    if (IsOn(kIndexAlwaysOutOfRange) || IsOn(kIndexLimit))
      ranges_ = AnalyzeValues(run_.graph, run_.inputs, run_.annotations);
    for (size_t i = 0; i < run_.annotations.graphs.size(); ++i)
      if (run_.annotations.graphs[i].call.empty())
        CheckOne(run_.annotations.graphs[i], ranges_.graphs.empty() ? nullptr : &ranges_.graphs[i]);
    return std::move(findings_);
  }

 private:
  bool IsOn(Code code) const {
    for (const CheckRow& row : kRows)
      if (row.info.code.id == code.id) return LevelOf(row.info, settings_) != CheckLevel::kOff;
    return false;
  }

  void CheckOne(const GraphAnnotations& annotations, const GraphRanges* ranges) {
    const CheckedGraph graph(run_, annotations, ranges);
    values_ = ValuesOf(annotations);
    for (const CheckRow& row : kRows) {
      const CheckLevel level = LevelOf(row.info, settings_);
      if (level == CheckLevel::kOff) continue;
      std::vector<CheckReport> reports;
      row.run(graph, settings_, reports);
      for (CheckReport& report : JoinLines(graph, std::move(reports)))
        findings_.push_back(ToFinding(graph, row.info.code, level, std::move(report)));
    }
  }

  Finding ToFinding(const CheckedGraph& graph, Code code, CheckLevel level, CheckReport report) const {
    Finding finding = FindingAt(run_, graph.annotations(), report.node, code, std::move(report.message), values_);
    finding.diagnostic.severity = level == CheckLevel::kError ? Severity::kError : Severity::kWarning;
    finding.diagnostic.notes = std::move(report.notes);
    for (const int32_t other : report.others) finding.also_differ.push_back(graph.at(other).node->name);
    return finding;
  }

  const LintRun& run_;
  const CheckSettings& settings_;
  ValueAnalysis ranges_;
  std::vector<Value> values_;
  std::vector<Finding> findings_;
};

}  // namespace

std::span<const CheckInfo> AllChecks() {
  static const std::vector<CheckInfo> infos = [] {
    std::vector<CheckInfo> all;
    for (const CheckRow& row : kRows) all.push_back(row.info);
    return all;
  }();
  return infos;
}

std::vector<Finding> RunChecks(const LintRun& run, const CheckSettings& settings) {
  return Checker(run, settings).Run();
}

}  // namespace fakeprop
