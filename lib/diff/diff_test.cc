#include "lib/diff/diff.h"

#include <gtest/gtest.h>

#include "lib/diff/diff_report.h"

namespace fakeprop {
namespace {

std::string TensorText(const std::string& shape, int storage, const std::string& rest = "") {
  std::string stride = "[1";
  for (char c : shape) stride += c == ',' ? ", 1" : "";
  stride += "]";
  return R"({"type": "tensor", "shape": )" + shape + R"(, "stride": )" + stride +
         R"(, "storage_offset": 0, "dtype": "float32",)" +
         R"( "device": "cpu", "layout": "strided", "requires_grad": false, "storage": )" + std::to_string(storage) +
         rest + "}";
}

std::string NodeText(const std::string& name, const std::string& target, const std::string& value) {
  return R"({"name": ")" + name + R"(", "op": ")" + (target == name ? "placeholder" : "call_function") +
         R"(", "target": ")" + target + R"(", "meta": {"val": )" + value + "}}";
}

// Annotations of these nodes.
std::string FileText(const std::vector<std::string>& nodes, const std::string& symbols = "",
    const std::string& guards = "", const std::string& more = "") {
  std::string text = R"({"format": "fakeprop.annotations/1", "symbols": {)" + symbols + R"(}, "guards": [)" + guards +
                     R"(], "storages": [{"id": 0, "nbytes": 8}, {"id": 1, "nbytes": 8}], "nodes": [)";
  for (const std::string& node : nodes) text += (text.back() == '[' ? "" : ", ") + node;
  return text + "]" + more + "}";
}

DiffSide SideOf(const std::string& text, const std::string& name) {
  DiagnosticSink sink;
  std::optional<DiffSide> side = ReadDiffSide(text, name, sink);
  EXPECT_TRUE(side) << sink.diagnostics().at(0).message;
  return std::move(*side);
}

// What changed, one line each.
std::string Changes(const std::string& from, const std::string& to) {
  const DiffSide a = SideOf(from, "a.json"), b = SideOf(to, "b.json");
  const Diff diff = CompareSides(a, b);
  std::string text;
  for (const DiffEntry& entry : diff.entries) {
    if (entry.kind != DiffEntry::Kind::kChanged)
      text += std::string(entry.to ? "+" : "-") + std::string(entry.node().name) + "\n";
    for (const FieldChange& field : entry.fields)
      text += std::string(entry.to->name) + " " + field.field + " " + field.from.text + " -> " + field.to.text + "\n";
  }
  for (const SymbolChange& symbol : diff.symbols) text += "symbol " + symbol.name + " " + symbol.bound + "\n";
  for (const GuardChange& guard : diff.guards)
    text += (guard.is_added ? "+guard " : "-guard ") + guard.expression + "\n";
  for (const RenamedNode& node : diff.renamed) text += node.from + " renamed " + node.to + "\n";
  EXPECT_EQ(DiffText({diff, a, b}, {}).find("nothing changed") != std::string::npos, diff.IsEmpty());
  return text;
}

const std::string kX = NodeText("x", "x", TensorText("[2, 3]", 0));

TEST(Diff, NumbersOfStoragesAndStridesThatDoNotCountAreNoChange) {
  EXPECT_EQ(
      Changes(FileText({kX, NodeText("view", "v", TensorText("[6]", 0)), NodeText("neg", "n", TensorText("[1]", 1))}),
          FileText({NodeText("x", "x", TensorText("[2, 3]", 1)), NodeText("view", "v", TensorText("[6]", 1)),
              NodeText("neg", "n", TensorText("[1]", 0))})),
      "");
}

TEST(Diff, AliasingIsAPartition) {
  const std::vector<std::string> shared = {
      kX, NodeText("a", "f", TensorText("[6]", 0)), NodeText("b", "g", TensorText("[6]", 0))};
  const std::vector<std::string> copied = {
      kX, NodeText("a", "f", TensorText("[6]", 1)), NodeText("b", "g", TensorText("[6]", 1))};
  // b shares a's storage, as before.
  EXPECT_EQ(Changes(FileText(shared), FileText(copied)), "a aliasing the storage of x -> a storage of its own\n");
  EXPECT_EQ(Changes(FileText(copied), FileText(shared)), "a aliasing a storage of its own -> the storage of x\n");
}

