#include "lib/lint/config/lint_config.h"

#include <gtest/gtest.h>

#include "lib/lint/config/source_comments.h"

namespace fakeprop {
namespace {

LintConfig Read(const std::string& text, const std::string& file = "fakeprop.toml") {
  DiagnosticSink sink;
  std::optional<LintConfig> config = ReadLintConfig(text, file, sink);
  EXPECT_TRUE(config) << sink.diagnostics().at(0).message;
  return config.value_or(LintConfig());
}

std::string ErrorsOf(const std::string& text) {
  DiagnosticSink sink;
  EXPECT_FALSE(ReadLintConfig(text, "fakeprop.toml", sink));
  std::string errors;
  for (const Diagnostic& d : sink.diagnostics()) {
    EXPECT_EQ(d.code.id, "FP5008");
    errors += d.place + ": " + d.message + (d.notes.empty() ? "" : "; " + d.notes[0]) + "\n";
  }
  return errors;
}

constexpr char kWhole[] = R"(
[lint]
graphs = ["models/**/*.json"]
inputs = "specs"
golden = "golden"
recorded = true
baseline = "known.json"
formats = ["text", "sarif=out.sarif"]
jobs = 3
max-memory = "500M"
libraries = ["libops.so"]
op-rules = ["ops.rules"]

[rules]
FP8003 = "off"
SilentBroadcast = "error"

[limits]
broadcast-factor = 10
broadcast-bytes = "1M"
intermediate-bytes = 1000

[[graph]]
path = "models/encoder*.json"
static = true
rules = {FP8003 = "warning"}
[[graph.ignore]]
code = "FP8012"
node = "p_pooler*"
reason = "kept for old checkpoints"
)";

TEST(LintConfig, ReadsAll) {
  const LintConfig config = Read(kWhole, "repo/fakeprop.toml");
  EXPECT_EQ(config.graphs.value, std::vector<std::string>{"repo/models/**/*.json"});
  EXPECT_EQ(config.graphs.line, 3);
  EXPECT_EQ(config.inputs.value, "repo/specs");
  EXPECT_EQ(config.baseline.value, "repo/known.json");
  EXPECT_TRUE(config.recorded.value);
  EXPECT_EQ(config.formats.value, (std::vector<std::string>{"text", "sarif=out.sarif"}));
  EXPECT_EQ(config.jobs.value, 3);
  EXPECT_EQ(config.max_memory.value, "524288000");
  EXPECT_EQ(config.libraries.value, std::vector<std::string>{"repo/libops.so"});
}

TEST(LintConfig, SettingsOfAGraph) {
  const LintConfig config = Read(kWhole);
  const CheckSettings other = SettingsFor(config, "models/decoder.json");
  EXPECT_EQ(other.levels.at("FP8001"), CheckLevel::kError);
  EXPECT_EQ(other.levels.at("FP8003"), CheckLevel::kOff);
  EXPECT_EQ(other.levels.count("FP8016"), 0u);
  EXPECT_EQ(other.broadcast_factor, 10);
  EXPECT_EQ(other.broadcast_bytes, 1 << 20);
  EXPECT_EQ(other.intermediate_bytes, 1000);
  const CheckSettings encoder = SettingsFor(config, "./models/encoder_1.json");
  EXPECT_EQ(encoder.levels.at("FP8003"), CheckLevel::kWarning);
  EXPECT_EQ(encoder.levels.at("FP8016"), CheckLevel::kError);
}

TEST(LintConfig, ExceptionsOfAGraph) {
  const LintConfig config = Read(kWhole);
  std::vector<Finding> findings(3);
  findings[0].diagnostic = {.code = {"FP8012", ""}, .node = "p_pooler_weight"};
  findings[1].diagnostic = {.code = {"FP8012", ""}, .node = "p_fc_weight"};
  findings[2].diagnostic = {.code = {"FP8011", ""}, .node = "p_pooler_weight"};
  EXPECT_EQ(TakeExceptions(config, "models/decoder.json", findings), 0u);
  EXPECT_EQ(TakeExceptions(config, "models/encoder.json", findings), 1u);
  EXPECT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].diagnostic.node, "p_fc_weight");
}

