#include "lib/refine/refine.h"

#include "lib/error/error.h"
#include "lib/json/json_parse.h"
#include "lib/refine/refine_codes.h"
#include "lib/refine/rewrite.h"
#include "lib/refine/symbol_values.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFormat = "fakeprop.annotations/1";

void CheckFormat(JsonValue root) {
  const JsonValue format = root.AsObject().Get("format");
  if (format.AsString() != kFormat)
    format.Fail("expected annotations of the format " + Quote(kFormat) + " but found " + Quote(format.AsString()));
  root.Get("nodes").AsArray();
}

}  // namespace

std::optional<Refined> RefineAnnotations(
    std::string_view text, std::string_view file, const SymbolValues& given, DiagnosticSink& sink) {
  DiagnosticSink found;
  Refined refined;
  try {
    const JsonTree tree = ParseJson(text);
    CheckFormat(tree.root());
    RefinedSymbols symbols(tree.root(), file, found);
    symbols.Set(given);
    if (!found.HasErrors()) refined.text = RewriteAnnotations(tree.root(), symbols, refined.has_errors);
  } catch (const JsonError& error) {
    Diagnostic diagnostic;
    diagnostic.code = kMalformedAnnotations;
    diagnostic.message = error.message;
    diagnostic.file = file;
    diagnostic.place = error.place;
    found.Add(std::move(diagnostic));
  }
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (found.HasErrors()) return std::nullopt;
  return refined;
}

}  // namespace fakeprop
