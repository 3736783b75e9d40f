#include "tools/cli/footers.h"

namespace fakeprop::cli {
namespace {

std::string_view CountingFooter(Command command) {
  if (command == Command::kMemory)
    return "Examples:\n"
           "  fakeprop memory model.json --plot\n"
           "  fakeprop memory model.json --set batch=8 --budget 24GiB\n"
           "  fakeprop memory model.json --max batch --budget 24GiB --device cuda\n"
           "  fakeprop memory model.json --table batch=1,2,4,8 --table seq=128,512";
  return "Examples:\n"
         "  fakeprop cost model.json --by module\n"
         "  fakeprop cost model.json --set batch=8 --on h100-sxm\n"
         "  fakeprop cost model.json --by node --top 50 --peak-flops 312T --bandwidth 2T";
}

constexpr std::string_view kDiffFooter =
    "A and B are graphs, or annotations as `fakeprop GRAPH -o FILE` writes them. Nodes are matched by name, "
    "and "
    "where\n"
    "names moved by module, operator and order. The exit status is 1 if something changed.\n\n"
    "Examples:\n"
    "  fakeprop diff before.pt2 after.pt2\n"
    "  fakeprop diff golden.json model.json --format markdown -o comment.md\n"
    "  fakeprop diff before.json after.json --input x=batchx3x224x224";

constexpr std::string_view kReportFooter =
    "The page is one file that needs no network. The other formats are for other viewers.\n\n"
    "Examples:\n"
    "  fakeprop report model.json -o report.html\n"
    "  fakeprop report model.json --dot | dot -Tsvg > model.svg";
constexpr std::string_view kServeFooter =
    "The server answers this machine alone, and only to who knows the token of the printed URL. Ctrl-C ends "
    "it.\n\n"
    "Example:\n"
    "  fakeprop serve model.json";
constexpr std::string_view kManFooter =
    "Examples:\n"
    "  fakeprop man | man -l -\n"
    "  fakeprop man > ~/.local/share/man/man1/fakeprop.1";

constexpr std::string_view kContractFooter =
    "Examples:\n"
    "  fakeprop contract model.pt2\n"
    "  fakeprop contract model.pt2 --format cpp -o model_contract.h\n"
    "  fakeprop contract model.json --inputs spec.json --format json";

constexpr std::string_view kConfigFooter =
    "Examples:\n"
    "  fakeprop config\n"
    "  fakeprop config --config other.toml";

// The footers of the commands with the most options.
std::string_view MainFooter(Command command) {
  switch (command) {
    case Command::kPropagate:
      return "Examples:\n"
             "  fakeprop model.json -o annotations.json\n"
             "  fakeprop model.json --inputs spec.json --keep-going\n"
             "  fakeprop model.json --device cuda:0 --grad off > on_gpu.json\n"
             "  fakeprop - < model.pt2 | jq .nodes";
    case Command::kLint:
      return "With several GRAPHs, --inputs and --golden name folders that hold one file for each graph, called as "
             "the\n"
             "graph is without its endings.\n\n"
             "Examples:\n"
             "  fakeprop lint model.pt2 --recorded\n"
             "  fakeprop lint model.json --golden golden/model.json --update-golden\n"
             "  fakeprop lint models/*.json --golden golden --format json\n"
             "  fakeprop lint models --format text --format sarif=fakeprop.sarif --baseline fakeprop.baseline.json";
    default: return {};
  }
}

}  // namespace

std::string_view Footer(Command command) {
  switch (command) {
    case Command::kPropagate:
    case Command::kLint: return MainFooter(command);
    case Command::kShow:
      return "Examples:\n"
             "  fakeprop show model.json\n"
             "  fakeprop show model.json --module encoder.layers.0 --columns node,shape,bytes\n"
             "  fakeprop show -v model.json | less -S\n"
             "  fakeprop show model.json --format csv -o rows.csv";
    case Command::kInputs:
      return "Example:\n"
             "  fakeprop inputs model.json > spec.json";
    case Command::kOps:
      return "Served by: `rule` (also for another form: in-place, out=, copy), `builtin` (Python's own functions in "
             "graphs),\n"
             "`higher-order`, `composite` and `meta kernel` (LibTorch's or a loaded library's, through the plug-in), "
             "`custom` "
             "(--op-rules),\n`none`.\n\n"
             "Examples:\n"
             "  fakeprop ops --graph model.json\n"
             "  fakeprop ops | grep none";
    case Command::kRefine:
      return "Symbols without a number stay symbols, unless a guard gives them one. Sizes that are outside of a "
             "symbol's range, or\n"
             "that violate a guard, are refused (exit status 1).\n\n"
             "Examples:\n"
             "  fakeprop refine annotations.json --set batch=8 --set seq=128 -o at_8_128.json\n"
             "  fakeprop model.json | fakeprop refine - --set s77=8";
    case Command::kProve:
      return "For every size within the ranges of the graph's symbols, or of those that SPEC names, the graph "
             "propagates\n"
             "(exit status 0), or it does not for the sizes that are printed, or neither could be shown (exit status "
             "1).\n\n"
             "Examples:\n"
             "  fakeprop prove model.json\n"
             "  fakeprop prove model.json --inputs spec.json --format json";
    case Command::kMemory:
    case Command::kCost: return CountingFooter(command);
    case Command::kDiff: return kDiffFooter;
    case Command::kContract: return kContractFooter;
    case Command::kExplain:
      return "Without a CODE, all codes are listed.\n\n"
             "Examples:\n"
             "  fakeprop explain FP3001\n"
             "  fakeprop explain ShapeMismatch";
    case Command::kReport: return kReportFooter;
    case Command::kServe: return kServeFooter;
    case Command::kMan: return kManFooter;
    case Command::kConfig: return kConfigFooter;
    case Command::kCompletions:
      return "Examples:\n"
             "  fakeprop completions bash > ~/.local/share/bash-completion/completions/fakeprop\n"
             "  fakeprop completions zsh > ~/.zfunc/_fakeprop\n"
             "  fakeprop completions fish > ~/.config/fish/completions/fakeprop.fish";
  }
  return {};
}

}  // namespace fakeprop::cli
