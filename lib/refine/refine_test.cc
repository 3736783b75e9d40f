#include "lib/refine/refine.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

constexpr std::string_view kSymbols = R"j("symbols": {
    "batch": {"min": 2, "max": 512, "hint": 8, "source": "x.size(0)"},
    "s1": {"min": 0, "multiple_of": 4, "hint": 8, "source": "y.size(0)"},
    "u0": {"min": 0, "kind": "unbacked", "source": "nonzero"}})j";
constexpr std::string_view kGuards = R"j("guards": [
    {"expr": "Ne(batch, 7)", "node": "add", "line": "model.py:41"},
    {"expr": "u0 <= batch", "node": "narrow", "kind": "assertion"}])j";

// Annotations with one node that has the value.
std::string Annotations(
    std::string_view value, std::string_view symbols = kSymbols, std::string_view guards = kGuards) {
  return "{\n  \"format\": \"fakeprop.annotations/1\",\n  " + std::string(symbols) + ",\n  " + std::string(guards) +
         ",\n  \"storages\": [\n    {\"id\": 0, \"nbytes\": \"4*batch\", \"device\": \"cpu\"}],\n  \"nodes\": [\n    "
         "{\"name\": \"y\", "
         "\"meta\": {\"val\": " +
         std::string(value) + "}}]\n}\n";
}

struct Result {
  std::string text;  // of the node's value, or the message
  std::string code, node, line;
};

std::string Between(const std::string& text, std::string_view from, std::string_view to) {
  const size_t start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

Result Refine(std::string_view text, const SymbolValues& values) {
  DiagnosticSink sink;
  const std::optional<Refined> refined = RefineAnnotations(text, "annotations.json", values, sink);
  if (refined) return {Between(refined->text, "\"val\": ", "}}]"), {}, {}, {}};
  const Diagnostic& d = sink.diagnostics().front();
  const std::string line = d.frames.empty() ? "" : d.frames[0].file + ":" + std::to_string(d.frames[0].line);
  return {d.message, std::string(d.code.id), d.node, line};
}

struct Row {
  const char* value;
  const char* refined;
};

TEST(Refine, EvaluatesValues) {
  constexpr Row kRows[] = {
      {R"j({"type": "tensor", "shape": ["2*batch + 1", 3, "(s1 - 1)//2"], )j"
       R"j("stride": ["batch", 1, 1], "storage_offset": "Mod(s1, 3)"})j",
          R"j({"type": "tensor", "shape": [7, 3, 5], "stride": [3, 1, 1], "storage_offset": 0})j"},
      {R"j({"type": "symint", "expr": "2*batch", "hint": 16})j", "6"},
      {R"j({"type": "symfloat", "expr": "sqrt(ToFloat(s1 + 4))", "hint": 3.0})j", "4.0"},
      {R"j({"type": "symbool", "expr": "batch <= 2", "hint": false})j", "false"},
      {R"j({"type": "symint", "expr": "u0 + batch"})j", R"j({"type": "symint", "expr": "u0 + 3"})j"},
      {R"j([{"type": "symint", "expr": "batch"}, "batch", null, true, 1.5])j", R"j([3, "batch", null, true, 1.5])j"},
      {R"j({"type": "dict", "items": [["batch", {"type": "symint", "expr": "batch"}]]})j",
          R"j({"type": "dict", "items": [["batch", 3]]})j"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Refine(Annotations(row.value), {{"batch", 3}, {"s1", 12}}).text, row.refined);
}

TEST(Refine, KeepsWhatHasNoSymbols) {
  const std::string text = Annotations("[1, 2.5, \"a\"]", "\"symbols\": {}", "\"guards\": []");
  const std::string plain = text.substr(0, text.find("\"4*batch\"")) + "16" + text.substr(text.find("\"4*batch\"") + 9);
  DiagnosticSink sink;
  EXPECT_EQ(RefineAnnotations(plain, "a.json", {}, sink)->text, plain);
}

TEST(Refine, UnbackedSymbolsMayStay) {
  DiagnosticSink sink;
  const std::string text = RefineAnnotations(Annotations("null"), "a.json", {{"batch", 3}, {"s1", 12}}, sink)->text;
  EXPECT_NE(text.find("\"symbols\": {\n    \"u0\": {\"min\": 0, \"kind\": \"unbacked\", \"source\": \"nonzero\"}}"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"guards\": [\n    {\"expr\": \"u0 <= 3\", \"node\": \"narrow\", \"kind\": \"assertion\"}]"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"nbytes\": 12"), std::string::npos) << text;
}

TEST(Refine, OtherSymbolsStay) {
  constexpr std::string_view kThree = R"j("symbols": {
    "batch": {"min": 2, "max": 64, "hint": 8}, "b": {"min": 2, "max": 64, "hint": 6},
    "c": {"min": 2, "max": 9, "hint": 3}})j";
  constexpr std::string_view kOpen = R"j("guards": [{"expr": "batch*b >= 3*c", "node": "add"}, {"expr": "Ne(b, c)"}, )j"
                                     R"j({"expr": "Eq(Mod(batch, 4), 0)"}])j";
  const std::string text = Annotations(R"j({"type": "symint", "expr": "batch*b + c", "hint": 51})j", kThree, kOpen);
  EXPECT_EQ(Refine(text, {{"batch", 4}}).text, R"j({"type": "symint", "expr": "4*b + c", "hint": 27})j");
  EXPECT_EQ(Refine(text, {}).text, R"j({"type": "symint", "expr": "batch*b + c", "hint": 51})j");
  EXPECT_EQ(Refine(text, {{"batch", 5}}).text,
      "the guard `Eq(Mod(batch, 4), 0)` of the inputs does not hold where `batch` = 5");
  DiagnosticSink sink;
  const std::string refined = RefineAnnotations(text, "a.json", {{"batch", 4}}, sink)->text;
  EXPECT_NE(refined.find("\"symbols\": {\n    \"b\": {\"min\": 2, \"max\": 64, \"hint\": 6},\n    \"c\": {"),
      std::string::npos)
      << refined;
  EXPECT_NE(
      refined.find("\"guards\": [\n    {\"expr\": \"3*c <= 4*b\", \"node\": \"add\"},\n    {\"expr\": \"Ne(b, c)\"}]"),
      std::string::npos)
      << refined;
  EXPECT_EQ(RefineAnnotations(refined, "a.json", {{"b", 5}, {"c", 3}}, sink)->text,
      RefineAnnotations(text, "a.json", {{"batch", 4}, {"b", 5}, {"c", 3}}, sink)->text);
}

