// Compares annotations with those that PyTorch wrote (expected.json of graphs/ and testdata/).
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fakeprop {
class OpRules;
class LibTorchFallback;
}  // namespace fakeprop

namespace fakeprop::testing {

// The differences, one line each. Of storage numbers it only counts which values share one. Strides of dimensions of
// size 1 and of empty tensors do not count. An expected entry with "error": true asks for an error at that node, and
// the nodes after it are not compared.
std::vector<std::string> CompareAnnotations(const nlohmann::json& got, const nlohmann::json& want);

// Reads a graph and its spec (may be empty), propagates with keep_going off, and returns the annotations. `rules` are
// for custom operators; `stand_in` is as in RunGraphThrough.
nlohmann::json AnnotateFile(const std::string& graph_path, const std::string& inputs_path,
    const OpRules* rules = nullptr, LibTorchFallback* stand_in = nullptr);

}  // namespace fakeprop::testing
