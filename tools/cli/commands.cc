#include "tools/cli/commands.h"

#include <CLI/CLI.hpp>

#include "lib/base/torch_version.h"
#include "tools/cli/footers.h"
#include "tools/cli/memory_models.h"
#include "tools/cli/value_options.h"
#include "tools/cli/view_options.h"

namespace fakeprop::cli {
namespace {

// In the order of Command.
constexpr CommandInfo kCommands[] = {
    {Command::kPropagate, "propagate", "write what every node of a graph produces, as JSON (the default command)"},
    {Command::kLint, "lint", "report everything that is wrong with graphs, or that differs from a record"},
    {Command::kShow, "show", "print a table of the nodes: operator, shape, dtype, device, bytes"},
    {Command::kInputs, "inputs", "print an input spec to start from"},
    {Command::kOps, "ops", "list the operators and how each is served"},
    {Command::kRefine, "refine", "put numbers in the place of the symbols of annotations"},
    {Command::kProve, "prove", "show that a graph propagates for all sizes, or find sizes for which it does not"},
    {Command::kMemory, "memory", "count the bytes that a graph holds: the peak, what is alive there, what fits"},
    {Command::kCost, "cost", "count the work of a graph: FLOPs, bytes moved, the least time on a device"},
    {Command::kDiff, "diff", "report what changed between two graphs, or between two annotations"},
    {Command::kContract, "contract", "print what a graph demands of its callers, also as code that checks it"},
    {Command::kReport, "report", "write a page that shows a graph, for a browser; or the graph for another viewer"},
    {Command::kServe, "serve", "show graphs in a browser, and propagate them again when their inputs or files change"},
    {Command::kExplain, "explain", "say what a code means, and what to do about it"},
    {Command::kConfig, "config", "print the settings of lint that hold here, and where they come from"},
    {Command::kMan, "man", "print the manual page of all commands"},
    {Command::kCompletions, "completions", "print a script that completes command lines in a shell"},
};

constexpr std::string_view kColumns[] = {
    "node", "op", "shape", "dtype", "device", "bytes", "storage", "values", "module"};

void AddOutput(CLI::App& app, CommandLineOptions& o, const char* what) {
  app.add_option("-o,--output", o.output, std::string("write ") + what + " here instead of to stdout")
      ->option_text("FILE");
}
void AddInputs(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("--inputs", o.inputs, "what the inputs are (`fakeprop inputs` prints one to start from)")
      ->option_text("SPEC");
  app.add_option("--input", raw.inputs, "one input, such as `x=4x16:int64@cuda:0`, instead of SPEC; may be given again")
      ->option_text("NAME=SIZES")
      ->allow_extra_args(false);
}
void AddOperators(CLI::App& app, CommandLineOptions& o) {
  app.add_option("--load-library", o.libraries, "a library that registers custom operators; may be given again")
      ->option_text("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--op-rules", o.op_rules, "a file that says what custom operators give; may be given again")
      ->option_text("FILE")
      ->allow_extra_args(false);
}
void AddWalk(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddInputs(app, o, raw);
  app.add_option(
         "--device", raw.device, "move parameters, buffers, inputs and the graph's device arguments to this device")
      ->option_text("DEVICE");
  app.add_option("--torch", raw.torch, "give the answers of this version of torch (default: that of the graph)")
      ->option_text(KnownTorchVersions());
  app.add_option("--torch-build", raw.torch_build, "give the answers of this build of torch (default: as the graph's)")
      ->option_text("cpu|cuda");
  app.add_option("--grad", raw.grad, "start with grad mode on or off (default: on, of TorchScript off)")
      ->option_text("on|off");
  AddOperators(app, o);
  app.add_flag("--allow-fallback-kernels", o.allow_fallback_kernels,
      "run LibTorch's CPU kernel on zeros where nothing else serves an operator of its own");
}
void AddSymbols(CLI::App& app, CommandLineOptions& o) {
  app.add_flag_callback(
      "--no-symbolic", [&o] { o.symbolic = false; }, "make every symbolic size the number that its hint says");
  app.add_flag("--prove", o.prove, "ask Z3 whether guards hold for all sizes, before hints answer");
}
void AddCrossref(CLI::App& app, CommandLineOptions& o) {
  app.add_flag("--crossref", o.crossref, "compare the rule that serves a node with LibTorch's own kernels");
}
void AddSet(CLI::App& app, RawOptions& raw) {
  app.add_option("--set", raw.set, "the number that a symbol is; may be given again")
      ->option_text("SYMBOL=N")
      ->allow_extra_args(false);
}
void AddMemory(CLI::App& app, RawOptions& raw) {
  app.add_option("--max-memory", raw.max_memory, "the most memory to use, such as 500M or 16G (default: 8G)")
      ->option_text("BYTES");
}
void AddReading(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("--model", o.model, "which model of an archive that holds several")->option_text("NAME");
  app.add_option("--method", o.method, "which method of a TorchScript module (default: forward)")->option_text("NAME");
  AddMemory(app, raw);
}
void AddGraph(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  // As many as there are: one too many is told in our own words.
  app.add_option("GRAPH", o.graphs,
         "torch.export's or FX JSON (plain, .gz, .xz or .zst), a .pt2 or TorchScript archive; `-` for standard input")
      ->expected(0, CLI::detail::expected_max_vector_size);
  AddReading(app, o, raw);
}
void AddCommon(CLI::App& app, RawOptions& raw) {
  app.add_flag("-v,--verbose", raw.verbose, "say more; twice for debugging")->group("Common options");
  app.add_flag("-q,--quiet", raw.quiet, "say nothing but errors")->group("Common options");
  app.add_option("--progress", raw.progress, "show progress on stderr (default: on a terminal, when it takes long)")
      ->option_text("auto|always|never|json")
      ->group("Common options");
  app.add_option("--color", raw.color, "colour what is printed (default: on a terminal, unless NO_COLOR is set)")
      ->option_text("auto|always|never")
      ->group("Common options");
  app.add_flag("--version", raw.version, "print the versions of fakeprop and of the torch it follows")
      ->group("Common options");
  app.add_flag("--json", raw.json, "with --version: as JSON")->group("");
  app.set_help_flag("-h,--help", "print this")->group("Common options");
}

// ---- the options of each command

void AddPropagate(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddOutput(app, o, "the annotations");
  app.add_flag("--keep-going", o.keep_going, "after an error, go on with what does not depend on it");
  AddValues(app, o, "write where the integers in tensors lie; an index out of range is an error");
  AddCrossref(app, o);
}

void AddConfig(CLI::App& app, CommandLineOptions& o) {
  app.add_option("--config", o.config, "the settings (default: fakeprop.toml here or in a folder above)")
      ->option_text("FILE");
  app.add_flag_callback(
      "--no-config", [&o] { o.uses_config = false; }, "use no fakeprop.toml");
}

void AddLint(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("GRAPH", o.graphs, "one or more graphs (default: those of fakeprop.toml)")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->option_text("...");
  AddReading(app, o, raw);
  app.add_flag("--recorded", o.recorded, "compare with what the graph's file recorded for every value");
  app.add_option("--golden", o.golden, "compare with annotations that were written earlier")->option_text("FILE");
  app.add_flag("--update-golden", o.update_golden, "write the golden file instead of comparing");
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddOutput(app, o, "the findings");
  AddCrossref(app, o), AddReadBuffers(app, o);
  app.add_option("--format", raw.reports,
         "how findings are written (default: text); FORMAT=FILE writes them to a file; may be given again")
      ->option_text("text|json|sarif|junit|github|gitlab|markdown")
      ->allow_extra_args(false);
  app.add_option("--rule", raw.rules, "set a lint rule to off, warning or error; may be given again")
      ->option_text("CODE=LEVEL")
      ->allow_extra_args(false);
  AddConfig(app, o);
  app.add_option("-j,--jobs", raw.jobs, "how many graphs to lint at the same time (default: one for each core)")
      ->option_text("N");
  app.add_option("--shard", raw.shard, "lint only part I of N of the graphs, such as 1/4")->option_text("I/N");
  app.add_option("--baseline", o.baseline, "leave out the findings that this file lists")->option_text("FILE");
  app.add_flag("--write-baseline", o.write_baseline, "write the baseline file with all findings of this run");
}

void AddShow(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  app.add_option(
         "--columns", raw.columns, "only these, such as node,shape,bytes (storage: whose storage a value shares)")
      ->option_text("NAME,...");
  app.add_option(
         "--module", o.filter.module, "only nodes in this module or those in it; also a pattern: 'layers.*.mlp'")
      ->option_text("PATH");
  app.add_option("--op", o.filter.op, "only operators with this in their name; also a pattern: 'aten.conv*'")
      ->option_text("NAME");
  app.add_flag("--errors", o.filter.errors, "only nodes that fail");
  AddValues(app, o, "show where the integers in tensors lie");
  AddOutput(app, o, "the table");
  AddTree(app, o, raw);
  app.add_option("--format", raw.format, "how the rows are written (default: text)")->option_text("text|json|csv");
}

void AddInputSpec(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddOutput(app, o, "the spec");
}

void AddOps(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("--graph", o.graphs, "only the operators of this graph, with how often each is called")
      ->expected(1)
      ->option_text("GRAPH");
  AddReading(app, o, raw);
  AddOperators(app, o);
}

void AddRefine(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("ANNOTATIONS", o.graphs, "what fakeprop wrote for a graph; `-` for standard input")
      ->expected(0, CLI::detail::expected_max_vector_size);
  AddSet(app, raw);
  AddOutput(app, o, "the annotations");
  AddMemory(app, raw);
}

void AddProve(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddNoValues(app, o);
  AddOutput(app, o, "the result");
  app.add_option("--format", raw.format, "how the result is written (default: text)")->option_text("text|json");
}

void AddMemoryCommand(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddSet(app, raw);
  app.add_option("--budget", raw.budget, "fail if the peak is over this, such as 24GiB, 24GB or 500M")
      ->option_text("BYTES");
  app.add_option("--max", raw.max, "the largest value of this symbol, or of several that are equal, within --budget")
      ->option_text("SYMBOL,...");
  app.add_option("--table", raw.table, "the peak at these values of a symbol; may be given again for several symbols")
      ->option_text("SYMBOL=N,...")
      ->allow_extra_args(false);
  app.add_option("--free", raw.free, "when values are dropped (default: last-use; for training scope)")
      ->option_text("last-use|scope|never");
  app.add_option("--top", o.memory.top, "how many of the values that are alive at the peak to list (default: 10)")
      ->option_text("N");
  app.add_flag("--plot", o.memory.plot, "plot the bytes after each node");
  AddMemoryModels(app, o.memory, raw);
  AddOutput(app, o, "the result");
  app.add_option("--format", raw.format, "how the result is written (default: text)")->option_text("text|json");
}

void AddCostCommand(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddSet(app, raw);
  app.add_option("--by", raw.by, "what a row of the table is (default: operator)")->option_text("operator|module|node");
  app.add_option("--top", o.cost.top, "how many rows to print (default: 20)")->option_text("N");
  app.add_option("--on", raw.on, "the device whose peak rates give the least time, such as h100-sxm")
      ->option_text("NAME");
  app.add_option("--peak-flops", raw.peak_flops, "the peak rate of a device instead, such as 312T a second")
      ->option_text("N");
  app.add_option("--bandwidth", raw.bandwidth, "its bandwidth in bytes a second, such as 2T")->option_text("N");
  app.add_option("--budget", raw.budget, "fail if there are more floating-point operations than this, such as 2T")
      ->option_text("N");
  AddOutput(app, o, "the result");
  app.add_option("--format", raw.format, "how the result is written (default: text)")->option_text("text|json");
}

void AddDiff(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("A", o.graphs, "what is compared: a graph or annotations; `-` for standard input")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->option_text("B");
  AddReading(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddOutput(app, o, "the differences");
  app.add_option("--format", raw.format, "how differences are written (default: text)")
      ->option_text("text|json|markdown");
}

void AddReport(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  AddOutput(app, o, "the page");
  AddViewers(app, o);
}

void AddServe(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  app.add_option("GRAPH", o.graphs, "one or more graphs")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->option_text("...");
  AddReading(app, o, raw);
  AddWalk(app, o, raw);
  AddSymbols(app, o);
  app.add_option("--port", raw.port, "the port on 127.0.0.1 (default: any free one)")->option_text("PORT");
}

void AddContract(CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  AddGraph(app, o, raw);
  AddWalk(app, o, raw);
  AddNoValues(app, o);
  AddOutput(app, o, "the contract");
  app.add_option("--format", raw.format, "how the contract is written (default: text)")
      ->option_text("text|json|cpp|python");
}

void AddOwn(Command command, CLI::App& app, CommandLineOptions& o, RawOptions& raw) {
  switch (command) {
    case Command::kPropagate: return AddPropagate(app, o, raw);
    case Command::kLint: return AddLint(app, o, raw);
    case Command::kShow: return AddShow(app, o, raw);
    case Command::kInputs: return AddInputSpec(app, o, raw);
    case Command::kOps: return AddOps(app, o, raw);
    case Command::kRefine: return AddRefine(app, o, raw);
    case Command::kProve: return AddProve(app, o, raw);
    case Command::kMemory: return AddMemoryCommand(app, o, raw);
    case Command::kCost: return AddCostCommand(app, o, raw);
    case Command::kDiff: return AddDiff(app, o, raw);
    case Command::kConfig: return AddConfig(app, o);
    case Command::kExplain: app.add_option("CODE", o.code, "a code such as FP3001, or its name"); return;
    case Command::kReport: return AddReport(app, o, raw);
    case Command::kServe: return AddServe(app, o, raw);
    case Command::kMan: return;
    case Command::kContract: return AddContract(app, o, raw);
    case Command::kCompletions: app.add_option("SHELL", o.shell, "the shell")->option_text("bash|zsh|fish"); return;
  }
}

// CLI11's own layout, without its words for types and defaults.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(34);
    label("Positionals", "Arguments");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
  std::string make_usage(const CLI::App* app, std::string) const override { return "Usage: " + app->get_name() + "\n"; }
};

// CLI11 puts two empty lines between groups.
std::string HelpOf(const CLI::App& app) { return CLI::detail::find_and_replace(app.help(), "\n\n\n", "\n\n"); }

}  // namespace

std::string UsageLine(Command command) {
  switch (command) {
    case Command::kPropagate: return "fakeprop [propagate] GRAPH [--inputs SPEC] [-o FILE] [OPTIONS]";
    case Command::kLint:
      return "fakeprop lint [GRAPH...] [--recorded | --golden FILE [--update-golden]] [--inputs SPEC] [OPTIONS]";
    case Command::kShow: return "fakeprop show GRAPH [--inputs SPEC] [-o FILE] [OPTIONS]";
    case Command::kInputs: return "fakeprop inputs GRAPH [-o FILE]";
    case Command::kOps: return "fakeprop ops [--graph GRAPH]";
    case Command::kRefine: return "fakeprop refine ANNOTATIONS --set SYMBOL=N... [-o FILE]";
    case Command::kProve: return "fakeprop prove GRAPH [--inputs SPEC] [OPTIONS]";
    case Command::kMemory: return "fakeprop memory GRAPH [--set SYMBOL=N] [--max SYMBOL] [--budget BYTES] [OPTIONS]";
    case Command::kCost: return "fakeprop cost GRAPH [--by operator|module|node] [--on NAME] [OPTIONS]";
    case Command::kContract: return "fakeprop contract GRAPH [--inputs SPEC] [-o FILE] [OPTIONS]";
    case Command::kDiff: return "fakeprop diff A B [--inputs SPEC] [-o FILE] [OPTIONS]";
    case Command::kExplain: return "fakeprop explain [CODE]";
    case Command::kReport: return "fakeprop report GRAPH [--compare OTHER] [--inputs SPEC] [-o FILE] [OPTIONS]";
    case Command::kServe: return "fakeprop serve GRAPH... [--port PORT] [--inputs SPEC] [OPTIONS]";
    case Command::kMan: return "fakeprop man";
    case Command::kConfig: return "fakeprop config [--config FILE]";
    case Command::kCompletions: return "fakeprop completions bash|zsh|fish";
  }
  return {};
}

std::span<const CommandInfo> AllCommands() { return kCommands; }

const CommandInfo* FindCommand(std::string_view name) {
  for (const CommandInfo& info : kCommands)
    if (info.name == name) return &info;
  return nullptr;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const CommandInfo& info : kCommands) names.emplace_back(info.name);
  return names;
}

