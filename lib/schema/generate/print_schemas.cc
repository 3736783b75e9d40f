// Prints the minor version of LibTorch, and every operator schema that it registers, with its dispatcher or with
// TorchScript's interpreter, and those that PyTorch registers from Python, as lines of the schema table, sorted by
// name. by_version.py makes one table of what the versions print.
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/version.h"
#include "lib/schema/generate/kernel_flags.h"

namespace {

using fakeprop::AutocastPolicy;

using Names = std::set<std::string>;

std::string Joined(const char* op) { return std::string("aten::") + op; }
std::string Joined(const char* op, const char* overload) { return Joined(op) + "." + overload; }

// The operators of one of autocast's lists, as the dispatcher names them.
#define FAKEPROP_STRING(x) #x
#define FAKEPROP_JOINED_1(op) Joined(FAKEPROP_STRING(op)),
#define FAKEPROP_JOINED_2(op, overload) Joined(FAKEPROP_STRING(op), FAKEPROP_STRING(overload)),
#define FAKEPROP_PICK(_1, _2, chosen, ...) chosen
#define FAKEPROP_JOINED(...) FAKEPROP_PICK(__VA_ARGS__, FAKEPROP_JOINED_2, FAKEPROP_JOINED_1)(__VA_ARGS__)
const Names kLowerPrecision = {AT_FORALL_LOWER_PRECISION_FP(FAKEPROP_JOINED)};
const Names kFloat32 = {AT_FORALL_FP32(FAKEPROP_JOINED)};
const Names kFloat32SetDtype = {AT_FORALL_FP32_SET_OPT_DTYPE(FAKEPROP_JOINED)};
const Names kPromote = {AT_FORALL_PROMOTE(FAKEPROP_JOINED)};

// What cpu registers beside those lists is in float32 but for these.
const Names kCpuLowerPrecision = {"aten::conv1d.padding", "aten::conv2d.padding", "aten::conv3d.padding",
    "aten::_addmm_activation", "aten::_native_multi_head_attention", "aten::mkldnn_rnn_layer"};
const Names kCpuPromote = {"aten::stack", "aten::cat", "aten::index_copy"};

AutocastPolicy ListedPolicy(const std::string& name) {
  if (kLowerPrecision.count(name)) return AutocastPolicy::kLowerPrecision;
  if (kFloat32.count(name)) return AutocastPolicy::kFloat32;
  if (kFloat32SetDtype.count(name)) return AutocastPolicy::kFloat32SetDtype;
  if (kPromote.count(name)) return AutocastPolicy::kPromote;
  return AutocastPolicy::kNone;
}

AutocastPolicy CpuPolicy(const c10::OperatorHandle& op, const std::string& name) {
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::AutocastCPU)) return AutocastPolicy::kNone;
  if (kCpuLowerPrecision.count(name)) return AutocastPolicy::kLowerPrecision;
  if (kCpuPromote.count(name)) return AutocastPolicy::kPromote;
  const AutocastPolicy listed = ListedPolicy(name);
  return listed == AutocastPolicy::kNone ? AutocastPolicy::kFloat32 : listed;
}

AutocastPolicy CudaPolicy(const c10::OperatorHandle& op, const std::string& name) {
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::AutocastCUDA)) return AutocastPolicy::kNone;
  if (name == "aten::binary_cross_entropy") return AutocastPolicy::kBanned;
  if (name == "aten::norm.Scalar" || name == "aten::norm.ScalarOpt_dim") return AutocastPolicy::kFloat32;
  return ListedPolicy(name);
}

uint32_t Flags(const c10::OperatorHandle& op, const std::string& name) {
  uint32_t flags = fakeprop::KernelFlags(op);
  flags |= static_cast<uint32_t>(CpuPolicy(op, name)) << fakeprop::kAutocastCpuShift;
  flags |= static_cast<uint32_t>(CudaPolicy(op, name)) << fakeprop::kAutocastCudaShift;
  return flags;
}

using Lines = std::map<std::string, std::string>;

std::string TableLine(const std::string& name, const c10::FunctionSchema& schema, uint32_t flags) {
  std::ostringstream line;
  line << "{\"" << name << "\", R\"~(" << schema << ")~\", " << flags << "u},";
  return line.str();
}

void AddDispatched(Lines& lines) {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& op_name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findSchema(op_name);
    if (!op) continue;
    const std::string name = c10::toString(op_name);
    lines.emplace(name, TableLine(name, op->schema(), Flags(*op, name)));
  }
}

// Tensors, numbers, strings, devices, and lists of them: what a graph's constants and values can be.
bool IsPlain(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::OptionalType: return IsPlain(type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType: return IsPlain(type->expectRef<c10::ListType>().getElementType());
    case c10::TypeKind::TensorType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::ComplexType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::StringType:
    case c10::TypeKind::DeviceObjType: return true;
    default: return false;
  }
}

bool WritesToList(const c10::Argument& argument) {
  return argument.alias_info() && argument.alias_info()->isWrite() &&
         argument.type()->kind() == c10::TypeKind::ListType;
}

bool IsPlain(const c10::FunctionSchema& schema) {
  auto plain = [](const c10::Argument& a) { return IsPlain(a.type()) && !WritesToList(a); };
  return !schema.is_vararg() && std::all_of(schema.arguments().begin(), schema.arguments().end(), plain) &&
         std::all_of(schema.returns().begin(), schema.returns().end(), plain);
}

// What TorchScript's interpreter alone knows: arithmetic on numbers, lists of sizes ... torch.ops.aten has them all.
void AddInterpreted(Lines& lines) {
  for (const auto& op : torch::jit::getAllOperators()) {
    const c10::FunctionSchema& schema = op->schema();
    const std::string name = c10::toString(schema.operator_name());
    if (name.starts_with("aten::") && IsPlain(schema)) lines.emplace(name, TableLine(name, schema, 0));
  }
}

// What PyTorch registers from Python; no library has kernels for it.
struct PythonSchema {
  const char* text;
  fakeprop::TorchRange versions = {};
};
constexpr PythonSchema kPythonSchemas[] = {
#include "lib/schema/python_schemas.inc"
};

void AddPythons(Lines& lines) {
  for (const PythonSchema& python : kPythonSchemas) {
    if (!python.versions.Has(TORCH_VERSION_MINOR)) continue;
    const c10::FunctionSchema schema = torch::jit::parseSchema(python.text);
    const std::string name = c10::toString(schema.operator_name());
    lines.emplace(name, TableLine(name, schema, 0));
  }
}

}  // namespace

int main() {
  Lines lines;
  AddDispatched(lines);
  AddPythons(lines);
  AddInterpreted(lines);
  std::cout << TORCH_VERSION_MINOR << '\n';
  for (const auto& [name, line] : lines) std::cout << line << '\n';
}
