#include "lib/value_ranges/ranges_json.h"

#include <algorithm>
#include <span>

namespace fakeprop {
namespace {

bool IsAnyKnown(const ValueRange& range) { return range.low.at || range.high.at; }

void WriteEnd(JsonKey key, const ValueEnd& end, JsonWriter& json) {
  if (!end.at) return;
  const Sym at = end.at->env->Simplify(end.at);
  if (at->IsInteger()) json.Key(key).Int(at->integer);
  else json.Key(key).String(ToString(at));
}

void WriteRange(const ValueRange& range, JsonWriter& json) {
  json.BeginObject();
  WriteEnd("min", range.low, json);
  WriteEnd("max", range.high, json);
  if (range.is_sorted) json.Key("sorted").Bool(true);
  if (range.is_permutation) json.Key("permutation").Bool(true);
  json.EndObject();
}

std::string_view NameOf(IndexUse::Verdict verdict) {
  switch (verdict) {
    case IndexUse::Verdict::kSafe: return "safe";
    case IndexUse::Verdict::kFails: return "fails";
    case IndexUse::Verdict::kFailsForSome: return "fails for some";
    case IndexUse::Verdict::kRestsOnInput: return "rests on input";
    case IndexUse::Verdict::kUnknown: return "unknown";
  }
  return "";
}

void WriteUse(const IndexUse& use, const GraphRanges& ranges, JsonWriter& json) {
  json.BeginObject();
  if (use.index >= 0) json.Key("of").String(ranges.graph->nodes[use.index].name);
  json.Key("verdict").String(NameOf(use.verdict));
  if (use.holds) json.Key("holds").String(ToString(use.holds));
  json.EndObject();
}

// The uses are in the order of their nodes.
void WriteUses(const GraphRanges& ranges, int32_t node, JsonWriter& json) {
  const auto [first, last] = std::equal_range(ranges.uses.begin(), ranges.uses.end(), IndexUse{.node = node},
      [](const IndexUse& a, const IndexUse& b) { return a.node < b.node; });
  if (first != last)
    json.Key("indices").Array(std::span(first, last), [&](const IndexUse& use) { WriteUse(use, ranges, json); });
}

}  // namespace

void WriteRanges(
    const ValueAnalysis& analysis, const GraphAnnotations& graph, const NodeAnnotation& node, JsonWriter& json) {
  const GraphRanges* of = FindRanges(analysis, graph);
  if (!of) return;
  const auto index = static_cast<int32_t>(&node - graph.nodes.data());
  WriteUses(*of, index, json);
  const NodeRanges& ranges = of->nodes[index];
  if (!std::any_of(ranges.begin(), ranges.end(), IsAnyKnown)) return;
  json.Key("values");
  if (ranges.size() == 1) WriteRange(ranges[0], json);
  else json.Array(ranges, [&](const ValueRange& range) { WriteRange(range, json); });
}

}  // namespace fakeprop
