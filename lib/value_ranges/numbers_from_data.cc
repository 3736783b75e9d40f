// What intervals say of the numbers that a graph takes from data, and of sizes that depend on data.
#include <memory>

#include "lib/error/error.h"
#include "lib/value_ranges/graph_analyzer.h"
#include "lib/value_ranges/transfers.h"

namespace fakeprop {
namespace {

// The argument that an operator's number or size depends on, and how.
enum class Kind {
  kElement,  // the number is an element
  kOneMore,  // the size is one more than the greatest element, or what `minlength` says
  kSum,      // the first size is the sum of the elements
};
struct NumberRow {
  std::string_view op;
  ArgumentName argument;
  Kind kind;
};
constexpr NumberRow kRows[] = {
    {"item", "self", Kind::kElement},
    {"_local_scalar_dense", "self", Kind::kElement},
    {"bincount", "self", Kind::kOneMore},
    {"repeat_interleave", "repeats", Kind::kSum},
};

class Teacher {
 public:
  Teacher(const Graph& graph, const std::vector<InputValue>& inputs, const Annotations& so_far)
      : run_(graph, inputs, so_far), analyzer_((run_.trusts_buffers = false, run_), 0) {}

  // The last node made unbacked symbols.
  void Teach() {
    analyzer_.Analyze();
    const auto last = static_cast<int32_t>(run_.annotations.graphs.front().nodes.size()) - 1;
    const NodeAnnotation& annotation = run_.annotations.graphs.front().nodes[last];
    if (annotation.calls > 0) {
      for (const InnerCall& inner : run_.InnerCallsOf(annotation))
        TeachCall(last, run_.ArgumentsOf(inner), *inner.schema, inner.result);
    } else if (const CalledOperator* called = OperatorOf(annotation);
               called && !analyzer_.TakesReshaped(annotation.node->arguments)) {
      TeachCall(last, annotation.node->arguments, *called->schema, annotation.value);
    }
  }

 private:
  void TeachCall(int32_t index, const OperatorArguments& arguments, const Schema& schema, const Value& result) {
    for (const NumberRow& row : kRows) {
      if (AtenWord(schema) != row.op) continue;
      const RangeCall call(index, arguments, schema, result, analyzer_, run_.math);
      const RangeOperand operand = call.OperandOf(row.argument);
      if (operand.IsIntegral()) TeachRow(row.kind, call, operand, result);
    }
  }

  void TeachRow(Kind kind, const RangeCall& call, const RangeOperand& operand, const Value& result) {
    const RangeMath& math = run_.math;
    const Tensor* tensor = result.TryTensor();
    const Dim* number = result.TryGet<Dim>();
    const Sym high = operand.range.high.at, low = operand.range.low.at;
    if (kind == Kind::kElement && number) return Learn(*number, low, high);
    if (!tensor || tensor->meta.rank() == 0) return;
    if (kind == Kind::kOneMore) {
      const Sym least = math.Number(call.NumberOf("minlength").value_or(0));
      if (high && math.IsAtMost(math.Number(0), high))
        Learn(tensor->meta.sizes.back(), nullptr, math.Greatest(Add(high, math.Number(1)), least));
    } else if (operand.tensor->meta.rank() == 1 && !call.Has("self")) {
      const Sym count = math.Of(operand.tensor->meta.sizes[0]);
      Learn(tensor->meta.sizes[0], low && math.IsAtMost(math.Number(0), low) ? Multiply(low, count) : nullptr,
          high && math.IsAtMost(math.Number(0), high) ? Multiply(high, count) : nullptr);
    }
  }

  void Learn(Dim number, Sym low, Sym high) {
    const Sym symbol = number.IsSymbolic() ? number.Expression() : nullptr;
    if (!symbol || symbol->op != SymOp::kSymbol || !symbol->is_unbacked) return;
    ShapeEnv& env = run_.math.env();
    for (const Sym fact : {low ? AtMost(low, symbol) : nullptr, high ? AtMost(symbol, high) : nullptr})
      if (fact && !env.Static(fact)) env.Learn(fact);
  }

  AnalyzedRun run_;
  GraphAnalyzer analyzer_;
};

}  // namespace

std::function<void(const Annotations&)> TeachNumbersFromData(
    const Graph& graph, const std::vector<InputValue>& inputs) {
  return [&graph, &inputs, teacher = std::shared_ptr<Teacher>()](const Annotations& so_far) mutable {
    if (!teacher) teacher = std::make_shared<Teacher>(graph, inputs, so_far);
    try {
      teacher->Teach();
    } catch (const OpError&) {  // beyond 64 bits, or what an empty tensor says: nothing is learned
    }
  };
}

}  // namespace fakeprop
