#include "lib/testing/golden_graph.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "lib/annotations/annotations_json.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/run_graph_through.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/op_rules.h"
#include "lib/readers/read_graph.h"

namespace fakeprop::testing {
namespace {

using nlohmann::json;

class Comparer {
 public:
  std::vector<std::string> Compare(const json& got, const json& want) {
    CompareNodes(got.at("nodes"), want.at("nodes"), "");
    if (stopped_) return differences_;
    const json empty = json::object();
    const json& want_graphs = want.contains("subgraphs") ? want.at("subgraphs") : empty;
    for (const auto& [path, graph] : want_graphs.items()) {
      if (!got.contains("subgraphs") || !got.at("subgraphs").contains(path)) {
        Differ("subgraph " + path, "is missing");
        continue;
      }
      CompareNodes(got.at("subgraphs").at(path).at("nodes"), graph.at("nodes"), path + ".");
    }
    CompareStorages(got.at("storages"), want.at("storages"));
    return differences_;
  }

 private:
  void CompareNodes(const json& got, const json& want, const std::string& prefix) {
    for (size_t i = 0; i < want.size(); ++i) {
      const std::string name = prefix + want[i].at("name").get<std::string>();
      if (i >= got.size()) return Differ(name, "is missing");
      for (const char* key : {"name", "op", "target"})
        if (got[i].at(key) != want[i].at(key)) return Differ(name, std::string(key) + " is " + got[i].at(key).dump());
      if (want[i].contains("error")) {
        if (!got[i].contains("error")) Differ(name, "should be an error");
        stopped_ = true;
        return;
      }
      if (!got[i].contains("meta")) {
        Differ(name, "has no value: " + got[i].dump());
        continue;
      }
      if (!SameValue(got[i].at("meta").at("val"), want[i].at("meta").at("val")))
        Differ(name, "is " + got[i].at("meta").at("val").dump() + "\n    not " + want[i].at("meta").at("val").dump());
    }
    if (got.size() > want.size()) Differ(prefix, "has nodes that are not expected");
  }

  bool SameValue(const json& got, const json& want) {
    if (got.type() != want.type()) return false;
    if (got.is_array()) {
      if (got.size() != want.size()) return false;
      for (size_t i = 0; i < got.size(); ++i)
        if (!SameValue(got[i], want[i])) return false;
      return true;
    }
    if (!got.is_object() || got.value("type", "") != "tensor") return got == want;
    return SameTensor(got, want);
  }

  bool SameTensor(const json& got, const json& want) {
    for (const auto& [key, value] : want.items()) {
      if (key == "storage" || key == "stride") continue;
      if (!got.contains(key) || got.at(key) != value) return false;
    }
    // Known elements are ours to add: PyTorch's fakes have none.
    const size_t added = got.contains("value") && !want.contains("value");
    if (got.size() != want.size() + added || !SameStrides(got, want)) return false;
    const int64_t mine = got.at("storage"), theirs = want.at("storage");
    return mine_.emplace(mine, theirs).first->second == theirs && theirs_.emplace(theirs, mine).first->second == mine;
  }

  static bool SameStrides(const json& got, const json& want) {
    const json& shape = want.at("shape");
    if (std::find(shape.begin(), shape.end(), json(0)) != shape.end()) return true;
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] != 1 && got.at("stride")[d] != want.at("stride")[d]) return false;
    return true;
  }

  void CompareStorages(const json& got, const json& want) {
    for (const json& storage : want) {
      auto it = theirs_.find(storage.at("id").get<int64_t>());
      if (it == theirs_.end()) continue;
      const json& mine = got.at(it->second);
      if (mine.at("nbytes") != storage.at("nbytes") || mine.at("device") != storage.at("device"))
        Differ("storage " + storage.at("id").dump(), "is " + mine.dump() + "\n    not " + storage.dump());
    }
  }

  void Differ(const std::string& what, const std::string& how) { differences_.push_back(what + " " + how); }

  std::vector<std::string> differences_;
  std::map<int64_t, int64_t> mine_, theirs_;  // our storage numbers to theirs, and back
  bool stopped_ = false;
};

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::runtime_error Failure(const DiagnosticSink& sink) {
  return std::runtime_error(sink.diagnostics().empty() ? "no diagnostic" : sink.diagnostics()[0].message);
}

}  // namespace

std::vector<std::string> CompareAnnotations(const json& got, const json& want) { return Comparer().Compare(got, want); }

json AnnotateFile(
    const std::string& graph_path, const std::string& inputs_path, const OpRules* rules, LibTorchFallback* stand_in) {
  DiagnosticSink sink;
  const auto graph = ReadGraph(graph_path, sink);
  if (!graph) throw Failure(sink);
  const auto inputs = ResolveInputs(*graph, inputs_path.empty() ? "" : ReadText(inputs_path), inputs_path, sink);
  if (!inputs) throw Failure(sink);
  RunOptions options;
  options.open_libtorch = OpenLibTorch;
  options.op_rules = rules;
  const Annotations annotations =
      stand_in ? RunGraphThrough(*graph, *inputs, options, *stand_in) : RunGraph(*graph, *inputs, options);
  return json::parse(WriteAnnotations(*graph, annotations));
}

}  // namespace fakeprop::testing
