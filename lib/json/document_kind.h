// Finds which of fakeprop's documents a text is, or what else it is.
#pragma once

#include <string_view>

#include "lib/json/json_tree.h"

namespace fakeprop {

// A document that an option or a command takes.
struct WantedDocument {
  std::string_view name;    // as messages call it: "annotations"
  std::string_view format;  // "fakeprop.annotations/1"
  std::string_view source;  // where to get one: "`fakeprop GRAPH -o FILE` writes annotations"
};

// Names the kind of a JSON document: "an input spec", "annotations", "a graph of torch.export" ... Empty if fakeprop
// neither reads nor writes such documents.
std::string_view DocumentKind(JsonValue root);

// Parses a document and checks its format. Throws JsonError, with a note if the text is another kind of document or
// file.
JsonTree ParseDocument(std::string_view text, const WantedDocument& wanted);

}  // namespace fakeprop