TEST(Diff, SymbolsMayHaveOtherNames) {
  const auto file = [](const std::string& s, const std::string& t, const std::string& max, const std::string& guards) {
    return FileText({NodeText("x", "x", TensorText("[\"" + s + "\", \"" + t + "\"]", 0)),
                        NodeText("f", "f", TensorText("[\"2*" + s + " + " + t + "\"]", 1))},
        "\"" + s + R"(": {"min": 2, "hint": 4}, ")" + t + R"(": {"min": 2)" + max + "}", guards);
  };
  const auto guard = [](const std::string& text) { return R"({"expr": ")" + text + R"(", "node": "f"})"; };
  EXPECT_EQ(
      Changes(file("s0", "s1", "", guard("Eq(Mod(s0, 2), 0)")), file("s1", "batch", "", guard("Eq(Mod(s1, 2), 0)"))),
      "");
  EXPECT_EQ(Changes(file("s0", "s1", "", guard("Eq(Mod(s0, 2), 0)")), file("s0", "s1", "", guard("Eq(Mod(s1, 2), 0)"))),
      "-guard Eq(Mod(s0, 2), 0)\n+guard Eq(Mod(s1, 2), 0)\n");
  EXPECT_EQ(Changes(file("s0", "s1", "", ""), file("s0", "n", R"(, "max": 64)", "")), "symbol n max\n");
  // One symbol cannot stand for two.
  EXPECT_EQ(Changes(FileText({NodeText("x", "x", TensorText(R"(["s0", "s1"])", 0))}, R"("s0": {}, "s1": {})"),
                FileText({NodeText("x", "x", TensorText(R"(["s0", "s0"])", 0))}, R"("s0": {})")),
      "x shape [\"s0\", \"s1\"] -> [\"s0\", \"s0\"]\n");
}

TEST(Diff, ListsNumbersAndErrors) {
  const std::string failed =
      R"({"name": "f", "op": "call_function", "target": "f", "error": {"class": "ShapeMismatch"}})";
  EXPECT_EQ(Changes(FileText({NodeText("f", "t", "[1, " + TensorText("[2]", 0) + "]")}),
                FileText({NodeText("f", "t", "[2, " + TensorText("[4]", 0) + "]")})),
      "f [0].value 1 -> 2\nf [1].shape [2] -> [4]\n");
  EXPECT_EQ(Changes(FileText({NodeText("f", "f", "1")}), FileText({failed})), "-f\n+f\n");
  EXPECT_EQ(Changes(FileText({failed}), FileText({failed})), "");
  EXPECT_EQ(Changes(FileText({NodeText("f", "t", TensorText("[2]", 0))}),
                FileText({NodeText("f", "t", TensorText("[2]", 0, R"(, "is_conj": true)"))})),
      "f is_conj false -> true\n");
}

TEST(Diff, SubgraphsMayHaveOtherNames) {
  const auto file = [](const std::string& name, const std::string& shape) {
    return FileText({R"({"name": ")" + name + R"(", "op": "get_attr", "target": ")" + name +
                        R"(", "meta": {"val": {"type": "graph", "name": ")" + name + R"("}}})"},
        "", "", R"(, "subgraphs": {")" + name + R"(": {"nodes": [)" + NodeText("x", "x", TensorText(shape, 0)) + "]}}");
  };
  EXPECT_EQ(Changes(file("true_graph_0", "[2]"), file("true_graph_0", "[3]")), "x shape [2] -> [3]\n");
  EXPECT_EQ(Changes(file("true_graph_0", "[2]"), file("true_graph_0", "[2]")), "");
}

TEST(Diff, NodesWithOtherNamesAreNotFindings) {
  std::vector<std::string> a = {kX}, b = {kX};
  for (int i = 0; i < 50; ++i) {
    a.push_back(NodeText("a" + std::to_string(i), "torch.add", TensorText("[2]", 0)));
    b.push_back(NodeText("b" + std::to_string(i), "torch.add", TensorText(i == 30 ? "[3]" : "[2]", 0)));
  }
  const std::string changes = Changes(FileText(a), FileText(b));
  EXPECT_EQ(changes.substr(0, changes.find('\n')), "b30 shape [2] -> [3]");
}

TEST(Diff, HostileNamesStayText) {
  const std::string name = R"(<img src=x>|`[a](b)\u001b[31m)";
  const DiffSide a = SideOf(FileText({}), "a.json"), b = SideOf(FileText({NodeText(name, "t", "1")}), "b.json");
  const Diff diff = CompareSides(a, b);
  const std::string markdown = DiffMarkdown({diff, a, b});
  EXPECT_NE(markdown.find(R"(| &lt;img src=x&gt;\|\`\[a\]\(b\)?\[31m |)"), std::string::npos) << markdown;
  EXPECT_EQ(DiffText({diff, a, b}, {}).find('\x1b'), std::string::npos);
}

TEST(Diff, OtherFilesAreErrors) {
  DiagnosticSink sink;
  for (const std::string text : {"", "{}", R"({"format": "fakeprop.annotations/1"})",
           R"({"format": "fakeprop.annotations/1", "storages": [], "symbols": {}, "guards": [], "nodes": [{}]})"})
    EXPECT_FALSE(ReadDiffSide(text, "a.json", sink)) << text;
  EXPECT_EQ(sink.diagnostics().size(), 4u);
}

}  // namespace
}  // namespace fakeprop
