#include "lib/api/fx_inputs.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/api/object_tree.h"

namespace fakeprop {
namespace {

bool IsTypeOf(PyObject* type, PyObject* object) { return PythonRef(PyObject_Type(object)).get() == type; }

int64_t IntegerOf(PyObject* number) {
  int overflow = 0;
  return PyLong_AsLongLongAndOverflow(number, &overflow);
}

class Reader {
 public:
  explicit Reader(const FxInputs& inputs) : from_(inputs) {
    PyObject** constants[] = {&tensor_type_, &strided_, &none_, &true_, &integer_type_, &storage_address_};
    for (intptr_t i = 0; i < 6; ++i) *constants[i] = PyTuple_GetItem(inputs.constants, i);
  }

  JsonTree Read() {
    tree_.Open(JsonKind::kObject, {});
    tree_.Open(JsonKind::kObject, "inputs");
    intptr_t position = 0;
    for (PyObject *name, *value; PyDict_Next(from_.values, &position, &name, &value);) ReadInput(name, value);
    tree_.Close();
    const PythonRef rest(PyObject_CallFunctionObjArgs(from_.rest, nullptr));
    tree_.AddMembers(ParseJson(TextOfObject(rest.get())));
    tree_.Close();
    return tree_.Release();
  }

 private:
  void ReadInput(PyObject* name, PyObject* value) {
    const std::string_view key = tree_.Keep(TextOfObject(name));
    const bool is_tensor = IsTypeOf(tensor_type_, value);
    tree_.Open(JsonKind::kObject, key);
    if (!is_tensor || !TryReadTensor(value)) ReadDescription(name, value);
    if (is_tensor) ReadStorage(key, value);
    tree_.Close();
  }

  void ReadDescription(PyObject* name, PyObject* value) {
    const PythonRef text(PyObject_CallFunctionObjArgs(from_.describe, value, name, nullptr));
    tree_.AddMembers(ParseJson(TextOfObject(text.get())));
  }

  bool TryReadTensor(PyObject* tensor) {
    if (!IsPlain(tensor)) return false;
    const PythonRef shape = AttributeOfObject(tensor, shape_), stride = Call(tensor, stride_),
                    offset = Call(tensor, storage_offset_);
    PyObject* dtype = NameOf(AttributeOfObject(tensor, dtype_));
    PyObject* device = NameOf(AttributeOfObject(tensor, device_));
    if (!dtype || !device || !AreNumbers(shape.get()) || !AreNumbers(stride.get()) || !IsNumber(offset.get()))
      return false;
    AddNumbers("shape", shape.get());
    AddNumbers("stride", stride.get());
    tree_.AddText("dtype", TextOfObject(dtype));
    tree_.AddText("device", TextOfObject(device));
    tree_.Add(JsonKind::kBool, "requires_grad").integer = IsTrue(AttributeOfObject(tensor, requires_grad_));
    if (const int64_t elements = IntegerOf(offset.get())) tree_.AddInteger("storage_offset", elements);
    return true;
  }

  bool IsPlain(PyObject* tensor) const {
    return AttributeOfObject(tensor, fake_mode_).get() == from_.mode &&
           AttributeOfObject(tensor, constant_).get() == none_ &&
           AttributeOfObject(tensor, layout_).get() == strided_ && !IsTrue(Call(tensor, is_conj_)) &&
           !IsTrue(Call(tensor, is_neg_));
  }

  // Null if it has none.
  PyObject* NameOf(const PythonRef& object) const { return PyDict_GetItemWithError(from_.names, object.get()); }

  bool IsNumber(PyObject* object) const { return IsTypeOf(integer_type_, object); }

  bool AreNumbers(PyObject* sizes) {
    for (intptr_t i = 0; i < PyTuple_Size(sizes); ++i)
      if (!IsNumber(PyTuple_GetItem(sizes, i))) return false;
    return true;
  }

  void AddNumbers(std::string_view key, PyObject* sizes) {
    tree_.Open(JsonKind::kArray, key);
    for (intptr_t i = 0; i < PyTuple_Size(sizes); ++i) tree_.AddInteger({}, IntegerOf(PyTuple_GetItem(sizes, i)));
    tree_.Close();
  }

  void ReadStorage(std::string_view name, PyObject* tensor) {
    const PythonRef address(PyObject_CallFunctionObjArgs(storage_address_, tensor, nullptr));
    const auto [first, is_new] = names_by_storage_.emplace(IntegerOf(address.get()), name);
    if (!is_new) tree_.AddText("view_of", first->second);
  }

  bool IsTrue(const PythonRef& flag) const { return flag.get() == true_; }

  static PythonRef Call(PyObject* object, const PythonRef& method) {
    return PythonRef(PyObject_CallMethodObjArgs(object, method.get(), nullptr));
  }

  const FxInputs& from_;
  PyObject *tensor_type_, *strided_, *none_, *true_, *storage_address_, *integer_type_;
  PythonRef shape_ = InternedName("shape"), stride_ = InternedName("stride"),
            storage_offset_ = InternedName("storage_offset"), dtype_ = InternedName("dtype"),
            device_ = InternedName("fake_device"), requires_grad_ = InternedName("requires_grad"),
            fake_mode_ = InternedName("fake_mode"), constant_ = InternedName("constant"),
            layout_ = InternedName("layout"), is_conj_ = InternedName("is_conj"), is_neg_ = InternedName("is_neg");
  std::unordered_map<int64_t, std::string_view> names_by_storage_;
  ObjectTree tree_;
};

}  // namespace

JsonTree ReadFxInputs(const FxInputs& inputs) { return Reader(inputs).Read(); }

}  // namespace fakeprop
