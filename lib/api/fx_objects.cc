#include "lib/api/fx_objects.h"

#include <cmath>
#include <unordered_map>
#include <vector>

#include "lib/json/json_parse.h"

namespace fakeprop {
namespace {

enum Kind { kNode, kInt, kBool, kNone, kFloat, kString, kTuple, kList, kImmutableList, kOther };

// A tree in the making. The caller opens and closes in pairs.
class Tree {
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

std::string_view TextOf(PyObject* text) {
  intptr_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) throw PythonError();
  return {bytes, static_cast<size_t>(size)};
}

PythonRef Name(const char* text) { return PythonRef(PyUnicode_InternFromString(text)); }

class Writer {
 public:
  explicit Writer(const FxObjects& objects) : from_(objects) {
    for (int kind = 0; kind < kOther; ++kind) kinds_[kind] = PyTuple_GetItem(objects.kinds, kind);
    has_inputs_ = PyDict_Size(objects.inputs) > 0;
  }

  JsonTree Write() {
    tree_.Open(JsonKind::kObject, {});
    tree_.Open(JsonKind::kArray, "nodes");
    for (intptr_t i = 0; i < PyList_Size(from_.nodes); ++i) WriteNode(PyList_GetItem(from_.nodes, i));
    tree_.Close();
    const PythonRef rest(PyObject_CallFunctionObjArgs(from_.rest, nullptr));
    tree_.AddMembers(ParseJson(TextOf(rest.get())));
    tree_.Close();
    return tree_.Release();
  }

 private:
  void WriteNode(PyObject* node) {
    tree_.Open(JsonKind::kObject, {});
    const std::string_view name = tree_.Keep(TextOf(Get(node, name_).get()));
    tree_.AddText("name", name);
    if (IsInput(node)) {
      tree_.AddText("op", "placeholder");
      tree_.AddText("target", name);
    } else {
      tree_.AddText("op", Known(Get(node, op_).get()));
      tree_.AddText("target", TargetOf(Get(node, target_)));
      WriteArguments(Get(node, args_).get(), Get(node, kwargs_).get());
    }
    tree_.Close();
  }

  bool IsInput(PyObject* node) const { return has_inputs_ && PyDict_GetItemWithError(from_.inputs, node); }

  void WriteArguments(PyObject* args, PyObject* kwargs) {
    if (PyTuple_Size(args) > 0) WriteTuple("args", args);
    if (PyDict_Size(kwargs) <= 0) return;
    tree_.Open(JsonKind::kObject, "kwargs");
    intptr_t position = 0;
    for (PyObject *key, *value; PyDict_Next(kwargs, &position, &key, &value);) WriteValue(Known(key), value);
    tree_.Close();
  }

  void WriteTuple(std::string_view key, PyObject* tuple) {
    tree_.Open(JsonKind::kArray, key);
    for (intptr_t i = 0; i < PyTuple_Size(tuple); ++i) WriteValue({}, PyTuple_GetItem(tuple, i));
    tree_.Close();
  }

  void WriteList(std::string_view key, PyObject* list) {
    tree_.Open(JsonKind::kArray, key);
    for (intptr_t i = 0; i < PyList_Size(list); ++i) WriteValue({}, PyList_GetItem(list, i));
    tree_.Close();
  }

  void WriteValue(std::string_view key, PyObject* value) {
    switch (KindOf(value)) {
      case kNode:
        tree_.Open(JsonKind::kObject, key);
        tree_.AddText("node", tree_.Keep(TextOf(Get(value, name_).get())));
        return tree_.Close();
      case kInt: return WriteInt(key, value);
      case kBool: tree_.Add(JsonKind::kBool, key).integer = Integer(value).value; return;
      case kNone: tree_.Add(JsonKind::kNull, key); return;
      case kFloat: return WriteFloat(key, value);
      case kString: return tree_.AddText(key, tree_.Keep(TextOf(value)));
      case kTuple:
        tree_.Open(JsonKind::kObject, key);
        WriteTuple("tuple", value);
        return tree_.Close();
      case kList:
      case kImmutableList: return WriteList(key, value);
      case kOther: return tree_.AddTree(key, Described(value));
    }
  }

  struct LongLong {
    long long value;
    bool fits;
  };
  static LongLong Integer(PyObject* number) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return {value, overflow == 0};
  }

  void WriteInt(std::string_view key, PyObject* value) {
    const LongLong number = Integer(value);
    if (number.fits) tree_.Add(JsonKind::kInteger, key).integer = number.value;
    else tree_.AddTree(key, Described(value));
  }

  void WriteFloat(std::string_view key, PyObject* value) {
    const double number = PyFloat_AsDouble(value);
    if (std::isfinite(number)) tree_.Add(JsonKind::kReal, key).real = number;
    else tree_.AddTree(key, Described(value));
  }

  Kind KindOf(PyObject* value) const {
    const PythonRef type(PyObject_Type(value));
    for (int kind = 0; kind < kOther; ++kind)
      if (kinds_[kind] == type.get()) return static_cast<Kind>(kind);
    return kOther;
  }

  // An object stays where it is as long as the graph holds it, so its address tells it.
  const JsonTree& Described(PyObject* value) {
    auto it = described_.find(value);
    if (it == described_.end()) {
      const PythonRef text(PyObject_CallFunctionObjArgs(from_.describe, value, nullptr));
      it = described_.emplace(value, ParseJson(TextOf(text.get()))).first;
    }
    return it->second;
  }

  std::string_view TargetOf(const PythonRef& target) {
    if (KindOf(target.get()) == kString) return tree_.Keep(TextOf(target.get()));
    std::string_view& name = known_[target.get()];
    if (name.empty())
      name = tree_.Keep(TextOf(PythonRef(PyObject_CallFunctionObjArgs(from_.target, target.get(), nullptr)).get()));
    return name;
  }

  // A text that many nodes have.
  std::string_view Known(PyObject* text) {
    std::string_view& known = known_[text];
    if (known.empty()) known = tree_.Keep(TextOf(text));
    return known;
  }

  static PythonRef Get(PyObject* object, const PythonRef& name) {
    return PythonRef(PyObject_GetAttr(object, name.get()));
  }

  const FxObjects& from_;
  PyObject* kinds_[kOther];
  bool has_inputs_;
  PythonRef name_ = Name("name"), op_ = Name("op"), target_ = Name("target"), args_ = Name("_args"),
            kwargs_ = Name("_kwargs");
  std::unordered_map<PyObject*, std::string_view> known_;
  std::unordered_map<PyObject*, JsonTree> described_;
  Tree tree_;
};

}  // namespace

JsonTree ReadFxObjects(const FxObjects& objects) { return Writer(objects).Write(); }

}  // namespace fakeprop
