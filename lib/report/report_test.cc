// The data of a report, and the page around it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "lib/annotations/annotations_json.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/run_graph.h"
#include "lib/readers/read_graph.h"
#include "lib/report/memory_trace.h"
#include "lib/report/report_data.h"
#include "lib/report/report_page.h"
#include "lib/report/viewer_formats.h"

namespace fakeprop {
namespace {

using nlohmann::json;

json Node(const std::string& name, const std::string& op, const std::string& target, json arguments, json meta = {}) {
  return {{"name", name}, {"op", op}, {"target", target}, {"args", std::move(arguments)}, {"meta", std::move(meta)}};
}

json Ref(const std::string& node) { return {{"node", node}}; }

// x -> relu_ (in a module, on a line of Python) -> add -> output
json SmallGraph(const std::string& name = "y") {
  const json meta = {{"nn_module_stack", "net,net,app.Net;net.0,net.0,torch.nn.modules.activation.ReLU"},
      {"stack_trace", "  File \"model.py\", line 7, in forward\n    return self.net(x)\n"}};
  return {{"format", "fakeprop.fx/1"},
      {"nodes", {Node("x", "placeholder", "x", json::array()),
                    Node(name, "call_function", "torch.ops.aten.relu_.default", json::array({Ref("x")}), meta),
                    Node("z", "call_function", "torch.ops.aten.add.Tensor", json::array({Ref(name), Ref("x")})),
                    Node("output", "output", "output", json::array({Ref("z")}))}}};
}

struct Propagated {
  Graph graph;
  Annotations annotations;
};

Propagated Propagate(const json& file) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraphContent(file.dump(), "g.json", {}, sink);
  EXPECT_TRUE(graph) << sink.diagnostics().at(0).message;
  const auto inputs = ResolveInputs(*graph,
      R"({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [2, 3], "dtype": "float32"}}})", "spec", sink);
  EXPECT_TRUE(inputs) << sink.diagnostics().at(0).message;
  Annotations annotations = RunGraph(*graph, *inputs, {});
  return {std::move(*graph), std::move(annotations)};
}

std::string DataOf(const json& file) {
  const Propagated run = Propagate(file);
  return ReportData({run.graph, run.annotations, {}, [](const struct Node& node) {
                       return NodeService{"rule for " + node.target, "lib/rules/file.cc"};
                     }});
}

TEST(ReportData, HasWhatTheGraphSays) {
  const json data = json::parse(DataOf(SmallGraph()));
  EXPECT_EQ(data["format"], "fakeprop.report/1");
  EXPECT_EQ(data["annotations"]["format"], "fakeprop.annotations/1");
  EXPECT_EQ(data["annotations"]["nodes"].size(), 4u);
  const json& details = data["details"];
  const json& nodes = details["graphs"][0]["nodes"];
  EXPECT_EQ(nodes[0], json::parse(R"j(["", -1, -1, -1, []])j"));
  EXPECT_EQ(nodes[1], json::parse(R"j(["aten::relu_(%x)", 1, 0, 0, [0], [0]])j"));
  EXPECT_EQ(nodes[2], json::parse(R"j(["aten::add.Tensor(%y, %x)", -1, -1, 1, [1, 0]])j"));
  EXPECT_EQ(nodes[3], json::parse(R"j(["", -1, -1, -1, [2]])j"));
  EXPECT_EQ(details["modules"],
      json::parse(R"j([[-1, "net", "app.Net"], [0, "net.0", "torch.nn.modules.activation.ReLU"]])j"));
  EXPECT_EQ(details["traces"], json::parse("[[0]]"));
  EXPECT_EQ(details["frames"][0], json::parse(R"j(["model.py", 7, "forward", "return self.net(x)", false])j"));
  EXPECT_EQ(details["services"][0], json::parse(R"j(["rule for torch.ops.aten.relu_.default", "lib/rules/file.cc"])j"));
  EXPECT_EQ(details["inputs"], json::parse(R"j([[0, "input", ""]])j"));
}

TEST(ReportData, HasMemoryAndCostAsTheLibrariesCountThem) {
  const Propagated run = Propagate(SmallGraph());
  const RunMeasures measures = MeasureRun(run.graph, run.annotations);
  const json details = json::parse(ReportData(
      {run.graph, run.annotations, {}, [](const struct Node&) { return NodeService{}; }, &measures}))["details"];
  // relu_ writes x, which is held; add reads this one tensor twice and makes the output.
  EXPECT_EQ(details["memory"]["blocks"],
      json::parse(R"j([[24, 0, 3, "input", 0, "cpu", 0], [24, 2, 3, "output", 2, "cpu", 1]])j"));
  EXPECT_EQ(details["memory"]["uncounted"], json::parse("[0]"));
  EXPECT_EQ(details["cost"]["nodes"], json::parse("[[0, 1, 6, 24, 24], [0, 2, 6, 24, 24]]"));
  EXPECT_EQ(details["cost"]["uncounted"], json::array());
}

DiffSide SideOf(const Propagated& run, const std::string& name) {
  DiagnosticSink sink;
  std::optional<DiffSide> side = ReadDiffSide(WriteAnnotations(run.graph, run.annotations), name, sink);
  AddGraphFacts(run.graph, *side);
  return std::move(*side);
}

// x -> neg -> add became x -> relu_ -> add.
TEST(ReportData, HasTheNodesOfAnotherGraphBesideItsOwn) {
  json other = SmallGraph("old");
  other["nodes"][1]["target"] = "torch.ops.aten.neg.default";
  const Propagated was = Propagate(other), is = Propagate(SmallGraph("new"));
  const DiffSide from = SideOf(was, "was.json"), to = SideOf(is, "is.json");
  const Diff diff = CompareSides(from, to);
  const DiffReport comparison{diff, from, to};
  const json data = json::parse(ReportData({is.graph, is.annotations, {},
      [](const struct Node&) { return NodeService{}; }, nullptr, &comparison}))["details"]["comparison"];
  EXPECT_EQ(data["from"], "was.json");
  EXPECT_EQ(data["to_runs"], json::parse(R"j([["", "", 4]])j"));
  EXPECT_EQ(data["from_nodes"][1][0], "old");
  EXPECT_EQ(data["from_nodes"][1][3]["shape"], json::parse("[2, 3]"));
  EXPECT_EQ(data["from_nodes"][1][4], "net.0");
  // One row for each node of either: both, gone, new.
  EXPECT_EQ(data["rows"], json::parse("[[0, 0, -1], [1, -1, 0], [-1, 1, 1], [2, 2, -1], [3, 3, -1]]"));
  EXPECT_EQ(data["entries"].size(), 2u);
}

TEST(MemoryTrace, HasNodesBlocksAndThePeak) {
  const Propagated run = Propagate(SmallGraph());
  const json trace = json::parse(MemoryTrace(run.graph, run.annotations));
  std::map<std::string, json> events, tracks;
  for (const json& event : trace.at("traceEvents")) {
    events[event.at("ph").get<std::string>() + event.at("name").get<std::string>()] = event;
    if (event.at("name") == "thread_name") tracks[event.at("args").at("name").get<std::string>()] = event.at("tid");
  }
  EXPECT_EQ(events.at("Xnet.0").at("ts"), 1000);
  EXPECT_EQ(events.at("Xnet.0").at("dur"), 1000);
  EXPECT_EQ(events.at("Xy").at("args").at("line"), "model.py:7");
  EXPECT_EQ(events.at("X1 input, 24 B").at("dur"), 4000);
  EXPECT_EQ(events.at("Xz 24 B").at("ts"), 2000);
  EXPECT_EQ(events.at("ipeak of 48 B").at("args").at("node"), "z");
  EXPECT_EQ(events.at("ipeak of 48 B").at("s"), "t");
  EXPECT_EQ(tracks.at("peak"), events.at("ipeak of 48 B").at("tid"));
  // The counter ends where the graph does.
  EXPECT_EQ(events.at("Cbytes alive").at("ts"), 4000);
  EXPECT_EQ(events.at("Cbytes alive").at("args"), json::parse(R"({"inputs": 0, "outputs": 0})"));
}

TEST(ReportPage, KeepsTheData) {
  for (const std::string& data : {std::string("{}"), DataOf(SmallGraph()), std::string(300000, 'a')})
    EXPECT_EQ(DataInPage(ReportPage("t", data)), data);
}

// Names of a graph are nowhere in the page but in the compressed data and, escaped, in the title.
TEST(ReportPage, HostileNamesAreData) {
  const std::string name = "</script><script>alert(1)</script>";
  const std::string page = ReportPage(name, DataOf(SmallGraph(name)));
  EXPECT_EQ(page.find("alert(1)<"), std::string::npos);
  EXPECT_NE(
      page.find("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; · fakeprop</title>"), std::string::npos);
  size_t ends = 0;
  for (size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++ends;
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(json::parse(DataInPage(page))["annotations"]["nodes"][1]["name"], name);
}

// One file: nothing in it is fetched, and its policy forbids to connect.
TEST(ReportPage, NeedsNoNetwork) {
  const std::string page = ReportPage("t", "{}");
  EXPECT_FALSE(std::regex_search(page, std::regex("(src|href)=\"(?!data:,|#)")));
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_NE(ReportPage("t", "{}", PageConnects::kToItsServer).find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(page.find("@SCRIPT@"), std::string::npos);
}

TEST(Viewers, DotHasModulesAndValues) {
  const Propagated run = Propagate(SmallGraph("a\"b\\"));
  const std::string text = DotText(MakeViewerGraph(run.graph, run.annotations));
  EXPECT_EQ(text.substr(text.find("  n0 ")), R"j(  n0 [label="input\n%x"];
  n2 [label="aten.add.Tensor\n%z"];
  n3 [label="output\n%output"];
  subgraph cluster_0 {
    label="net";
    subgraph cluster_1 {
      label="0";
      n1 [label="aten.relu_\n%a\"b\\", tooltip="model.py:7"];
    }
  }
  n0 -> n1 [label="f32[2, 3] on cpu"];
  n1 -> n2 [label="f32[2, 3] on cpu"];
  n0 -> n2 [label="f32[2, 3] on cpu"];
  n2 -> n3 [label="f32[2, 3] on cpu"];
}
)j");
}

TEST(Viewers, MermaidHasNoMarkupOfNames) {
  const Propagated run = Propagate(SmallGraph("a]<b>\"#"));
  const std::string text = MermaidText(MakeViewerGraph(run.graph, run.annotations));
  EXPECT_NE(text.find("n1[\"aten.relu_<br>#37;a#93;#60;b#62;#34;#35;\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("n0 -->|\"f32#91;2, 3#93; on cpu\"| n1"), std::string::npos) << text;
}

TEST(Viewers, ModelExplorerHasNodesEdgesAndBytes) {
  const Propagated run = Propagate(SmallGraph());
  const ViewerGraph graph = MakeViewerGraph(run.graph, run.annotations);
  const json collection = json::parse(ModelExplorerJson(graph, "g.json"));
  const json& node = collection.at("graphs").at(0).at("nodes").at(1);
  EXPECT_EQ(node.at("namespace"), "net/0");
  EXPECT_EQ(node.at("label"), "aten.relu_");
  EXPECT_EQ(node.at("incomingEdges").at(0).at("sourceNodeId"), "n0");
  EXPECT_EQ(node.at("outputsMetadata").at(0).at("attrs").at(1).at("value"), "f32[2, 3] on cpu");
  EXPECT_EQ(json::parse(ModelExplorerNodeData(graph, "g.json")).at("g.json").at("results").at("n1").at("value"), 24);
}

}  // namespace
}  // namespace fakeprop
