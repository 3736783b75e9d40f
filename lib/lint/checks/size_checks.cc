// Sizes that are to be dynamic and are not, or that are to be static and are not.
#include <map>

#include "lib/lint/checks/checks.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// A symbol and the only number that a guard leaves it.
struct FixedSymbol {
  const SymNode* symbol = nullptr;
  int64_t value = 0;
};

// Of a guard `n == 7`, which is the expression `n - 7 == 0`.
FixedSymbol FixedBy(Sym guard) {
  if (guard->op != SymOp::kEqualZero || guard->arguments.size() != 1) return {};
  const SymNode* sum = guard->arguments[0];
  const bool has_one = sum->op == SymOp::kSum && sum->arguments.size() == 1;
  if (!has_one || sum->arguments[0]->op != SymOp::kSymbol || sum->arguments[0]->is_unbacked) return {};
  const int64_t factor = sum->coefficients[0];
  return sum->integer % factor == 0 ? FixedSymbol{sum->arguments[0], -sum->integer / factor} : FixedSymbol();
}

const SymbolInfo* InfoOf(const ShapeEnv& env, const SymNode* symbol) {
  for (const SymbolInfo& info : env.symbols())
    if (info.node == symbol) return &info;
  return nullptr;
}

int32_t NodeNamed(const CheckedGraph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.nodes().size(); ++i)
    if (graph.at(static_cast<int32_t>(i)).node->name == name) return static_cast<int32_t>(i);
  return -1;
}

}  // namespace

void CheckFixedDimension(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  const ShapeEnv* env = graph.run().annotations.shape_env.get();
  if (!env) return;
  std::map<const SymNode*, bool> reported;
  for (const GuardRecord& guard : env->guards()) {
    if (guard.is_declared || guard.is_assertion) continue;
    const FixedSymbol fixed = FixedBy(guard.expression);
    const int32_t node = fixed.symbol ? NodeNamed(graph, guard.place.node) : -1;
    if (node < 0 || !reported.emplace(fixed.symbol, true).second) continue;
    const SymbolInfo& info = *InfoOf(*env, fixed.symbol);
    const std::string source = info.source.empty() ? "" : ", " + info.source + ",";
    out.push_back({node,
        "the dynamic size `" + fixed.symbol->name + "`" + source + " can only be " + std::to_string(fixed.value) +
            " here: the guard is `" + ToString(guard.expression) + "`",
        {"help: declare the size static, or write the line so that it holds for every size"}, {}});
  }
}

void CheckDataDependentSize(const CheckedGraph& graph, const CheckSettings&, CheckReports& out) {
  for (int32_t i = 0; i < static_cast<int32_t>(graph.nodes().size()); ++i) {
    const NodeAnnotation& annotation = *graph.at(i).annotation;
    if (annotation.kind != NodeAnnotation::Kind::kValue || annotation.unbacked.empty()) continue;
    out.push_back({i,
        "the size of the result of `" + graph.at(i).op + "` depends on data, in a graph that is to be static",
        {"help: use a result of a fixed size, such as a mask with `where` in the place of `nonzero` or an index"}, {}});
  }
}

}  // namespace fakeprop
