#include "lib/refine/refine.h"

#include "lib/error/error.h"
#include "lib/json/document_kind.h"
#include "lib/refine/refine_codes.h"
#include "lib/refine/rewrite.h"
#include "lib/refine/symbol_values.h"

namespace fakeprop {
namespace {

constexpr WantedDocument kAnnotations{
    "annotations", "fakeprop.annotations/1", "`fakeprop GRAPH -o FILE` writes annotations"};

}  // namespace

std::optional<Refined> RefineAnnotations(
    std::string_view text, std::string_view file, const SymbolValues& given, DiagnosticSink& sink) {
  DiagnosticSink found;
  Refined refined;
  try {
    const JsonTree tree = ParseDocument(text, kAnnotations);
    tree.root().Get("nodes").AsArray();
    RefinedSymbols symbols(tree.root(), file, found);
    symbols.Set(given);
    if (!found.HasErrors()) refined.text = RewriteAnnotations(tree.root(), symbols, refined.has_errors);
  } catch (const JsonError& error) {
    Diagnostic diagnostic;
    diagnostic.code = kMalformedAnnotations;
    diagnostic.message = error.message;
    diagnostic.file = file;
    diagnostic.place = error.place;
    if (!error.note.empty()) diagnostic.notes.push_back(error.note);
    found.Add(std::move(diagnostic));
  }
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (found.HasErrors()) return std::nullopt;
  return refined;
}

}  // namespace fakeprop
