#include <gtest/gtest.h>

#include "lib/diag/render_json.h"
#include "lib/diag/render_text.h"

namespace fakeprop {
namespace {

Diagnostic Mismatch() {
  Diagnostic d;
  d.code = {"FP3001", "ShapeMismatch"};
  d.message = "mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)";
  d.file = "graph.json";
  d.place = "/graph_module/graph/nodes/2";
  d.node = "mm";
  d.node_text = "%mm = aten::mm(%relu, %y)";
  d.frames = {{"model.py", 12, "Net.forward", "return self.block(x, y)"},
      {"torch/nn/modules/container.py", 253, "Sequential.forward", "input = module(input)"},
      {"model.py", 41, "Block.forward", "return torch.mm(a, y)"}};
  d.operands = {{"%relu", "f32[2, 7] on cpu", "made at model.py:40: a = x.relu()"},
      {"%y", "f32[8, 3] on cpu", "input `y` of inputs.json"}};
  d.notes = {"3 nodes were skipped because of it"};
  return d;
}

TEST(RenderText, PythonFirstThenNodeThenOperands) {
  EXPECT_EQ(RenderText(Mismatch()),
      "error[FP3001]: mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)\n"
      " --> model.py:41, in Block.forward\n"
      "   |\n"
      "41 |     return torch.mm(a, y)\n"
      "   |\n"
      "   = node    %mm = aten::mm(%relu, %y)     graph.json: /graph_module/graph/nodes/2\n"
      "   = %relu   f32[2, 7] on cpu, made at model.py:40: a = x.relu()\n"
      "   = %y      f32[8, 3] on cpu, input `y` of inputs.json\n"
      "   = called from model.py:12, in Net.forward\n"
      "   = 3 nodes were skipped because of it\n");
}

TEST(RenderText, WithoutATraceTheNodeLeads) {
  Diagnostic d = Mismatch();
  d.frames.clear();
  d.operands.clear();
  EXPECT_EQ(RenderText(d),
      "error[FP3001]: mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)\n"
      " --> %mm = aten::mm(%relu, %y)     graph.json: /graph_module/graph/nodes/2\n"
      "   = 3 nodes were skipped because of it\n");
}

TEST(RenderText, WithoutANodeTheFileLeads) {
  Diagnostic d{
      .code = {"FP1003", "MalformedJson"}, .message = "expected a value", .file = "g.json", .place = "byte 17"};
  EXPECT_EQ(RenderText(d), "error[FP1003]: expected a value\n --> g.json: byte 17\n");
  d = {.code = {"FP1001", "UnreadableFile"}, .message = "cannot read `g.json`: is a directory", .file = "g.json"};
  EXPECT_EQ(RenderText(d), "error[FP1001]: cannot read `g.json`: is a directory\n");
}

TEST(RenderText, LongLineNumbersAndSourcesOfSeveralLines) {
  Diagnostic d{.code = {"FP3005", "ValueError"}, .severity = Severity::kWarning, .message = "m", .node = "a"};
  d.frames = {{"m.py", 1234, "f", "g(\n    x)"}};
  EXPECT_EQ(RenderText(d),
      "warning[FP3005]: m\n"
      "   --> m.py:1234, in f\n"
      "     |\n"
      "1234 |     g(\n"
      "     |         x)\n"
      "     |\n"
      "     = node   %a\n");
}

TEST(RenderText, ManyCallersAreCounted) {
  Diagnostic d{.code = {"FP3005", "ValueError"}, .message = "m"};
  for (int i = 1; i <= 8; ++i) d.frames.push_back({"m.py", i, "f", ""});
  EXPECT_EQ(RenderText(d),
      "error[FP3005]: m\n"
      " --> m.py:8, in f\n"
      "   = called from m.py:7, in f\n"
      "   = called from m.py:6, in f\n"
      "   = called from m.py:5, in f\n"
      "   = called from m.py:4, in f\n"
      "   = called from 3 more places\n");
}

TEST(RenderText, NotesKeepTheirLines) {
  const Diagnostic d{.code = {"FP2008", "MissingInput"}, .message = "m", .notes = {"a spec:\n{\n  \"x\": 1\n}\n"}};
  EXPECT_EQ(RenderText(d), "error[FP2008]: m\n   = a spec:\n     {\n       \"x\": 1\n     }\n");
}

TEST(RenderText, NothingInAFileSteersTheTerminal) {
  const Diagnostic d{
      .code = {"FP1005", "MalformedGraph"}, .message = "a \x1b[31m b\n c", .file = "\xff.json", .place = "/x"};
  EXPECT_EQ(RenderText(d), "error[FP1005]: a ?[31m b c\n --> \xef\xbf\xbd.json: /x\n");
}

TEST(RenderText, ColoursWhenAsked) {
  const std::string text = RenderText(Mismatch(), {true});
  EXPECT_NE(text.find("\x1b[1;31merror[FP3001]\x1b[0m"), std::string::npos);
  EXPECT_NE(text.find("\x1b[36m%relu\x1b[0m   f32[2, 7]"), std::string::npos);
}

std::string Json(const Diagnostic& diagnostic) {
  JsonWriter json;
  json.BeginObject();
  WriteDiagnosticMembers(diagnostic, json);
  json.EndObject();
  return json.Take();
}

TEST(RenderJson, SameFacts) {
  EXPECT_EQ(Json(Mismatch()),
      R"x({"code": "FP3001", "class": "ShapeMismatch", "severity": "error", )x"
      R"x("message": "mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)", "file": "graph.json", )x"
      R"x("place": "/graph_module/graph/nodes/2", "node": "mm", "node_text": "%mm = aten::mm(%relu, %y)", )x"
      R"x("python": {"file": "model.py", "line": 41, "function": "Block.forward", )x"
      R"x("source": "return torch.mm(a, y)"}, "frames": [{"file": "model.py", "line": 12, "function": "Net.forward", )x"
      R"x("source": "return self.block(x, y)"}, {"file": "torch/nn/modules/container.py", "line": 253, )x"
      R"x("function": "Sequential.forward", )x"
      R"x("source": "input = module(input)"}, {"file": "model.py", "line": 41, "function": "Block.forward", )x"
      R"x("source": "return torch.mm(a, y)"}], "operands": [{"name": "%relu", "meta": "f32[2, 7] on cpu", )x"
      R"x("origin": "made at model.py:40: a = x.relu()"}, {"name": "%y", "meta": "f32[8, 3] on cpu", )x"
      R"x("origin": "input `y` of inputs.json"}], "notes": ["3 nodes were skipped because of it"]})x");
}

TEST(RenderJson, WhatIsEmptyIsLeftOut) {
  EXPECT_EQ(Json({.code = {"FP5001", "BadUsage"}, .message = "m"}),
      R"({"code": "FP5001", "class": "BadUsage", "severity": "error", "message": "m"})");
}

}  // namespace
}  // namespace fakeprop