TEST(Refine, RefusesWhatNoOtherSizesAllow) {
  const std::string text =
      Annotations("null", R"j("symbols": {"batch": {"min": 2, "max": 64}, "b": {"min": 2, "max": 9}})j",
          R"j("guards": [{"expr": "batch < b", "node": "add"}])j");
  EXPECT_EQ(Refine(text, {{"batch", 8}}).text, "null");
  EXPECT_EQ(Refine(text, {{"batch", 9}}).text, "the guard `batch < b` of node `add` does not hold where `batch` = 9");
}

TEST(Refine, EqualitiesGiveSymbols) {
  const std::string text = Annotations(R"j({"type": "symint", "expr": "s1"})j",
      R"j("symbols": {"batch": {"min": 2}, "s1": {"min": 2, "max": 9}})j",
      R"j("guards": [{"expr": "Eq(2*batch, s1)"}])j");
  EXPECT_EQ(Refine(text, {{"batch", 3}}).text, "6");
  EXPECT_EQ(Refine(text, {{"batch", 5}}).code, "FP7004");
  EXPECT_EQ(Refine(Annotations(R"j({"type": "symint", "expr": "batch + s1"})j",
                       R"j("symbols": {"batch": {"min": 2}, "s1": {"min": 2}})j",
                       R"j("guards": [{"expr": "Eq(2*batch, s1)"}])j"),
                {{"s1", 8}})
                .text,
      "12");
  EXPECT_EQ(Refine(text, {{"batch", 3}, {"s1", 7}}).text,
      "the guard `Eq(2*batch, s1)` of the inputs does not hold where `batch` = 3, `s1` = 7");
}

TEST(Refine, GuardsAreChecked) {
  const Result violated = Refine(Annotations("null"), {{"batch", 7}, {"s1", 8}});
  EXPECT_EQ(violated.code, "FP7005");
  EXPECT_EQ(violated.text, "the guard `Ne(batch, 7)` of node `add` does not hold where `batch` = 7");
  EXPECT_EQ(violated.node, "add");
  EXPECT_EQ(violated.line, "model.py:41");
  EXPECT_EQ(Refine(Annotations("null"), {{"batch", 3}, {"s1", 8}, {"u0", 4}}).text,
      "the guard `u0 <= batch` of node `narrow` does not hold where `u0` = 4, `batch` = 3");
}

TEST(Refine, RefusesWrongValues) {
  struct {
    SymbolValues values;
    const char* code;
    const char* message;
  } const rows[] = {
      {{{"batch", 3}, {"s1", 8}, {"seq", 2}}, "FP7002",
          "the annotations have no symbol `seq`: they have `batch` (from 2 to 512), `s1` (at least 0), `u0` (at least "
          "0)"},
      {{{"batch", 1}, {"s1", 8}}, "FP7004", "`batch` is 1 (x.size(0)) but has to be at least 2"},
      {{{"batch", 513}, {"s1", 8}}, "FP7004", "`batch` is 513 (x.size(0)) but has to be at most 512"},
      {{{"batch", 3}, {"s1", 10}}, "FP7004", "`s1` is 10 (y.size(0)) but has to be a multiple of 4"},
      {{{"batch", 3}, {"s1", 8}, {"u0", -1}}, "FP7004", "`u0` is -1 (nonzero) but has to be at least 0"},
  };
  for (const auto& row : rows) {
    const Result got = Refine(Annotations("null"), row.values);
    EXPECT_EQ(got.code, row.code);
    EXPECT_EQ(got.text, row.message);
  }
}

TEST(Refine, RefusesBadFiles) {
  const SymbolValues values = {{"batch", 3}, {"s1", 8}};
  for (const std::string& text :
      {std::string(""), std::string("[]"), std::string("{\"format\": \"fakeprop.inputs/1\"}"),
          std::string("{\"format\": \"fakeprop.annotations/1\", \"nodes\": []}"),
          Annotations(R"j({"type": "symint"})j"), Annotations(R"j({"type": "symint", "expr": "other"})j"),
          Annotations(R"j({"type": "symint", "expr": "2 +"})j"),
          Annotations(R"j({"type": "symint", "expr": "batch//0"})j"),
          Annotations(R"j({"type": "symint", "expr": "batch**9999"})j"),
          Annotations(R"j({"type": "tensor", "shape": [true]})j"), Annotations("null", "\"symbols\": []")}) {
    const Result got = Refine(text, values);
    EXPECT_EQ(got.code, "FP7001") << text << got.text;
  }
}

}  // namespace
}  // namespace fakeprop