TEST(LintConfig, UnknownKeysAreErrorsWithSuggestions) {
  EXPECT_EQ(ErrorsOf("[lnt]\n"), "line 1, column 1: unknown key of the file `lnt`; did you mean `lint`?\n");
  EXPECT_EQ(
      ErrorsOf("[lint]\ngoldn = \"x\"\n"), "line 2, column 9: unknown key of [lint] `goldn`; did you mean `golden`?\n");
  EXPECT_EQ(ErrorsOf("[rules]\nSilentBrodcast = \"off\"\n"),
      "line 2, column 18: unknown rule `SilentBrodcast`; did you mean `SilentBroadcast`?\n");
  EXPECT_EQ(ErrorsOf("[[graph]]\npath = \"a\"\nstatik = true\n"),
      "line 3, column 10: unknown key of [[graph]] `statik`; did you mean `static`?\n");
  EXPECT_NE(ErrorsOf("[rules]\nFP3001 = \"off\"\n").find("unknown rule `FP3001`"), std::string::npos);
}

TEST(LintConfig, WrongValuesAreErrors) {
  EXPECT_EQ(ErrorsOf("[lint]\ngolden = 3\n"), "line 2, column 10: expected a string but found the integer 3\n");
  EXPECT_EQ(ErrorsOf("[lint]\njobs = 0\n"),
      "line 2, column 8: expected a whole number of at least 1 but found the integer 0\n");
  EXPECT_EQ(ErrorsOf("[lint]\ngraphs = \"a\"\n"),
      "line 2, column 10: expected an array of strings but found the string `a`\n");
  EXPECT_EQ(ErrorsOf("[rules]\nFP8001 = \"of\"\n"),
      "line 2, column 10: a rule is \"off\", \"warning\" or \"error\", not the string `of`\n");
  EXPECT_EQ(ErrorsOf("[limits]\nbroadcast-bytes = \"1X\"\n"),
      "line 2, column 19: expected a number of bytes such as \"500M\" or \"16G\" but found the string `1X`\n");
  EXPECT_EQ(ErrorsOf("lint = 3\n"), "line 1, column 8: expected a table but found the integer 3\n");
  EXPECT_NE(ErrorsOf("[[graph]]\nstatic = true\n").find("[[graph]] needs `path`"), std::string::npos);
  EXPECT_NE(ErrorsOf("[lint\n").find("this is no TOML: "), std::string::npos);
}

TEST(LintConfig, Patterns) {
  EXPECT_TRUE(FitsPattern("models/a.json", "models/*.json"));
  EXPECT_FALSE(FitsPattern("models/x/a.json", "models/*.json"));
  EXPECT_TRUE(FitsPattern("models/x/y/a.json", "models/**/*.json"));
  EXPECT_TRUE(FitsPattern("models/a.json", "models/**/*.json"));
  EXPECT_TRUE(FitsPattern("a.json", "**/a.json"));
  EXPECT_FALSE(FitsPattern("ba.json", "**/a.json"));
  EXPECT_TRUE(FitsPattern("./models/a.json", "models/?.json"));
  EXPECT_FALSE(FitsPattern("models//json", "models?json"));
  EXPECT_TRUE(FitsPattern("models/x/y", "models/**"));
  EXPECT_TRUE(FitsPattern("a.b", "a.b"));
  EXPECT_FALSE(FitsPattern("aXb", "a.b"));
  EXPECT_FALSE(FitsPattern(std::string(200, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

TEST(SourceComments, NameCodes) {
  EXPECT_TRUE(IgnoresCode("y = x * s  # fakeprop: ignore FP8003", "FP8003"));
  EXPECT_TRUE(IgnoresCode("y = x  # fakeprop: ignore FP8001, FP8003 since it is small", "FP8003"));
  EXPECT_FALSE(IgnoresCode("y = x  # fakeprop: ignore FP8001", "FP8003"));
  EXPECT_TRUE(IgnoresCode("y = x  # fakeprop: ignore", "FP8003"));
  EXPECT_TRUE(IgnoresCode("y = x  # fakeprop: ignore: meant", "FP8003"));
  EXPECT_FALSE(IgnoresCode("y = x  # fakeprop: ignore", "FP3001"));
  EXPECT_TRUE(IgnoresCode("y = x  # fakeprop: ignore FP3001", "FP3001"));
  EXPECT_FALSE(IgnoresCode("fakeprop: ignore FP8003", "FP8003"));
}

// What it prints is TOML that means the same.
TEST(LintConfig, DescriptionReadsBack) {
  const std::string text = DescribeConfig(Read(kWhole));
  const LintConfig again = Read(text);
  EXPECT_EQ(again.jobs.value, 3);
  EXPECT_EQ(SettingsFor(again, "models/encoder.json").levels.at("FP8016"), CheckLevel::kError);
  EXPECT_NE(text.find("FP8001 = \"error\"  # SilentBroadcast, line 16\n"), std::string::npos) << text;
  EXPECT_NE(text.find("FP8002 = \"warning\"  # PromotedDtype, default\n"), std::string::npos);
  Read(DescribeConfig(LintConfig()));
}

}  // namespace
}  // namespace fakeprop
