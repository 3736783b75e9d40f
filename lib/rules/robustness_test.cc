// Every rule on random arguments: it states effects or throws an OpError, and never does anything else. Sizes of the
// results are never negative. The call at hand is printed when the process dies.
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <random>

#include "lib/meta/dtype.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

std::string g_call;

void PrintCall(int signal) {
  const std::string text = "\ndied in " + g_call + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Makes arguments by their types in the schema; half of the tensors share a rank, so that calls get somewhere.
class ArgumentMaker {
 public:
  explicit ArgumentMaker(uint64_t seed) : random_(seed) {}

  void StartCall() {
    rank_ = Below(6);
    dtype_ = kDtypes[Below(std::size(kDtypes))];
  }

  Value Make(const SchemaArgument& argument, ObjectTable& objects) {
    if (argument.default_value && Below(2)) return *argument.default_value;
    if (argument.type.is_optional && Below(4) == 0) return {};
    if (!argument.type.is_list) return MakeOne(argument.type, objects);
    List list;
    for (uint64_t n = Below(5); n > 0; --n) {
      list.items.push_back(
          argument.type.is_element_optional && Below(3) == 0 ? Value() : MakeOne(argument.type, objects));
    }
    return list;
  }

 private:
  static constexpr ScalarType kDtypes[] = {ScalarType::Float, ScalarType::Float, ScalarType::Long, ScalarType::Bool,
      ScalarType::Half, ScalarType::ComplexFloat, ScalarType::Byte, ScalarType::Int};

  uint64_t Below(uint64_t n) { return std::uniform_int_distribution<uint64_t>(0, n - 1)(random_); }

  Value MakeOne(const Type& type, ObjectTable& objects) {
    switch (type.kind) {
      case TypeKind::kTensor: return MakeTensor(objects);
      case TypeKind::kInt:
      case TypeKind::kSymInt: return MakeInt();
      case TypeKind::kFloat: return static_cast<double>(Below(5)) / 4;
      case TypeKind::kBool: return Below(2) == 1;
      case TypeKind::kScalar: return Below(2) ? Value(MakeInt()) : Value(static_cast<double>(Below(9)) / 4);
      case TypeKind::kString: return kStrings[Below(std::size(kStrings))];
      case TypeKind::kDtype: return kDtypes[Below(std::size(kDtypes))];
      case TypeKind::kDevice: return Device(DeviceType::CPU);
      case TypeKind::kLayout: return Layout::Strided;
      case TypeKind::kMemoryFormat: return Below(2) ? MemoryFormat::Contiguous : MemoryFormat::ChannelsLast;
      default: return {};
    }
  }

  Value MakeInt() {
    if (Below(40) == 0) return Below(2) ? INT64_MAX : INT64_MIN;
    return static_cast<int64_t>(Below(9)) - 3;
  }

  Value MakeTensor(ObjectTable& objects) {
    TensorMeta t;
    const uint64_t rank = Below(4) ? rank_ : Below(6);
    for (uint64_t d = 0; d < rank; ++d) t.sizes.push_back(static_cast<int64_t>(Below(8) ? 1 + Below(4) : 0));
    t.strides = ContiguousStrides(t.size_span());
    if (rank >= 2 && Below(3) == 0) {
      std::swap(t.sizes[rank - 1], t.sizes[rank - 2]);
      std::swap(t.strides[rank - 1], t.strides[rank - 2]);
    }
    if (rank >= 1 && Below(8) == 0) t.strides[0] = 0;
    t.dtype = Below(5) ? dtype_ : kDtypes[Below(std::size(kDtypes))];
    return objects.NewTensor(t, objects.NewStorage(StorageNbytes(t), t.device));
  }

  static constexpr const char* kStrings[] = {
      "mean", "sum", "none", "reflect", "constant", "floor", "trunc", "same", "reduced", "amax"};
  std::mt19937_64 random_;
  uint64_t rank_ = 0;
  ScalarType dtype_ = ScalarType::Float;
};

bool IsStrided(const Output& output) { return output.meta.layout == Layout::Strided; }

// Tensors of other layouts have no strides.
void CheckSizes(const Output& output) {
  for (const Output& item : output.items) CheckSizes(item);
  EXPECT_EQ(output.meta.strides.size(), IsStrided(output) ? output.meta.sizes.size() : 0) << g_call;
  for (Dim size : output.meta.sizes) EXPECT_GE(size.Specialize(), 0) << g_call;
}

void RunOnce(const Schema& schema, const ServedRule& served, ArgumentMaker& maker) {
  ObjectTable objects;
  std::vector<Value> values;
  maker.StartCall();
  g_call = std::string(schema.full_name) + "(";
  for (const SchemaArgument& argument : schema.arguments) {
    values.push_back(maker.Make(argument, objects));
    g_call += (values.size() > 1 ? ", " : "") + ToString(values.back());
  }
  g_call += ")";
  std::vector<const Value*> arguments;
  for (const Value& value : values) arguments.push_back(&value);
  try {
    Effects effects;
    const ExecutionState state;
    Call call(schema, arguments, state, CommonDevice(schema, arguments, served.devices), effects);
    RunRule(served, call);
    for (const Output& output : effects.outputs) CheckSizes(output);
  } catch (const OpError&) {
    // An error of its own is as good an answer as any.
  } catch (const std::exception& e) {
    ADD_FAILURE() << g_call << ": " << e.what();
  }
}

TEST(Robustness, RulesOnRandomArguments) {
  std::signal(SIGABRT, PrintCall);
  std::signal(SIGSEGV, PrintCall);
  std::signal(SIGFPE, PrintCall);
  // More calls, or those of one operator, by hand.
  const char* calls = std::getenv("FAKEPROP_CALLS");
  const char* only = std::getenv("FAKEPROP_OP");
  const int repeat = calls ? std::atoi(calls) : 30;
  ArgumentMaker maker(20261121);
  for (const SchemaEntry& entry : AllSchemas()) {
    if (only && entry.full_name != only) continue;
    const Schema& schema = *FindSchema(entry.full_name);
    const ServedRule* served = FindRule(schema);
    for (int i = 0; served && i < repeat; ++i) RunOnce(schema, *served, maker);
  }
}

}  // namespace
}  // namespace fakeprop
