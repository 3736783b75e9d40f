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

// What differs, one line each; empty where nothing does. Storage numbers are compared as a partition; strides of
// dimensions of size 1 and of empty tensors do not count; an expected entry with "error": true asks for an error at
// that node, and nothing after it is compared.
std::vector<std::string> CompareAnnotations(const nlohmann::json& got, const nlohmann::json& want);

// Reads a graph and its spec (may be empty), propagates with keep_going off and gives the written annotations.
// `rules`: of custom operators; `stand_in`: as RunGraphThrough has it.
nlohmann::json AnnotateFile(const std::string& graph_path, const std::string& inputs_path,
    const OpRules* rules = nullptr, LibTorchFallback* stand_in = nullptr);

}  // namespace fakeprop::testing
