#include "tools/cli/serve_command.h"

#include <charconv>
#include <filesystem>

#include "lib/diag/code_table.h"
#include "lib/diag/render_text.h"
#include "lib/json/json_writer.h"
#include "lib/report/report_page.h"
#include "tools/cli/graph_session.h"
#include "tools/cli/local_server.h"
#include "tools/cli/process_setup.h"
#include "tools/cli/report_command.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& diagnostic : sink.diagnostics()) text += RenderText(diagnostic);
  return text;
}

// Tells a file that has changed. One that is not there has a state too.
struct FileState {
  explicit FileState(const std::string& path) {
    std::error_code no_file;
    time = fs::last_write_time(path, no_file);
    size = fs::file_size(path, no_file);
  }
  bool operator==(const FileState&) const = default;

  fs::file_time_type time;
  uintmax_t size = 0;
};

// A graph with the spec that it was last run with: that of the page if it was edited there, else that of the command
// line.
class ServedGraph {
 public:
  ServedGraph(std::string path, const CommandLineOptions& options, const Console& console)
      : path_(std::move(path)), options_(options), console_(console) {}

  const std::string& path() const { return path_; }

  // Reads the files and makes the page.
  bool Run(DiagnosticSink& sink) {
    std::optional<Source> source = ReadSource(path_, edited_ ? "" : options_.inputs, options_, sink);
    if (!source) return false;
    if (edited_ && !edited_->empty()) source->spec = *edited_, source->spec_name = "the inputs";
    std::string spec = source->spec.empty() ? InputSpecTemplate(source->graph) : source->spec;
    const std::optional<Loaded> loaded = LoadSource(std::move(*source), options_, sink);
    if (!loaded) return false;
    const Annotations annotations = cli::Run(*loaded, options_, /*keep_going=*/true, console_);
    page_ = ReportPage(loaded->graph.source, ReportDataOf(*loaded, annotations, options_), PageConnects::kToItsServer);
    spec_ = std::move(spec);
    ++version_;
    return true;
  }

  // Reads the files again if they have changed. If one cannot be read, the page stays as it is. A spec that was edited
  // in the page gives way to a newer one on disk.
  void Refresh() {
    const FileState graph(path_), spec(options_.inputs);
    if (graph == graph_file_ && spec == spec_file_) return;
    if (spec != spec_file_) edited_.reset();
    graph_file_ = graph;
    spec_file_ = spec;
    trouble_ = RunAgain();
  }

  // Runs with another spec. Returns why not, or an empty text.
  std::string SetSpec(std::string spec) {
    std::optional<std::string> before = std::exchange(edited_, std::move(spec));
    std::string trouble = RunAgain();
    if (trouble.empty()) trouble_.clear();
    else edited_ = std::move(before);
    return trouble;
  }

  const std::string& page() const { return page_; }
  // The spec as JSON, to edit.
  const std::string& spec() const { return spec_; }

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
  // Returns why not, or an empty text. Whatever a file or spec does to one run, the server goes on.
  std::string RunAgain() {
    DiagnosticSink sink;
    try {
      if (Run(sink)) return "";
    } catch (const std::exception& e) {
      sink.Add(DiagnosticOf(e, options_));
    }
    return TextOf(sink);
  }

  const std::string path_;
  const CommandLineOptions& options_;
  const Console& console_;
  std::optional<std::string> edited_;
  std::string spec_, page_, trouble_;
  int64_t version_ = 0;
  FileState graph_file_{path_}, spec_file_{options_.inputs};  // before they are read for the first time
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
    if (!graphs.emplace_back(path, options, console).Run(sink)) break;
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
