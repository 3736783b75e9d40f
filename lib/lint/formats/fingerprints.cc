#include "lib/lint/formats/fingerprints.h"

#include <cstdint>
#include <cstdio>
#include <map>

#include "lib/base/fnv.h"
#include "lib/diag/python_trace.h"
#include "lib/lint/formats/source_places.h"

namespace fakeprop {
namespace {

// The hash of several texts, with an end to each.
class Hash {
 public:
  void Add(std::string_view text) {
    using namespace std::string_view_literals;
    state_ = Hashed(Hashed(state_, text), "\0"sv);
  }
  std::string Text() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  uint64_t state_ = kFnvStart;
};

// "aten::mm" of "%mm = aten::mm(%relu, %y)".
std::string_view OperatorOf(std::string_view node_text) {
  const size_t equals = node_text.find(" = "), start = equals == std::string_view::npos ? 0 : equals + 3;
  return node_text.substr(start, node_text.find('(', start) - start);
}

std::string Digits(const std::string& graph, const Finding& finding) {
  const Diagnostic& d = finding.diagnostic;
  const PythonFrame* frame = HeadlineFrame(d.frames);
  Hash hash;
  for (const std::string_view part : {std::string_view(graph), d.code.id, std::string_view(finding.subgraph),
           OperatorOf(d.node_text), std::string_view(d.module)})
    hash.Add(part);
  hash.Add(frame ? frame->function : d.node);
  hash.Add(frame ? frame->source : d.place);
  return hash.Text();
}

}  // namespace

std::vector<std::string> Fingerprints(const GraphFindings& graph) {
  const std::string path = PlainPath(graph.graph);
  std::map<std::string, int> counts;
  std::vector<std::string> fingerprints;
  for (const Finding& finding : graph.findings) {
    const std::string digits = Digits(path, finding);
    fingerprints.push_back(digits + ":" + std::to_string(++counts[digits]));
  }
  return fingerprints;
}

}  // namespace fakeprop
