// Which of fakeprop's documents a text is, and what else it may be.
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

// What a JSON document is: "an input spec", "annotations", "a graph of torch.export" ... Empty for one that is none of
// those that fakeprop reads or writes.
std::string_view DocumentKind(JsonValue root);

// Parses a document and checks its format. Throws JsonError; it has a note where the text is another kind of document,
// or of file.
JsonTree ParseDocument(std::string_view text, const WantedDocument& wanted);

}  // namespace fakeprop
