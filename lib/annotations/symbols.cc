#include "lib/annotations/symbols.h"

#include "lib/base/json_text.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

void WriteSymbol(const SymbolInfo& symbol, std::string& out) {
  WriteString(symbol.node->name, out);
  out += ": {";
  std::string_view comma;
  auto field = [&](std::string_view name) {
    out += comma;
    comma = ", ";
    out += '"';
    out += name;
    out += "\": ";
  };
  auto number = [&](std::string_view name, int64_t value) {
    field(name);
    WriteInt(value, out);
  };
  if (symbol.range.low != Range::kNoLow) number("min", symbol.range.low);
  if (symbol.range.high != Range::kNoHigh) number("max", symbol.range.high);
  if (symbol.multiple > 1) number("multiple_of", symbol.multiple);
  if (symbol.hint) number("hint", *symbol.hint);
  if (symbol.is_unbacked) {
    field("kind");
    out += "\"unbacked\"";
  }
  if (!symbol.source.empty()) {
    field("source");
    WriteString(symbol.source, out);
  }
  out += '}';
}

}  // namespace

void WriteSymbols(const ShapeEnv* env, std::string& out) {
  if (!env) return void(out += "{}");
  out += '{';
  std::string_view separator = "\n    ";
  for (const SymbolInfo& symbol : env->symbols()) {
    out += separator;
    WriteSymbol(symbol, out);
    separator = ",\n    ";
  }
  out += '}';
}

void WriteGuard(const GuardRecord& guard, std::string& out) {
  out += "{\"expr\": ";
  WriteString(ToString(guard.expression), out);
  if (!guard.place.node.empty()) {
    out += ", \"node\": ";
    WriteString(guard.place.node, out);
  }
  const auto frames = ParseStackTrace(guard.place.stack_trace);
  if (const PythonFrame* frame = HeadlineFrame(frames)) {
    out += ", \"line\": ";
    WriteString(frame->file + ":" + std::to_string(frame->line), out);
  }
  if (guard.is_assertion) out += ", \"kind\": \"assertion\"";
  out += '}';
}

void WriteGuards(const ShapeEnv* env, std::string& out) {
  if (!env) return void(out += "[]");
  out += '[';
  std::string_view separator = "\n    ";
  for (const GuardRecord& guard : env->guards()) {
    out += separator;
    WriteGuard(guard, out);
    separator = ",\n    ";
  }
  out += ']';
}

}  // namespace fakeprop
