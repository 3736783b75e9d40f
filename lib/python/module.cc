#include "lib/python/module.h"

#include <mutex>
#include <unordered_map>

#include "lib/python/python_expression.h"

namespace fakeprop {

// A row with its texts parsed.
class ModuleClass {
 public:
  explicit ModuleClass(const ModuleRow& row)
      : row_(row), constructor_(row.constructor), forward_(constructor_.name() + "(" + std::string(row.forward) + ")") {
    if (!row.body.empty()) body_ = ParseTableExpression(row.body);
  }

  Value Run(ModuleInstance& module, const Dict& arguments, PythonArguments&& inputs) const {
    BindConstructor(module, arguments);
    const Bindings bound = forward_.Bind(std::move(inputs));
    for (const auto& [name, value] : bound.values()) module.names().Set(name, value);
    module.names().Set("training", Value(module.training()));
    if (row_.tensors) row_.tensors(module);
    return row_.native ? row_.native(module) : body_->Evaluate(module.python(), module.names());
  }

 private:
  // An argument that is no parameter of the constructor is another version's.
  void BindConstructor(ModuleInstance& module, const Dict& arguments) const {
    PythonArguments given;
    for (const auto& [name, value] : arguments.items)
      if (constructor_.Has(AsString(name))) given.keywords.emplace_back(AsString(name), value);
    module.names() = constructor_.Bind(std::move(given));
  }

  const ModuleRow& row_;
  Signature constructor_;
  Signature forward_;
  std::unique_ptr<PythonExpression> body_;
};

namespace {

class Classes {
 public:
  static Classes& Get() {
    static Classes classes;
    return classes;
  }

  const ModuleClass* Find(std::string_view class_name) {
    const std::lock_guard lock(mutex_);
    if (!class_name.starts_with("torch.nn.")) return nullptr;
    const std::string name(class_name.substr(class_name.rfind('.') + 1));
    auto row = rows_.find(name);
    if (row == rows_.end()) return nullptr;
    auto& slot = made_[name];
    if (!slot) slot = std::make_unique<ModuleClass>(*row->second);
    return slot.get();
  }

 private:
  Classes() {
    for (auto rows : {PlainModules(), LayerModules(), RecurrentModules(), TransformerModules(), LazyModules(),
             LinearCrossEntropyModules()})
      for (const ModuleRow& row : rows)
        if (!rows_.emplace(std::string(row.constructor.substr(0, row.constructor.find('('))), &row).second)
          throw InternalError("two rows for the module " + std::string(row.constructor));
  }

  std::unordered_map<std::string, const ModuleRow*> rows_;
  std::unordered_map<std::string, std::unique_ptr<ModuleClass>> made_;
  std::mutex mutex_;
};

}  // namespace

const ModuleClass* FindModuleClass(std::string_view class_name) { return Classes::Get().Find(class_name); }

const ModuleClass* FindModuleClass(const Module& module) {
  if (const ModuleClass* found = FindModuleClass(module.class_name)) return found;
  for (const std::string& base : module.bases)
    if (const ModuleClass* found = FindModuleClass(base)) return found;
  return nullptr;
}

void ModuleInstance::Take(
    std::string_view name, const Dims& sizes, std::optional<ScalarType> dtype, bool is_parameter) {
  const std::string path = path_ + "." + std::string(name);
  Tensor* t = python_.ModuleTensor(path);
  if (!t) {
    const Value *wanted = names_.Find("dtype"), *place = names_.Find("device");
    if (!dtype && wanted && wanted->Is<ScalarType>()) dtype = wanted->Get<ScalarType>();
    const Device device = place && place->Is<Device>() ? place->Get<Device>() : Device(DeviceType::CPU);
    TensorMeta meta =
        ContiguousMeta({sizes.data(), sizes.size()}, dtype.value_or(python_.host().state().default_dtype), device);
    t = python_.MakeModuleTensor(path, std::move(meta), is_parameter);
  }
  names_.Set(name, Value(t));
}

void ModuleInstance::Parameter(std::string_view name, const Dims& sizes) { Take(name, sizes, std::nullopt, true); }

void ModuleInstance::Buffer(std::string_view name, const Dims& sizes, std::optional<ScalarType> dtype) {
  Take(name, sizes, dtype, false);
}

void ModuleInstance::FileTensor(std::string_view name) {
  Tensor* t = python_.ModuleTensor(path_ + "." + std::string(name));
  names_.Set(name, t ? Value(t) : Value());
}

Value ModuleInstance::RunSame(std::string_view class_name, const Dict& arguments, PythonArguments&& inputs) {
  ModuleInstance same(python_, path_, training_);
  return FindModuleClass(class_name)->Run(same, arguments, std::move(inputs));
}

Value ModuleInstance::RunChild(
    std::string_view name, std::string_view class_name, const Dict& arguments, PythonArguments&& inputs) {
  const ModuleClass* found = FindModuleClass(class_name);
  if (!found)
    Fail(ErrorClass::kUnsupportedOperator, "modules of class " + std::string(class_name) + " are not known here");
  python_.CountModule();
  ModuleInstance child(python_, path_ + "." + std::string(name), training_);
  return found->Run(child, arguments, std::move(inputs));
}

namespace {

const Value* FieldOf(const Value& module, std::string_view name) {
  const Dict* dict = module.TryGet<Dict>();
  for (size_t i = 0; dict && i < dict->items.size(); ++i)
    if (AsString(dict->items[i].first) == name) return &dict->items[i].second;
  return nullptr;
}

// The module's class, or the nearest of its bases that is known.
std::string_view ServedClass(const Value& module) {
  const std::string& own = AsString(*FieldOf(module, "class"));
  const Value* bases = FieldOf(module, "bases");
  if (!bases || FindModuleClass(own)) return own;
  for (const Value& base : AsItems(*bases))
    if (FindModuleClass(AsString(base))) return AsString(base);
  return own;
}

}  // namespace

Value ModuleInstance::RunChild(std::string_view name, const Value& module, PythonArguments&& inputs) {
  const Value* arguments = FieldOf(module, "arguments");
  if (!FieldOf(module, "class") || !arguments)
    Fail(ErrorClass::kTypeError, "the module `" + std::string(name) + "` is not in the file");
  const Dict* given = arguments->TryGet<Dict>();
  if (!given) Fail(ErrorClass::kTypeError, "the arguments of the module `" + std::string(name) + "` are no object");
  return RunChild(name, ServedClass(module), *given, std::move(inputs));
}

Value RunModule(Python& python, const ModuleClass& module_class, const Module& module, PythonArguments&& inputs) {
  ModuleInstance instance(python, module.name, module.training);
  return module_class.Run(instance, module.arguments, std::move(inputs));
}

}  // namespace fakeprop
