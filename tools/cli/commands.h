// Every command and its options, declared once: for the parser, --help and shell completions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command_line_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fakeprop::cli {

struct CommandInfo {
  Command command;
  std::string_view name;
  std::string_view summary;
};

std::span<const CommandInfo> AllCommands();
const CommandInfo* FindCommand(std::string_view name);
std::vector<std::string> CommandNames();

// The texts of options with words as values, before the words are checked.
struct RawOptions {
  std::string device, torch, torch_build, grad, format, progress, color, max_memory, columns, jobs, shard;
  std::string fsdp, stage, units, tensor_parallel, column, row, sequence, pipeline, micro_batches;
  std::string optimizer, optimizer_form, checkpoint, allocator, workspace, context;
  std::string free, budget, max, by, on, peak_flops, bandwidth, port, depth;
  std::vector<std::string> set, inputs, table, reports, rules;
  int verbose = 0;
  bool quiet = false, version = false, json = false;
};

// The parser of a command's options. It writes to `options` and `raw`, which must outlive it.
std::unique_ptr<CLI::App> MakeCommand(Command command, CommandLineOptions& options, RawOptions& raw);

// "fakeprop show GRAPH [--inputs SPEC] [-o FILE] [OPTIONS]"
std::string UsageLine(Command command);

// Returns true if an option takes a value, as "-o" in "-o FILE".
bool TakesValue(const CLI::Option& option);
// The words that an option or positional argument takes ("auto", "always", "never"). Empty if it takes any text.
std::vector<std::string> WordsOf(const CLI::Option& option);

// The columns of `show`, in the order in which its table has them.
std::span<const std::string_view> ShowColumns();

// The texts of `fakeprop --help` and `fakeprop COMMAND --help`.
std::string TopHelp();
std::string CommandHelp(const CLI::App& app, Command command);

}  // namespace fakeprop::cli
