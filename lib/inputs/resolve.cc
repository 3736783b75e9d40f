// From an input spec to the values of placeholders. The steps, each with its file, in order:
//
//   spec.h             reads the document: one entry for each input that it names, and its symbols
//   slots.h            puts together what spec and graph say about each input
//   views.h            finds the inputs that share a storage
//   solve_symbols.h    solves for the symbols that follow from numbers of the spec
//   declare_symbols.h  declares the other symbols in the ShapeEnv, with a range and a hint (choose_hint.h); those that
//                      follow from expressions of the spec stand for these (equate_sizes.h)
//   assumptions.h      takes the facts about sizes that the spec states
//   evaluate_sizes.h   evaluates sizes with what their symbols stand for (symbol_meanings.h)
//   make_value.h       makes the values, and tensors (make_tensor.h), from sizes, data (read_elements.h) and other
//                      values (read_value.h)
//
// For example, the graph recorded `s77` as the first size of `x`, with hint 4. If the spec gives x the shape [6, 3],
// s77 is solved: it is 6. If the spec gives ["batch", 3], s77 is equated: it is `batch`. If the spec leaves x out, s77
// is declared as a symbol with hint 4.
#include "lib/error/error.h"
#include "lib/inputs/assumptions.h"
#include "lib/inputs/declare_symbols.h"
#include "lib/inputs/evaluate_sizes.h"
#include "lib/inputs/input_codes.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/make_value.h"
#include "lib/inputs/resolve_tree.h"
#include "lib/inputs/slots.h"
#include "lib/inputs/solve_symbols.h"
#include "lib/inputs/views.h"
#include "lib/json/document_kind.h"

namespace fakeprop {
namespace {

void ReportMissing(const Graph& graph, const std::vector<Slot>& slots, std::string_view file, DiagnosticSink& sink) {
  std::string names;
  for (const Slot& slot : slots)
    if (slot.IsMissing()) names += (names.empty() ? "" : ", ") + Quote(slot.label);
  if (names.empty()) return;
  Diagnostic diagnostic;
  diagnostic.code = kMissingInput;
  diagnostic.message = "the graph recorded nothing for " + names +
                       ": an input spec has to give the shape and dtype of a tensor, the value of a number";
  diagnostic.file = file.empty() ? graph.source : std::string(file);
  diagnostic.notes.push_back("a spec to start from, for `--inputs`:\n" + InputSpecTemplate(graph));
  sink.Add(std::move(diagnostic));
}

// The steps after the document is read.
class InputResolver {
 public:
  InputResolver(const Graph& graph, const SpecEntries& entries, std::string_view file, DiagnosticSink& sink,
      ShapeEnv* env, SymbolDeclarations declarations)
      : graph_(graph),
        slots_(MakeSlots(graph, entries)),
        file_(file),
        sink_(sink),
        env_(env),
        declarations_(std::move(declarations)) {}

  std::vector<InputValue> Resolve() {
    ReportMissing(graph_, slots_, file_, sink_);
    bases_ = FindViewBases(graph_, slots_, file_, sink_);
    Try([&] { meanings_.numbers = SolveSymbols(graph_, slots_); });
    // Values without their symbols or bases would only repeat what is already reported.
    if (sink_.HasErrors()) return {};
    if (env_) Try([&] { Declare(); });
    if (sink_.HasErrors()) return {};
    return MakeValues();
  }

 private:
  template <typename Step>
  void Try(Step step) {
    try {
      step();
    } catch (const SpecError& error) {
      Report(error, error.code, file_, sink_);
    } catch (const JsonError& error) {
      Report(error, kMalformedSpec, file_, sink_);
    }
  }

  void Declare() {
    try {
      FitHintsToAssumptions();
      DeclareSymbols(graph_, slots_, declarations_, meanings_, *env_);
      TakeAssumptions(declarations_.spec, meanings_, *env_);
    } catch (const OpError& error) {
      Diagnostic diagnostic;
      diagnostic.code = kConflictingSymbol;
      diagnostic.message = error.message();
      diagnostic.file = graph_.source;
      sink_.Add(std::move(diagnostic));
    }
  }

  // A caller that gives hints has chosen among the sizes for which the assumptions hold.
  void FitHintsToAssumptions() {
    if (declarations_.spec.assumptions.empty() || !declarations_.hints.empty()) return;
    ShapeEnv draft;
    SymbolMeanings meanings = meanings_;
    DeclareSymbols(graph_, slots_, declarations_, meanings, draft);
    declarations_.hints = FitHints(declarations_.spec, meanings, draft);
  }

  std::vector<InputValue> MakeValues() {
    SizeEvaluator sizes(graph_, meanings_, file_, sink_, env_);
    ValueMaker maker(slots_, bases_, sizes, file_);
    std::vector<InputValue> values;
    for (const Slot& slot : slots_) {
      values.emplace_back();
      Try([&] { values.back() = maker.Make(slot); });
    }
    if (!sink_.HasErrors()) JoinViews(slots_, bases_, file_, sink_, values);
    return values;
  }

  const Graph& graph_;
  std::vector<Slot> slots_;
  std::string_view file_;
  DiagnosticSink& sink_;
  ShapeEnv* env_;
  SymbolDeclarations declarations_;
  std::vector<int> bases_;
  SymbolMeanings meanings_;
};

// `run` returns the values, and adds to its sink or throws what is wrong with the spec.
template <typename Run>
std::optional<std::vector<InputValue>> ReportTo(DiagnosticSink& sink, std::string_view file, const Run& run) {
  DiagnosticSink found;
  std::vector<InputValue> values;
  try {
    values = run(found);
  } catch (const SpecError& error) {
    Report(error, error.code, file, found);
  } catch (const JsonError& error) {
    Report(error, kMalformedSpec, file, found);
  }
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (found.HasErrors()) return std::nullopt;
  return values;
}

// `spec` is null if there is none.
std::vector<InputValue> Resolve(const Graph& graph, const JsonTree* spec, std::string_view file, DiagnosticSink& found,
    ShapeEnv* env, const SymbolValues& hints, UnbackedInputs unbacked) {
  SpecEntries entries(graph.inputs.size());
  if (spec) entries = ReadSpecEntries(spec->root(), graph, file, found);
  if (found.HasErrors()) return {};
  SpecSymbols symbols;
  if (spec) symbols = ReadSpecSymbols(spec->root());
  return InputResolver(graph, entries, file, found, env, {std::move(symbols), hints, unbacked}).Resolve();
}

}  // namespace

std::optional<std::vector<InputValue>> ResolveInputs(const Graph& graph, std::string_view spec_text,
    std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env, const SymbolValues& hints,
    UnbackedInputs unbacked) {
  return ReportTo(sink, spec_name, [&](DiagnosticSink& found) {
    std::optional<JsonTree> spec;
    if (!spec_text.empty() || !spec_name.empty())
      spec = ParseDocument(
          spec_text, {"an input spec", "fakeprop.inputs/1", "`fakeprop inputs GRAPH` prints a spec to start from"});
    return Resolve(graph, spec ? &*spec : nullptr, spec_name, found, env, hints, unbacked);
  });
}

std::optional<std::vector<InputValue>> ResolveInputs(
    const Graph& graph, const JsonTree& spec, std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env) {
  return ReportTo(sink, spec_name,
      [&](DiagnosticSink& found) { return Resolve(graph, &spec, spec_name, found, env, {}, UnbackedInputs::kKept); });
}

}  // namespace fakeprop
