#include "lib/annotations/annotations_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "lib/base/testing/json_schema.h"

namespace fakeprop {
namespace {

using nlohmann::json;

std::string Text(const Value& value) {
  JsonWriter json;
  WriteValue(Graph(), value, json);
  return json.Take();
}

json Schema() {
  std::ifstream file("docs/annotations.schema.json");
  return json::parse(file);
}

std::vector<std::string> Validate(const std::string& text) {
  return testing::ValidateJson(json::parse(text), Schema());
}

struct Case {
  Value value;
  const char* text;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Case kCases[] = {
    {Value(), "null"},
    {7, "7"},
    {int64_t{-9223372036854775807} - 1, "-9223372036854775808"},
    {true, "true"},
    {2.0, "2.0"},
    {0.1, "0.1"},
    {1e300, "1e+300"},
    {-kInfinity, R"({"type": "float", "value": "-Infinity"})"},
    {std::complex<double>(1, -0.5), R"({"type": "complex", "value": [1.0, -0.5]})"},
    {std::complex<double>(0, kInfinity),
        R"({"type": "complex", "value": [0.0, {"type": "float", "value": "Infinity"}]})"},
    {"mean \"x\"", R"("mean \"x\"")"},
    {ScalarType::BFloat16, R"({"type": "dtype", "value": "bfloat16"})"},
    {Device(DeviceType::CUDA, 1), R"({"type": "device", "value": "cuda:1"})"},
    {Layout::Strided, R"({"type": "layout", "value": "strided"})"},
    {MemoryFormat::ChannelsLast, R"({"type": "memory_format", "value": "channels_last"})"},
    {Opaque{"torch.classes.a.B", "obj"}, R"({"type": "object", "class": "torch.classes.a.B"})"},
    {List{{1, List{{}, true}, Value()}, false}, "[1, [], null]"},
    {Dict{{{"k", 1}, {2, List{{}, false}}}}, R"({"type": "dict", "items": [["k", 1], [2, []]]})"},
};

TEST(WriteValue, EveryKind) {
  for (const Case& c : kCases) EXPECT_EQ(Text(c.value), c.text);
}

TEST(WriteValue, EveryKindIsInTheSchema) {
  json schema = Schema();
  schema["$ref"] = "#/$defs/value";
  for (const char* key : {"type", "required", "additionalProperties", "properties"}) schema.erase(key);
  for (const Case& c : kCases)
    EXPECT_EQ(testing::ValidateJson(json::parse(c.text), schema), std::vector<std::string>()) << c.text;
  EXPECT_NE(
      testing::ValidateJson(json::parse(R"({"type": "complex", "value": [1.0]})"), schema), std::vector<std::string>());
}

// A tensor of a run, with what a test wants to set.
class TensorValue {
 public:
  explicit TensorValue(TensorMeta meta) {
    storage_.id = 3;
    tensor.meta = std::move(meta);
    tensor.storage = &storage_;
  }
  Tensor tensor;

 private:
  Storage storage_;
};

TensorMeta Meta(std::vector<int64_t> sizes, ScalarType dtype = ScalarType::Float) {
  const Dims dims(sizes.begin(), sizes.end());
  return ContiguousMeta({dims.data(), dims.size()}, dtype, Device(DeviceType::CPU));
}

TEST(WriteValue, Tensors) {
  TensorValue t(Meta({2, 3}));
  t.tensor.own_requires_grad = true;
  EXPECT_EQ(Text(&t.tensor),
      R"({"type": "tensor", "shape": [2, 3], "stride": [3, 1], "storage_offset": 0, "dtype": "float32", )"
      R"("device": "cpu", "layout": "strided", "requires_grad": true, "storage": 3})");
  TensorValue conj(Meta({}, ScalarType::ComplexFloat));
  conj.tensor.meta.is_conj = conj.tensor.meta.is_neg = true;
  conj.tensor.meta.storage_offset = 4;
  EXPECT_EQ(Text(&conj.tensor),
      R"({"type": "tensor", "shape": [], "stride": [], "storage_offset": 4, "dtype": "complex64", "device": "cpu", )"
      R"("layout": "strided", "requires_grad": false, "storage": 3, "is_conj": true, "is_neg": true})");
}

std::string ConstantText(std::vector<int64_t> sizes, std::vector<Value> elements) {
  TensorValue t(Meta(std::move(sizes)));
  t.tensor.constant = std::make_shared<const std::vector<Value>>(std::move(elements));
  return json::parse(Text(&t.tensor)).at("value").dump();
}

TEST(WriteValue, ConstantsAreNestedAsTheShapeIs) {
  EXPECT_EQ(ConstantText({}, {5}), "5");
  EXPECT_EQ(ConstantText({2, 3}, {1, 2, 3, 4, 5, 6}), "[[1,2,3],[4,5,6]]");
  EXPECT_EQ(ConstantText({2, 0}, {}), "[[],[]]");
  EXPECT_EQ(ConstantText({2}, {true, 1.5}), "[true,1.5]");
}

// x -> relu -> mm (fails) -> output (skipped), and a subgraph.
struct SmallRun {
  Graph graph;
  Annotations annotations;

