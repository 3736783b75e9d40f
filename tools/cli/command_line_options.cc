#include "tools/cli/command_line_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "lib/base/suggest.h"
#include "lib/base/version.h"
#include "lib/diag/code_table.h"
#include "lib/meta/device_name.h"
#include "lib/meta/nearest_name.h"
#include "tools/cli/byte_count.h"
#include "tools/cli/commands.h"

namespace fakeprop::cli {
namespace {

// A command line that is wrong, told by one diagnostic.
struct UsageError {
  std::string message;
  std::vector<std::string> notes;
};

// "did you mean ...?" as the only note, or no note.
std::vector<std::string> Question(const std::string& nearest) {
  return nearest.empty() ? std::vector<std::string>() : std::vector<std::string>{DidYouMean(nearest)};
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool IsOption(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

// Whether the value of an option, of any command, stands in the next argument.
bool ValueFollows(const std::string& argument) {
  for (const CommandInfo& info : AllCommands()) {
    CommandLineOptions options;
    RawOptions raw;
    const CLI::Option* option = MakeCommand(info.command, options, raw)->get_option_no_throw(argument);
    if (option) return TakesValue(*option);
  }
  return false;
}

// Takes the command's name out of the arguments: the first that is neither an option nor an option's value.
Command TakeCommand(std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (IsOption(arguments[i])) {
      i += ValueFollows(arguments[i]);
      continue;
    }
    const CommandInfo* info = FindCommand(arguments[i]);
    if (!info) break;
    arguments.erase(arguments.begin() + i);
    return info->command;
  }
  return Command::kPropagate;
}

// The option that was meant, or the commands that have one of this name.
std::vector<std::string> NotesOnOption(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> notes;
  for (const CommandInfo& info : AllCommands()) {
    CommandLineOptions options;
    RawOptions raw;
    if (MakeCommand(info.command, options, raw)->get_option_no_throw(name))
      notes.push_back("`fakeprop " + std::string(info.name) + "` has it");
  }
  if (notes.empty()) notes = Question(Nearest(name, names));
  return notes.empty() ? std::vector<std::string>{"`fakeprop COMMAND --help` lists the options of a command"} : notes;
}

std::vector<std::string> NotesOnExtra(const std::string& extra, const CommandLineOptions& options) {
  if (options.command == Command::kOps) return Question("fakeprop ops --graph " + extra);
  if (options.command == Command::kDiff) return {};
  if (options.command != Command::kRefine) return {"`fakeprop lint` takes several graphs"};
  return extra.find('=') == std::string::npos ? std::vector<std::string>() : Question("--set " + extra);
}

// What a first word that is no file was meant to be, where it looks like a command.
std::string MeantBy(const std::vector<std::string>& words) {
  if (words[0] == "help") return words.size() > 1 ? "fakeprop " + words[1] + " --help" : "fakeprop --help";
  if (words[0] == "version") return "fakeprop --version";
  const std::string nearest = Nearest(words[0], CommandNames());
  return nearest == words[0] ? std::string() : nearest;
}

// `fakeprop lnit model.json`: the first word was meant as a command.
void CheckFirstWord(const std::vector<std::string>& words) {
  std::error_code ignored;  // what cannot be looked at is told where it is read
  if (words.empty() || words[0].find_first_of("./") != std::string::npos || std::filesystem::exists(words[0], ignored))
    return;
  const std::string meant = MeantBy(words);
  if (!meant.empty() || words.size() > 1)
    throw UsageError{"unknown command `" + words[0] + "`", meant.empty() ? std::vector{ShortUsage()} : Question(meant)};
}

// What the command has no use for.
void CheckExtras(const CLI::App& app, const CommandLineOptions& options) {
  std::vector<std::string> extras = app.remaining();
  std::erase(extras, "--");
  auto option = std::find_if(extras.begin(), extras.end(), IsOption);
  if (option != extras.end()) {
    const std::string name = option->substr(0, option->find('='));
    throw UsageError{"unknown option `" + name + "`", NotesOnOption(name, OptionNames(app))};
  }
  if (!extras.empty()) throw UsageError{"unexpected argument `" + extras[0] + "`", NotesOnExtra(extras[0], options)};
  if (options.command == Command::kPropagate) CheckFirstWord(options.graphs);
  const bool takes_several = options.command == Command::kLint || options.command == Command::kServe;
  const size_t most = takes_several ? SIZE_MAX : options.command == Command::kDiff ? 2 : 1;
  if (options.graphs.size() > most)
    throw UsageError{"unexpected argument `" + options.graphs[most] + "`", NotesOnExtra(options.graphs[most], options)};
}

void Parse(CLI::App& app, std::vector<std::string> arguments, const CommandLineOptions& options) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
  try {
    app.parse(arguments);
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string what = e.what();
    const std::string name = what.substr(0, what.find(':'));
    const bool is_missing = what.find("missing") != std::string::npos || what.find("received 0") != std::string::npos;
    throw UsageError{"`" + name + "` " + (is_missing ? "needs a value" : "is given more than once"), {}};
  } catch (const CLI::ConversionError& e) {
    throw UsageError{e.what(), {}};
  }
  CheckExtras(app, options);
}

// The position of an option's word in the list of those that it takes; 0 where the option is not given.
size_t WordIndex(const CLI::App& app, const std::string& name, const std::string& word) {
  if (word.empty() && app.count(name) == 0) return 0;
  const std::vector<std::string> words = WordsOf(*app.get_option(name));
  auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end()) return it - words.begin();
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "`" : ", `") + w + "`";
  const std::string taker = name[0] == '-' ? "`" + name + "`" : "`fakeprop completions`";
  throw UsageError{taker + " takes one of " + all + ", not `" + word + "`", Question(Nearest(word, words))};
}

