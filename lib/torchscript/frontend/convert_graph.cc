#include "lib/torchscript/frontend/convert_graph.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <deque>
#include <map>

#include "lib/dispatch/torch_types.h"
#include "lib/error/error.h"

namespace fakeprop::libtorch {
namespace {

namespace jit = torch::jit;

Value ListOf(c10::ArrayRef<c10::IValue> items, bool is_tuple) {
  List list;
  list.is_tuple = is_tuple;
  for (const c10::IValue& item : items) list.items.push_back(PlainConstant(item));
  return list;
}

Value TypeNames(const std::vector<c10::TypePtr>& types) {
  List names;
  for (const c10::TypePtr& type : types) names.items.push_back(type->annotation_str());
  return names;
}

// What prim::EnumName or prim::EnumValue gives for each value.
Value EnumTable(c10::Symbol kind, const c10::EnumType& type) {
  if (kind != c10::prim::EnumName && kind != c10::prim::EnumValue) return {};
  Dict table;
  for (const auto& [name, value] : type.enumNamesValues()) {
    const Value plain = PlainConstant(value);
    table.items.emplace_back(ToString(plain), kind == c10::prim::EnumName ? Value(name) : plain);
  }
  return table;
}

Value DictOf(const c10::IValue& constant) {
  Dict dict;
  for (const auto& item : constant.toGenericDict())
    dict.items.emplace_back(PlainConstant(item.key()), PlainConstant(item.value()));
  return dict;
}

bool IsModule(const c10::Type& type) {
  const auto* cls = type.castRaw<c10::ClassType>();
  return cls && cls->is_module();
}

// Paths of submodules by class. What was inlined says of its module no more than the last attribute on the way to it
// and its class: "conv1" where the caller wrote self.layer1.conv1(x).
class ModulePaths {
 public:
  // The path from a module of class `from` to the submodule; the bare name where there is none of that class.
  const std::string& Find(const c10::ClassType& from, const std::string& name, const c10::ClassType& to) {
    auto [it, is_new] = found_.try_emplace({&from, &to, name});
    if (is_new) it->second = Search(from, name, to);
    return it->second;
  }

 private:
  static std::string Search(const c10::ClassType& from, const std::string& name, const c10::ClassType& to) {
    constexpr size_t kMostModules = 100'000;
    std::deque<std::pair<const c10::ClassType*, std::string>> open = {{&from, ""}};
    for (size_t seen = 0; !open.empty() && seen < kMostModules; ++seen) {
      const auto [cls, path] = open.front();
      open.pop_front();
      for (size_t i = 0; i < cls->numAttributes(); ++i) {
        const auto* inner = cls->getAttribute(i)->castRaw<c10::ClassType>();
        if (!inner || !inner->is_module()) continue;
        const std::string inner_path = path + (path.empty() ? "" : ".") + cls->getAttributeName(i);
        if (inner == &to && cls->getAttributeName(i) == name) return inner_path;
        open.emplace_back(inner, inner_path);
      }
    }
    return name;
  }

  std::map<std::tuple<const c10::ClassType*, const c10::ClassType*, std::string>, std::string> found_;
};

class GraphReader {
 public:
  GraphReader(const c10::ClassType& root, const ConstantNumbers& constants, ScriptGraph& out)
      : root_(root), constants_(constants), out_(out) {}

  ScriptBlock ReadBlock(const jit::Block& block) {
    ScriptBlock out;
    out.inputs = IndicesOf(block.inputs());
    for (const jit::Node* node : block.nodes()) out.nodes.push_back(ReadNode(*node));
    out.outputs = IndicesOf(block.outputs());
    return out;
  }

 private:
  int32_t IndexOf(const jit::Value* value) {
    auto [it, is_new] = indices_.emplace(value, static_cast<int32_t>(out_.values.size()));
    if (is_new) out_.values.push_back({value->debugName(), value->type()->annotation_str(), IsModule(*value->type())});
    return it->second;
  }

  int32_t TextIndex(const std::string& text) {
    auto [it, is_new] = texts_.emplace(text, static_cast<int32_t>(out_.texts.size()));
    if (is_new) out_.texts.push_back(text);
    return it->second;
  }

  template <typename Values>
  std::vector<int32_t> IndicesOf(const Values& values) {
    std::vector<int32_t> indices;
    for (const jit::Value* value : values) indices.push_back(IndexOf(value));
    return indices;
  }