  SmallRun() {
    graph.source = "g.json";
    graph.kind = "torch.export";
    graph.nodes = {{.name = "x", .op = NodeOp::kPlaceholder, .target = "x"},
        {.name = "mm", .op = NodeOp::kCallFunction, .target = "torch.ops.aten.mm.default"},
        {.name = "output", .op = NodeOp::kOutput, .target = "output"}};
    graph.subgraphs.push_back({"true_graph_0", std::make_unique<Graph>()});
    graph.subgraphs[0].graph->nodes = {{.name = "y", .op = NodeOp::kPlaceholder, .target = "y"}};
    annotations.objects = std::make_shared<ObjectTable>();
    Storage* storage = annotations.objects->NewStorage(24, Device(DeviceType::CPU));
    storage->id = 0;
    annotations.storages = {storage};
    annotations.diagnostics = {{.code = {"FP3001", "ShapeMismatch"}, .message = "no"}};
    using Kind = NodeAnnotation::Kind;
    annotations.graphs.push_back(
        {"", {{Kind::kValue, &graph.nodes[0], nullptr, annotations.objects->NewTensor(Meta({2, 3}), storage)},
                 {Kind::kError, &graph.nodes[1], nullptr, {}, 0},
                 {Kind::kSkipped, &graph.nodes[2], nullptr, {}, -1, &graph.nodes[1]}}});
    annotations.graphs.push_back({"true_graph_0", {{Kind::kValue, &graph.subgraphs[0].graph->nodes[0], nullptr, 7}}});
  }
};

TEST(WriteAnnotations, WholeFile) {
  const SmallRun run;
  const std::string text = WriteAnnotations(run.graph, run.annotations);
  EXPECT_EQ(text, R"({
  "format": "fakeprop.annotations/1",
  "generator": {"fakeprop": "0.1.0", "torch": "2.15.0"},
  "graph": {"source": "g.json", "kind": "torch.export"},
  "symbols": {},
  "guards": [],
  "storages": [
    {"id": 0, "nbytes": 24, "device": "cpu"}],
  "nodes": [
    {"name": "x", "op": "placeholder", "target": "x", "meta": {"val": {"type": "tensor", "shape": [2, 3], )"
                  R"("stride": [3, 1], "storage_offset": 0, "dtype": "float32", "device": "cpu", "layout": "strided", )"
                  R"("requires_grad": false, "storage": 0}}},
    {"name": "mm", "op": "call_function", "target": "torch.ops.aten.mm.default", )"
                  R"("error": {"class": "ShapeMismatch", "code": "FP3001", "message": "no"}},
    {"name": "output", "op": "output", "target": "output", "skipped": "mm"}],
  "subgraphs": {
    "true_graph_0": {"nodes": [
      {"name": "y", "op": "placeholder", "target": "y", "meta": {"val": 7}}]}}
}
)");
  EXPECT_EQ(Validate(text), std::vector<std::string>());
  EXPECT_EQ(text, WriteAnnotations(run.graph, run.annotations));
}

TEST(WriteAnnotations, TheSchemaRefusesWhatIsNone) {
  const SmallRun run;
  json changed = json::parse(WriteAnnotations(run.graph, run.annotations));
  changed["nodes"][0]["meta"]["val"]["dtype"] = 6;
  changed["nodes"][1]["skipped"] = "x";
  changed["more"] = 1;
  EXPECT_GE(Validate(changed.dump()).size(), 3u);
}

}  // namespace
}  // namespace fakeprop