Device ParseDevice(const std::string& name) {
  auto device = DeviceFromName(name);
  if (!device)
    throw UsageError{
        "`--device` takes a device such as `cpu` or `cuda:0`, not `" + name + "`", Question(NearestDevice(name))};
  return WithIndex(*device);
}

// "500M", "16G", "1000000".
uint64_t ParseBytes(const std::string& text) {
  static constexpr std::string_view kUnits = "KMGT";
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  int shift = 0;
  if (error == std::errc() && rest + 1 == end && kUnits.find(*rest) != std::string_view::npos)
    shift = 10 * (static_cast<int>(kUnits.find(*rest++)) + 1);
  if (error != std::errc() || rest != end || number == 0 || number > UINT64_MAX >> shift)
    throw UsageError{"`--max-memory` takes a number of bytes such as `500M` or `16G`, not `" + text + "`", {}};
  return number << shift;
}

int ParsePort(const std::string& text) {
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || rest != end || port < 1 || port > 65535)
    throw UsageError{"`--port` takes a number from 1 to 65535, not `" + text + "`", {}};
  return port;
}

// "batch=8"
void ReadSet(const std::string& text, SymbolValues& values) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals), number = equals == std::string::npos ? "" : text.substr(equals + 1);
  int64_t value = 0;
  const char* end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  if (name.empty() || number.empty() || error != std::errc() || rest != end)
    throw UsageError{"`--set` takes a symbol and a number such as `batch=8`, not `" + text + "`", {}};
  if (!values.emplace(name, value).second) throw UsageError{"`--set` gives `" + name + "` more than once", {}};
}

// "x=4x16:int64@cuda:0"
void ReadInputOption(const std::string& text, std::vector<InputOption>& inputs) {
  try {
    InputOption input = ParseInputOption(text);
    for (const InputOption& other : inputs)
      if (other.name == input.name) throw UsageError{"`--input` gives `" + input.name + "` more than once", {}};
    inputs.push_back(std::move(input));
  } catch (const std::invalid_argument& error) {
    throw UsageError{std::string("`--input` ") + error.what(), {}};
  }
}

// A whole number of at least 1, of an option.
size_t ReadPositive(const std::string& text, const std::string& option, const std::string& what) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number == 0)
    throw UsageError{"`" + option + "` takes " + what + ", not `" + text + "`", {}};
  return number;
}

