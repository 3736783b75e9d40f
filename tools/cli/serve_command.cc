#include "tools/cli/serve_command.h"

#include <charconv>
#include <filesystem>

#include "lib/diag/code_table.h"
#include "lib/diag/render_text.h"
#include "lib/json/json_writer.h"
#include "lib/report/report_page.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/local_server.h"
#include "tools/cli/report_command.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) text += RenderText(diagnostic);
  return text;
}

// A graph with the spec that it was last run with.
class ServedGraph {
 public:
  ServedGraph(std::string path, const CommandLineOptions& options, const Console& console)
      : path_(std::move(path)), options_(options), console_(console) {}

  const std::string& path() const { return path_; }

  // Reads the file for the first time.
  bool Start(DiagnosticSink& sink) {
    std::optional<Source> source = ReadSource(path_, options_.inputs, options_, sink);
    if (!source) return false;
    spec_ = source->spec;
    spec_name_ = source->spec_name;
    changed_ = ChangeTime();
    return RunSource(std::move(*source), sink);
  }

  // Reads the file again if it has changed. If it cannot be read, the page stays as it is.
  void Refresh() {
    const auto now = ChangeTime();
    if (now == changed_) return;
    changed_ = now;
    RunAgain();
  }

  // Runs with another spec. Returns why not, or an empty text.
  std::string SetSpec(std::string spec) {
    const std::string before = std::exchange(spec_, std::move(spec));
    const std::string before_name = std::exchange(spec_name_, "the inputs");
    RunAgain();
    if (trouble_.empty()) return "";
    spec_ = before;
    spec_name_ = before_name;
    return std::exchange(trouble_, "");
  }

  const std::string& page() const { return page_; }
  // The spec as JSON, to edit.
  const std::string& spec() const { return spec_.empty() ? template_ : spec_; }

  // {"version": 3, "trouble": ""}
  std::string State() const {
    JsonWriter json;
    json.BeginObject();
    json.Key("version").Int(version_);
    json.Key("trouble").String(trouble_);
    json.EndObject();
    return json.Take();
  }

 private:
  fs::file_time_type ChangeTime() const {
    std::error_code ignored;  // a file that is gone has the least time
    return fs::last_write_time(path_, ignored);
  }

  void RunAgain() {
    DiagnosticSink sink;
    std::optional<Graph> graph = ReadChosenGraph(path_, options_, sink);
    std::optional<Source> source;
    if (graph) source = SourceOf(std::move(*graph), "", options_, sink);
    if (source) source->spec = spec_, source->spec_name = spec_name_;
    const bool is_run = source && RunSource(std::move(*source), sink);
    trouble_ = is_run ? "" : TextOf(sink);
  }

  bool RunSource(Source source, DiagnosticSink& sink) {
    template_ = InputSpecTemplate(source.graph);
    const std::optional<Loaded> loaded = LoadSource(std::move(source), options_, sink);
    if (!loaded) return false;
    const Annotations annotations = Run(*loaded, options_, /*keep_going=*/true, console_);
    page_ = ReportPage(loaded->graph.source, ReportDataOf(*loaded, annotations, options_), PageConnects::kToItsServer);
    ++version_;
    return true;
  }

  const std::string path_;
  const CommandLineOptions& options_;
  const Console& console_;
  std::string spec_, spec_name_, template_, page_, trouble_;
  int64_t version_ = 0;
  fs::file_time_type changed_;
};

// /          the page of a graph
// /state     its version, which changes with the page
// /spec      the input spec; POST sets it
class Site {
 public:
  explicit Site(std::vector<ServedGraph>& graphs) : graphs_(graphs) {}

  LocalResponse Answer(const LocalRequest& request) {
    ServedGraph* graph = GraphOf(request.graph);
    if (!graph) return {404, "text/plain; charset=utf-8", "there is no such graph"};
    if (request.path == "/spec" && request.method == "POST") return SetSpec(*graph, request.body);
    if (request.path == "/spec") return {200, "application/json", graph->spec()};
    graph->Refresh();
    if (request.path == "/state") return {200, "application/json", graph->State()};
    if (request.path == "/") return {200, "text/html; charset=utf-8", graph->page()};
    return {404, "text/plain; charset=utf-8", "there is no such page"};
  }

 private:
  static LocalResponse SetSpec(ServedGraph& graph, const std::string& spec) {
    const std::string trouble = graph.SetSpec(spec);
    return {trouble.empty() ? 200 : 400, "text/plain; charset=utf-8", trouble};
  }

  // The first one where none is named.
  ServedGraph* GraphOf(const std::string& number) {
    size_t index = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), index);
    const bool is_number = number.empty() || (read.ec == std::errc() && read.ptr == number.data() + number.size());
    return is_number && index < graphs_.size() ? &graphs_[index] : nullptr;
  }

  std::vector<ServedGraph>& graphs_;
};

}  // namespace

ExitStatus RunServe(const CommandLineOptions& options, const Console& console) {
  DiagnosticSink sink;
  std::vector<ServedGraph> graphs;
  graphs.reserve(options.graphs.size());
  for (const std::string& path : options.graphs)
    if (!graphs.emplace_back(path, options, console).Start(sink)) break;
  Site site(graphs);
  LocalServer server(NewToken(), [&](const LocalRequest& request) { return site.Answer(request); });
  if (!sink.HasErrors() && !server.Listen(options.port))
    sink.Add({.code = kBadUsage,
        .message = "cannot listen on port " + std::to_string(options.port) + " of 127.0.0.1",
        .notes = {"without `--port` any free port is taken"}});
  console.Report(sink.diagnostics(), options.color);
  if (sink.HasErrors()) return ExitStatus::kTrouble;
  for (size_t i = 0; i < graphs.size(); ++i)
    console.out << server.Url() << (i ? "&graph=" + std::to_string(i) : "") << "   " << graphs[i].path() << '\n';
  console.out.flush();
  server.Serve();
  return ExitStatus::kOk;
}

}  // namespace fakeprop::cli