  ScriptNode ReadNode(const jit::Node& node) {
    ScriptNode out;
    out.kind = KindOf(node);
    out.inputs = IndicesOf(node.inputs());
    out.outputs = IndicesOf(node.outputs());
    if (node.kind() == c10::prim::Constant) ReadConstant(node, out);
    else if (node.kind() == c10::prim::isinstance) out.constant = TypeNames(node.tys(c10::attr::types));
    else if (const auto type = node.inputs().empty() ? nullptr : node.inputs()[0]->type()->cast<c10::EnumType>())
      out.constant = EnumTable(node.kind(), *type);
    else if (node.hasAttribute(c10::attr::name)) out.attribute = node.s(c10::attr::name);
    if (node.kind() == c10::prim::CreateObject) out.attribute = node.output()->type()->annotation_str();
    for (const jit::Block* block : node.blocks()) out.blocks.push_back(ReadBlock(*block));
    // A fork's body is a graph of its own, whose inputs are all that it takes from outside; Inline passes it by.
    if (node.hasAttribute(c10::attr::Subgraph)) {
      const std::shared_ptr<jit::Graph> body = node.g(c10::attr::Subgraph)->copy();
      bodies_.push_back(body);
      jit::Inline(*body);
      out.blocks.push_back(ReadBlock(*body->block()));
    }
    ReadPlaces(node, out);
    return out;
  }

  static std::string KindOf(const jit::Node& node) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (!schema || node.kind().is_prim()) return node.kind().toQualString();
    return schema->overload_name().empty() ? schema->name() : schema->name() + "." + schema->overload_name();
  }

  void ReadConstant(const jit::Node& node, ScriptNode& out) const {
    const auto constant = jit::toIValue(node.output());
    if (!constant || constant->isNone()) return;
    const void* address = AddressOf(*constant);
    if (!address) {
      out.constant = PlainConstant(*constant);
      return;
    }
    auto it = constants_.find(address);
    if (it == constants_.end()) Fail(ErrorClass::kInternal, "a constant of the code is none of the archive's");
    out.archive_constant = it->second;
  }

  ScriptPlace PlaceOf(const jit::SourceRange& range, const std::string& function) {
    ScriptPlace place;
    place.function = TextIndex(function);
    if (!range.source() || !range.source()->filename()) return place;
    place.member = TextIndex(*range.source()->filename());
    place.offset = static_cast<uint32_t>(range.start());
    return place;
  }

  // The calls that were inlined say in which submodule the node stands.
  void ReadPlaces(const jit::Node& node, ScriptNode& out) {
    std::string function = "forward", path;
    const c10::ClassType* cls = &root_;
    if (node.callstack()) {
      for (const auto& [callee, range, module] : (*node.callstack())->vec()) {
        out.places.push_back(PlaceOf(range, function));
        function = callee->name();
        if (!module || !module->class_type() || module->instance_name() == "SELF") continue;
        path += (path.empty() ? "" : ".") + paths_.Find(*cls, module->instance_name(), *module->class_type());
        cls = module->class_type().get();
      }
    }
    out.places.push_back(PlaceOf(node.sourceRange(), function));
    if (!path.empty()) out.module_path = TextIndex(path);
  }

  const c10::ClassType& root_;
  const ConstantNumbers& constants_;
  ScriptGraph& out_;
  ModulePaths paths_;
  std::unordered_map<const jit::Value*, int32_t> indices_;
  std::unordered_map<std::string, int32_t> texts_;
  std::vector<std::shared_ptr<jit::Graph>> bodies_;  // keeps every value apart from those made later
};

}  // namespace

Value PlainConstant(const c10::IValue& constant) {
  if (constant.isInt()) return constant.toInt();
  if (constant.isDouble()) return constant.toDouble();
  if (constant.isBool()) return constant.toBool();
  if (constant.isComplexDouble()) return std::complex<double>(constant.toComplexDouble());
  if (constant.isString()) return constant.toStringRef();
  if (constant.isDevice()) return FromTorch(constant.toDevice());
  if (constant.isTuple()) return ListOf(constant.toTupleRef().elements(), true);
  if (constant.isList()) return ListOf(constant.toListRef(), false);
  if (constant.isGenericDict()) return DictOf(constant);
  if (constant.isEnum()) {
    const auto holder = constant.toEnumHolder();
    return Opaque{holder->type()->qualifiedClassName().qualifiedName(), ToString(PlainConstant(holder->value()))};
  }
  return constant.isNone() ? Value() : Value(Opaque{constant.tagKind(), ""});
}

const void* AddressOf(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().unsafeGetTensorImpl();
  return value.isObject() ? &value.toObjectRef() : nullptr;
}

ScriptBlock ReadGraph(
    const jit::Graph& graph, const c10::ClassType& root, const ConstantNumbers& constants, ScriptGraph& out) {
  return GraphReader(root, constants, out).ReadBlock(*graph.block());
}

}  // namespace fakeprop::libtorch