// "2/4"
Shard ReadShard(const std::string& text) {
  const std::string what = "a part and the number of parts such as `1/4`";
  const size_t slash = std::min(text.find('/'), text.size());
  const auto count = [&](const std::string& part) {
    return part.find_first_not_of("0123456789") == std::string::npos && part.size() < 10 && !part.empty()
               ? std::stoul(part)
               : 0;
  };
  const Shard shard{count(text.substr(0, slash)), slash < text.size() ? count(text.substr(slash + 1)) : 0};
  if (shard.index == 0 || shard.index > shard.count)
    throw UsageError{"`--shard` takes " + what + ", not `" + text + "`", {}};
  return shard;
}

// "sarif=out.sarif"
LintReport ReadLintReport(const CLI::App& app, const std::string& text) {
  const size_t equals = std::min(text.find('='), text.size());
  LintReport report{static_cast<LintFormat>(WordIndex(app, "--format", text.substr(0, equals)))};
  if (equals == text.size()) return report;
  report.path = text.substr(equals + 1);
  if (report.path.empty()) throw UsageError{"`--format " + text + "` needs a file after `=`", {}};
  if (report.path == "-") report.path.clear();
  return report;
}

// Only one report can go to the command's output. If all have files of their own, text goes there.
std::vector<LintReport> ReadLintReports(const CLI::App& app, const std::vector<std::string>& texts) {
  std::vector<LintReport> reports;
  for (const std::string& text : texts) reports.push_back(ReadLintReport(app, text));
  const size_t to_output =
      std::count_if(reports.begin(), reports.end(), [](const LintReport& report) { return report.path.empty(); });
  if (to_output > 1)
    throw UsageError{"`--format` is given more than once without a file", {"`--format sarif=FILE` writes to a file"}};
  if (to_output == 0) reports.insert(reports.begin(), LintReport());
  return reports;
}

// "node,shape" -> "node", "shape"
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> ReadColumns(const std::string& text) {
  const std::vector<std::string> known(ShowColumns().begin(), ShowColumns().end());
  const std::vector<std::string> columns = SplitAtCommas(text);
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "`" : ", `") + name + "`";
  for (const std::string& column : columns)
    if (std::find(known.begin(), known.end(), column) == known.end())
      throw UsageError{"`--columns` takes some of " + all + ", with commas between them, not `" + column + "`",
          Question(Nearest(column, known))};
  return columns;
}

int64_t ParseBudget(const std::string& text) {
  const std::optional<int64_t> bytes = ReadByteCount(text);
  if (!bytes)
    throw UsageError{"`--budget` takes a number of bytes such as `24GiB`, `24GB` or `500M`, not `" + text + "`", {}};
  return *bytes;
}

// "batch=1,2,4"
SizeColumn ReadSizeColumn(const std::string& text) {
  const size_t equals = text.find('=');
  SizeColumn column{text.substr(0, equals), {}};
  const char* at = equals == std::string::npos ? text.data() + text.size() : text.data() + equals + 1;
  for (const char* end = text.data() + text.size(); at < end;) {
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (rest != end && *rest != ',')) break;
    column.second.push_back(value);
    at = rest == end ? end : rest + 1;
    if (rest == end) return column;
  }
  throw UsageError{"`--table` takes a symbol and numbers such as `batch=1,2,4`, not `" + text + "`", {}};
}

void ReadMemory(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  constexpr size_t kMostRows = 10000;
  if (o.command != Command::kMemory) return;
  o.memory.free = WordIndex(app, "--free", raw.free);
  if (app.count("--budget")) o.memory.budget = ParseBudget(raw.budget);
  if (app.count("--max")) o.memory.max_symbols = SplitAtCommas(raw.max);
  if (app.count("--max") && !o.memory.budget) throw UsageError{"`--max` needs `--budget`", {}};
  if (o.memory.top < 0)
    throw UsageError{"`--top` takes a number from 0 on, not `" + std::to_string(o.memory.top) + "`", {}};
  size_t rows = 1;
  for (const std::string& text : raw.table) {
    o.memory.table.push_back(ReadSizeColumn(text));
    rows *= o.memory.table.back().second.size();
    if (rows > kMostRows) throw UsageError{"`--table` asks for more than 10000 rows", {}};
  }
}

