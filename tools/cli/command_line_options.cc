#include "tools/cli/command_line_options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lib/base/suggest.h"
#include "lib/base/version.h"
#include "lib/diag/code_table.h"
#include "lib/meta/device_name.h"
#include "lib/meta/nearest_name.h"
#include "tools/cli/commands.h"
#include "tools/cli/option_values.h"

namespace fakeprop::cli {
namespace {

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

// `--json` where `--format json` was meant.
std::string MeantFormat(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::string_view kFormats[] = {"json", "csv", "sarif", "junit", "github", "gitlab", "markdown"};
  if (std::find(names.begin(), names.end(), "--format") == names.end()) return {};
  for (std::string_view format : kFormats)
    if (name == "--" + std::string(format)) return "--format " + std::string(format);
  return {};
}

// "`lint`, `show` have it": the commands with an option of this name. Empty if there is none.
std::string CommandsWith(const std::string& name) {
  std::string text;
  size_t count = 0;
  for (const CommandInfo& info : AllCommands()) {
    CommandLineOptions options;
    RawOptions raw;
    if (!MakeCommand(info.command, options, raw)->get_option_no_throw(name)) continue;
    text += (count++ ? ", `" : "`") + std::string(info.name) + "`";
  }
  if (count == 1) return "`fakeprop " + text.substr(1) + " has it";
  return count == 0 ? "" : text + " have it";
}

// The option of this command that was meant, then the commands that have one of this name.
std::vector<std::string> NotesOnOption(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> notes = Question(MeantFormat(name, names));
  if (notes.empty()) notes = Question(Nearest(name, names));
  if (std::string others = CommandsWith(name); !others.empty()) notes.push_back(std::move(others));
  return notes.empty() ? std::vector<std::string>{"`fakeprop COMMAND --help` lists the options of a command"} : notes;
}

std::string UsageNote(Command command) { return "usage: " + UsageLine(command); }

std::vector<std::string> NotesOnExtra(
    const CLI::App& app, const std::string& extra, const CommandLineOptions& options) {
  if (options.command == Command::kOps) return Question("fakeprop ops --graph " + extra);
  if (options.command == Command::kRefine && extra.find('=') != std::string::npos) return Question("--set " + extra);
  if (app.get_option_no_throw("GRAPH")) return {"`fakeprop lint` takes several graphs"};
  return {UsageNote(options.command)};
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
  if (!extras.empty())
    throw UsageError{"unexpected argument `" + extras[0] + "`", NotesOnExtra(app, extras[0], options)};
  if (options.command == Command::kPropagate) CheckFirstWord(options.graphs);
  const bool takes_several = options.command == Command::kLint || options.command == Command::kServe;
  const size_t most = takes_several ? SIZE_MAX : options.command == Command::kDiff ? 2 : 1;
  if (options.graphs.size() > most)
    throw UsageError{
        "unexpected argument `" + options.graphs[most] + "`", NotesOnExtra(app, options.graphs[most], options)};
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

// At most one of the options that choose what is written.
void CheckViewer(const CLI::App& app) {
  std::string given;
  for (const char* name : {"--compare", "--dot", "--mermaid", "--model-explorer", "--node-data", "--perfetto"}) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (!option || option->count() == 0) continue;
    if (!given.empty()) throw UsageError{"`" + given + "` and `" + name + "` exclude each other", {}};
    given = name;
  }
}

// A tree has other columns than a table, and a browser writes nothing.
void CheckShow(const CLI::App& app) {
  const auto is_given = [&](const char* name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option && option->count() > 0;
  };
  for (const char* name : {"--columns", "--op", "--errors"})
    if (is_given("--tree") && is_given(name))
      throw UsageError{std::string("`--tree` and `") + name + "` exclude each other", {}};
  for (const char* name : {"--tree", "--columns", "--module", "--op", "--errors", "--format", "--output"})
    if (is_given("--interactive") && is_given(name))
      throw UsageError{std::string("`--interactive` and `") + name + "` exclude each other", {}};
  if (is_given("--depth") && !is_given("--tree")) throw UsageError{"`--depth` needs `--tree`", {}};
}

// What the options of a command demand of each other.
void Check(const CLI::App& app, const CommandLineOptions& o) {
  for (const char* name : {"--inputs", "--output", "--golden", "--graph", "--model", "--method", "--load-library",
           "--op-rules", "--module", "--op", "--max", "--baseline", "--config", "--compare"}) {
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option && option->count() && option->results()[0].empty())
      throw UsageError{std::string("`") + name + "` needs a value", {}};
  }
  if (o.command == Command::kServe && std::count(o.graphs.begin(), o.graphs.end(), "-"))
    throw UsageError{"`fakeprop serve` watches files, not standard input", {}};
  if (std::count(o.graphs.begin(), o.graphs.end(), "-") + (o.compare == "-") > 1)
    throw UsageError{"`-` is given more than once: standard input can be read once", {}};
  CheckViewer(app);
  if (o.command == Command::kShow) CheckShow(app);
  if (o.prove && !o.symbolic) throw UsageError{"`--prove` and `--no-symbolic` exclude each other", {}};
  if (!o.inputs.empty() && !o.given_inputs.empty()) throw UsageError{"`--input` and `--inputs` exclude each other", {}};
  if (o.recorded && !o.golden.empty()) throw UsageError{"`--recorded` and `--golden` exclude each other", {}};
  if (o.update_golden && o.golden.empty()) throw UsageError{"`--update-golden` needs `--golden`", {}};
  if (!o.uses_config && !o.config.empty()) throw UsageError{"`--config` and `--no-config` exclude each other", {}};
  if (o.write_baseline && o.shard.count > 1)
    throw UsageError{
        "`--write-baseline` and `--shard` exclude each other: a baseline lists the findings of all graphs", {}};
  if (o.command == Command::kCompletions && o.shell.empty())
    throw UsageError{"`fakeprop completions` needs a shell: `bash`, `zsh` or `fish`", {}};
  if (o.command == Command::kCompletions) WordIndex(app, "SHELL", o.shell);
  if (o.command == Command::kDiff && o.graphs.size() != 2)
    throw UsageError{"`fakeprop diff` compares two files", {UsageNote(o.command)}};
  if (o.graphs.empty() && app.get_option_no_throw("ANNOTATIONS"))
    throw UsageError{"no ANNOTATIONS are given", {"`fakeprop GRAPH -o FILE` writes them"}};
  if (o.graphs.empty() && app.get_option_no_throw("GRAPH") && o.command != Command::kLint)
    throw UsageError{"no GRAPH is given", {o.command == Command::kPropagate ? ShortUsage() : UsageNote(o.command)}};
}

std::string VersionText(bool as_json) {
  if (!as_json) return std::string("fakeprop ") + kVersion + "\ntorch " + kTorchVersion + "\n";
  return nlohmann::ordered_json{{"fakeprop", kVersion}, {"torch", kTorchVersion}}.dump() + "\n";
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
  if (raw.json && !raw.version)
    throw UsageError{"`--json` goes with `--version`", {"results are JSON by `--format json`"}};
  if (raw.version) {
    options.text = VersionText(raw.json);
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
         "lint|show|inputs|ops|refine|prove|memory|cost|diff|contract|report|serve|explain|config|man|completions "
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
