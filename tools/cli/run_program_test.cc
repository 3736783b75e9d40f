// The program without a process: what it prints, against the published schemas and on terminals of every kind.
#include "tools/cli/run_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/testing/json_schema.h"
#include "lib/base/utf8.h"

namespace fakeprop::cli {
namespace {

using nlohmann::json;

struct Printed {
  std::string out, err;
  ExitStatus status;
};

struct Terminal {
  bool is_terminal = false;
  bool no_color = false;
  size_t width = 0;
};

Printed RunLine(const std::string& line, Terminal terminal = {}) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  std::ostringstream out, err;
  const Console console{out, err, terminal.is_terminal, terminal.is_terminal, terminal.no_color, terminal.width};
  const ExitStatus status = RunProgram(words, console);
  return {out.str(), err.str(), status};
}

json ReadJson(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

std::vector<std::string> Graphs() {
  std::vector<std::string> graphs;
  for (const auto& entry : std::filesystem::directory_iterator("graphs"))
    if (std::filesystem::exists(entry.path() / "graph.json")) graphs.push_back(entry.path() / "graph.json");
  return graphs;
}

constexpr const char* kMismatch = "testdata/cli/graphs/mismatch.json";
constexpr const char* kSmall = "testdata/cli/graphs/small.json";

TEST(Run, StaysWithinItsMemory) {
  const std::string path = ::testing::TempDir() + "/large.json";
  std::ofstream(path) << "{\"graph_module\": \"" << std::string(200 << 20, 'x') << "\"}";
  const Printed run = RunLine(path + " --max-memory 150M");
  EXPECT_EQ(run.status, ExitStatus::kTrouble);
  EXPECT_EQ(run.err, "error[FP5004]: this needs more than 150 MiB of memory\n   = `--max-memory` allows more\n");
  EXPECT_NE(RunLine(path + " --max-memory 1000").err.find("this needs more than 1000 B of memory"), std::string::npos);
  EXPECT_EQ(RunLine(kSmall).status, ExitStatus::kOk);
  std::filesystem::remove(path);
}

TEST(Run, AnnotationsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/annotations.schema.json");
  std::vector<std::string> graphs = Graphs();
  ASSERT_GE(graphs.size(), 8u);
  graphs.push_back(kMismatch);
  for (const std::string& graph : graphs) {
    const Printed run = RunLine(graph);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << graph;
    EXPECT_EQ(run.out, RunLine(graph).out) << graph;
  }
}

TEST(Run, FindingsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/lint.schema.json");
  for (const std::string line : {"testdata/cli/graphs/changed_record.json --recorded", kSmall, kMismatch,
           "testdata/cli/graphs/small.json --golden testdata/cli/other_sizes/output"}) {
    const Printed run = RunLine("lint --format json " + line);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << line;
    EXPECT_EQ(run.status, line == kSmall ? ExitStatus::kOk : ExitStatus::kFindings) << line;
  }
}

TEST(Run, ProofsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/prove.schema.json");
  const std::string symbolic = "testdata/symbolic/";
  for (const auto& [folder, status] :
      {std::pair("gate", ExitStatus::kOk), {"gate_of_odd_widths", ExitStatus::kFindings}}) {
    const Printed run = RunLine(
        "prove --format json " + symbolic + folder + "/graph.json --inputs " + symbolic + folder + "/inputs.json");
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << folder;
    EXPECT_EQ(run.status, status) << folder;
  }
}

TEST(Run, RowsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/show.schema.json");
  for (const std::string line : {kMismatch, "graphs/decoder_lm/graph.json"})
    EXPECT_EQ(testing::ValidateJson(json::parse(RunLine("show --format json " + line).out), schema),
        std::vector<std::string>())
        << line;
}

TEST(Run, MemoryIsAsItsSchemaSays) {
  const json schema = ReadJson("docs/memory.schema.json");
  const std::string symbolic = "testdata/symbolic/heads/graph.json --inputs testdata/symbolic/heads/inputs.json";
  for (const std::string& line : {std::string(kSmall), std::string("graphs/decoder_lm/graph.json --budget 1T"),
           symbolic, symbolic + " --max batch --budget 1M --table batch=1,2"}) {
    const Printed run = RunLine("memory --format json " + line);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << line;
    EXPECT_EQ(run.status, ExitStatus::kOk) << run.err;
  }
}

TEST(Run, CostIsAsItsSchemaSays) {
  const json schema = ReadJson("docs/cost.schema.json");
  for (const std::string line :
      {"testdata/cli/graphs/small.json", "graphs/decoder_lm/graph.json --on h200", "graphs/quantized_net/graph.json",
          "testdata/symbolic/heads/graph.json --inputs testdata/symbolic/heads/inputs.json --set batch=3"}) {
    const Printed run = RunLine("cost --format json " + line);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << line;
    EXPECT_EQ(run.status, ExitStatus::kOk) << run.err;
  }
  EXPECT_EQ(RunLine("cost testdata/cli/graphs/small.json --budget 1").status, ExitStatus::kFindings);
}

TEST(Run, MemoryOverItsBudgetIsAFinding) {
  const std::string line = std::string("memory ") + kSmall;
  const int64_t peak = json::parse(RunLine(line + " --format json").out)["peak"]["bytes"];
  EXPECT_EQ(RunLine(line + " --budget " + std::to_string(peak)).status, ExitStatus::kOk);
  const Printed over = RunLine(line + " --budget " + std::to_string(peak - 1));
  EXPECT_EQ(over.status, ExitStatus::kFindings);
  EXPECT_NE(over.err.find("error[FP7101]: the peak of "), std::string::npos) << over.err;
}

TEST(Run, MemoryOfAGraphThatFailsIsNotCounted) {
  const Printed run = RunLine(std::string("memory ") + kMismatch);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.status, ExitStatus::kFindings);
  EXPECT_NE(run.err.find("FP3001"), std::string::npos);
}

TEST(Run, DiffsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/diff.schema.json");
  const std::string graphs = "testdata/cli/graphs/";
  for (const auto& [line, status] : {std::pair("small.json " + graphs + "small_edited.json", ExitStatus::kFindings),
           {"small.json " + graphs + "small.json", ExitStatus::kOk},
           {"product.json " + graphs + "product_annotations.json --inputs " + graphs + "product_spec.json",
               ExitStatus::kOk},
           {"small.json " + graphs + "mismatch.json", ExitStatus::kFindings}}) {
    const Printed run = RunLine("diff --format json " + graphs + line);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << line;
    EXPECT_EQ(run.status, status) << line << run.out;
  }
}

TEST(Run, ContractsAreAsTheirSchemaSays) {
  const json schema = ReadJson("docs/contract.schema.json");
  const std::string graphs = "testdata/cli/graphs/", symbolic = "testdata/symbolic/";
  for (const std::string& line :
      {graphs + "small.json", graphs + "product.json --inputs " + graphs + "product_spec.json",
          symbolic + "gate/graph.json --inputs " + symbolic + "gate/inputs.json"}) {
    const Printed run = RunLine("contract --format json " + line);
    EXPECT_EQ(testing::ValidateJson(json::parse(run.out), schema), std::vector<std::string>()) << line;
    EXPECT_EQ(run.status, ExitStatus::kOk) << line;
  }
}

std::vector<std::string> NodesShown(const std::string& options) {
  const json shown = json::parse(RunLine("show --format json " + std::string(kMismatch) + " " + options).out);
  std::vector<std::string> nodes;
  for (const json& row : shown.at("rows")) nodes.push_back(row.at("node"));
  return nodes;
}

TEST(Run, RowsCanBeChosen) {
  EXPECT_EQ(NodesShown("--errors"), std::vector<std::string>{"mm"});
  EXPECT_EQ(NodesShown("--op mm"), std::vector<std::string>{"mm"});
  EXPECT_EQ(NodesShown("--module block --op aten.r*"), std::vector<std::string>{"relu"});
  EXPECT_EQ(NodesShown("--module block --op add"), std::vector<std::string>());
  EXPECT_NE(
      RunLine(std::string("show --module bloc ") + kMismatch).err.find("did you mean `block`?"), std::string::npos);
}

TEST(Run, ColumnsCanBeChosen) {
  const Printed csv = RunLine(std::string("show --format csv --columns shape,node --op relu ") + kMismatch);
  EXPECT_EQ(csv.out, "shape,node,error\n\"[2, 7]\",relu,\n");
  const Printed table = RunLine(std::string("show --columns node,module --op relu ") + kSmall);
  EXPECT_EQ(table.out.substr(0, table.out.find('\n', 13)), "node  module\nrelu  block");
  EXPECT_NE(
      RunLine(std::string("show --columns node,shpe ") + kSmall).err.find("did you mean `shape`?"), std::string::npos);
}

TEST(Run, WhatHasNoRoomIsNamed) {
  const std::string shown = RunLine("show graphs/resnet_small/graph.json", {.width = 80}).out;
  EXPECT_NE(shown.find("no room for: device (cpu)"), std::string::npos);
  EXPECT_NE(shown.find("[2, 16, 32, 32]"), std::string::npos);
}

TEST(Run, TablesFitTheTerminal) {
  for (const std::string& graph : Graphs()) {
    for (size_t width : {60, 80, 120}) {
      std::istringstream lines(RunLine("show " + graph, {.width = width}).out);
      for (std::string line; std::getline(lines, line) && !line.empty();) EXPECT_LE(DisplayWidth(line), width) << line;
    }
  }
}

bool HasColour(const std::string& text) { return text.find('\x1b') != std::string::npos; }

TEST(Run, ColoursOnATerminalUnlessUnwanted) {
  const std::string line = std::string("show ") + kMismatch;
  EXPECT_FALSE(HasColour(RunLine(line).out));
  const Printed coloured = RunLine(line, {.is_terminal = true});
  EXPECT_TRUE(HasColour(coloured.out) && HasColour(coloured.err));
  EXPECT_FALSE(HasColour(RunLine(line, {.is_terminal = true, .no_color = true}).out));
  EXPECT_FALSE(HasColour(RunLine(line + " --color never", {.is_terminal = true}).out));
  EXPECT_TRUE(HasColour(RunLine(line + " --color always", {.no_color = true}).out));
  // Annotations are for programs.
  EXPECT_FALSE(HasColour(RunLine(std::string(kMismatch) + " --color always").out));
}

// Mermaid refuses a text that is too long, or has too many edges; so do we.
TEST(Run, GraphsTooLargeForMermaidAreRefused) {
  const auto drawn = [](size_t count, const std::string& name) {
    json nodes = {{{"name", "x"}, {"op", "placeholder"}, {"target", "x"}}};
    for (size_t i = 0; i < count; ++i)
      nodes.push_back({{"name", name + std::to_string(i)}, {"op", "call_function"},
          {"target", "torch.ops.aten.relu.default"}, {"args", {{{"node", nodes.back()["name"]}}}}});
    nodes.push_back({{"name", "output"}, {"op", "output"}, {"target", "output"}, {"args", {{{"node", "x"}}}}});
    const std::string path = ::testing::TempDir() + "/mermaid.json";
    std::ofstream(path) << json{{"format", "fakeprop.fx/1"}, {"nodes", nodes}};
    return RunLine("report --mermaid --input x=2:float32 " + path);
  };
  const Printed small = drawn(80, "((((((((((");
  EXPECT_EQ(small.status, ExitStatus::kOk) << small.err;
  EXPECT_LT(small.out.size(), 50000u);
  EXPECT_NE(drawn(200, std::string(100, '(')).err.find("Mermaid reads at most 50000 characters, and the graph has"),
      std::string::npos);
  EXPECT_NE(drawn(500, "r").err.find("Mermaid draws at most 500 edges, and the graph has 501"), std::string::npos);
}

// Each long stage begins and ends: every file that is read, every run.
TEST(Run, ProgressIsToldToPrograms) {
  const auto stages = [](const std::string& line) {
    std::istringstream err(RunLine(line + " --progress json").err);
    std::vector<std::string> stages;
    for (std::string text; std::getline(err, text);) {
      if (!text.starts_with('{')) continue;
      const json event = json::parse(text);
      if (event["done"] == event["total"]) stages.push_back(event["stage"].get<std::string>());
    }
    return stages;
  };
  using Stages = std::vector<std::string>;
  const std::string small = kSmall, edited = "testdata/cli/graphs/small_edited.json";
  EXPECT_EQ(stages(small), Stages({"reading", "propagating"}));
  EXPECT_EQ(stages("inputs " + small), Stages({"reading"}));
  EXPECT_EQ(stages("report " + small), Stages({"reading", "propagating"}));
  EXPECT_EQ(
      stages("report " + small + " --compare " + edited), Stages({"reading", "propagating", "reading", "propagating"}));
  EXPECT_EQ(stages("diff " + small + " " + edited), Stages({"reading", "propagating", "reading", "propagating"}));
  EXPECT_EQ(stages("lint -j2 " + small + " " + edited), Stages({"linting"}));
  EXPECT_EQ(stages("prove " + small), Stages({"reading", "proving, case 1 of at most 64"}));
  const std::string annotations = ::testing::TempDir() + "/progress.json";
  RunLine(small + " -o " + annotations);
  EXPECT_EQ(stages("refine " + annotations), Stages({"reading"}));
}

// A view of a parameter or an input is no result of its own.
TEST(Run, ModulesOfATreeMakeNoViewsOfWhatIsGiven) {
  const auto call = [](const char* name, const char* target, json arguments) {
    return json{{"name", name}, {"op", "call_function"}, {"target", std::string("torch.ops.aten.") + target},
        {"args", std::move(arguments)}, {"meta", {{"nn_module_stack", "a,a,net.A"}}}};
  };
  const json weight = {{"node", "w"}}, input = {{"node", "x"}};
  const json graph = {{"format", "fakeprop.fx/1"},
      {"attributes", {{"a.weight", {{"shape", {2, 3}}, {"dtype", "float32"}}}}},
      {"nodes", {{{"name", "x"}, {"op", "placeholder"}, {"target", "x"}},
                    {{"name", "w"}, {"op", "get_attr"}, {"target", "a.weight"}}, call("t", "t.default", {weight}),
                    call("u", "t.default", {input}), call("mm", "mm.default", {input, {{"node", "t"}}}),
                    {{"name", "output"}, {"op", "output"}, {"target", "output"}, {"args", {{{"node", "mm"}}}}}}}};
  const std::string path = ::testing::TempDir() + "/views.json";
  std::ofstream(path) << graph;
  const Printed run = RunLine("show --tree --format json --input x=4x3:float32 " + path);
  const json module = json::parse(run.out).at("modules").at(1);
  EXPECT_EQ(module.at("result_bytes"), 4 * 2 * 4) << run.out;
  EXPECT_EQ(module.at("parameter_bytes"), 2 * 3 * 4) << run.out;
}

TEST(Run, EveryOperatorIsListedOnce) {
  std::istringstream lines(RunLine("ops").out);
  std::string last;
  size_t count = 0, rules = 0, inplace = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string name = line.substr(0, line.find(' '));
    // The first line has the titles.
    EXPECT_TRUE(count < 2 || last < name) << name;
    last = name;
    rules += line.find("  rule") != std::string::npos;
    inplace += line.find("  rule (in-place of aten::add.Tensor) ") != std::string::npos;
  }
  EXPECT_GT(count, 3000u);
  EXPECT_GT(rules, 300u);
  EXPECT_EQ(inplace, 1u);
}

TEST(Run, GoldenFilesByFolder) {
  const std::string folder = ::testing::TempDir() + "/golden_by_folder";
  std::filesystem::remove_all(folder);
  const std::string line =
      std::string("lint ") + kSmall + " testdata/cli/graphs/changed_record.json --golden " + folder;
  EXPECT_EQ(RunLine(line).status, ExitStatus::kTrouble);
  EXPECT_EQ(RunLine(line + " --update-golden -q").status, ExitStatus::kOk);
  EXPECT_TRUE(std::filesystem::exists(folder + "/small.json"));
  EXPECT_EQ(RunLine(line).status, ExitStatus::kOk);
  std::filesystem::remove(folder + "/small.json");
  const Printed one_missing = RunLine(line);
  EXPECT_EQ(one_missing.status, ExitStatus::kTrouble);
  EXPECT_EQ(one_missing.out, "no findings in 14 nodes of 1 graph\nnot linted: testdata/cli/graphs/small.json\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fakeprop::cli
