// Archives as torch.export.save has laid them out over the versions, around the graph of testdata/readers/inputs.json.
#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "lib/base/testing/make_zip.h"
#include "lib/readers/read_graph.h"
#include "lib/readers/testing/graph_text.h"

namespace fakeprop {
namespace {

using testing::MakeZip;
using testing::ZipContent;
using namespace std::string_literals;

const std::string& GraphJson() {
  static const std::string text = [] {
    std::string error;
    return ReadWholeFile("testdata/readers/inputs.json", error).value();
  }();
  return text;
}

std::string Meta(int dtype, const std::string& sizes, const std::string& strides, int offset = 0) {
  return R"({"dtype": )" + std::to_string(dtype) + R"(, "sizes": [)" + sizes + R"(], "strides": [)" + strides +
         R"(], "storage_offset": {"as_int": )" + std::to_string(offset) +
         R"(}, "requires_grad": false, "device": {"type": "cpu", "index": null}, "layout": 7})";
}

std::string Payload(const std::string& name, const std::string& path, const std::string& meta, bool pickled = false) {
  return "\"" + name + R"(": {"path_name": ")" + path + R"(", "is_param": true, "use_pickle": )" +
         (pickled ? "true" : "false") + R"(, "tensor_meta": )" + meta + "}";
}

std::string Config(const std::string& payloads) { return "{\"config\": {" + payloads + "}}"; }

constexpr char kTwo[] = R"({"as_int": 2})", kOne[] = R"({"as_int": 1})";

// A 2.13 archive with one more table of weights and of constants.
ZipContent Archive(const std::string& weights, const std::string& constants) {
  return {{"net/archive_format", "pt2"}, {"net/archive_version", "0"}, {"net/models/model.json", GraphJson()},
      {"net/data/weights/model_weights_config.json", Config(weights)},
      {"net/data/constants/model_constants_config.json", Config(constants)},
      {"net/data/constants/tensor_0", "\x05\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"s}};
}

std::string WriteTemporary(const std::string& content) {
  const std::string path = ::testing::TempDir() + "/model.anything";
  std::string error;
  EXPECT_TRUE(WriteWholeFile(path, content, error)) << error;
  return path;
}

Graph Read(const ZipContent& content, const ReaderOptions& options = {}) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph(WriteTemporary(MakeZip(content)), options, sink);
  if (!graph) throw std::runtime_error(testing::DiagnosticsText(sink));
  return std::move(*graph);
}

std::string ErrorOf(const ZipContent& content, const ReaderOptions& options = {}) {
  DiagnosticSink sink;
  EXPECT_FALSE(ReadGraph(WriteTemporary(MakeZip(content)), options, sink));
  return testing::DiagnosticsText(sink);
}

const RecordedTensor& RecordedFor(const Graph& graph, const char* name) {
  return std::get<RecordedTensor>(graph.recorded.find(name)->second);
}

TEST(Pt2, HoldsTheGraph) {
  DiagnosticSink sink;
  const std::string expected = testing::GraphText(*ReadExportJson(GraphJson(), "model.json", sink));
  EXPECT_EQ(testing::GraphText(Read(Archive("", ""))), expected);
  // Up to 2.7: no folder, other names.
  EXPECT_EQ(
      testing::GraphText(Read({{"serialized_exported_program.json", GraphJson()}, {"version", "8.2"}})), expected);
  EXPECT_EQ(testing::GraphText(Read({{"package/models/only.json", GraphJson()}})), expected);
}

TEST(Pt2, ChoosesAModel) {
  ZipContent content = Archive("", "");
  content.emplace_back("net/models/other.json", GraphJson());
  Read(content);
  Read(content, {.model = "other"});
  EXPECT_EQ(ErrorOf(content, {.model = "third"}), "FP1009 the archive has no model `third`: it has `model`, `other`\n");
  EXPECT_EQ(ErrorOf({{"a/models/x.json", GraphJson()}, {"a/models/y.json", GraphJson()}}),
      "FP1009 the archive has several models: choose one of `x`, `y` with `--model`\n");
}

TEST(Pt2, KnowsWhichWeightsShareStorage) {
  const std::string base = Payload("net.w", "weight_0", Meta(7, kTwo + ", "s + kTwo, kTwo + ", "s + kOne));
  const std::string view = Payload("mean", "weight_0", Meta(7, kTwo, kOne, 2));
  const Graph graph = Read(Archive(base + ", " + view, ""));
  EXPECT_EQ(graph.inputs[0].storage_of, -1);
  EXPECT_EQ(graph.inputs[1].storage_of, 0);
  EXPECT_EQ(RecordedFor(graph, "b_mean").storage_offset.number, 2);
  EXPECT_EQ(RecordedFor(graph, "b_mean").dtype, ScalarType::Float);
  EXPECT_FALSE(RecordedFor(graph, "p_w").requires_grad);
}

TEST(Pt2, ReadsSmallConstants) {
  const auto elements_of = [](const std::string& payload) { return Read(Archive("", payload)).inputs[2].elements; };
  const Constant both = elements_of(Payload("k", "tensor_0", Meta(5, kTwo, kOne)));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->size(), 2u);
  EXPECT_EQ(ToString(both->at(0)) + " " + ToString(both->at(1)), "5 -2");
  EXPECT_EQ(ToString(elements_of(Payload("k", "tensor_0", Meta(5, "", "", 1)))->at(0)), "-2");
  EXPECT_EQ(ToString(elements_of(Payload("k", "tensor_0", Meta(1, kTwo, R"({"as_int": 8})")))->at(1)), "254");
  // Of another dtype, beyond its bytes, pickled, or not there.
  EXPECT_FALSE(elements_of(Payload("k", "tensor_0", Meta(7, kTwo, kOne))));
  EXPECT_FALSE(elements_of(Payload("k", "tensor_0", Meta(5, kTwo, kOne, 1))));
  EXPECT_FALSE(elements_of(Payload("k", "tensor_0", Meta(5, kTwo, R"({"as_int": 9223372036854775807})"))));
  EXPECT_FALSE(elements_of(Payload("k", "tensor_0", Meta(5, kTwo, kOne), true)));
  EXPECT_FALSE(elements_of(Payload("k", "tensor_7", Meta(5, kTwo, kOne))));
}

