#include "lib/api/fx_objects.h"

#include <cmath>
#include <unordered_map>

#include "lib/api/object_tree.h"

namespace fakeprop {
namespace {

enum Kind { kNode, kInt, kBool, kNone, kFloat, kString, kTuple, kList, kImmutableList, kOther };

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
    tree_.AddMembers(ParseJson(TextOfObject(rest.get())));
    tree_.Close();
    return tree_.Release();
  }

 private:
  void WriteNode(PyObject* node) {
    tree_.Open(JsonKind::kObject, {});
    const std::string_view name = tree_.Keep(TextOfObject(AttributeOfObject(node, name_).get()));
    tree_.AddText("name", name);
    if (IsInput(node)) {
      tree_.AddText("op", "placeholder");
      tree_.AddText("target", name);
    } else {
      tree_.AddText("op", Known(AttributeOfObject(node, op_).get()));
      tree_.AddText("target", TargetOf(AttributeOfObject(node, target_)));
      WriteArguments(AttributeOfObject(node, args_).get(), AttributeOfObject(node, kwargs_).get());
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
        tree_.AddText("node", tree_.Keep(TextOfObject(AttributeOfObject(value, name_).get())));
        return tree_.Close();
      case kInt: return WriteInt(key, value);
      case kBool: tree_.Add(JsonKind::kBool, key).integer = Integer(value).value; return;
      case kNone: tree_.Add(JsonKind::kNull, key); return;
      case kFloat: return WriteFloat(key, value);
      case kString: return tree_.AddText(key, tree_.Keep(TextOfObject(value)));
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
      it = described_.emplace(value, ParseJson(TextOfObject(text.get()))).first;
    }
    return it->second;
  }

  std::string_view TargetOf(const PythonRef& target) {
    if (KindOf(target.get()) == kString) return tree_.Keep(TextOfObject(target.get()));
    std::string_view& name = known_[target.get()];
    if (name.empty())
      name =
          tree_.Keep(TextOfObject(PythonRef(PyObject_CallFunctionObjArgs(from_.target, target.get(), nullptr)).get()));
    return name;
  }

  // A text that many nodes have.
  std::string_view Known(PyObject* text) {
    std::string_view& known = known_[text];
    if (known.empty()) known = tree_.Keep(TextOfObject(text));
    return known;
  }

  const FxObjects& from_;
  PyObject* kinds_[kOther];
  bool has_inputs_;
  PythonRef name_ = InternedName("name"), op_ = InternedName("op"), target_ = InternedName("target"),
            args_ = InternedName("_args"), kwargs_ = InternedName("_kwargs");
  std::unordered_map<PyObject*, std::string_view> known_;
  std::unordered_map<PyObject*, JsonTree> described_;
  ObjectTree tree_;
};

}  // namespace

JsonTree ReadFxObjects(const FxObjects& objects) { return Writer(objects).Write(); }

}  // namespace fakeprop
