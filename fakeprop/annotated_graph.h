// The results of all nodes of a graph.
//
//   for (const fakeprop::AnnotatedNode& node : annotated.nodes())
//     std::cout << node.name() << " " << ToString(node.value()) << "\n";   // relu f32[2, 8] on cpu
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "fakeprop/shape_symbols.h"

namespace fakeprop {

// A tensor without its data.
struct TensorMetadata {
  std::vector<SizeExpr> shape;
  std::vector<SizeExpr> stride;  // in elements
  SizeExpr storage_offset;       // in elements
  std::string dtype;             // "float32" for torch.float32
  int64_t itemsize = 0;          // bytes of one element
  std::string device;            // "cpu", "cuda:0"
  std::string layout;            // "strided" for torch.strided
  bool requires_grad = false;
  bool is_conj = false;  // a conjugation that is pending, as in torch.Tensor.is_conj()
  bool is_neg = false;   // a negation that is pending, as in torch.Tensor.is_neg()
  int storage = -1;      // index into AnnotatedGraph::storages(); tensors that share memory have the same index
};

// "f32[2, 3] on cpu".
std::string ToString(const TensorMetadata& tensor);

// Memory that tensors share.
struct StorageMetadata {
  SizeExpr nbytes;
  std::string device;
};

// The value that a node returned.
struct AnnotatedValue {
  enum class Kind {
    kNone,
    kTensor,
    kInt,      // `integer`: a number, or an expression over symbols
    kFloat,    // `real`
    kBool,     // `truth`
    kComplex,  // `complex`
    kString,   // `text`
    kList,     // `items`
    kTuple,    // `items`
    kDict,     // `keys`, and in the same order `items`
    kOther,    // `text`: a dtype, a device, an object, a float or bool that depends on symbols ...
  } kind = Kind::kNone;
  TensorMetadata tensor;
  SizeExpr integer;
  double real = 0;
  bool truth = false;
  std::complex<double> complex;
  std::string text;
  std::vector<AnnotatedValue> keys;
  std::vector<AnnotatedValue> items;
};

// For messages: "f32[2, 3] on cpu", "(f32[2] on cpu, 3)".
std::string ToString(const AnnotatedValue& value);
// The tensors in a value and in its items, in order.
std::vector<TensorMetadata> TensorsIn(const AnnotatedValue& value);

struct NodeAnnotation;
namespace api {
struct RunState;
struct Access;
}  // namespace api

// A node and its result. Its AnnotatedGraph must outlive it.
class AnnotatedNode {
 public:
  enum class Outcome {
    kValue,
    kError,    // error() says why
    kSkipped,  // it depends on the node skipped_for(), which failed, or comes after it
  };

  std::string_view name() const;  // "relu_1"
  std::string_view op() const;    // "placeholder", "get_attr", "call_function", "call_method", "call_module", "output"
  std::string_view target() const;  // in torch.fx's spelling: "torch.ops.aten.relu.default"
  Outcome outcome() const;
  // The value at the moment when the node returned it. Later writes to its tensors do not show. None for a node without
  // a value.
  AnnotatedValue value() const;
  // Null for a node without an error. A node whose subgraph failed has the error of the node inside.
  const Diagnostic* error() const;
  // The name of the failed node; empty for a node that was not skipped.
  std::string_view skipped_for() const;

 private:
  friend struct api::Access;
  AnnotatedNode(const api::RunState& run, const NodeAnnotation& node) : run_(&run), node_(&node) {}

  const api::RunState* run_;
  const NodeAnnotation* node_;
};

// A run of a subgraph, such as a branch of a condition or the body of a loop.
struct AnnotatedSubgraph {
  std::string path;  // "true_graph_0", "true_graph_0.false_graph_0"
  std::string call;  // empty for the first run; else the node that ran it again on arguments with other metadata
  std::vector<AnnotatedNode> nodes;
};

// A graph with what every node produced: a handle that keeps the graph and its symbols alive. Use it in one thread at a
// time.
class AnnotatedGraph {
 public:
  // Returns true if no node has an error.
  bool ok() const { return errors().empty(); }
  // The nodes of the outermost graph, in its order.
  std::vector<AnnotatedNode> nodes() const;
  // The node of this name in the outermost graph.
  std::optional<AnnotatedNode> Find(std::string_view name) const;
  std::vector<AnnotatedSubgraph> subgraphs() const;
  // The errors of nodes, in the graph's order.
  const std::vector<Diagnostic>& errors() const;
  std::vector<StorageMetadata> storages() const;
  std::vector<ShapeSymbol> symbols() const;
  std::vector<ShapeGuard> guards() const;
  // The annotations as JSON text (fakeprop.annotations/1, docs/formats.md), the same as `fakeprop GRAPH` writes.
  std::string ToJson() const;

 private:
  friend struct api::Access;
  explicit AnnotatedGraph(std::shared_ptr<const api::RunState> state) : state_(std::move(state)) {}

  std::shared_ptr<const api::RunState> state_;
};

}  // namespace fakeprop
