#include "lib/annotations/crossref_json.h"

namespace fakeprop {

void WriteCrossref(const Crossref& crossref, JsonWriter& json) {
  json.BeginObject();
  json.Key("compared").Int(static_cast<int64_t>(crossref.compared));
  json.Key("differ").Int(static_cast<int64_t>(crossref.differ));
  json.Key("on_purpose").Int(static_cast<int64_t>(crossref.deviate));
  json.Key("not_compared").Array(crossref.not_compared, [&](const auto& entry) {
    json.BeginObject();
    json.Key("op").String(entry.first.first);
    json.Key("nodes").Int(static_cast<int64_t>(entry.second));
    json.Key("reason").String(entry.first.second);
    json.EndObject();
  });
  json.EndObject();
}

}  // namespace fakeprop
