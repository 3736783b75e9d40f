// Reads a saved PyTorch graph.
//
//   fakeprop::DiagnosticSink sink;
//   const std::optional<fakeprop::LoadedGraph> graph = fakeprop::ReadGraph("model.pt2", sink);
//   if (!graph) std::cerr << ToString(sink);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"

namespace fakeprop {

struct ReadOptions {
  // The model to read, if a .pt2 archive has several. Empty: the only one, or the one named "model".
  std::string model;
  // The method of a TorchScript module. Empty: forward.
  std::string method;
  // "cuda:0": moves the whole graph to this device. Every device that the graph or an input spec names is then this
  // one. Empty: nothing is moved. Source: torch.export.passes.move_to_device_pass (torch 2.13).
  std::string device;
  // "2.13": the version of torch whose answers are given. Empty: the one that made the graph, or the nearest known one.
  // "2.13+cpu" and "2.15+cu132" name its build too: without CUDA's libraries, or with them.
  std::string torch;
};

// The input that a placeholder of a graph stands for.
struct GraphInput {
  std::string name;  // of the placeholder
  std::string kind;  // "parameter", "buffer", "tensor_constant", "user_input", "constant", "custom_object", "token"
  std::string qualified_name;  // "net.0.weight" of a parameter, buffer or constant; of others mostly empty
};

namespace api {
struct GraphState;
struct Access;
}  // namespace api

// A graph that was read. It is a handle: copies stand for the same graph. It never changes. Several threads can use it
// at the same time.
class LoadedGraph {
 public:
  // The file's name without its folder.
  const std::string& source() const;
  // "torch.export", "torch.fx" or "torchscript".
  const std::string& kind() const;
  // The number of nodes in the outermost graph.
  size_t node_count() const;
  // One for each placeholder, in order: parameters and buffers as well as the inputs that a caller passes.
  std::vector<GraphInput> inputs() const;
  // An input spec to start from, as JSON text (fakeprop.inputs/1): every input of the caller as the graph recorded it.
  std::string InputSpec() const;

 private:
  friend struct api::Access;
  explicit LoadedGraph(std::shared_ptr<const api::GraphState> state) : state_(std::move(state)) {}

  std::shared_ptr<const api::GraphState> state_;
};

// Reads a graph file of any kind in docs/formats.md, compressed or not; "-" is standard input. The kind is found from
// the content. No weights are read. TorchScript needs LibTorch's compiler, which is opened when such a file is met.
// If the file is missing, unreadable, malformed or of an unknown version, adds a diagnostic and returns nothing.
std::optional<LoadedGraph> ReadGraph(const std::string& path, DiagnosticSink& sink, const ReadOptions& options = {});

// The same for the bytes of a file. `source` is their name in diagnostics and annotations.
std::optional<LoadedGraph> ReadGraphFromMemory(
    std::string content, const std::string& source, DiagnosticSink& sink, const ReadOptions& options = {});

}  // namespace fakeprop
