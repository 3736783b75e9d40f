// A JsonTree in the making from objects of a Python process.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/api/python_abi.h"
#include "lib/json/json_parse.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// The caller opens and closes in pairs. A key has to live as long as the tree.
class ObjectTree {
 public:
  JsonNode& Add(JsonKind kind, std::string_view key) {
    if (!open_.empty()) ++nodes_[open_.back()].size;
    JsonNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.end = static_cast<uint32_t>(nodes_.size());
    node.key = key.data();
    node.key_size = static_cast<uint32_t>(key.size());
    return node;
  }
  void Open(JsonKind kind, std::string_view key) {
    if (open_.size() == kMaxJsonDepth) throw JsonError("", "arguments are nested too deeply");
    Add(kind, key);
    open_.push_back(nodes_.size() - 1);
  }
  void Close() {
    nodes_[open_.back()].end = static_cast<uint32_t>(nodes_.size());
    open_.pop_back();
  }
  void AddInteger(std::string_view key, int64_t number) { Add(JsonKind::kInteger, key).integer = number; }
  // `text` has to live as long as the tree.
  void AddText(std::string_view key, std::string_view text) {
    JsonNode& node = Add(JsonKind::kString, key);
    node.text = text.data();
    node.size = static_cast<uint32_t>(text.size());
  }
  // A copy of another tree.
  void AddTree(std::string_view key, const JsonTree& tree) { AddValue(key, tree.root(), tree); }
  // A copy of each member of another tree.
  void AddMembers(const JsonTree& tree) {
    for (JsonValue member : tree.root().AsObject()) AddValue(Keep(member.key()), member, tree);
  }

  std::string_view Keep(std::string_view text) { return text_->Store(text); }
  JsonTree Release() { return JsonTree(std::move(nodes_), text_); }

 private:
  void AddValue(std::string_view key, JsonValue value, const JsonTree& tree) {
    const uint32_t first = value.index(), start = static_cast<uint32_t>(nodes_.size());
    for (uint32_t i = first; i < tree.node(first).end; ++i) {
      JsonNode node = tree.node(i);
      node.end += start - first;
      node.key = Keep({node.key, node.key_size}).data();
      if (node.kind == JsonKind::kString) node.text = Keep({node.text, node.size}).data();
      nodes_.push_back(node);
    }
    nodes_[start].key = key.data();
    nodes_[start].key_size = static_cast<uint32_t>(key.size());
    if (!open_.empty()) ++nodes_[open_.back()].size;
  }

  std::vector<JsonNode> nodes_;
  std::vector<size_t> open_;
  std::shared_ptr<TextArena> text_ = std::make_shared<TextArena>();
};

inline std::string_view TextOfObject(PyObject* text) {
  intptr_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) throw PythonError();
  return {bytes, static_cast<size_t>(size)};
}

inline PythonRef InternedName(const char* text) { return PythonRef(PyUnicode_InternFromString(text)); }

inline PythonRef AttributeOfObject(PyObject* object, const PythonRef& name) {
  return PythonRef(PyObject_GetAttr(object, name.get()));
}

}  // namespace fakeprop
