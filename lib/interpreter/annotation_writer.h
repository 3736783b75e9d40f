// Collects the annotations of a run: one for each node, after it has run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"
#include "lib/interpreter/snapshot.h"

namespace fakeprop {

// Used instead of a graph's index if its nodes are not written down.
inline constexpr size_t kNotKept = static_cast<size_t>(-1);

class AnnotationWriter {
 public:
  explicit AnnotationWriter(std::shared_ptr<ShapeEnv> shape_env);

  ObjectTable& objects() { return *result_.objects; }
  ShapeEnv& shape_env() { return *result_.shape_env; }
  Crossref& crossref() { return result_.crossref; }
  void KeepCalls() { result_.has_calls = true; }
  size_t errors() const { return result_.diagnostics.size(); }

  // Begins a graph, or another run of a graph, with this many nodes. Returns its index, which the functions below take.
  size_t AddGraph(std::string path, std::string call, size_t nodes);

  // Writes down the result of a node as it is now. The node made the symbols from `first_symbol` on. `schema` is its
  // operator's, null if it calls none.
  void AddValue(size_t graph, const Node& node, const Schema* schema, const Value& value, size_t first_symbol);
  void AddError(size_t graph, const Node& node, Diagnostic diagnostic);
  // Writes down an error that is already reported at a node of a subgraph.
  void AddReportedError(size_t graph, const Node& node, int diagnostic);
  void AddSkipped(size_t graph, const Node& node, const Node& cause);

  // Notes an operator that the current node called inside (InnerCall). The next node that is written down gets it.
  void AddCall(const Schema& schema, std::span<const Value* const> arguments, const Value& result);

  const Annotations& so_far() const { return result_; }
  Annotations Finish();

 private:
  void Add(size_t graph, NodeAnnotation annotation);
  void DropCalls();

  Annotations result_;
  Snapshots snapshots_;
  size_t first_call_ = 0;  // of the current node
};

}  // namespace fakeprop
