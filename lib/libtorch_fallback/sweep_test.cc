// Calls every aten overload with small arguments made from its schema: each call has to end in effects or in an error.
// By hand, for it takes a minute: bazel test //lib/libtorch_fallback:sweep_test --test_output=all
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <map>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/rules/core/common_device.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// What all tensors of a call look like.
struct Look {
  const char* name;
  ScalarType dtype;
  std::vector<int64_t> sizes;
  const char* device = "cpu";
  bool requires_grad = false;
  bool fill_optional = false;
  int64_t number = 1;
  int length = 2;  // of lists
};

const Look kLooks[] = {
    {"f32[2,3]", ScalarType::Float, {2, 3}},
    {"f32[2,3] all arguments", ScalarType::Float, {2, 3}, "cpu", false, true},
    {"f32[3,3]@cuda", ScalarType::Float, {3, 3}, "cuda:1", true, true},
    {"i64[2]", ScalarType::Long, {2}},
    {"f32[]", ScalarType::Float, {}, "cpu", true},
    {"b8[2,2,2]", ScalarType::Bool, {2, 2, 2}},
    {"f32[2,4,6,6]", ScalarType::Float, {2, 4, 6, 6}, "cpu", true},
    {"bf16[1,2,4,4,4]", ScalarType::BFloat16, {1, 2, 4, 4, 4}, "cpu", true, true},
    {"c64[2,2]", ScalarType::ComplexFloat, {2, 2}},
    {"f32[0,3]", ScalarType::Float, {0, 3}},
    {"f32[4,5], 0, empty lists", ScalarType::Float, {4, 5}, "cpu", false, true, 0, 0},
    {"f32[4,5], -1, lists of 1", ScalarType::Float, {4, 5}, "cpu", false, true, -1, 1},
    {"i64[3,4,5], 2, lists of 3", ScalarType::Long, {3, 4, 5}, "cpu", false, true, 2, 3},
    {"f32[2,3,4,5], 0, lists of 2", ScalarType::Float, {2, 3, 4, 5}, "cpu", false, true, 0, 2},
    {"f32[4], 2^40", ScalarType::Float, {4}, "cpu", false, true, int64_t{1} << 40, 2},
    {"f32[1,2,3,4,5], 2^62, lists of 3", ScalarType::Float, {1, 2, 3, 4, 5}, "cpu", false, false, int64_t{1} << 62, 3},
};

class CallMaker {
 public:
  CallMaker(const Look& look, ObjectTable& objects) : look_(look), objects_(objects) {}

  std::vector<const Value*> Make(const Schema& schema) {
    std::vector<const Value*> arguments;
    for (const SchemaArgument& argument : schema.arguments) {
      const bool given = !argument.default_value || (look_.fill_optional && argument.type.is_optional);
      values_.push_back(given ? MakeValue(argument.type) : *argument.default_value);
      arguments.push_back(&values_.back());
    }
    return arguments;
  }

 private:
  Value MakeValue(const Type& type) {
    if (!type.is_list) return MakeItem(type.kind);
    List list;
    for (int i = 0; i < look_.length; ++i) list.items.push_back(MakeItem(type.kind));
    return list;
  }

  Value MakeItem(TypeKind kind) {
    switch (kind) {
      case TypeKind::kTensor: return MakeTensor();
      case TypeKind::kInt:
      case TypeKind::kSymInt: return look_.number;
      case TypeKind::kFloat: return 0.5;
      case TypeKind::kBool: return true;
      case TypeKind::kScalar: return look_.number;
      case TypeKind::kString: return "mean";
      case TypeKind::kDtype: return ScalarType::Float;
      case TypeKind::kDevice: return Device(look_.device);
      case TypeKind::kLayout: return Layout::Strided;
      case TypeKind::kMemoryFormat: return MemoryFormat::Contiguous;
      default: return {};
    }
  }

  Tensor* MakeTensor() {
    Dims sizes;
    for (int64_t size : look_.sizes) sizes.push_back(size);
    const TensorMeta meta = ContiguousMeta({sizes.data(), sizes.size()}, look_.dtype, Device(look_.device));
    Tensor* t = objects_.NewTensor(meta, objects_.NewStorage(StorageNbytes(meta), meta.device));
    t->own_requires_grad = look_.requires_grad;
    t->is_leaf = tensors_++ > 0 || !look_.requires_grad;  // the first one may be written to
    return t;
  }

  const Look& look_;
  ObjectTable& objects_;
  std::deque<Value> values_;
  int tensors_ = 0;
};

// "ok" or the error's class.
std::string RunOne(LibTorchFallback& libtorch, const Schema& schema, const Look& look, std::string& message) {
  ObjectTable objects;
  CallMaker maker(look, objects);
  const std::vector<const Value*> arguments = maker.Make(schema);
  ExecutionState state;
  Effects effects;
  try {
    Call call(schema, arguments, state, CommonDevice(schema, arguments, Devices::kAny), effects);
    libtorch.Run(call);
    return "ok";
  } catch (const OpError& e) {
    message = e.message();
    return std::string(Name(e.error_class()));
  }
}

constexpr unsigned kSeconds = 10;

// Where the child is, seen by the parent when it has died.
struct Progress {
  size_t index;
  size_t end;
};

void RunFrom(size_t first, const Look& look, Progress& progress) {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  if (!libtorch) _exit(1);
  // A call that makes a loop of a large number is to fail rather than to take the machine.
  const rlimit memory{size_t{8} << 30, size_t{8} << 30};
  setrlimit(RLIMIT_AS, &memory);
  const bool verbose = std::getenv("SWEEP_VERBOSE");
  std::map<std::string, int> counts;
  const auto schemas = AllSchemas();
  for (size_t i = first; i < schemas.size(); ++i) {
    progress.index = i;
    alarm(kSeconds);
    if (!schemas[i].full_name.starts_with("aten::")) continue;
    std::string message;
    const std::string end = RunOne(*libtorch, *FindSchema(schemas[i].full_name), look, message);
    ++counts[end];
    const std::string name(schemas[i].full_name);
    if (verbose) std::printf("%s\t%s\t%s\t%s\n", look.name, name.c_str(), end.c_str(), message.c_str());
  }
  for (const auto& [end, count] : counts) std::printf("%s: %d %s\n", look.name, count, end.c_str());
  std::fflush(stdout);
  progress.end = 1;
  _exit(0);
}

TEST(Sweep, NoOperatorCrashes) {
  auto* progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::string reason;
  ASSERT_TRUE(OpenLibTorch(reason)) << reason;
  for (const Look& look : kLooks) {
    *progress = {};
    for (size_t first = 0; !progress->end; first = progress->index + 1) {
      std::fflush(stdout);
      const pid_t child = fork();
      if (child == 0) RunFrom(first, look, *progress);
      int status = 0;
      waitpid(child, &status, 0);
      if (!progress->end)
        ADD_FAILURE() << look.name << ": " << AllSchemas()[progress->index].full_name
                      << " ends the process: " << status;
    }
  }
}

}  // namespace
}  // namespace fakeprop
