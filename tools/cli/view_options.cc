#include "tools/cli/view_options.h"

#include <CLI/CLI.hpp>

namespace fakeprop::cli {

void AddViewers(CLI::App& app, CommandLineOptions& options) {
  app.add_option("--compare", options.compare, "another graph, or annotations, to show beside this one")
      ->option_text("OTHER");
  const auto add_viewer = [&](const char* name, Viewer viewer, const char* what) {
    app.add_flag_callback(
        name, [&options, viewer] { options.viewer = viewer; }, what);
  };
  add_viewer("--dot", Viewer::kDot, "write the graph for Graphviz instead of a page");
  add_viewer("--mermaid", Viewer::kMermaid, "write a small graph for Mermaid instead of a page");
  add_viewer("--model-explorer", Viewer::kModelExplorer, "write the graph for Model Explorer instead of a page");
  add_viewer("--node-data", Viewer::kNodeData, "write bytes of nodes, to lay over the graph in Model Explorer");
  add_viewer("--perfetto", Viewer::kPerfetto, "write the memory over time for Perfetto instead of a page");
}

void AddTree(CLI::App& app, CommandLineOptions& options, RawOptions& raw) {
  app.add_flag("--tree", options.shows_tree, "print the modules with their sums instead of the nodes");
  app.add_option("--depth", raw.depth, "with --tree: how many levels of modules (default: 2)")->option_text("N");
  app.add_flag("-i,--interactive", options.is_interactive, "browse modules and nodes in the terminal");
}

}  // namespace fakeprop::cli
