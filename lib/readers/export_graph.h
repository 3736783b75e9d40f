// Builds the nodes of one torch.export graph: the same nodes with the same names and in the same order as PyTorch's own
// deserializer makes. Source: GraphModuleDeserializer in torch/_export/serde/serialize.py (2.13).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"
#include "lib/readers/fx_names.h"

namespace fakeprop {

// A graph that is well-formed but contradicts itself: a name made twice, a reference to nothing.
struct InconsistentGraph : JsonError {
  InconsistentGraph(JsonValue at, std::string message) : JsonError(at.Pointer(), std::move(message)) {}
};

// The tags of an Argument.
enum class ArgumentTag {
  kNone,
  kTensor,
  kTensors,
  kInt,
  kInts,
  kFloat,
  kFloats,
  kString,
  kStrings,
  kSymInt,
  kSymInts,
  kScalarType,
  kMemoryFormat,
  kLayout,
  kDevice,
  kBool,
  kBools,
  kSymBool,
  kSymBools,
  kGraph,
  kOptionalTensors,
  kCustomObj,
  kOperator,
  kSymFloat,
  kSymFloats,
  kOptionalTensor,
  kComplex,
  kNestedTensors,
  kIntLists,
  kStringToArgument,
  kFloatLists,
};

struct TaggedArgument {
  ArgumentTag tag;
  JsonValue value;
};
TaggedArgument ReadArgumentTag(JsonValue json);

// Shared by all graphs of a file.
struct ExportContext {
  std::string source;
  std::shared_ptr<TextArena> text;
  // The names of the inputs in the signature, by position.
  std::vector<std::string_view> input_names;
};

// Throws JsonError and InconsistentGraph.
class ExportGraphBuilder {
 public:
  ExportGraphBuilder(const ExportContext& context, JsonValue json) : context_(context), json_(json) {}

  Graph Build();

 private:
  // export_graph.cc: nodes.
  void AddPlaceholder(JsonValue json, size_t position);
  void AddCall(JsonValue json);
  void AddOutput();
  int32_t AddNode(NodeOp op, std::string_view target, std::string_view name_candidate);
  void CopyMetadata(JsonValue json, Node& node);

  // export_results.cc: the names of a call's results.
  std::string NameCandidate(JsonValue json, std::string_view target);
  void AddResults(JsonValue json, int32_t call);
  void AddSingleResult(JsonValue json, TaggedArgument result, int32_t call);
  void AddGetitem(JsonValue result, TaggedArgument tagged, int32_t of, int64_t item);
  void AddListGetitems(TaggedArgument list, int32_t of);
  int32_t AddGetitemNode(int32_t of, int64_t item, std::string_view name_candidate);
  // Makes `node` the value `name`. The node gets this name, even if FX would choose another one.
  void Define(std::string_view name, int32_t node, JsonValue json);

  // export_arguments.cc: the arguments of a call.
  GraphValue ReadArgument(JsonValue json);
  NodeRef ReadReference(std::string_view name, JsonValue json);
  NodeRef ReadTensor(JsonValue json);
  GraphValue ReadOptionalTensor(JsonValue json);
  GraphValue ReadCustomObj(JsonValue json);
  GraphValue ReadDict(JsonValue json);
  NodeRef AddSubgraph(JsonValue json);
  [[noreturn]] void FailReference(std::string_view name, JsonValue json);

  const ExportContext& context_;
  JsonValue json_;
  Graph graph_;
  FxNamespace names_;
  std::unordered_map<std::string_view, int32_t> values_;
  // The place of the nodes that are being added.
  std::string_view place_prefix_;
  int32_t place_index_ = -1;
};

// The name of the value of a result: {"name": ..} of a tensor or object, {"as_name": ..} of a symbolic number. Empty
// for any other result.
std::string_view ResultName(TaggedArgument result);

}  // namespace fakeprop
