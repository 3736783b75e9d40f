// print_operators texts|order: prints script_operators.inc or overload_order.inc, as LibTorch has them.
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/schema/schema_table.h"

namespace {

using Schemas = std::map<std::string, std::vector<const c10::FunctionSchema*>>;

// Those of torch's own operators, by name, in the order in which torch tries them.
Schemas AllByName() {
  Schemas schemas;
  for (const auto& op : torch::jit::getAllOperators()) {
    const std::string& name = op->schema().name();
    if (name.starts_with("aten::") || name.starts_with("prim::")) schemas[name];
  }
  for (auto& [name, overloads] : schemas)
    for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)))
      overloads.push_back(&op->schema());
  return schemas;
}

// What passes of torch make, and never stands in code.
bool IsInternal(const std::string& name) {
  for (const char* part : {"MKLDNN", "Fusion", "TensorExpr", "Autograd", "BailO", "rpc"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

void PrintTexts(const Schemas& schemas) {
  for (const auto& [name, overloads] : schemas) {
    if (IsInternal(name)) continue;
    for (const c10::FunctionSchema* schema : overloads) {
      if (fakeprop::FindSchema(c10::toString(schema->operator_name()))) continue;
      std::cout << "{R\"~(" << *schema << ")~\"},\n";
    }
  }
}

bool WritesToOut(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
      [](const c10::Argument& a) { return a.kwarg_only() && a.alias_info() && a.alias_info()->isWrite(); });
}

// Those that write to `out`, or the others, in torch's order; none where it is that of the alphabet.
std::vector<std::string> OrderOf(const std::vector<const c10::FunctionSchema*>& schemas, bool writes_to_out) {
  std::vector<std::string> order;
  for (const c10::FunctionSchema* schema : schemas)
    if (WritesToOut(*schema) == writes_to_out) order.push_back(schema->overload_name());
  return std::is_sorted(order.begin(), order.end()) ? std::vector<std::string>() : order;
}

void PrintOrder(const Schemas& schemas) {
  for (const auto& [name, overloads] : schemas) {
    std::vector<std::string> order = OrderOf(overloads, false);
    for (std::string& out : OrderOf(overloads, true)) order.push_back(std::move(out));
    if (order.empty()) continue;
    std::cout << "{\"" << name << "\", \"";
    for (size_t i = 0; i < order.size(); ++i) std::cout << (i > 0 ? " " : "") << (order[i].empty() ? "-" : order[i]);
    std::cout << "\"},\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Schemas schemas = AllByName();
  std::cout << "// Printed by generate/print_operators.cc from LibTorch.\n// clang-format off\n";
  if (argc > 1 && std::string(argv[1]) == "texts") PrintTexts(schemas);
  else PrintOrder(schemas);
}
