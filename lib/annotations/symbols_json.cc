#include "lib/annotations/symbols_json.h"

#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

void WriteSymbol(const SymbolInfo& symbol, JsonWriter& json) {
  json.BeginObject();
  if (symbol.range.low != Range::kNoLow) json.Key("min").Int(symbol.range.low);
  if (symbol.range.high != Range::kNoHigh) json.Key("max").Int(symbol.range.high);
  if (symbol.multiple > 1) json.Key("multiple_of").Int(symbol.multiple);
  if (symbol.hint) json.Key("hint").Int(*symbol.hint);
  if (symbol.is_unbacked) json.Key("kind").String("unbacked");
  if (!symbol.source.empty()) json.Key("source").String(symbol.source);
  json.EndObject();
}

}  // namespace

void WriteSymbols(const ShapeEnv* env, JsonWriter& json) {
  json.BeginObject();
  if (env) {
    for (const SymbolInfo& symbol : env->symbols()) {
      json.NewLine(4);
      WriteSymbol(symbol, json.KeyOf(symbol.node->name));
    }
  }
  json.EndObject();
}

void WriteGuard(const GuardRecord& guard, JsonWriter& json) {
  json.BeginObject();
  json.Key("expr").String(ToString(guard.expression));
  if (!guard.place.node.empty()) json.Key("node").String(guard.place.node);
  const auto frames = ParseStackTrace(guard.place.stack_trace);
  if (const PythonFrame* frame = HeadlineFrame(frames))
    json.Key("line").String(frame->file + ":" + std::to_string(frame->line));
  if (guard.is_assertion) json.Key("kind").String("assertion");
  json.EndObject();
}

void WriteGuards(const ShapeEnv* env, JsonWriter& json) {
  json.BeginArray();
  if (env) {
    for (const GuardRecord& guard : env->guards()) {
      json.NewLine(4);
      WriteGuard(guard, json);
    }
  }
  json.EndArray();
}

}  // namespace fakeprop
