// Source: ScriptModuleDeserializer in torch/csrc/jit/serialization/import.cpp (torch 2.13), which also unpickles the
// module's attributes and so runs __setstate__; here its code alone is compiled.
#include "lib/torchscript/frontend/import.h"

#include <ATen/EmptyTensor.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/custom_class.h>

#include "lib/error/error.h"
#include "lib/torchscript/frontend/convert_graph.h"
#include "lib/torchscript/frontend/literals.h"

namespace fakeprop::libtorch {
namespace {

namespace jit = torch::jit;

// Reads the text of classes as they are asked for.
jit::SourceLoader LoaderOf(const ScriptSource& source) {
  return [&source](const std::string& qualifier) -> std::shared_ptr<jit::Source> {
    const std::string member = CodeMember(qualifier);
    const std::optional<std::string> text = source.read(member);
    if (!text) return nullptr;
    auto code = std::make_shared<jit::Source>(*text, member, 1);
    CheckLiterals(code);
    return code;
  };
}

// Tensors and objects that stand for the archive's. They differ, as the compiler makes one of equal constants.
at::Tensor TensorStandIn(int64_t number) {
  const at::Tensor tensor = at::Tensor(at::detail::empty_cpu({1}, at::kLong));
  *tensor.mutable_data_ptr<int64_t>() = number;
  return tensor;
}

// An object of a class that libtorch registers, without a content. A constant may not own its compilation unit.
at::IValue StandIn(const std::string& class_name, int64_t number) {
  const c10::ClassTypePtr cls = class_name.empty() ? nullptr : torch::getCustomClass(class_name);
  if (!cls) return TensorStandIn(number);
  return c10::ivalue::Object::create(c10::WeakOrStrongTypePtr(c10::WeakTypePtr({}, cls)), 0);
}

std::vector<std::string> MethodsOf(const c10::ClassType& cls) {
  std::vector<std::string> names;
  for (const jit::Function* method : cls.methods()) names.push_back(method->name());
  return names;
}

ScriptType TypeOf(const c10::Type& type) {
  const auto all = [](const auto& types) {
    std::vector<ScriptType> out;
    for (const auto& t : types) out.push_back(TypeOf(*t));
    return out;
  };
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      return {"Optional", {TypeOf(*type.expectRef<c10::OptionalType>().getElementType())}};
    case c10::TypeKind::ListType: return {"List", all(type.containedTypes())};
    case c10::TypeKind::TupleType: return {"Tuple", all(type.containedTypes())};
    case c10::TypeKind::DictType: return {"Dict", all(type.containedTypes())};
    default: return {type.annotation_str(), {}};
  }
}

std::vector<ScriptInput> InputsOf(const c10::FunctionSchema& schema) {
  std::vector<ScriptInput> inputs;
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    inputs.push_back({argument.name(), TypeOf(*argument.type()), std::nullopt});
    if (argument.default_value()) inputs.back().default_value = PlainConstant(*argument.default_value());
  }
  return inputs;
}

// How large code gets when its calls are inlined: a few lines can call each other into more than any memory holds.
class InlinedSize {
 public:
  int64_t Of(const jit::Function& function) {
    auto [it, is_new] = sizes_.emplace(&function, 0);
    if (!is_new) return it->second;
    const int64_t size = OfBlock(*jit::toGraphFunction(const_cast<jit::Function&>(function)).graph()->block());
    return sizes_[&function] = size;
  }

 private:
  static constexpr int64_t kMost = 5'000'000;

  int64_t OfBlock(const jit::Block& block) {
    int64_t size = 0;
    for (const jit::Node* node : block.nodes()) {
      size += 1;
      if (jit::GraphFunction* callee = jit::tryToGraphFunction(const_cast<jit::Node*>(node))) size += Of(*callee);
      for (const jit::Block* inner : node->blocks()) size += OfBlock(*inner);
      if (node->hasAttribute(c10::attr::Subgraph)) size += OfBlock(*node->g(c10::attr::Subgraph)->block());
      if (size > kMost)
        Fail(ErrorClass::kValueError,
            "the code has more than " + std::to_string(kMost) + " nodes when its calls are inlined");
    }
    return size;
  }

  std::unordered_map<const jit::Function*, int64_t> sizes_;
};

}  // namespace

ScriptGraph ImportScript(const ScriptSource& source) {
  std::vector<at::IValue> table;
  ConstantNumbers numbers;
  for (size_t i = 0; i < source.constants.size(); ++i) {
    table.push_back(StandIn(source.constants[i], static_cast<int64_t>(i)));
    numbers[AddressOf(table.back())] = static_cast<int32_t>(i);
  }
  auto unit = std::make_shared<jit::CompilationUnit>();
  const jit::SourceImporter importer(unit, &table, LoaderOf(source), source.version);
  const auto type = importer.loadType(c10::QualifiedName(source.module_class));
  const auto cls = type ? type->cast<c10::ClassType>() : nullptr;
  if (!cls) Fail(ErrorClass::kValueError, "the archive's code has no class `" + source.module_class + "`");
  jit::Function* method = cls->findMethod(source.method);
  ScriptGraph out;
  if (!method) {
    out.other_methods = MethodsOf(*cls);
    return out;
  }
  out.inputs = InputsOf(method->getSchema());
  const auto read = [&](const jit::Function& of, const c10::ClassType& root) {
    InlinedSize().Of(of);
    const std::shared_ptr<jit::Graph> graph = jit::toGraphFunction(const_cast<jit::Function&>(of)).graph()->copy();
    jit::Inline(*graph);
    return ReadGraph(*graph, root, numbers, out);
  };
  out.body = read(*method, *cls);
  for (const std::string& name : source.classes_with_setstate) {
    const auto named = importer.loadType(c10::QualifiedName(name));
    const auto of = named ? named->cast<c10::ClassType>() : nullptr;
    if (const jit::Function* setstate = of ? of->findMethod("__setstate__") : nullptr)
      out.setstates[name] = read(*setstate, *of);
  }
  return out;
}

}  // namespace fakeprop::libtorch
