#include "tools/cli/manual_page.h"

#include <CLI/CLI.hpp>

#include "lib/base/version.h"
#include "tools/cli/commands.h"

namespace fakeprop::cli {
namespace {

constexpr std::string_view kCommonOptions = "Common options";

// A backslash, and a dot or an apostrophe at the start of a line, are special to roff. A hyphen would become a dash.
std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out;
}

// "-o, --output FILE"
std::string NamesOf(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "\\fB" : ", \\fB") + Escaped(name) + "\\fR";
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (names.empty()) add(option.get_name());
  const std::string& value = option.get_option_text();
  return value.empty() ? names : names + " \\fI" + Escaped(value) + "\\fR";
}

std::string EntryOf(const CLI::Option& option) {
  return ".TP\n" + NamesOf(option) + "\n" + Escaped(option.get_description()) + "\n";
}

std::string OptionsOf(const CLI::App& app, bool common) {
  std::string text;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty() && (option->get_group() == kCommonOptions) == common) text += EntryOf(*option);
  return text;
}

std::string CommandSection(const CommandInfo& info) {
  CommandLineOptions options;
  RawOptions raw;
  const std::unique_ptr<CLI::App> app = MakeCommand(info.command, options, raw);
  std::string text = ".SS " + std::string(info.name) + "\n.B " + Escaped(UsageLine(info.command)) + "\n.PP\n" +
                     Escaped(info.summary) + "\n" + OptionsOf(*app, false);
  const std::string footer = app->get_footer();
  return footer.empty() ? text : text + ".PP\n.nf\n" + Escaped(footer) + "\n.fi\n";
}

std::string CommonSection() {
  CommandLineOptions options;
  RawOptions raw;
  return OptionsOf(*MakeCommand(Command::kPropagate, options, raw), true);
}

// As docs/commands/README.md has them.
constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
    {"FAKEPROP", "the program that the Python package runs (default: that of the package, else the first on the PATH)"},
    {"FAKEPROP_LIBTORCH", "the file of the plug-in that opens LibTorch (default: the one beside the program)"},
    {"FAKEPROP_TORCH", "the folder of the torch whose LibTorch the plug-in opens (default: the installed torch)"},
    {"FAKEPROP_Z3", "the file of Z3's library (default: that of z3-solver beside the program, else libz3.so.4)"},
    {"NO_COLOR", "if it is set, nothing is coloured unless --color says so"},
};

std::string EnvironmentSection() {
  std::string text;
  for (const auto& [name, what] : kVariables) text += ".TP\n" + Escaped(name) + "\n" + Escaped(what) + "\n";
  return text;
}

}  // namespace

std::string ManualPage() {
  std::string text =
      ".TH FAKEPROP 1 \"\" \"fakeprop " + std::string(kVersion) +
      "\" \"User Commands\"\n.SH NAME\n"
      "fakeprop \\- shapes, strides and aliasing of every value in a saved PyTorch graph\n.SH SYNOPSIS\n";
  for (const CommandInfo& info : AllCommands()) text += ".B " + Escaped(UsageLine(info.command)) + "\n.br\n";
  text +=
      ".SH DESCRIPTION\n"
      "Computes shape, stride, dtype, device, aliasing and requires_grad of every value in a saved PyTorch graph, as "
      "PyTorch's FakeTensorProp does, without Python and without data.\n.SH COMMANDS\n";
  for (const CommandInfo& info : AllCommands()) text += CommandSection(info);
  return text + ".SH COMMON OPTIONS\n" + CommonSection() +
         ".SH EXIT STATUS\n.TP\n0\nall is well\n.TP\n1\nthe graph does not propagate, lint found an error, or "
         "diff, prove or a budget says no\n.TP\n2\nthe command line is wrong, or a file is missing, unreadable, "
         "malformed or of an unknown "
         "version\n.SH ENVIRONMENT\n" +
         EnvironmentSection();
}

}  // namespace fakeprop::cli
