// One run over a graph and its subgraphs.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "lib/propagate/batched.h"
#include "lib/propagate/inline_sizes.h"
#include "lib/propagate/propagate.h"
#include "lib/propagate/resolve.h"
#include "lib/propagate/snapshot.h"
#include "lib/python/python.h"

namespace fakeprop {

class Walk : private OperatorHost {
 public:
  Walk(const std::vector<InputValue>& inputs, const PropagateOptions& options);

  // Runs the outermost graph.
  Annotations Run(const Graph& graph);

 private:
  // What running one graph needs: its nodes' values so far and how they ended.
  struct Frame {
    const Graph& graph;
    const std::vector<ResolvedNode>& resolved;
    std::vector<Value> values;
    std::vector<int32_t> failed_by;    // the node that this one's failure goes back to; -1 where it is well
    size_t annotations;                // index into Annotations::graphs, or kNotKept
    std::span<const Value> arguments;  // of a subgraph's placeholders
    std::string path;                  // as GraphAnnotations has them
    std::string call;
    size_t next_input = 0;
    std::map<const Tensor*, int32_t> poisoned;  // what a failed node was to change, by that node
  };
  static constexpr size_t kNotKept = static_cast<size_t>(-1);
  // The node for which single operators run.
  struct Caller {
    const Frame* frame = nullptr;
    const Node* node = nullptr;
  };
  class CallerGuard;
  // Where the run is: what new symbols take their names from.
  struct Position {
    const Graph* graph = nullptr;
    int32_t node = -1;
  };
  const std::vector<std::string>* NamesHere();
  class GraphCaller;

  // Runs every node; gives the output's value, or nothing where a node failed.
  std::optional<Value> RunGraph(Frame& frame);
  Value RunNode(Frame& frame, int32_t index);
  Value RunOperator(Frame& frame, const Node& node, const ResolvedNode& resolved);
  Value RunPlaceholder(Frame& frame);
  Value RunHigherOrder(Frame& frame, const Node& node, const ResolvedNode& resolved);
  Value RunSubgraph(Frame& frame, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments);
  // Whether the run of a subgraph is written down: the first, and each on arguments of other metadata.
  bool IsKept(const Subgraph& subgraph, std::span<const Value> arguments);
  void CountRepeated(const Frame& frame);
  // The state that autograd sees.
  const WalkState& AutogradState();

  Value RunPython(Frame& frame, const Node& node, const ResolvedNode& resolved);

  // For Python's functions and higher-order operators.
  Value CallOperator(const Schema& schema, std::span<const Value* const> arguments) override;
  Tensor* FindAttribute(std::string_view path) override;
  WalkState& state() override { return state_; }
  ObjectTable& objects() override { return *objects_; }

  // Effects applied; of tensors that torch.vmap hides dimensions of too.
  Value ServeAndApply(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
      const GradRule& grad, std::vector<const Value*>& arguments);
  Value ServePlain(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
      const GradRule& grad, std::vector<const Value*>& arguments);
  void Serve(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
      std::vector<const Value*>& arguments);
  // A composite operator of whose parts autocast lists some.
  void ServeByParts(const Schema& schema, const ServedRule* rule, std::vector<const Value*>& arguments);
  void ServeAndCompare(const Frame& frame, const Node& node, const ServedRule& rule, Call& call);
  void ServeByOpRule(const Frame& frame, const Node& node, const OpRule& rule, std::span<const Value* const> arguments);
  Tail* OpenTail();
  void ServeByTail(const Schema& schema, std::span<const Value* const> arguments);

  // The arguments of a node, evaluated; what is put together for it lives in scratch_.
  void Evaluate(const Frame& frame, const ResolvedNode& resolved, std::vector<const Value*>& arguments);
  Value Substitute(const Frame& frame, const Value& written);

  // The failed node that this one depends on, or -1.
  int32_t FailedDependency(const Frame& frame, int32_t index) const;
  void Annotate(Frame& frame, int32_t index, NodeAnnotation annotation);
  void FailNode(Frame& frame, int32_t index, ErrorClass error_class, const std::string& message,
      std::span<const Tensor* const> operands);
  void Poison(Frame& frame, int32_t index);
  // The failed node that was to change the tensor, or -1.
  int32_t PoisonedBy(const Frame& frame, const Tensor* tensor) const;
  void Skip(Frame& frame, int32_t index, int32_t cause);
  Value MakeInput(size_t index);
  Value MakeHolder(const Value& value);
  Tensor* MakeAttribute(int32_t index);

  const std::vector<ResolvedNode>& Resolved(const Graph& graph);

  const std::vector<InputValue>& inputs_;
  std::optional<InlineSizes> inline_sizes_;  // where the graph spells any
  const PropagateOptions& options_;
  std::shared_ptr<ObjectTable> objects_ = std::make_shared<ObjectTable>();
  Snapshots snapshots_{*objects_};
  Annotations result_;
  WalkState state_;
  Batched batched_{*objects_};
  const std::shared_ptr<ResolvedGraphs> resolved_;
  std::map<const Graph*, std::set<std::string>> kept_;      // runs of subgraphs, by their fingerprints
  std::map<const Graph*, std::shared_ptr<void>> memories_;  // of higher-order operators
  static constexpr size_t kMaxRepeatedNodes = 1'000'000;
  size_t repeated_nodes_ = 0;  // in runs of subgraphs after their first
  bool below_autograd_ = false;
  WalkState below_state_;
  std::vector<Tensor*> input_tensors_;
  const Graph* root_ = nullptr;
  std::vector<Tensor*> attribute_tensors_;                  // of the outermost graph, made when first asked for
  bool stopped_ = false;                                    // an error without keep_going
  std::map<std::string, int32_t, std::less<>> attributes_;  // of the outermost graph, by path
  std::map<const Schema*, std::pair<const ServedRule*, GradRule>> served_;  // operators that Python called
  Python python_{*this};
  Caller caller_;
  Position position_;
  std::map<const Graph*, RecordedNames> recorded_names_;
  static constexpr int kMaxOpRuleDepth = 20;
  int op_rule_depth_ = 0;  // rules of the user's that call each other
  Effects effects_;
  std::deque<Value> scratch_;
  Tail* tail_ = nullptr;
  bool tail_opened_ = false;
  std::string tail_reason_;
};

}  // namespace fakeprop