std::unique_ptr<CLI::App> MakeCommand(Command command, CommandLineOptions& o, RawOptions& raw) {
  auto app = std::make_unique<CLI::App>(std::string(kCommands[static_cast<int>(command)].summary), UsageLine(command));
  app->formatter(std::make_shared<HelpFormatter>());
  app->allow_extras()->allow_windows_style_options(false);  // told in our own words; "/m" is a path
  AddOwn(command, *app, o, raw);
  AddCommon(*app, raw);
  app->footer(std::string(Footer(command)));
  return app;
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// As its text has them: "auto|always|never".
std::vector<std::string> WordsOf(const CLI::Option& option) {
  const std::string& text = option.get_option_text();
  if (text.find('|') == std::string::npos) return {};
  std::vector<std::string> words;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('|', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::span<const std::string_view> ShowColumns() { return kColumns; }

std::string CommandHelp(const CLI::App& app, Command command) {
  return command == Command::kPropagate ? TopHelp() : HelpOf(app);
}

std::string TopHelp() {
  CommandLineOptions options;
  RawOptions raw;
  std::string commands;
  for (const CommandInfo& info : kCommands)
    commands +=
        "  " + std::string(info.name) + std::string(32 - info.name.size(), ' ') + std::string(info.summary) + "\n";
  const std::string help = HelpOf(*MakeCommand(Command::kPropagate, options, raw));
  // The usage is the second line of CLI11's text; the commands follow it.
  const size_t arguments = help.find("\nArguments:");
  return "Computes shape, stride, dtype, device, aliasing and requires_grad of every value in a saved PyTorch graph,\n"
         "as PyTorch's FakeTensorProp does, without Python and without data.\n"
         "Usage: fakeprop GRAPH [--inputs SPEC] [-o FILE] [OPTIONS]\n"
         "       fakeprop COMMAND ...\n"
         "\nCommands (`fakeprop COMMAND --help` says more):\n" +
         commands + help.substr(arguments) +
         "\nExit status: 0 all well; 1 the graph does not propagate, lint found an error, or diff, prove or a budget "
         "says "
         "no;\n2 wrong usage, or a file that is missing, unreadable, malformed or of an unknown version.\n";
}

}  // namespace fakeprop::cli
