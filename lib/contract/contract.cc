#include "lib/contract/contract.h"

#include <algorithm>
#include <set>

#include "lib/contract/demand_solver.h"

namespace fakeprop {
namespace {

constexpr size_t kMostGuards = 16;  // each costs a proof

using Source = ContractDemand::Source;

bool IsCallersInput(const Input& input) {
  return input.kind == InputKind::kUserInput || input.kind == InputKind::kConstant;
}

ContractInput DescribeInput(const Graph& graph, const Input& input, const InputValue& value) {
  ContractInput described{.name = graph.nodes[static_cast<size_t>(input.node)].name,
      .path = input.qualified_name,
      .is_tensor = value.is_tensor};
  described.meta = value.meta;
  if (value.is_tensor) return described;
  const Value* plain = value.value.TryPlain();
  if (const Dim* number = plain ? plain->TryGet<Dim>() : nullptr) described.number = *number;
  else described.fixed = plain ? ToString(*plain) : "a container";
  return described;
}

class ContractFinder {
 public:
  explicit ContractFinder(const ContractRequest& request) : request_(request) {}

  Contract Find() {
    DescribeInputs();
    contract_.shape_env = request_.start.shape_env;
    contract_.domain = DomainOf(*contract_.shape_env);
    for (const SymbolInfo& symbol : contract_.shape_env->symbols())
      if (!symbol.is_unbacked) contract_.sources.push_back(symbol.source);
    contract_.unread = request_.start.unread;
    if (!AddRun()) return std::move(contract_);
    if (!contract_.domain.symbols.empty()) LeaveOutNeedless();
    return std::move(contract_);
  }

 private:
  void DescribeInputs() {
    for (size_t i = 0; i < request_.graph.inputs.size(); ++i)
      if (const Input& input = request_.graph.inputs[i]; IsCallersInput(input))
        contract_.inputs.push_back(DescribeInput(request_.graph, input, request_.inputs[i]));
  }

  // The run at the hints, with all that it relies on. Returns false if it fails.
  bool AddRun() {
    SymbolValues hints;
    for (const SymbolDomain& symbol : contract_.domain.symbols) hints[symbol.name] = symbol.hint;
    Annotations run = request_.runs.run(hints, true);
    if (!run.diagnostics.empty()) {
      contract_.failure = std::move(run);
      return false;
    }
    for (Sym condition : contract_.domain.conditions) Add(Source::kDeclared, condition, {});
    contract_.domain.conditions.clear();
    for (Sym condition : request_.start.demands) Add(Source::kGraph, condition, {});
    for (const GuardRecord& stated : run.shape_env->stated())
      if (!stated.expression->is_unbacked) Add(Source::kStated, stated.expression, stated.place);
    for (const GuardRecord& guard : run.shape_env->guards()) {
      if (guard.is_assertion) contract_.on_data.push_back(guard);
      else if (!guard.is_declared) Add(Source::kGuard, guard.expression, guard.place);
    }
    contract_.runs.push_back(std::move(run));
    return true;
  }

  void Add(Source source, Sym condition, const GraphPlace& place) {
    if (!texts_.insert(ToString(condition)).second) return;
    contract_.demands.push_back({.source = source, .condition = condition, .place = place});
  }

  void LeaveOutNeedless() {
    DemandSolver solver(contract_.domain, *contract_.shape_env);
    if (HasGuards() && PropagatesWithout(Source::kGuard)) RemoveGuards();
    for (size_t i = contract_.demands.size(); i-- > 0;) {
      const std::vector<Sym> others = OthersThan(i);
      const DemandSolver::Answer answer = solver.FindViolation(contract_.demands[i].condition, others);
      if (answer.is_impossible) {
        contract_.demands.erase(contract_.demands.begin() + static_cast<std::ptrdiff_t>(i));
        ++contract_.implied;
      } else {
        contract_.demands[i].violated_by = answer.point;
      }
    }
    for (size_t i = contract_.demands.size(), tried = 0; i-- > 0 && tried < kMostGuards;)
      if (contract_.demands[i].source == Source::kGuard) ++tried, CheckGuard(i, solver);
  }

  bool HasGuards() const {
    return std::any_of(contract_.demands.begin(), contract_.demands.end(),
        [](const ContractDemand& demand) { return demand.source == Source::kGuard; });
  }

  void RemoveGuards() {
    contract_.unneeded += static_cast<size_t>(
        std::erase_if(contract_.demands, [](const ContractDemand& demand) { return demand.source == Source::kGuard; }));
  }

  std::vector<Sym> OthersThan(size_t index) const {
    std::vector<Sym> others;
    for (size_t i = 0; i < contract_.demands.size(); ++i)
      if (i != index) others.push_back(contract_.demands[i].condition);
    return others;
  }

  // Leaves out a guard without which the graph propagates as well. Else finds sizes that fail.
  void CheckGuard(size_t index, DemandSolver& solver) {
    ContractDemand& demand = contract_.demands[index];
    const std::vector<Sym> others = OthersThan(index);
    for (const SymbolValues& point : solver.Violations(demand.condition, others, demand.violated_by)) {
      const Annotations run = request_.runs.run(point, false);
      if (run.diagnostics.empty()) continue;
      demand.violated_by = point;
      demand.failure = "node `" + run.diagnostics.front().node + "`: " + run.diagnostics.front().message;
      return;
    }
    if (!Propagates(others)) return;
    contract_.demands.erase(contract_.demands.begin() + static_cast<std::ptrdiff_t>(index));
    ++contract_.unneeded;
  }

  bool PropagatesWithout(Source source) {
    std::vector<Sym> others;
    for (const ContractDemand& demand : contract_.demands)
      if (demand.source != source) others.push_back(demand.condition);
    return Propagates(others);
  }

  // Returns true if the graph is shown to propagate for all sizes that satisfy these conditions.
  bool Propagates(const std::vector<Sym>& conditions) {
    const ProofRuns runs{[&]() -> std::optional<ProofStart> {
                           std::optional<ProofStart> start = request_.runs.declare();
                           if (!start) return std::nullopt;
                           start->demands_are_given = true;
                           start->unread.clear();  // the contract lists them
                           start->demands = conditions;
                           return start;
                         },
        request_.runs.run};
    std::optional<Proof> proof = Prove(runs);
    if (!proof || proof->verdict != Verdict::kProved) return false;
    if (proof->limit) contract_.limit = proof->limit;
    return true;
  }

  const ContractRequest& request_;
  Contract contract_;
  std::set<std::string> texts_;  // of the demands that were added
};

}  // namespace

Contract FindContract(const ContractRequest& request) { return ContractFinder(request).Find(); }

}  // namespace fakeprop
