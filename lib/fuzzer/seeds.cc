#include "lib/fuzzer/seeds.h"

#include <algorithm>
#include <set>

#include "lib/meta/dtype.h"
#include "lib/rules/testing/call_tables.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::fuzzer {
namespace {

std::string OpOf(const std::string& call) { return call.substr(0, call.find('(')); }

// LibTorch's kernels run these with a process group alone, and there is none here.
bool WantsProcessGroup(std::string_view op) {
  constexpr std::string_view kNamespaces[] = {"c10d", "_c10d_functional", "_c10d_functional_autograd",
      "c10d_functional", "_dtensor", "fsdp", "symm_mem", "profiler"};
  const std::string_view space = op.substr(0, op.find("::"));
  return space.size() < op.size() && std::ranges::find(kNamespaces, space) != std::end(kNamespaces);
}

// LibTorch makes quantized tensors of scales and zero points alone, which calls do not have.
bool TakesQuantized(std::string_view call) {
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (kQuantizedDtypes.Has(dtype) && call.find(std::string(ShortDtypeName(dtype)) + "[") != call.npos) return true;
  }
  return false;
}

std::vector<std::string> WrittenCalls() {
  std::vector<std::string> calls;
  for (const std::vector<testing::CallRow>& rows : {testing::RowsOfFamilyTests(),
           testing::RowsOfFolder("lib/rules/expected_calls"), testing::RowsOfFolder("testdata/ops")})
    for (const testing::CallRow& row : rows)
      if (!WantsProcessGroup(OpOf(row.call)) && !TakesQuantized(row.call)) calls.push_back(row.call);
  std::sort(calls.begin(), calls.end());
  calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
  return calls;
}

// A plain value for an argument that has to be given; empty for types that have no text.
std::string PlainText(const Type& type, std::string_view tensor) {
  std::string item;
  switch (type.kind) {
    case TypeKind::kTensor: item = tensor; break;
    case TypeKind::kInt:
    case TypeKind::kSymInt:
    case TypeKind::kScalar: item = "1"; break;
    case TypeKind::kFloat: item = "0.5"; break;
    case TypeKind::kBool: item = "True"; break;
    case TypeKind::kDtype: item = "float32"; break;
    case TypeKind::kDevice: item = "cpu"; break;
    default: return "";
  }
  return type.is_list ? "[" + item + ", " + item + "]" : item;
}

// Only what has to be given; empty where that cannot be written.
std::string PlainCall(const Schema& schema, std::string_view tensor) {
  std::string out;
  for (const SchemaArgument& argument : schema.arguments) {
    if (argument.default_value) continue;
    const std::string text = argument.type.is_optional ? "None" : PlainText(argument.type, tensor);
    if (text.empty()) return "";
    out += (out.empty() ? "" : ", ") + std::string(argument.name) + "=" + text;
  }
  return std::string(schema.full_name.substr(6)) + "(" + out + ")";
}

// What does more than compute, or is no operator for a graph.
bool IsRunnable(const Schema& schema) {
  for (std::string_view part :
      {"_print", "from_file", "_batch_dim", "_nnpack", "sparse", "mkldnn", "cudnn", "miopen", "_cuda"})
    if (schema.full_name.find(part) != std::string_view::npos) return false;
  return true;
}

void AddPlainCalls(const Schema& schema, std::vector<std::string>& calls) {
  for (std::string_view tensor : {"f32[2,3]", "i64[2,3,4]", "f32[3,3]", "f32[2,3,4,4]"})
    if (std::string call = PlainCall(schema, tensor); !call.empty()) calls.push_back(std::move(call));
}

}  // namespace

std::vector<std::string> PlainCalls() {
  std::vector<std::string> calls;
  for (const SchemaEntry& entry : AllSchemas()) {
    if (!entry.full_name.starts_with("aten::")) continue;
    const Schema& schema = *FindSchema(entry.full_name);
    if (IsRunnable(schema)) AddPlainCalls(schema, calls);
  }
  return calls;
}

std::vector<std::string> ReadSeeds() {
  std::vector<std::string> seeds = WrittenCalls();
  std::set<std::string> known;
  for (const std::string& seed : seeds) known.insert("aten::" + OpOf(seed));
  for (const std::string& call : PlainCalls())
    if (!known.contains("aten::" + OpOf(call))) seeds.push_back(call);
  return seeds;
}

}  // namespace fakeprop::fuzzer
