#include "lib/annotations/conditions.h"

#include <algorithm>

#include "lib/annotations/summary.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

constexpr size_t kMostShown = 5;

std::string PlaceOf(const GuardRecord& guard) {
  std::string place;
  if (!guard.place.node.empty()) place = "node `" + std::string(guard.place.node) + "`";
  const std::vector<PythonFrame> frames = ParseStackTrace(guard.place.stack_trace);
  if (const PythonFrame* frame = HeadlineFrame(frames))
    place += (place.empty() ? "" : ", ") + frame->file + ":" + std::to_string(frame->line);
  return place;
}

void AddTo(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

}  // namespace

Conditions ConditionsOf(const ShapeEnv* env) {
  Conditions conditions;
  if (!env) return conditions;
  for (const SymbolInfo& symbol : env->symbols())
    if (symbol.hint) AddTo(conditions.hints, symbol.node->name + " = " + std::to_string(*symbol.hint));
  for (const GuardRecord& guard : env->guards())
    if (!guard.is_assertion && !guard.is_declared)
      conditions.guards.push_back({ToString(guard.expression), PlaceOf(guard)});
  return conditions;
}

std::string SymbolRangesText(const ShapeEnv* env) {
  std::string text;
  if (!env) return text;
  for (const SymbolInfo& symbol : env->symbols()) {
    if (symbol.node->type != SymType::kInt) continue;
    AddTo(text, symbol.node->name + (symbol.range.IsPoint() ? " = " : " ") + InWords(symbol.range));
    if (symbol.is_unbacked) text += " (data decides)";
  }
  return text;
}

std::string ConditionsText(const Conditions& conditions) {
  const std::vector<Condition>& guards = conditions.guards;
  if (guards.empty()) return "";
  std::string text = "holds only where " + Counted(guards.size(), "guard") + (guards.size() == 1 ? " does" : " do");
  if (!conditions.hints.empty()) text += ", as at " + conditions.hints;
  text += '\n';
  for (size_t i = 0; i < std::min(guards.size(), kMostShown); ++i)
    text += "  " + guards[i].expression + (guards[i].place.empty() ? "" : "     " + guards[i].place) + '\n';
  if (guards.size() > kMostShown)
    text += "  and " + std::to_string(guards.size() - kMostShown) + " more, which the annotations list\n";
  return text;
}

void WriteConditions(const Conditions& conditions, JsonWriter& json) {
  json.Array(conditions.guards, [&](const Condition& guard) {
    json.BeginObject();
    json.Key("expr").String(guard.expression);
    if (!guard.place.empty()) json.Key("place").String(guard.place);
    json.EndObject();
  });
}

}  // namespace fakeprop