// "312T"
int64_t ParseCount(const std::string& name, const std::string& text) {
  const std::optional<int64_t> count = ReadCount(text);
  if (!count) throw UsageError{"`" + name + "` takes a number such as `312T`, not `" + text + "`", {}};
  return *count;
}

DeviceRates ParseRates(const std::string& name) {
  if (const DeviceRates* known = FindDeviceRates(name)) return *known;
  std::vector<std::string> names;
  std::string all;
  for (const DeviceRates& device : AllDeviceRates()) {
    names.emplace_back(device.name);
    all += (all.empty() ? "`" : ", `") + names.back() + "`";
  }
  throw UsageError{"`--on` takes one of " + all + ", not `" + name + "`", Question(Nearest(name, names))};
}

void ReadCost(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  if (o.command != Command::kCost) return;
  o.cost.by = static_cast<CostRows>(WordIndex(app, "--by", raw.by));
  if (app.count("--budget")) o.cost.budget = ParseCount("--budget", raw.budget);
  if (o.cost.top < 0)
    throw UsageError{"`--top` takes a number from 0 on, not `" + std::to_string(o.cost.top) + "`", {}};
  const bool has_rates = app.count("--peak-flops") || app.count("--bandwidth");
  if (has_rates && app.count("--on")) throw UsageError{"`--on` and `--peak-flops` exclude each other", {}};
  if (app.count("--peak-flops") != app.count("--bandwidth"))
    throw UsageError{"`--peak-flops` and `--bandwidth` need each other", {}};
  if (app.count("--on")) o.cost.device = ParseRates(raw.on);
  if (!has_rates) return;
  const auto flops = static_cast<double>(ParseCount("--peak-flops", raw.peak_flops));
  o.cost.device = {"this device", flops, flops, static_cast<double>(ParseCount("--bandwidth", raw.bandwidth))};
}

void ReadLintWords(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  o.reports = ReadLintReports(app, raw.reports);
  if (app.count("--jobs")) o.jobs = ReadPositive(raw.jobs, "--jobs", "a number of graphs such as `4`");
  if (app.count("--shard")) o.shard = ReadShard(raw.shard);
}

void ReadWords(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o) {
  constexpr OutputFormat kFormats[] = {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kCsv};
  constexpr OutputFormat kDiffFormats[] = {OutputFormat::kText, OutputFormat::kJson, OutputFormat::kMarkdown};
  constexpr When kWhen[] = {When::kAuto, When::kAlways, When::kNever, When::kJson};
  o.progress = kWhen[WordIndex(app, "--progress", raw.progress)];
  o.color = kWhen[WordIndex(app, "--color", raw.color)];
  if (app.get_option_no_throw("--grad") && app.count("--grad")) o.grad = WordIndex(app, "--grad", raw.grad) == 0;
  if (o.command == Command::kLint) {
    ReadLintWords(app, raw, o);
  } else if (app.get_option_no_throw("--format")) {
    const size_t index = WordIndex(app, "--format", raw.format);
    o.format = o.command == Command::kDiff ? kDiffFormats[index] : kFormats[index];
  }
  if (app.get_option_no_throw("--device") && app.count("--device")) o.device = ParseDevice(raw.device);
  if (app.get_option_no_throw("--max-memory") && app.count("--max-memory")) o.max_memory = ParseBytes(raw.max_memory);
  if (app.get_option_no_throw("--port") && app.count("--port")) o.port = ParsePort(raw.port);
  for (const std::string& text : raw.set) ReadSet(text, o.values);
  for (const std::string& text : raw.inputs) ReadInputOption(text, o.given_inputs);
  if (app.get_option_no_throw("--columns") && app.count("--columns")) o.columns = ReadColumns(raw.columns);
  ReadMemory(app, raw, o);
  ReadCost(app, raw, o);
  if (raw.quiet && raw.verbose) throw UsageError{"`--quiet` and `--verbose` exclude each other", {}};
  o.verbosity = raw.quiet         ? Verbosity::kQuiet
                : !raw.verbose    ? Verbosity::kNormal
                : raw.verbose > 1 ? Verbosity::kDebug
                                  : Verbosity::kVerbose;
}

