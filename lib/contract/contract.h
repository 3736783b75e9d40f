// The demands of a graph on its callers: what each input has to be, and the conditions on sizes.
//
// A demand is in the contract only if it is needed. Ranges, declared equalities, guards of the exported program and
// assertions of the model are demands, since the program or the model refuses other sizes. A guard of a propagation is
// one only if some sizes that violate it fail: if the graph propagates for all sizes without it, it is left out. Z3
// shows that no demand follows from the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/prove/prove.h"
#include "lib/value_ranges/index_errors.h"

namespace fakeprop {

struct ContractInput {
  std::string name;  // of the placeholder
  std::string path;  // the caller's expression for an input inside of another: `inputs["mask"]`; else empty
  bool is_tensor = false;
  TensorMeta meta;            // of a tensor
  std::optional<Dim> number;  // of an integer: a symbol or an expression over symbols, or the one that it has to be
  std::string fixed;          // of any other value: the one that it has to be
};

struct ContractDemand {
  enum class Source {
    kDeclared,  // recorded sizes and ranges of the graph say so, such as that a size is twice another
    kGraph,     // a guard of the exported program
    kStated,    // the model checks it itself: torch._check, an assertion
    kGuard,     // propagation relies on it
  } source = Source::kDeclared;
  Sym condition = nullptr;
  GraphPlace place;  // of kStated and kGuard
  // Sizes that violate this demand and no other. With them it is shown that the demand follows from no other. Empty if
  // neither such sizes nor a proof that there are none was found.
  SymbolValues violated_by;
  std::string failure;  // of kGuard: what happens with these sizes, "node `view`: shape '[-1, 8]' is invalid ..."
};

struct Contract {
  std::shared_ptr<ShapeEnv> shape_env;  // owns the sizes of the inputs
  std::vector<ContractInput> inputs;    // those that a caller gives, in order
  Domain domain;                        // the symbols and their ranges; it has no conditions
  std::vector<std::string> sources;     // of the domain's symbols: "x.size(0)"
  std::vector<ContractDemand> demands;
  size_t implied = 0;                // demands that follow from others and were left out
  size_t unneeded = 0;               // guards that were left out, since the graph propagates without them
  std::vector<GuardRecord> on_data;  // conditions on data, which nobody can check before a run
  std::vector<std::string> unread;   // guards of the graph that are not understood
  DemandedValues values;             // what the elements of inputs have to be; code does not check it
  std::optional<int64_t> limit;      // sizes without an upper bound were considered only up to this
  std::vector<Annotations> runs;     // own everything that demands point to
  // The run at the hints, if it fails: then there is no contract.
  std::optional<Annotations> failure;
};

struct ContractRequest {
  const Graph& graph;
  const std::vector<InputValue>& inputs;  // over the symbols of `start`
  ProofStart start;
  const ProofRuns& runs;  // they declare the same symbols again
};

Contract FindContract(const ContractRequest& request);

}  // namespace fakeprop