// Where the elements of the buffer `mean` lie. `changes`: the graph returns other elements for it.
std::string BoundsOf(const std::string& payload, bool changes, BufferReading buffers = {}) {
  ZipContent content = Archive("", payload);
  const std::string changed = R"("buffer_mutation": {"arg": {"name": "b_mean"}, "buffer_name": "mean"})",
                    returned = R"("user_output": {"arg": {"as_tensor": {"name": "b_mean"}}})";
  std::string& model = content[2].second;
  if (!changes) model.replace(model.find(changed), changed.size(), returned);
  Read(content, {.buffers = &buffers});
  const auto found = buffers.bounds.find("mean");
  if (found == buffers.bounds.end()) return "none";
  return std::to_string(found->second.least) + " to " + std::to_string(found->second.greatest);
}

TEST(Pt2, ReadsWhereElementsOfBuffersLie) {
  const std::string buffer = Payload("mean", "tensor_0", Meta(5, kTwo, kOne));
  EXPECT_EQ(BoundsOf(buffer, false), "-2 to 5");
  EXPECT_EQ(BoundsOf(buffer, false, {.most_bytes = 8}), "none");
  // The next call finds other elements.
  EXPECT_EQ(BoundsOf(buffer, true), "none");
  // A part of its storage, and floats.
  EXPECT_EQ(BoundsOf(Payload("mean", "tensor_0", Meta(5, kOne, kOne)), false), "none");
  EXPECT_EQ(BoundsOf(Payload("mean", "tensor_0", Meta(7, kTwo, kOne)), false), "none");
}

