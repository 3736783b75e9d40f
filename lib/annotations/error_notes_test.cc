#include "lib/annotations/error_notes.h"

#include <gtest/gtest.h>

#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Kind = NodeAnnotation::Kind;
using Notes = std::vector<std::string>;

TEST(ErrorNotes, CountWhatWasSkipped) {
  std::vector<Node> nodes(5);
  Annotations annotations;
  annotations.diagnostics = {{.message = "a"}, {.message = "b"}};
  annotations.graphs = {
      {"", {{Kind::kValue, &nodes[0]}, {Kind::kError, &nodes[1], nullptr, {}, 0},
               {Kind::kSkipped, &nodes[2], nullptr, {}, -1, &nodes[1]},
               {Kind::kSkipped, &nodes[3], nullptr, {}, -1, &nodes[1]}, {Kind::kError, &nodes[4], nullptr, {}, 1}}}};
  ExplainErrors({}, {}, annotations);
  EXPECT_EQ(annotations.diagnostics[0].notes, Notes{"2 nodes were skipped because of it"});
  EXPECT_TRUE(annotations.diagnostics[1].notes.empty());
}

TEST(ErrorNotes, AnErrorInASubgraphTellsWhatItsCallStopped) {
  std::vector<Node> nodes(3);
  Annotations annotations;
  annotations.diagnostics = {{.message = "inside"}};
  annotations.graphs = {
      {"", {{Kind::kError, &nodes[0], nullptr, {}, 0}, {Kind::kSkipped, &nodes[1], nullptr, {}, -1, &nodes[0]}}},
      {"sub", {{Kind::kError, &nodes[2], nullptr, {}, 0}}}};
  ExplainErrors({}, {}, annotations);
  EXPECT_EQ(annotations.diagnostics[0].notes, Notes{"1 node was skipped because of it"});
}

TEST(ErrorNotes, SayTheSizesOfTheSymbolsThatTheyShow) {
  Annotations annotations;
  annotations.shape_env = std::make_shared<ShapeEnv>();
  for (const char* name : {"n", "m", "s", "u"})
    annotations.shape_env->NewSymbol(name, {2, 64}, name[0] == 'u' ? std::nullopt : std::optional<int64_t>(13), "");
  annotations.diagnostics = {{.message = "shape [4, 16] is invalid for input of size 32*n and u"}, {.message = "mns"},
      {.message = "sizes", .operands = {{"%x", "f32[m, s.n]", ""}}}};
  annotations.graphs = {{"", {}}};
  ExplainErrors({}, {}, annotations);
  EXPECT_EQ(annotations.diagnostics[0].notes, Notes{"at n = 13"});
  EXPECT_EQ(annotations.diagnostics[1].notes, Notes{});
  EXPECT_EQ(annotations.diagnostics[2].notes, Notes{"at m = 13"});
}

TEST(ErrorNotes, NameTheInputsThatAreNotAsRecorded) {
  Graph graph;
  graph.nodes.resize(4);
  graph.inputs = {{.node = 0}, {.node = 1}};
  graph.nodes[2].arguments = {{"", NodeRef{0}}};
  graph.nodes[3].arguments = {{"", NodeRef{2}}};
  std::vector<InputValue> inputs(2);
  inputs[0] = {.is_tensor = true, .origin = "input `x` of spec.json", .recorded = "f32[8, 3]"};
  inputs[0].meta.sizes = {8}, inputs[0].meta.strides = {1};
  inputs[1] = {.is_tensor = true, .origin = "input `y` of spec.json", .recorded = "f32[9]"};
  Annotations annotations;
  annotations.diagnostics = {{.message = "deep inside"}};
  annotations.graphs = {{"", {{Kind::kValue, &graph.nodes[0]}, {Kind::kValue, &graph.nodes[1]},
                                 {Kind::kValue, &graph.nodes[2]}, {Kind::kError, &graph.nodes[3], nullptr, {}, 0}}}};
  ExplainErrors(graph, inputs, annotations);
  EXPECT_EQ(
      annotations.diagnostics[0].notes, Notes{"input `x` of spec.json is f32[8] on cpu; the graph recorded f32[8, 3]"});
}

}  // namespace
}  // namespace fakeprop
