// Propagates the modules of testdata/torchscript, and that of graphs/kinds, and compares with what PyTorch said of
// their values (tools/dev/export/export_scripts.py, export_kinds.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "lib/annotations/annotations_json.h"
#include "lib/base/testing/read_text.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/readers/read_graph.h"
#include "lib/testing/compare_compilers.h"

// For the leak sanitizer: a c10::InterfaceType that LibTorch reads from an archive holds itself by its methods'
// schemas.
extern "C" const char* __lsan_default_suppressions() { return "leak:libtorch_cpu.so\n"; }

namespace fakeprop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFolder = "testdata/torchscript";
constexpr const char* kKind = "graphs/kinds/torchscript";  // the case "kinds"

std::string Words(const std::vector<Diagnostic>& diagnostics) {
  std::string words;
  for (const Diagnostic& d : diagnostics) words += d.message + "\n";
  return words;
}

struct AnnotatedRun {
  json annotations;
  std::string errors;
};

AnnotatedRun Annotate(const fs::path& folder, const std::string& method) {
  DiagnosticSink sink;
  const auto graph = ReadGraph(folder / "graph.pt", {{.method = method, .import_script = ImportByLibTorch}, {}}, sink);
  if (!graph) return {{}, Words(sink.diagnostics())};
  const auto inputs = ResolveInputs(*graph, ReadTextFile(folder / "inputs.json"), "inputs.json", sink);
  if (!inputs) return {{}, Words(sink.diagnostics())};
  RunOptions options;
  options.grad_enabled = false;
  options.keep_going = true;
  options.open_libtorch = OpenLibTorch;
  const Annotations annotations = RunGraph(*graph, *inputs, options);
  return {json::parse(WriteAnnotations(*graph, annotations)), Words(annotations.diagnostics)};
}

// [dtype, shape, stride, offset, device, storage], as expected.json has them.
class Comparer {
 public:
  void Compare(const std::string& name, const json& got, const json& want) {
    if (!got.is_object() || got.value("type", "") != "tensor") {
      ADD_FAILURE() << name << " is " << got.dump() << ", not " << want.dump();
      return;
    }
    const bool same = got["dtype"] == want[0] && got["shape"] == want[1] && SameStrides(got["stride"], want) &&
                      got["storage_offset"] == want[3] && got["device"] == want[4] &&
                      SameStorage(got["storage"], want[5]);
    EXPECT_TRUE(same) << name << " is " << got.dump() << ", not " << want.dump();
  }

 private:
  static bool SameStrides(const json& got, const json& want) {
    if (got.size() != want[1].size()) return false;
    for (const json& size : want[1])
      if (size == 0) return true;
    for (size_t d = 0; d < got.size(); ++d)
      if (want[1][d] != 1 && got[d] != want[2][d]) return false;
    return true;
  }

  bool SameStorage(int64_t mine, int64_t theirs) {
    return mine_.emplace(mine, theirs).first->second == theirs && theirs_.emplace(theirs, mine).first->second == mine;
  }

  std::map<int64_t, int64_t> mine_, theirs_;
};

// Values of nodes by their names in torch's graph.
std::map<std::string, json> ByName(const json& annotations) {
  std::map<std::string, json> values;
  for (const json& node : annotations.at("nodes")) {
    if (!node.contains("torchscript") || !node.contains("meta")) continue;
    const json &names = node["torchscript"]["values"], &value = node["meta"]["val"];
    if (names.size() == 1) values[names[0]] = value;
  }
  return values;
}

void Flatten(const json& value, std::vector<json>& tensors) {
  if (value.is_array())
    for (const json& item : value) Flatten(item, tensors);
  if (!value.is_object()) return;
  if (value.value("type", "") == "tensor") tensors.push_back(value);
  if (value.value("type", "") == "dict")
    for (const json& item : value["items"]) Flatten(item[1], tensors);
}

class TorchScript : public ::testing::TestWithParam<std::string> {};

TEST_P(TorchScript, AsPyTorch) {
  const bool is_kind = GetParam() == "kinds";
  const fs::path folder = is_kind ? fs::path(kKind) : fs::path(kFolder) / GetParam();
  const json expected = json::parse(ReadTextFile(folder / (is_kind ? "values.json" : "expected.json")));
  const AnnotatedRun run = Annotate(folder, expected.value("method", ""));
  if (expected.contains("error")) {
    EXPECT_NE(run.errors.find(expected["error"].get<std::string>()), std::string::npos) << run.errors;
    return;
  }
  ASSERT_EQ(run.errors, "");
  Comparer comparer;
  const auto values = ByName(run.annotations);
  for (const auto& [name, want] : expected["values"].items()) {
    const auto it = values.find(name);
    comparer.Compare(name, it == values.end() ? json() : it->second, want);
  }
  std::vector<json> outputs;
  Flatten(run.annotations["nodes"].back()["meta"]["val"], outputs);
  ASSERT_EQ(outputs.size(), expected["outputs"].size());
  for (size_t i = 0; i < outputs.size(); ++i)
    comparer.Compare("output " + std::to_string(i), outputs[i], expected["outputs"][i]);
}

std::vector<std::string> Cases() {
  std::vector<std::string> names = {"kinds"};
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (fs::exists(entry.path() / "expected.json")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchScript, ::testing::ValuesIn(Cases()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fakeprop
