#include "lib/json/document_kind.h"

#include <algorithm>
#include <cctype>

#include "lib/base/file_kind.h"
#include "lib/json/json_parse.h"
#include "lib/json/json_text.h"

namespace fakeprop {
namespace {

struct KindOfFormat {
  std::string_view format, name;
};
constexpr KindOfFormat kFormats[] = {
    {"fakeprop.inputs/", "an input spec"},
    {"fakeprop.annotations/", "annotations"},
    {"fakeprop.fx/", "a graph of torch.fx"},
    {"fakeprop.lint/", "findings of lint"},
    {"fakeprop.prove/", "a result of prove"},
    {"fakeprop.op_rules/", "rules of operators"},
};

std::string NotWanted(std::string_view what, const WantedDocument& wanted) {
  return "this is " + std::string(what) + ", not " + std::string(wanted.name);
}

// Kinds without an article are plural: "annotations".
std::string KindNotWanted(std::string_view kind, const WantedDocument& wanted) {
  const bool is_one = kind.starts_with("a ") || kind.starts_with("an ");
  return (is_one ? "this is " : "these are ") + std::string(kind) + ", not " + std::string(wanted.name);
}

// The file may be the right one, but is not all there or in another encoding. Then the advice is about the file itself.
bool CameInAWrongForm(const FileKind& kind) {
  return kind.name.starts_with("a git-lfs") || kind.name.starts_with("text in") || kind.name.starts_with("an HTML");
}

std::string_view FirstLine(std::string_view text) {
  constexpr size_t kMostShown = 40;
  return text.substr(0, std::min(text.find('\n'), kMostShown));
}

// Not of another kind, as far as the first bytes tell.
void CheckText(std::string_view text, const WantedDocument& wanted) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw JsonError(
        "", text.empty() ? "the file is empty" : "the file holds nothing but spaces", std::string(wanted.source));
  if (text.starts_with("PK\3\4"))
    throw JsonError(
        "", NotWanted("a zip archive, as graphs are (.pt2, TorchScript)", wanted), std::string(wanted.source));
  if (const std::optional<FileKind> kind = FindFileKind(text))
    throw JsonError(
        "", NotWanted(kind->name, wanted), std::string(CameInAWrongForm(*kind) ? kind->advice : wanted.source));
  if (const size_t first = text.find_first_not_of(" \t\r\n"); std::isalpha(static_cast<unsigned char>(text[first])))
    throw JsonError(
        "", "this is no JSON: it starts with " + Quote(FirstLine(text.substr(first))), std::string(wanted.source));
}

void CheckFormat(JsonValue root, const WantedDocument& wanted) {
  if (root.kind() != JsonKind::kObject) root.FailExpected("an object");
  const std::optional<JsonValue> format = root.Find("format");
  const bool is_text = format && format->kind() == JsonKind::kString;
  if (is_text && format->AsString() == wanted.format) return;
  const std::string_view kind = DocumentKind(root);
  if (!kind.empty() && kind != wanted.name)
    throw JsonError("", KindNotWanted(kind, wanted), std::string(wanted.source));
  if (!format)
    throw JsonError("", "the field `format` is missing: write `\"format\": \"" + std::string(wanted.format) + "\"`");
  format->Fail("the format is " + Quote(format->AsString()) + ", and this fakeprop reads " + Quote(wanted.format));
}

}  // namespace

std::string_view DocumentKind(JsonValue root) {
  if (root.kind() != JsonKind::kObject) return "";
  if (root.Find("graph_module") && root.Find("schema_version")) return "a graph of torch.export";
  const std::optional<JsonValue> format = root.Find("format");
  if (!format || format->kind() != JsonKind::kString) return "";
  for (const KindOfFormat& kind : kFormats)
    if (format->AsString().starts_with(kind.format)) return kind.name;
  return "";
}

JsonTree ParseDocument(std::string_view text, const WantedDocument& wanted) {
  CheckText(text, wanted);
  JsonTree tree = ParseJson(text);
  CheckFormat(tree.root(), wanted);
  return tree;
}

}  // namespace fakeprop
