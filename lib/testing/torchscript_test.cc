// Propagates the modules of testdata/torchscript, and that of graphs/kinds, and compares with what PyTorch said of
// their values (tools/dev/export/export_scripts.py, export_kinds.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "lib/annotations/annotations_json.h"
#include "lib/base/testing/read_text.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/annotations.h"
#include "lib/interpreter/run_graph.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/op_rules.h"
#include "lib/python/shipped_rules.h"
#include "lib/readers/read_graph.h"
#include "lib/refine/refine.h"
#include "lib/symbolic/shape_env.h"
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

AnnotatedRun Annotate(const fs::path& folder, const std::string& method, const std::string& spec) {
  DiagnosticSink sink;
  const TorchScriptOptions reading{
      .method = method, .import_script = ImportByLibTorch, .add_library = AddShippedLibrary};
  const auto graph = ReadGraph(folder / "graph.pt", {reading, {}}, sink);
  if (!graph) return {{}, Words(sink.diagnostics())};
  const auto env = std::make_shared<ShapeEnv>();
  const auto inputs = ResolveInputs(*graph, spec, "inputs.json", sink, env.get());
  if (!inputs) return {{}, Words(sink.diagnostics())};
  RunOptions options;
  options.grad_enabled = false;
  options.keep_going = true;
  options.open_libtorch = OpenLibTorch;
  options.op_rules = &OpRules::Shipped();
  options.shape_env = env;
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

// The sizes that depend on data, as this run of PyTorch had them: of each value whose size is one symbol.
class SizesOfRun {
 public:
  void Add(const json& got, const json& want) {
    if (!got.is_object() || !got.contains("shape") || got["shape"].size() != want[1].size()) return;
    for (size_t d = 0; d < got["shape"].size(); ++d)
      if (got["shape"][d].is_string() && unbacked_.contains(got["shape"][d]))
        values_.emplace(got["shape"][d], want[1][d].get<int64_t>());
  }

  json Refined(const json& annotations, const SymbolValues& hints) {
    values_.insert(hints.begin(), hints.end());
    if (values_.empty()) return annotations;
    DiagnosticSink sink;
    const auto refined = RefineAnnotations(annotations.dump(), "annotations", values_, sink);
    EXPECT_TRUE(refined) << Words(sink.diagnostics());
    return refined ? json::parse(refined->text) : annotations;
  }

  explicit SizesOfRun(const json& annotations) {
    const json symbols = annotations.value("symbols", json::object());
    for (const auto& [name, symbol] : symbols.items())
      if (symbol.value("kind", "") == "unbacked") unbacked_.insert(name);
  }

 private:
  std::set<std::string> unbacked_;
  SymbolValues values_;
};

// Calls visit(name, got, want) for each value and output.
template <typename Visit>
void ForEachExpected(const json& annotations, const json& expected, const Visit& visit) {
  const auto values = ByName(annotations);
  for (const auto& [name, want] : expected["values"].items()) {
    const auto it = values.find(name);
    visit(name, it == values.end() ? json() : it->second, want);
  }
  std::vector<json> outputs;
  Flatten(annotations["nodes"].back()["meta"]["val"], outputs);
  ASSERT_EQ(outputs.size(), expected["outputs"].size());
  for (size_t i = 0; i < outputs.size(); ++i) visit("output " + std::to_string(i), outputs[i], expected["outputs"][i]);
}

class TorchScript : public ::testing::TestWithParam<std::string> {};

// A contiguous tensor's sizes above 1 become symbols "b0", "b1" ..., with the sizes as their hints.
void MakeSymbols(json& entry, SymbolValues& hints) {
  if (entry.contains("items"))
    for (json& item : entry["items"]) MakeSymbols(item, hints);
  if (!entry.contains("shape")) return;
  int64_t stride = 1;
  for (size_t d = entry["shape"].size(); d-- > 0; stride *= entry["shape"][d].get<int64_t>())
    if (entry["stride"][d] != stride) return;
  entry.erase("stride");
  for (json& size : entry["shape"]) {
    if (size <= 1) continue;
    const std::string name = "b" + std::to_string(hints.size());
    hints.emplace(name, size);
    size = name;
  }
}

// The spec with symbols.
json WithSymbols(json spec, SymbolValues& hints) {
  for (json& entry : spec["inputs"]) MakeSymbols(entry, hints);
  for (const auto& [name, hint] : hints) spec["symbols"][name] = {{"hint", hint}, {"min", 1}};
  return spec;
}

void CompareRun(const std::string& name, bool with_symbols) {
  const bool is_kind = name == "kinds";
  const fs::path folder = is_kind ? fs::path(kKind) : fs::path(kFolder) / name;
  const json expected = json::parse(ReadTextFile(folder / (is_kind ? "values.json" : "expected.json")));
  json spec = json::parse(ReadTextFile(folder / "inputs.json"));
  SymbolValues hints;
  if (with_symbols) spec = WithSymbols(std::move(spec), hints);
  const AnnotatedRun run = Annotate(folder, expected.value("method", ""), spec.dump());
  if (expected.contains("error")) {
    EXPECT_NE(run.errors.find(expected["error"].get<std::string>()), std::string::npos) << run.errors;
    return;
  }
  ASSERT_EQ(run.errors, "");
  SizesOfRun sizes(run.annotations);
  ForEachExpected(
      run.annotations, expected, [&](const std::string&, const json& got, const json& want) { sizes.Add(got, want); });
  Comparer comparer;
  ForEachExpected(sizes.Refined(run.annotations, hints), expected,
      [&](const std::string& name, const json& got, const json& want) { comparer.Compare(name, got, want); });
}

TEST_P(TorchScript, AsPyTorch) { CompareRun(GetParam(), false); }

// With symbols for the sizes of inputs, and these replaced again.
TEST_P(TorchScript, AsPyTorchForSymbols) { CompareRun(GetParam(), true); }

TEST(StoredTensors, KeepTheirStorageAndTheirBits) {
  const fs::path folder = fs::path(kFolder) / "stored_views";
  const AnnotatedRun run = Annotate(folder, "forward", ReadTextFile(folder / "inputs.json"));
  ASSERT_EQ(run.errors, "");
  std::map<std::string, json> values = ByName(run.annotations);
  const auto nbytes = [&](const std::string& name) -> int64_t {
    return run.annotations["storages"][values[name]["storage"].get<size_t>()]["nbytes"];
  };
  EXPECT_EQ(nbytes("positions.1"), 160);
  EXPECT_EQ(nbytes("16"), 64);
  EXPECT_TRUE(values["rates.1"].value("is_conj", false));
  EXPECT_TRUE(values["steps.1"].value("is_neg", false));
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
