#include "tools/cli/completions.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "tools/cli/commands.h"

namespace fakeprop::cli {
namespace {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; a positional has one without dashes
  std::string description;
  std::vector<std::string> words;  // what its value may be
  bool takes_value = false;
  bool is_positional = false;
  bool is_device = false;
};

OptionInfo Describe(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.is_positional = info.names.empty();
  if (info.is_positional) info.names.push_back(option.get_name());
  info.description = option.get_description();
  for (std::string_view word : WordsOf(option)) info.words.emplace_back(word);
  info.takes_value = TakesValue(option);
  info.is_device = info.names.back() == "--device";
  return info;
}

std::vector<OptionInfo> OptionsOf(Command command) {
  CommandLineOptions options;
  RawOptions raw;
  const std::unique_ptr<CLI::App> app = MakeCommand(command, options, raw);
  std::vector<OptionInfo> infos;
  for (const CLI::Option* option : const_cast<const CLI::App&>(*app).get_options())
    if (!option->get_group().empty()) infos.push_back(Describe(*option));  // the others are hidden
  return infos;
}

std::string Join(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : std::string(separator)) + item;
  return out;
}

// In single quotes, with `special` characters behind a backslash.
std::string Quoted(std::string_view text, std::string_view special) {
  std::string out = "'";
  for (char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

// ---- bash

// The case that completes the value of each option; the same option means the same in every command.
std::string BashValues() {
  std::string files, out;
  std::vector<std::string> seen;
  for (const CommandInfo& command : AllCommands()) {
    for (const OptionInfo& option : OptionsOf(command.command)) {
      const std::string names = Join(option.names, "|");
      if (option.is_positional || !option.takes_value || std::find(seen.begin(), seen.end(), names) != seen.end())
        continue;
      seen.push_back(names);
      if (!option.words.empty())
        out +=
            "    " + names + ") COMPREPLY=($(compgen -W '" + Join(option.words, " ") + "' -- \"$cur\")); return ;;\n";
      else if (option.is_device)
        out += "    " + names + ") COMPREPLY=($(compgen -W 'cpu cuda meta' -- \"$cur\")); return ;;\n";
      else files += (files.empty() ? "" : "|") + names;
    }
  }
  return out + "    " + files + ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n";
}

std::string BashOptions() {
  std::string out;
  for (const CommandInfo& command : AllCommands()) {
    std::vector<std::string> names;
    for (const OptionInfo& option : OptionsOf(command.command))
      if (!option.is_positional) names.insert(names.end(), option.names.begin(), option.names.end());
    out += "    " + std::string(command.name) + ") options='" + Join(names, " ") + "' ;;\n";
  }
  return out;
}

std::string BashScript() {
  const std::string commands = Join(CommandNames(), "|");
  return "# bash completion for fakeprop\n"
         "_fakeprop() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= options word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case $word in " +
         commands +
         ") command=$word; break ;; esac\n"
         "  done\n"
         "  case $prev in\n" +
         BashValues() +
         "  esac\n"
         "  case ${command:-propagate} in\n" +
         BashOptions() +
         "  esac\n"
         "  case $cur in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
         "    *)\n"
         "      COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "      [ \"$command\" ] || COMPREPLY+=($(compgen -W '" +
         Join(CommandNames(), " ") +
         "' -- \"$cur\"))\n"
         "      [ \"$command\" != completions ] || COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))\n"
         "      ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _fakeprop fakeprop\n";
}

// ---- zsh

std::string ZshAction(const OptionInfo& option) {
  if (!option.words.empty()) return "(" + Join(option.words, " ") + ")";
  return option.is_device ? "(cpu cuda meta)" : "_files";
}

std::string ZshOption(const OptionInfo& option) {
  constexpr std::string_view kSpecial = ":[]\\";
  std::string spec;
  if (option.is_positional) return Quoted("*:" + option.names[0] + ":" + ZshAction(option), "");
  if (option.names.size() > 1) spec = "'(" + Join(option.names, " ") + ")'{" + Join(option.names, ",") + "}";
  else spec = option.names[0];
  spec += Quoted("[", "") + Quoted(option.description, kSpecial) + Quoted("]", "");
  return option.takes_value ? spec + Quoted(":value:" + ZshAction(option), "") : spec;
}

std::string ZshScript() {
  std::string commands, cases;
  for (const CommandInfo& command : AllCommands()) {
    commands += "    " + Quoted(std::string(command.name) + ":" + std::string(command.summary), "") + "\n";
    cases += "    " + std::string(command.name) + ")\n      _arguments -s";
    for (const OptionInfo& option : OptionsOf(command.command)) cases += " \\\n        " + ZshOption(option);
    cases += "\n      ;;\n";
  }
  return "#compdef fakeprop\n"
         "_fakeprop() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  local command=propagate\n"
         "  if (( CURRENT > 2 )) && (( ${commands[(I)${words[2]}:*]} )); then\n"
         "    command=${words[2]}\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "  elif (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_fakeprop \"$@\"\n";
}

// ---- fish

std::string FishOption(const OptionInfo& option, std::string_view condition) {
  std::string line = "complete -c fakeprop -n " + Quoted(condition, "\\");
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value && (!option.words.empty() || option.is_device))
    line += " -x -a '" + (option.is_device ? "cpu cuda meta" : Join(option.words, " ")) + "'";
  else if (option.takes_value) line += " -r";
  return line + " -d " + Quoted(option.description, "\\") + "\n";
}

std::string FishScript() {
  const std::string all = Join(CommandNames(), " ");
  std::string out = "# fish completion for fakeprop\n";
  for (const CommandInfo& command : AllCommands())
    out += "complete -c fakeprop -n 'not __fish_seen_subcommand_from " + all + "' -a " + std::string(command.name) +
           " -d " + Quoted(command.summary, "\\") + "\n";
  for (const CommandInfo& command : AllCommands()) {
    const std::string seen = "__fish_seen_subcommand_from " + std::string(command.name);
    const bool is_default = command.command == Command::kPropagate;
    const std::string condition = is_default ? "not __fish_seen_subcommand_from " + all + "; or " + seen : seen;
    for (const OptionInfo& option : OptionsOf(command.command)) {
      if (!option.is_positional) out += FishOption(option, condition);
      else if (!option.words.empty())
        out += "complete -c fakeprop -f -n '" + seen + "' -a '" + Join(option.words, " ") + "'\n";
    }
  }
  return out;
}

}  // namespace

std::string CompletionScript(std::string_view shell) {
  if (shell == "zsh") return ZshScript();
  if (shell == "fish") return FishScript();
  return BashScript();
}

}  // namespace fakeprop::cli
