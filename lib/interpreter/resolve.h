// Looks up once per graph how each node is served, and where its arguments come from.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/higher_order/higher_order.h"
#include "lib/interpreter/apply.h"
#include "lib/python/builtins.h"
#include "lib/python/module.h"
#include "lib/rules/rule_table.h"

namespace fakeprop {

// Where an argument's value comes from.
struct ArgumentSource {
  const GraphValue* written = nullptr;  // the argument in the graph; null for the schema's default
  const Value* plain = nullptr;         // the value itself, if it has no holes
  int32_t node = -1;                    // >= 0: the argument is the result of this node
};

enum class Service {
  kPlaceholder,
  kGetAttr,
  kOutput,
  kOperator,  // an operator with a schema
  kBuiltin,
  kPython,       // a function, method or module of Python
  kHigherOrder,  // such as torch.ops.higher_order.cond; also a call_module of a graph in the file
  kUnknown,      // nothing serves it
};

struct ResolvedNode {
  Service service = Service::kUnknown;
  const Schema* schema = nullptr;    // kOperator
  const ServedRule* rule = nullptr;  // kOperator: null leaves it to the LibTorch fallback
  GradRule grad;
  Builtin builtin;
  HigherOrder higher_order = nullptr;
  const PythonFunction* python = nullptr;     // kPython: of a call_function or call_method
  const ModuleClass* module_class = nullptr;  // kPython: of a call_module
  std::vector<ArgumentSource> arguments;      // by position in the schema, or as written
  std::optional<OpError> error;               // the arguments do not fit the schema
};

// The resolved nodes of each graph. They are looked up again after custom operators were added, because nodes may call
// these. The pointers into a graph are valid as long as the graph lives. Several threads can use it.
class ResolvedGraphs {
 public:
  // `root` is the outermost graph. It has the modules that nodes name.
  const std::vector<ResolvedNode>& Of(const Graph& graph, const Graph& root);

 private:
  std::mutex mutex_;
  using Key = std::pair<const Graph*, size_t>;  // with the number of operators that were added
  std::map<Key, std::vector<ResolvedNode>> by_graph_;
};

}  // namespace fakeprop