// At most one of the options that choose what is written.
void CheckViewer(const CLI::App& app) {
  std::string given;
  for (const char* name : {"--dot", "--mermaid", "--model-explorer", "--node-data"}) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (!option || option->count() == 0) continue;
    if (!given.empty()) throw UsageError{"`" + given + "` and `" + name + "` exclude each other", {}};
    given = name;
  }
}

// What the options of a command demand of each other.
void Check(const CLI::App& app, const CommandLineOptions& o) {
  for (const char* name : {"--inputs", "--output", "--golden", "--graph", "--model", "--method", "--load-library",
           "--op-rules", "--module", "--op", "--max", "--baseline"}) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option && option->count() && option->results()[0].empty())
      throw UsageError{std::string("`") + name + "` needs a value", {}};
  }
  if (o.command == Command::kServe && std::count(o.graphs.begin(), o.graphs.end(), "-"))
    throw UsageError{"`fakeprop serve` watches files, not standard input", {}};
  if (std::count(o.graphs.begin(), o.graphs.end(), "-") > 1)
    throw UsageError{"`-` is given more than once: standard input can be read once", {}};
  CheckViewer(app);
  if (o.prove && !o.symbolic) throw UsageError{"`--prove` and `--no-symbolic` exclude each other", {}};
  if (!o.inputs.empty() && !o.given_inputs.empty()) throw UsageError{"`--input` and `--inputs` exclude each other", {}};
  if (o.recorded && !o.golden.empty()) throw UsageError{"`--recorded` and `--golden` exclude each other", {}};
  if (o.update_golden && o.golden.empty()) throw UsageError{"`--update-golden` needs `--golden`", {}};
  if (o.write_baseline && o.baseline.empty()) throw UsageError{"`--write-baseline` needs `--baseline`", {}};
  if (o.write_baseline && o.shard.count > 1)
    throw UsageError{
        "`--write-baseline` and `--shard` exclude each other: a baseline lists the findings of all graphs", {}};
  if (o.command == Command::kCompletions && o.shell.empty())
    throw UsageError{"`fakeprop completions` needs a shell: `bash`, `zsh` or `fish`", {}};
  if (o.command == Command::kCompletions) WordIndex(app, "SHELL", o.shell);
  if (o.command == Command::kDiff && o.graphs.size() != 2)
    throw UsageError{"`fakeprop diff` compares two files", {"usage: fakeprop diff A B"}};
  if (o.graphs.empty() && app.get_option_no_throw("ANNOTATIONS"))
    throw UsageError{"no ANNOTATIONS are given", {"`fakeprop GRAPH -o FILE` writes them"}};
  if (o.graphs.empty() && app.get_option_no_throw("GRAPH")) throw UsageError{"no GRAPH is given", {ShortUsage()}};
}

CommandLineOptions ParseOrThrow(std::vector<std::string> arguments) {
  CommandLineOptions options;
  RawOptions raw;
  options.command = TakeCommand(arguments);
  const std::unique_ptr<CLI::App> app = MakeCommand(options.command, options, raw);
  try {
    Parse(*app, std::move(arguments), options);
  } catch (const CLI::CallForHelp&) {
    options.text = CommandHelp(*app, options.command);
    return options;
  }
  if (raw.version) {
    options.text = std::string("fakeprop ") + kVersion + "\ntorch " + kTorchVersion + "\n";
    return options;
  }
  ReadWords(*app, raw, options);
  Check(*app, options);
  if (options.output == "-") options.output.clear();
  return options;
}

}  // namespace

std::string ShortUsage() {
  return "usage: fakeprop GRAPH [--inputs SPEC] [-o FILE], or fakeprop "
         "lint|show|inputs|ops|refine|prove|memory|cost|diff|report|serve|explain|man|completions "
         "...; "
         "`fakeprop --help` says more";
}

std::optional<CommandLineOptions> ParseOptions(const std::vector<std::string>& arguments, DiagnosticSink& sink) {
  try {
    return ParseOrThrow(arguments);
  } catch (const UsageError& e) {
    sink.Add({.code = kBadUsage, .message = e.message, .notes = e.notes});
    return std::nullopt;
  }
}

}  // namespace fakeprop::cli
