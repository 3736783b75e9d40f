#include "tools/cli/command_line_options.h"

#include <gtest/gtest.h>

#include <sstream>

#include "lib/diag/render_text.h"

namespace fakeprop::cli {
namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

CommandLineOptions Parse(const std::string& line) {
  DiagnosticSink sink;
  const std::optional<CommandLineOptions> options = ParseOptions(Words(line), sink);
  EXPECT_TRUE(options) << line << ": " << (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
  return options.value_or(CommandLineOptions());
}

std::string Error(const std::string& line) {
  DiagnosticSink sink;
  if (ParseOptions(Words(line), sink)) return "no error";
  return RenderText(sink.diagnostics().at(0));
}

// Longer than any file's name.
TEST(CommandLineOptions, ANameThatCannotBeLookedUpIsAGraphs) {
  const std::string name(300, 'x');
  EXPECT_EQ(Parse(name).graphs, std::vector<std::string>{name});
}

TEST(CommandLineOptions, PropagateIsTheDefault) {
  const CommandLineOptions o = Parse("g.json --inputs s.json -o out.json --keep-going --grad off --device cuda");
  EXPECT_EQ(o.command, Command::kPropagate);
  EXPECT_EQ(o.graphs, std::vector<std::string>{"g.json"});
  EXPECT_EQ(o.inputs, "s.json");
  EXPECT_EQ(o.output, "out.json");
  EXPECT_TRUE(o.keep_going);
  EXPECT_EQ(o.grad, false);
  EXPECT_FALSE(Parse("g.json").grad.has_value());
  EXPECT_EQ(Parse("g.json --torch 2.13").torch, 13);
  EXPECT_EQ(Parse("g.json --torch-build cpu").build, TorchBuild::kCpu);
  EXPECT_FALSE(Parse("g.json").torch.has_value());
  EXPECT_EQ(o.device->str(), "cuda:0");
  EXPECT_EQ(Parse("propagate g.json").command, Command::kPropagate);
}

TEST(CommandLineOptions, TheCommandMayFollowOptions) {
  EXPECT_EQ(Parse("-v show g.json").command, Command::kShow);
  EXPECT_EQ(Parse("--color always lint a.json b.json").graphs.size(), 2u);
  // A word that is an option's value is no command.
  EXPECT_EQ(Parse("-o show g.json").output, "show");
  EXPECT_EQ(Parse("./show").graphs[0], "./show");
  EXPECT_EQ(Parse("-- show").graphs[0], "show");
}

TEST(CommandLineOptions, Crossref) {
  EXPECT_TRUE(Parse("g.json --crossref").crossref);
  EXPECT_TRUE(Parse("lint g.json --crossref").crossref);
  EXPECT_FALSE(Parse("g.json").crossref);
  EXPECT_TRUE(Parse("g.json").symbolic);
  EXPECT_FALSE(Parse("g.json --no-symbolic").symbolic);
}

TEST(CommandLineOptions, CustomOperators) {
  const CommandLineOptions o =
      Parse("--op-rules a.txt g.json --load-library a.so --op-rules b.txt --load-library=b.so");
  EXPECT_EQ(o.graphs, std::vector<std::string>{"g.json"});
  EXPECT_EQ(o.op_rules, (std::vector<std::string>{"a.txt", "b.txt"}));
  EXPECT_EQ(o.libraries, (std::vector<std::string>{"a.so", "b.so"}));
  EXPECT_FALSE(o.allow_fallback_kernels);
  EXPECT_TRUE(Parse("show g.json --allow-fallback-kernels").allow_fallback_kernels);
  EXPECT_EQ(Parse("ops --op-rules ops").op_rules, std::vector<std::string>{"ops"});
  EXPECT_NE(Error("g.json --op-rules").find("needs a value"), std::string::npos);
  EXPECT_NE(Error("inputs g.json --op-rules a.txt").find("unknown option"), std::string::npos);
}

TEST(CommandLineOptions, Reading) {
  EXPECT_EQ(Parse("-").graphs, std::vector<std::string>{"-"});
  EXPECT_EQ(Parse("show --model decoder a.pt2").model, "decoder");
  EXPECT_EQ(Parse("a.pt2").max_memory, uint64_t{8} << 30);
  EXPECT_EQ(Parse("a.pt2 --max-memory 1000").max_memory, 1000u);
  EXPECT_EQ(Parse("a.pt2 --max-memory 500M").max_memory, uint64_t{500} << 20);
  EXPECT_EQ(Parse("--max-memory 16G lint a.pt2").max_memory, uint64_t{16} << 30);
  for (const char* wrong : {"0", "G", "1Z", "1GB", "99999999999999999999", "99999999T", "x"})
    EXPECT_NE(Error("a.pt2 --max-memory " + std::string(wrong)).find("--max-memory"), std::string::npos) << wrong;
  EXPECT_NE(Error("lint - -").find("standard input can be read once"), std::string::npos);
}

TEST(CommandLineOptions, Words) {
  const CommandLineOptions o = Parse("lint g.json --golden old.json --format=json --color never --progress always -vv");
  EXPECT_EQ(o.golden, "old.json");
  ASSERT_EQ(o.reports.size(), 1u);
  EXPECT_EQ(o.reports[0].format, LintFormat::kJson);
  EXPECT_EQ(Parse("show g.json --format json").format, OutputFormat::kJson);
  EXPECT_EQ(o.color, When::kNever);
  EXPECT_EQ(o.progress, When::kAlways);
  EXPECT_EQ(o.verbosity, Verbosity::kDebug);
  EXPECT_EQ(Parse("g.json -q").verbosity, Verbosity::kQuiet);
  EXPECT_EQ(Parse("g.json").verbosity, Verbosity::kNormal);
}

TEST(CommandLineOptions, HelpAndVersionAreTexts) {
  EXPECT_EQ(Parse("--version").text, "fakeprop 0.1.0\ntorch 2.15.0\n");
  EXPECT_EQ(Parse("--version --json").text, "{\"fakeprop\":\"0.1.0\",\"torch\":\"2.15.0\"}\n");
  EXPECT_NE(Parse("--help").text.find("Usage: fakeprop GRAPH"), std::string::npos);
  for (const char* command : {"lint", "show", "inputs", "ops", "completions"})
    EXPECT_NE(Parse(std::string(command) + " -h").text.find("Example"), std::string::npos) << command;
}

struct Case {
  const char* line;
  const char* error;
};

const Case kWrong[] = {
    {"g.json --keep-gong", "unknown option `--keep-gong`\n   = did you mean `--keep-going`?\n"},
    {"g.json --inptus=s.json", "unknown option `--inptus`\n   = did you mean `--inputs`?\n"},
    {"lint g.json --goldne x", "unknown option `--goldne`\n   = did you mean `--golden`?\n"},
    {"show g.json --recorded", "unknown option `--recorded`\n   = `fakeprop lint` has it\n"},
    {"lnit g.json", "unknown command `lnit`\n   = did you mean `lint`?\n"},
    {"completion bash", "unknown command `completion`\n   = did you mean `completions`?\n"},
    {"a.json b.json", "unexpected argument `b.json`\n   = `fakeprop lint` takes several graphs\n"},
    {"ops g.json", "unexpected argument `g.json`\n   = did you mean `fakeprop ops --graph g.json`?\n"},
    {"refine a.json s=2", "unexpected argument `s=2`\n   = did you mean `--set s=2`?\n"},
    {"lint g.json --keep-gong",
        "unknown option `--keep-gong`\n   = `fakeprop COMMAND --help` lists the options of a command\n"},
    {"measure a.json b.json",
        "unknown command `measure`\n   = usage: fakeprop GRAPH [--inputs SPEC] [-o FILE], or fakeprop "
        "lint|show|inputs|ops|refine|prove|memory|cost|diff|contract|report|serve|explain|config|man|completions ...; "
        "`fakeprop "
        "--help` says more\n"},
    {"help", "unknown command `help`\n   = did you mean `fakeprop --help`?\n"},
    {"help lint", "unknown command `help`\n   = did you mean `fakeprop lint --help`?\n"},
    {"--json", "`--json` goes with `--version`\n   = results are JSON by `--format json`\n"},
    {"version", "unknown command `version`\n   = did you mean `fakeprop --version`?\n"},
    {"refine a.json --sets s=2", "unknown option `--sets`\n   = did you mean `--set`?\n"},
    {"g.json --recorded", "unknown option `--recorded`\n   = `fakeprop lint` has it\n"},
    {"g.json -o", "`--output` needs a value\n"},
    {"g.json --inputs=", "`--inputs` needs a value\n"},
    {"g.json -o a -o b", "`--output` is given more than once\n"},
    {"g.json --color maybe", "`--color` takes one of `auto`, `always`, `never`, not `maybe`\n"},
    {"g.json --color alwyas",
        "`--color` takes one of `auto`, `always`, `never`, not `alwyas`\n   = did you mean `always`?\n"},
    {"g.json --grad yes", "`--grad` takes one of `on`, `off`, not `yes`\n"},
    {"g.json --device gpu",
        "`--device` takes a device such as `cpu` or `cuda:0`, not `gpu`\n   = did you mean `cuda`?\n"},
    {"g.json -q -v", "`--quiet` and `--verbose` exclude each other\n"},
    {"lint g.json --format sarf",
        "`--format` takes one of `text`, `json`, `sarif`, `junit`, `github`, `gitlab`, `markdown`, not `sarf`; did "
        "you mean `sarif`?\n"},
    {"lint g.json --format json --format sarif",
        "`--format` is given more than once without a file: `--format sarif=FILE` writes to one\n"},
    {"lint g.json --shard 3/2", "`--shard` takes a part and the number of parts such as `1/4`, not `3/2`\n"},
    {"lint g.json --rule FP8001", "`--rule` takes a rule and its level such as `FP8003=off`, not `FP8001`\n"},
    {"lint g.json --recorded --golden x", "`--recorded` and `--golden` exclude each other\n"},
    {"g.json --input x",
        "`--input` takes an input such as `x=4x16:int64@cuda:0` or `x=batchx16`, not `x`: it has no `NAME=`; a file "
        "goes with `--inputs`\n"},
    {"g.json --input x=4 --input x=5", "`--input` gives `x` more than once\n"},
    {"g.json --input x=4 --inputs s.json", "`--input` and `--inputs` exclude each other\n"},
    {"lint g.json --update-golden", "`--update-golden` needs `--golden`\n"},
    {"completions", "`fakeprop completions` needs a shell: `bash`, `zsh` or `fish`\n"},
    {"completions csh",
        "`fakeprop completions` takes one of `bash`, `zsh`, `fish`, not `csh`\n   = did you mean `zsh`?\n"},
};

TEST(CommandLineOptions, WrongLinesAreTold) {
  for (const Case& c : kWrong) EXPECT_EQ(Error(c.line), std::string("error[FP5001]: ") + c.error) << c.line;
}

TEST(CommandLineOptions, OptionsOfOtherCommandsAreUnknown) {
  for (const char* option : {"--set", "--budget", "--golden", "--port"})
    EXPECT_EQ(Error(std::string("g.json ") + option).find("error[FP5001]: unknown option"), 0u) << option;
}

TEST(CommandLineOptions, RefineTakesValuesOfSymbols) {
  EXPECT_EQ(Error("refine"), "error[FP5001]: no ANNOTATIONS are given\n   = `fakeprop GRAPH -o FILE` writes them\n");
  for (const char* set : {"batch", "batch=", "=8", "batch=x", "batch=8x", "batch=99999999999999999999"})
    EXPECT_EQ(Error(std::string("refine a.json --set ") + set).find("error[FP5001]: `--set` takes"), 0u) << set;
  EXPECT_EQ(Error("refine a.json --set a=1 --set a=2").find("error[FP5001]: `--set` gives `a` more than once"), 0u);
}

TEST(CommandLineOptions, SeveralReports) {
  const CommandLineOptions o =
      Parse("lint g.json --format sarif=a.sarif --format json --format junit=b=c.xml -j4 --shard 2/3");
  ASSERT_EQ(o.reports.size(), 3u);
  EXPECT_EQ(o.reports[0].path, "a.sarif");
  EXPECT_EQ(o.reports[1].format, LintFormat::kJson);
  EXPECT_EQ(o.reports[1].path, "");
  EXPECT_EQ(o.reports[2].path, "b=c.xml");
  EXPECT_EQ(o.jobs, 4u);
  EXPECT_EQ(o.shard.index, 2u);
  EXPECT_EQ(o.shard.count, 3u);
  // Text goes to stdout if nothing else does.
  EXPECT_EQ(Parse("lint g.json --format sarif=a.sarif").reports[0].format, LintFormat::kText);
}

TEST(CommandLineOptions, WithoutAGraphTheUsageIsTold) {
  EXPECT_EQ(Error("").find("error[FP5001]: no GRAPH is given\n   = usage: fakeprop GRAPH"), 0u) << Error("");
  EXPECT_TRUE(Parse("lint").graphs.empty());  // those of fakeprop.toml
}

}  // namespace
}  // namespace fakeprop::cli
