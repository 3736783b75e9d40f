// compare_scripts FILE...: compiles the code of TorchScript archives by fakeprop's compiler and by torch's front end,
// and tells for each file whether the graphs are equal. With --both it prints both graphs.
#include <fstream>
#include <iostream>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/readers/read_graph.h"
#include "lib/testing/script_graph_text.h"
#include "lib/torchscript/compiler/compile_script.h"

namespace fakeprop {
namespace {

struct Outcome {
  std::string word = "unread";
  std::string detail;
};

bool prints_both = false;

ScriptGraph CompareBoth(const ScriptSource& source, Outcome& outcome) {
  std::string reason, why;
  const auto ours = CompileScript(source, reason);
  LibTorchFallback* libtorch = OpenLibTorch(why);
  if (!libtorch) {
    std::cerr << why << "\n";
    std::exit(2);
  }
  ScriptGraph theirs;
  try {
    theirs = libtorch->ImportScript(source);
  } catch (const std::exception& error) {
    outcome = {ours ? "ACCEPTED" : "refused", std::string(error.what()).substr(0, 300)};
    throw;
  }
  if (!ours) {
    outcome = {"declined", reason};
  } else {
    const std::string got = TextOf(*ours), want = TextOf(theirs);
    const std::string difference = FirstDifference(got, want);
    outcome = {difference.empty() ? "equal" : "DIFFERENT", difference};
    if (prints_both && !difference.empty()) std::cout << "--- ours\n" << got << "--- theirs\n" << want;
  }
  return theirs;
}

void Compare(const std::string& path) {
  Outcome outcome;
  DiagnosticSink sink;
  const auto import = [&](const ScriptSource& source) { return CompareBoth(source, outcome); };
  ReadGraph(path, {{.method = "", .import_script = import}, {}}, sink);
  std::cout << outcome.word << "\t" << path << "\t" << outcome.detail << std::endl;
}

}  // namespace
}  // namespace fakeprop

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--both") {
      fakeprop::prints_both = true;
    } else if (argument.starts_with("@")) {
      std::ifstream list(argument.substr(1));
      for (std::string path; std::getline(list, path);) fakeprop::Compare(path);
    } else {
      fakeprop::Compare(argument);
    }
  }
}
