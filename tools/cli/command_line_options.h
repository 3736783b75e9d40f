// The command line as a plain struct.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/base/version.h"
#include "lib/inputs/input_option.h"
#include "lib/symbolic/expression.h"
#include "tools/cli/cost_options.h"
#include "tools/cli/memory_options.h"
#include "tools/cli/show_filter.h"

namespace fakeprop {
struct LintConfig;
}

namespace fakeprop::cli {

enum class Command {
  kPropagate,
  kLint,
  kShow,
  kInputs,
  kOps,
  kRefine,
  kProve,
  kMemory,
  kCost,
  kDiff,
  kContract,
  kReport,
  kServe,
  kExplain,
  kConfig,
  kMan,
  kCompletions,
};
enum class When { kAuto, kAlways, kNever, kJson };  // kJson: of --progress alone
enum class OutputFormat { kText, kJson, kCsv, kMarkdown, kCpp, kPython };
enum class LintFormat { kText, kJson, kSarif, kJunit, kGithub, kGitlab, kMarkdown };
// What `report` writes: a page for a browser, or a file for another viewer.
enum class Viewer { kPage, kDot, kMermaid, kModelExplorer, kNodeData, kPerfetto };
enum class Verbosity { kQuiet, kNormal, kVerbose, kDebug };

// One --format of lint.
struct LintReport {
  LintFormat format = LintFormat::kText;
  std::string path;  // empty: the output of the command
};

// --shard I/N: of the graphs, those whose position from 0 has the remainder I - 1 by N.
struct Shard {
  size_t index = 1, count = 1;
};

struct CommandLineOptions {
  Command command = Command::kPropagate;
  // With --help or --version: the text to print instead of running.
  std::string text;

  std::vector<std::string> graphs;        // of diff the two files
  std::string inputs;                     // --inputs: a file, or a folder with several graphs; empty if none was given
  std::vector<InputOption> given_inputs;  // --input, one each
  std::string output;                     // -o; empty for stdout, as is `-`
  bool keep_going = false;
  std::optional<bool> grad;  // grad mode at the start; nothing: the default for the kind of graph
  bool crossref = false;
  bool prove = false;          // --prove: guards may be answered by Z3
  bool writes_values = false;  // --values: of propagate and show
  bool reads_buffers = false;  // --read-buffers: large ones too
  bool skips_values = false;   // --no-values: of prove and contract
  bool symbolic = true;        // --no-symbolic: sizes are their hints
  std::optional<Device> device;
  std::optional<int> torch;            // --torch: the version whose answers are given
  std::optional<TorchBuild> build;     // --torch-build
  std::string model;                   // --model: of an archive with several
  std::vector<std::string> libraries;  // --load-library: of custom operators
  std::vector<std::string> op_rules;   // --op-rules: files
  bool allow_fallback_kernels = false;
  std::string method;                       // --method: of a TorchScript module
  uint64_t max_memory = uint64_t{8} << 30;  // bytes
  bool max_memory_is_given = false;

  bool recorded = false;
  std::string golden;
  bool update_golden = false;
  OutputFormat format = OutputFormat::kText;
  std::vector<LintReport> reports;  // --format of lint; never empty for lint
  bool has_reports = false;         // some --format was given
  size_t jobs = 0;                  // -j; 0 for as many as there are cores
  Shard shard;
  std::string baseline;
  bool write_baseline = false;
  std::vector<std::pair<std::string, std::string>> rules;  // --rule: a code or name, and "off", "warning" or "error"
  std::string config;                                      // --config: a fakeprop.toml; empty to look for one
  bool uses_config = true;                                 // --no-config
  // From the config, for lint.
  std::shared_ptr<const LintConfig> settings;
  bool inputs_are_given = true, golden_is_given = true;  // on the command line

  std::vector<std::string> columns;  // --columns of show; empty for all
  ShowFilter filter;                 // --module, --op, --errors of show
  bool shows_tree = false;           // --tree of show
  size_t depth = 2;                  // --depth: levels of modules
  bool is_interactive = false;       // --interactive of show

  MemoryOptions memory;
  CostOptions cost;

  SymbolValues values;  // --set: of symbols, by name

  Viewer viewer = Viewer::kPage;  // of report
  std::string compare;            // --compare of report: a file; empty for none
  int port = 0;                   // --port of serve; 0: any free one

  std::string shell;
  std::string code;  // of explain; empty for all codes

  Verbosity verbosity = Verbosity::kNormal;
  When progress = When::kAuto;
  When color = When::kAuto;
};

// `arguments` do not have the program's name. If the command line is wrong, adds a diagnostic and returns nothing.
std::optional<CommandLineOptions> ParseOptions(const std::vector<std::string>& arguments, DiagnosticSink& sink);

// The reports of --format's texts. Throws std::invalid_argument with a message.
std::vector<LintReport> ParseLintReports(const std::vector<std::string>& texts);

// The text to print if no GRAPH was given.
std::string ShortUsage();

}  // namespace fakeprop::cli