// Before 2.10 constants were pickled: {"k": torch.tensor([5, -2])}.
TEST(Pt2, ReadsSmallPickledConstants) {
  const std::string pickle =
      "\x80\x02}X\x01\0\0\0kctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nLongStorage\nX\x01\0\0\0"
      "0X\x03\0\0\0cpuK\x02tQK\0K\x02\x85K\x01\x85\x89"
      "ccollections\nOrderedDict\n)RtRs."s;
  const std::string data = "\x05\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"s;
  const std::string saved = MakeZip({{"archive/data.pkl", pickle}, {"archive/data/0", data}});
  for (const ZipContent& content :
      {ZipContent{{"serialized_exported_program.json", GraphJson()}, {"serialized_constants.pt", saved}},
          ZipContent{{"net/models/model.json", GraphJson()}, {"net/data/constants/model.pt", saved}}}) {
    const Constant both = Read(content).inputs[2].elements;
    ASSERT_TRUE(both);
    EXPECT_EQ(ToString(both->at(0)) + " " + ToString(both->at(1)), "5 -2");
  }
  // What is no archive, or names other things, leaves them unknown.
  std::string other = saved;
  other.replace(other.find("torch._utils"), 12, "torch._xtils");
  for (const std::string& bad : {std::string("no archive"), other})
    EXPECT_FALSE(
        Read({{"serialized_exported_program.json", GraphJson()}, {"serialized_constants.pt", bad}}).inputs[2].elements);
}

TEST(Pt2, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({{"a/archive_format", "pt2"}, {"a/data/aotinductor/model/x.so", "ELF"}}),
      "FP1002 this is a package of AOTInductor: it holds a compiled model and no graph; save the exported program "
      "itself with torch.export.save\n");
  EXPECT_EQ(ErrorOf({{"a/data.pkl", "\x80\x02}q."}, {"a/data/0", "weights"}}),
      "FP1002 this is a checkpoint of torch.save: it holds objects such as weights and no graph; a graph is saved "
      "with torch.export.save or torch.jit.save\n");
  EXPECT_EQ(ErrorOf({{"word/document.xml", "<?xml"}}),
      "FP1002 this is a zip archive, but no graph: if a graph's file is in it, unpack it\n");
  EXPECT_EQ(ErrorOf({{"a/archive_version", "1"}, {"a/models/model.json", GraphJson()}}),
      "FP1004 the archive's `a/archive_version` is `1`, supported is `0`\n");
  EXPECT_EQ(ErrorOf({{"a/models/model.json", "{}"}}),
      "FP1002 this JSON is no graph of torch.export: it has no `graph_module`\n");
  EXPECT_EQ(ErrorOf(Archive("\"net.w\": 5", "")),
      "FP1005 /config/net.w: `net/data/weights/model_weights_config.json`: expected an object but found 5\n");
  EXPECT_EQ(ErrorOf(Archive(Payload("net.w", "w", Meta(5, R"({"as_expr": {"expr_str": "s0"}})", kOne)), "")),
      "FP1005 /config/net.w/tensor_meta: `net/data/weights/model_weights_config.json`: expected sizes in numbers "
      "but found an object\n");
}

TEST(Pt2, SurvivesDamage) {
  const std::string bytes = MakeZip(Archive("", ""));
  for (int i = 1; i < 50; ++i) {
    DiagnosticSink sink;
    EXPECT_FALSE(ReadGraph(WriteTemporary(bytes.substr(0, bytes.size() * i / 50)), sink)) << i;
    EXPECT_EQ(sink.diagnostics().size(), 1u);
  }
  std::string damaged = bytes;
  damaged[damaged.find("input_specs")] = 'j';
  DiagnosticSink sink;
  EXPECT_FALSE(ReadGraph(WriteTemporary(damaged), sink));
  EXPECT_EQ(testing::DiagnosticsText(sink),
      "FP1008 the archive is damaged: its member `net/models/model.json` cannot be read: CRC error\n");
}

}  // namespace
}  // namespace fakeprop
