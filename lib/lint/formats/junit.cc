// Source: the XML that Ant's JUnit task wrote, as Jenkins and GitLab read it.
#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/base/utf8.h"
#include "lib/lint/formats/finding_list.h"
#include "lib/lint/formats/lint_formats.h"

namespace fakeprop {
namespace {

// Characters that XML cannot have become U+FFFD.
std::string Escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Char c = DecodeUtf8(text);
    const std::string_view bytes = text.substr(0, c.size);
    text.remove_prefix(c.size);
    const bool is_control = c.code < 0x20 && c.code != '\n' && c.code != '\t';
    if (!c.is_valid || is_control || c.code == 0xfffe || c.code == 0xffff) out += "\xef\xbf\xbd";
    else if (c.code == '<') out += "&lt;";
    else if (c.code == '>') out += "&gt;";
    else if (c.code == '&') out += "&amp;";
    else if (c.code == '"') out += "&quot;";
    else if (c.code == '\n') out += "&#10;";
    else out += bytes;
  }
  return out;
}

std::string Attribute(const std::string& name, std::string_view value) {
  return " " + name + "=\"" + Escape(value) + "\"";
}

struct SuiteCounts {
  size_t tests = 0, failures = 0, errors = 0;
};

std::string CountAttributes(const SuiteCounts& counts) {
  return Attribute("tests", std::to_string(counts.tests)) + Attribute("failures", std::to_string(counts.failures)) +
         Attribute("errors", std::to_string(counts.errors));
}

class JunitWriter {
 public:
  JunitWriter(const std::vector<GraphFindings>& graphs, SourcePlaces& places)
      : findings_(ListFindings(graphs, places)), graphs_(graphs) {}

  std::string Write() {
    std::string suites;
    for (const GraphFindings& graph : graphs_) suites += Suite(graph);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fakeprop lint\"" + CountAttributes(total_) +
           ">\n" + suites + "</testsuites>\n";
  }

 private:
  std::string Suite(const GraphFindings& graph) {
    SuiteCounts counts;
    std::string cases;
    if (!graph.trouble.empty()) cases += Trouble(graph, counts);
    for (size_t i = 0; i < graph.findings.size(); ++i) cases += Failure(findings_[next_++], counts);
    cases += LeftOut(graph, counts);
    if (counts.tests == 0) cases += Case(graph, "no findings", "", counts);
    total_.tests += counts.tests;
    total_.failures += counts.failures;
    total_.errors += counts.errors;
    left_out_ = 0;
    return "  <testsuite" + Attribute("name", PlainPath(graph.graph)) + CountAttributes(counts) + ">\n" + cases +
           "  </testsuite>\n";
  }

  static std::string Case(
      const GraphFindings& graph, const std::string& name, const std::string& outcome, SuiteCounts& counts) {
    ++counts.tests;
    const std::string start =
        "    <testcase" + Attribute("classname", PlainPath(graph.graph)) + Attribute("name", name);
    return outcome.empty() ? start + "/>\n" : start + ">\n" + outcome + "    </testcase>\n";
  }

  static std::string Outcome(
      const std::string& tag, std::string_view type, const std::string& message, const std::string& text) {
    return "      <" + tag + Attribute("type", type) + Attribute("message", message) + ">" + Escape(text) + "</" + tag +
           ">\n";
  }

  static std::string Trouble(const GraphFindings& graph, SuiteCounts& counts) {
    ++counts.errors;
    std::string all;
    for (const Diagnostic& d : graph.trouble) all += FindingText({.diagnostic = d}, {});
    const Diagnostic& first = graph.trouble.front();
    return Case(graph, "is linted", Outcome("error", first.code.id, first.message, all), counts);
  }

  std::string Failure(const ListedFinding& listed, SuiteCounts& counts) {
    if (++failures_ > kMostJunitFailures) {
      ++left_out_;
      return "";
    }
    ++counts.failures;
    const Diagnostic& d = listed.diagnostic();
    const std::string name = std::string(d.code.id) + (d.node.empty() ? "" : " " + d.node);
    return Case(*listed.graph, name + (listed.finding->subgraph.empty() ? "" : " in " + listed.finding->subgraph),
        Outcome("failure", d.code.class_name, d.message, FindingText(*listed.finding, {})), counts);
  }

  std::string LeftOut(const GraphFindings& graph, SuiteCounts& counts) const {
    if (left_out_ == 0) return "";
    ++counts.failures;
    const std::string text = Counted(left_out_, "more finding") + ", which `--format json` lists";
    return Case(graph, "other findings", Outcome("failure", "fakeprop", text, text), counts);
  }

  const std::vector<ListedFinding> findings_;
  const std::vector<GraphFindings>& graphs_;
  size_t next_ = 0, failures_ = 0, left_out_ = 0;
  SuiteCounts total_;
};

}  // namespace

std::string LintJunit(const std::vector<GraphFindings>& graphs, SourcePlaces& places) {
  return JunitWriter(graphs, places).Write();
}

}  // namespace fakeprop
