// The graph that every reader makes and the interpreter runs: FX nodes in order, with their arguments.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/version.h"
#include "lib/graph/open_value.h"
#include "lib/meta/objects.h"
#include "lib/meta/value.h"

namespace fakeprop {

enum class NodeOp { kPlaceholder, kGetAttr, kCallFunction, kCallMethod, kCallModule, kOutput };

// "placeholder", "call_function" ...
std::string_view Name(NodeOp op);

struct NodeRef {  // the result of an earlier node of the same graph
  int32_t index;
};
struct InlineSize {  // a size that is written as an argument: "2*s0 + 1"
  std::string spelling;
};
// An argument as the graph has it.
using GraphValue = OpenValue<NodeRef, InlineSize>;

// Calls `visit(NodeRef)` with every reference to a node.
template <typename Visit>
void ForEachNode(const GraphValue& value, const Visit& visit) {
  ForEachLeaf(value, Overloaded{[&](NodeRef ref) { visit(ref); }, [](const auto&) {}});
}

struct Argument {
  // The name in the operator's schema. Empty if the argument is given by position, as for higher-order operators and
  // Python's operators on numbers.
  std::string_view name;
  GraphValue value;
};

struct Node {
  std::string name;
  NodeOp op = NodeOp::kCallFunction;
  // In FX's spelling: "torch.ops.aten.relu.default", "_operator.getitem", the name of a placeholder or attribute,
  // "output".
  std::string target;
  // A get_attr of a subgraph has one argument, the GraphRef. Calls that take the subgraph have a NodeRef to the
  // get_attr. An output has one argument: a tuple, or the single value that a subgraph returns without a tuple.
  std::vector<Argument> arguments;
  // The place in the file: "/graph_module/graph/nodes/2". It is put together from these parts when it is needed.
  std::string_view place_prefix;
  int32_t place_index = -1;
  // For a get_attr or call_module: index into Graph::attributes or Graph::modules of the outermost graph. Else -1.
  int32_t member = -1;
  // Python's traceback text and module stack, if the file has them. Graph::text owns them.
  std::string_view stack_trace;
  std::string_view nn_module_stack;
  // For TorchScript: the names of the results in torch's inlined graph.
  std::vector<std::string_view> result_names;

  std::string Place() const;
};

// A size that a file recorded: a number, or an expression over symbols as the file spells it.
struct RecordedSize {
  int64_t number = 0;
  std::string_view expression;  // empty for a number
  std::optional<int64_t> hint;
};

// The metadata that a file recorded for a value. Inputs are made from it. Propagation never uses the recorded metadata
// of other nodes.
struct RecordedTensor {
  std::vector<RecordedSize> sizes;
  std::vector<RecordedSize> strides;
  RecordedSize storage_offset;
  ScalarType dtype = ScalarType::Float;
  Device device = Device(DeviceType::CPU);
  Layout layout = Layout::Strided;
  bool requires_grad = false;
  bool is_conj = false;
  bool is_neg = false;
};
struct RecordedNumber {
  enum class Kind { kInt, kFloat, kBool } kind = Kind::kInt;
  RecordedSize integer;  // kInt, and any kind's expression
  double floating = 0;
  bool boolean = false;
};
using Recorded = std::variant<RecordedTensor, RecordedNumber>;

// The type of a placeholder: a tensor, a symbolic number, a string or device that the spec gives, a list, tuple or dict
// of these, or a known value (a constant, an object). For kAny the file has no type: the spec or the default value
// decides.
enum class InputType { kTensor, kInt, kFloat, kBool, kString, kDevice, kList, kTuple, kDict, kOther, kAny };

// The type of an input with the types of its items, as far as the file declares them (TorchScript).
struct InputPart {
  InputType type = InputType::kAny;
  // For a list its element, for a tuple each element, for a dict its key and its value. For kAny its type if it is not
  // None.
  std::vector<InputPart> parts;
};

enum class InputKind { kParameter, kBuffer, kTensorConstant, kUserInput, kConstant, kCustomObject, kToken };

// One placeholder, in the order of the graph's placeholder nodes.
struct Input {
  InputKind kind = InputKind::kUserInput;
  InputType type = InputType::kTensor;
  std::vector<InputPart> parts;  // as in InputPart
  int32_t node = -1;             // index of the placeholder in nodes
  // "net.0.weight" for a parameter, buffer or constant, "obj" for a custom object of the module. For a user's input in
  // a dict, list or dataclass, the caller's expression for it: `inputs["mask"]`. Else empty.
  std::string qualified_name;
  Value constant;            // kConstant: its value. kCustomObject, kToken: the Opaque
  bool has_default = false;  // for a kAny input: `constant` is its default value
  // If the file has weights beside the graph:
  int32_t storage_of = -1;  // the earlier input whose storage this one shares
  Constant elements;        // of a small constant of integers or bools
  int32_t copy_of = -1;     // the earlier input of whose bytes this one holds a copy, by the archive's checksums
  std::string place;        // JSON pointer of its signature entry
};

// A tensor that get_attr nodes fetch and modules compute with, in files where such tensors are not inputs.
struct Attribute {
  std::string name;  // its path: "layer1.0.weight"
  RecordedTensor tensor;
  int32_t storage_of = -1;  // the attribute whose storage this one shares; that one has -1 itself
  int64_t nbytes = 0;       // of its storage, where the file says more than the tensor reaches
  Constant elements;        // of a small one of integers or bools
};

// A Python module that call_module nodes run: its class, and the arguments of its constructor.
struct Module {
  std::string name;        // its path: "layer1.0.conv"
  std::string class_name;  // "torch.nn.modules.conv.Conv2d"
  // The base classes that compute the same as its class, the nearest first.
  std::vector<std::string> bases;
  Dict arguments;  // of its constructor, by name
  bool training = false;
};

struct Graph;
struct Subgraph {
  std::string name;  // the attribute under which FX holds it: "true_graph_0"
  std::unique_ptr<Graph> graph;
};

struct SymbolRange {
  std::optional<int64_t> min;
  std::optional<int64_t> max;
};

inline constexpr std::string_view kFxKind = "torch.fx";
inline constexpr std::string_view kTorchScriptKind = "torchscript";

struct Graph {
  std::string source;                    // the file's name, for messages and annotations
  std::string kind;                      // "torch.export", "torch.fx", "torchscript"
  int torch = kNewestTorch;              // of the outermost graph: the version of torch whose answers are given
  TorchBuild build = TorchBuild::kCuda;  // of that torch, on whose answers it depends too
  std::vector<Node> nodes;               // in execution order; a NodeRef points backwards
  std::vector<Input> inputs;             // one for each placeholder of the outermost graph; empty in subgraphs
  std::vector<Subgraph> subgraphs;
  std::vector<Attribute> attributes;                       // of the outermost graph, for all
  std::vector<Module> modules;                             // the same
  std::map<std::string, Recorded, std::less<>> recorded;   // by value name
  std::map<std::string, SymbolRange, std::less<>> ranges;  // by symbol or expression, as spelt
  // The demands of the exported program on its inputs, in Python: "L['x'].size()[1] <= 512" (guards_code of
  // torch.export, from torch 2.10 on).
  std::vector<std::string> guards;
  std::shared_ptr<const void> text;  // keeps every string_view above alive

  const Node* FindNode(std::string_view name) const;
};

}  // namespace fakeprop
