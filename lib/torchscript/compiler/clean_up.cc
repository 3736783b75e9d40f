// Source: runCleanupPasses of torch/csrc/jit/frontend/ir_emitter.cpp, and the small passes that it calls (torch 2.15).
#include <algorithm>
#include <map>
#include <numeric>

#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

// Source: torch/csrc/jit/passes/normalize_ops.cpp. Each also in place, where both exist. Without a look at the
// arguments.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"absolute", "abs"},
    {"clip", "clamp"},
    {"det", "linalg_det"},
    {"inverse", "linalg_inv"},
    {"matrix_power", "linalg_matrix_power"},
    {"matrix_exp", "linalg_matrix_exp"},
    {"orgqr", "linalg_householder_product"},
    {"linalg_matmul", "matmul"},
    {"adjoint", "mH"},
    {"ger", "outer"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"arccos", "acos"},
    {"arcsin", "asin"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arccosh", "acosh"},
    {"arcsinh", "asinh"},
    {"arctanh", "atanh"},
    {"fix", "trunc"},
    {"negative", "neg"},
    {"subtract", "sub"},
    {"greater_equal", "ge"},
    {"greater", "gt"},
    {"less_equal", "le"},
    {"less", "lt"},
    {"not_equal", "ne"},
    {"divide", "div"},
    {"multiply", "mul"},
    {"true_divide", "div"},
    {"row_stack", "vstack"},
    {"swapdims", "transpose"},
    {"swapaxes", "transpose"},
    {"moveaxis", "movedim"},
    {"special_softmax", "softmax"},
    {"special_log_softmax", "log_softmax"},
    {"special_logsumexp", "logsumexp"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_log1p", "log1p"},
    {"special_gammaln", "lgamma"},
    {"special_multigammaln", "mvlgamma"},
    {"special_digamma", "digamma"},
    {"special_psi", "digamma"},
    {"special_polygamma", "polygamma"},
    {"special_gammainc", "igamma"},
    {"special_gammaincc", "igammac"},
    {"special_i0", "i0"},
    {"special_logit", "logit"},
    {"special_round", "round"},
    {"special_sinc", "sinc"},
    {"special_xlogy", "xlogy"},
};

std::string NormalName(std::string_view kind) {
  if (!kind.starts_with("aten::")) return "";
  std::string_view name = kind.substr(6);
  const bool is_inplace = name.ends_with('_') && !name.ends_with("__");
  if (is_inplace) name.remove_suffix(1);
  for (const auto& [alias, normal] : kAliases)
    if (alias == name) return "aten::" + std::string(normal) + (is_inplace ? "_" : "");
  return "";
}

void Normalize(IrBlock& block, OperatorTable& operators) {
  ForEachNode(block, [&](IrNode& node) {
    for (const auto& inner : node.blocks) Normalize(*inner, operators);
    const bool is_reversed = node.Is("aten::rsub") && node.inputs[1]->type->Is(TypeCase::kTensor);
    const std::string normal = is_reversed ? "aten::sub" : NormalName(node.kind);
    if (normal.empty()) return;
    IrNode* copy = node.graph->Clone(node, [](IrValue* value) { return value; });
    copy->kind = operators.NameOf(normal);
    copy->InsertBefore(&node);
    if (is_reversed) PermuteInputs(*copy, {1, 0, 2});
    for (size_t i = 0; i < node.outputs.size(); ++i) ReplaceUses(*node.outputs[i], copy->outputs[i]);
    node.Destroy();
  });
}

// Empty lists of which nobody said what they hold.
void ReplaceListLiterals(IrBlock& block) {
  ForEachNode(block, [](IrNode& node) {
    for (const auto& inner : node.blocks) ReplaceListLiterals(*inner);
    if (!node.Is("prim::EmptyListLiteral")) return;
    if (node.output()->has_uses()) {
      IrNode* list = node.graph->Create("prim::ListConstruct", {}, {node.output()->type});
      list->InsertBefore(&node);
      ReplaceUses(*node.output(), list->output());
    }
    node.Destroy();
  });
}

void LowerTuple(IrNode& node) {
  if (!node.Is("prim::TupleUnpack") && !node.Is("prim::TupleIndex")) return;
  const IrNode& tuple = *node.input()->node;
  if (!tuple.Is("prim::TupleConstruct")) return;
  if (node.Is("prim::TupleUnpack")) {
    for (size_t i = 0; i < node.outputs.size(); ++i) ReplaceUses(*node.outputs[i], tuple.inputs[i]);
    return;
  }
  if (!IsPlainConstant(*node.inputs[1])) return;
  int64_t at = node.inputs[1]->node->constant.value.Get<Dim>().Specialize();
  if (at < 0) at += static_cast<int64_t>(tuple.inputs.size());
  if (at >= 0 && at < static_cast<int64_t>(tuple.inputs.size()))
    ReplaceUses(*node.output(), tuple.inputs[static_cast<size_t>(at)]);
}

void LowerTuples(IrBlock& block) {
  ForEachNode(block, [](IrNode& node) {
    LowerTuple(node);
    for (const auto& inner : node.blocks) LowerTuples(*inner);
  });
}

// Source: torch/csrc/jit/passes/canonicalize.cpp.
class OutputOrder {
 public:
  explicit OutputOrder(IrGraph& graph) { Number(*graph.block()); }

  void Order(IrBlock& block) {
    for (IrNode* node = block.results->previous; node != block.parameters; node = node->previous) {
      if (node->Is("prim::If")) OrderIf(*node);
      if (node->Is("prim::Loop")) OrderLoop(*node);
      for (const auto& inner : node->blocks) Order(*inner);
    }
  }

 private:
  // In the order in which they are written down.
  void Number(const IrBlock& block) {
    for (const IrNode* node = block.first();; node = node->next) {
      numbers_[node] = numbers_.size();
      if (node == block.results) return;
      for (const auto& inner : node->blocks) Number(*inner);
    }
  }

  // The first use; the greatest place if there is none.
  std::pair<size_t, size_t> FirstUse(const IrValue& value) const {
    std::pair<size_t, size_t> first = {SIZE_MAX, SIZE_MAX};
    for (const IrUse& use : value.uses) first = std::min(first, {numbers_.at(use.user), use.index});
    return first;
  }

  std::vector<size_t> Sorted(const IrNode& node) const {
    std::vector<std::pair<size_t, size_t>> uses;
    for (const IrValue* output : node.outputs) uses.push_back(FirstUse(*output));
    std::vector<size_t> order(uses.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return uses[a] < uses[b]; });
    return order;
  }

  static std::vector<size_t> Behind(size_t count, const std::vector<size_t>& order) {
    std::vector<size_t> all(count);
    std::iota(all.begin(), all.end(), size_t{0});
    for (size_t at : order) all.push_back(at + count);
    return all;
  }

  void OrderIf(IrNode& node) const {
    const std::vector<size_t> order = Sorted(node);
    PermuteOutputs(node, order);
    for (const auto& inner : node.blocks) PermuteInputs(*inner->results, order);
  }

  void OrderLoop(IrNode& node) const {
    const std::vector<size_t> order = Sorted(node);
    PermuteOutputs(node, order);
    PermuteInputs(node, Behind(2, order));
    PermuteInputs(*node.blocks[0]->results, Behind(1, order));
    PermuteOutputs(*node.blocks[0]->parameters, Behind(1, order));
  }

  std::unordered_map<const IrNode*, size_t> numbers_;
};

}  // namespace

void NormalizeOperators(IrGraph& graph, OperatorTable& operators) { Normalize(*graph.block(), operators); }

void LowerTuples(IrGraph& graph) { LowerTuples(*graph.block()); }

void OrderOutputs(IrGraph& graph) { OutputOrder(graph).Order(*graph.block()); }

void CleanUp(IrGraph& graph, OperatorTable& operators) {
  ReplaceListLiterals(*graph.block());
  LowerTuples(graph);
  RemoveDeadCode(graph, operators);
  if (FoldConstants(graph)) RemoveDeadCode(graph, operators);
  PoolConstants(graph);
  OrderOutputs(graph);
}

}  // namespace fakeprop::script
