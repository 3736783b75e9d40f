#include "lib/deferred_init/draws.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "lib/deferred_init/thread_state.h"

namespace fakeprop::deferred_init {
namespace {

using c10::IValue;
using c10::OperatorHandle;

enum class Law {
  kFill,
  kUniform,
  kRandomLow,
  kRandomHigh,
  kNormal,
  kPermutation,
  kDropout,
  kFeatureDropout,
  kNativeDropout
};

struct Row {
  std::string_view name, overload;  // an empty overload stands for all
  Law law;
};

constexpr Row kRows[] = {
    {"aten::uniform_", "", Law::kFill},
    {"aten::random_", "", Law::kFill},
    {"aten::bernoulli_", "float", Law::kFill},
    {"aten::exponential_", "", Law::kFill},
    {"aten::cauchy_", "", Law::kFill},
    {"aten::geometric_", "", Law::kFill},
    {"aten::rand", "", Law::kUniform},
    {"aten::rand_like", "", Law::kUniform},
    {"aten::randint", "low", Law::kRandomLow},
    {"aten::randint", "low_generator", Law::kRandomLow},
    {"aten::randint", "", Law::kRandomHigh},
    {"aten::randint", "generator", Law::kRandomHigh},
    {"aten::normal_", "", Law::kNormal},
    {"aten::normal", "float_float", Law::kNormal},
    {"aten::randn", "", Law::kNormal},
    {"aten::randn_like", "", Law::kNormal},
    {"aten::randperm", "", Law::kPermutation},
    {"aten::randperm", "generator", Law::kPermutation},
    {"aten::dropout", "", Law::kDropout},
    {"aten::dropout_", "", Law::kDropout},
    {"aten::alpha_dropout", "", Law::kDropout},
    {"aten::alpha_dropout_", "", Law::kDropout},
    {"aten::feature_dropout", "", Law::kFeatureDropout},
    {"aten::feature_dropout_", "", Law::kFeatureDropout},
    {"aten::feature_alpha_dropout", "", Law::kFeatureDropout},
    {"aten::feature_alpha_dropout_", "", Law::kFeatureDropout},
    {"aten::native_dropout", "", Law::kNativeDropout},
};

const Row* FindRow(const c10::OperatorName& op) {
  const auto it = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    const bool any_overload = row.overload.empty() && row.name != "aten::randint" && row.name != "aten::randperm";
    return row.name == op.name && (any_overload || row.overload == op.overload_name);
  });
  return it == std::end(kRows) ? nullptr : it;
}

// The words that a fresh generator has drawn, if they are fewer than 624.
int64_t DrawnBy(at::CPUGeneratorImpl& generator) { return generator.engine().data().next_; }

// Runs a fill on this many elements of the dtype.
int64_t MeasureFill(const OperatorHandle& op, std::vector<IValue> arguments, c10::ScalarType dtype, int64_t count) {
  const ThreadStateScope plain(PlainState());
  at::Generator generator = at::detail::createCPUGenerator(1);
  arguments.front() = at::empty({count}, at::device(at::kCPU).dtype(dtype));
  arguments.back() = generator;
  torch::jit::Stack stack = std::move(arguments);
  op.callBoxed(stack);
  return DrawnBy(*static_cast<at::CPUGeneratorImpl*>(generator.unsafeGetGeneratorImpl()));
}

// What a fill of this many elements draws. Kernels draw a fixed number for each element, or one number for all.
std::optional<Draws> MeasuredFill(
    const OperatorHandle& op, const std::vector<IValue>& arguments, c10::ScalarType dtype, int64_t numel) {
  if (numel == 0) return Draws();
  const int64_t few = MeasureFill(op, arguments, dtype, 8), more = MeasureFill(op, arguments, dtype, 24);
  if (more == few) return Draws{few, 0};
  if (more == 3 * few && few % 8 == 0) return Draws{few / 8 * numel, 0};
  return std::nullopt;
}

OperatorHandle Find(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
}

std::optional<Draws> Uniform(c10::ScalarType dtype, int64_t numel) {
  static const OperatorHandle op = Find("aten::uniform_", "");
  return MeasuredFill(op, {at::Tensor(), 0.0, 1.0, IValue()}, dtype, numel);
}

std::optional<Draws> RandomFrom(int64_t low, int64_t high, c10::ScalarType dtype, int64_t numel) {
  static const OperatorHandle op = Find("aten::random_", "from");
  return MeasuredFill(op, {at::Tensor(), low, high, IValue()}, dtype, numel);
}

// Source: normal_kernel, normal_fill in native/cpu/DistributionTemplates.h: 16 or more contiguous elements are filled
// in blocks of 16. If the last block is not full, the last 16 elements are drawn again. Others are drawn in pairs.
std::optional<Draws> Normal(const at::Tensor& result) {
  const c10::ScalarType dtype = result.scalar_type();
  if (!c10::isFloatingType(dtype)) return std::nullopt;
  const int64_t numel = result.numel(), rest = numel % 16;
  if (numel < 16 || !result.is_contiguous()) return Draws{0, numel};
  const int64_t width = dtype == at::kDouble ? 2 : 1;
  const int64_t first = c10::isReducedFloatingType(dtype) ? numel - rest : numel;  // before the last 16
  return Draws{width * (first + (rest ? 16 : 0)), 0};
}

// Source: randperm_cpu in native/TensorFactories.cpp.
std::optional<Draws> Permutation(int64_t count) {
  constexpr int64_t kMostByWord = (int64_t{1} << 32) / 20;
  if (count >= kMostByWord) return std::nullopt;
  return Draws{std::max<int64_t>(count - 1, 0), 0};
}

// Source: _dropout_impl in native/Dropout.cpp: the noise is a tensor of the input's dtype, filled by bernoulli_.
std::optional<Draws> Noise(double p, c10::ScalarType dtype, int64_t numel) {
  static const OperatorHandle op = Find("aten::bernoulli_", "float");
  return MeasuredFill(op, {at::Tensor(), 1 - p, IValue()}, dtype, numel);
}

std::optional<Draws> Dropout(double p, c10::ScalarType dtype, int64_t numel) {
  return p == 1 ? Draws() : Noise(p, dtype, numel);
}

// One number for each channel.
int64_t NumelOfFeatures(const at::Tensor& t) { return t.dim() < 2 ? 0 : t.size(0) * t.size(1); }

std::optional<Draws> Apply(
    Law law, const OperatorHandle& op, const std::vector<IValue>& arguments, const at::Tensor& result) {
  const c10::ScalarType dtype = result.scalar_type();
  switch (law) {
    case Law::kFill: return MeasuredFill(op, arguments, dtype, result.numel());
    case Law::kUniform: return Uniform(dtype, result.numel());
    case Law::kRandomLow: return RandomFrom(arguments[0].toInt(), arguments[1].toInt(), dtype, result.numel());
    case Law::kRandomHigh: return RandomFrom(0, arguments[0].toInt(), dtype, result.numel());
    case Law::kNormal: return Normal(result);
    case Law::kPermutation: return Permutation(result.numel());
    case Law::kDropout: return Dropout(arguments[1].toDouble(), dtype, result.numel());
    case Law::kFeatureDropout: return Dropout(arguments[1].toDouble(), dtype, NumelOfFeatures(result));
    case Law::kNativeDropout: return Noise(arguments[1].toDouble(), at::kBool, result.numel());
  }
  return std::nullopt;
}

// uniform_ draws the same for all bounds, and modules call it the most.
std::optional<Draws> ApplyUniform(c10::ScalarType dtype, int64_t numel) {
  static std::mutex mutex;
  static auto* const known = new std::map<c10::ScalarType, std::optional<Draws>>;
  const std::lock_guard lock(mutex);
  auto [it, is_new] = known->try_emplace(dtype);
  if (is_new) it->second = Uniform(dtype, 1);
  return it->second ? std::optional(Draws{it->second->words * numel, 0}) : std::nullopt;
}

bool IsTrainingDropout(const c10::Argument& argument, const IValue& value) {
  const std::string& name = argument.name();
  return (name == "dropout" || name == "dropout_p" || name == "p") && value.isDouble() && value.toDouble() > 0;
}

// Returns true for a dropout that does nothing: in evaluation, or with probability 0.
bool IsOff(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  const auto& formal = op.schema().arguments();
  const std::string& op_name = op.operator_name().name;
  const bool draws_nothing_at_zero = op_name.find("dropout") != std::string::npos && op_name != "aten::native_dropout";
  for (size_t i = 0; i < formal.size(); ++i) {
    const std::string& name = formal[i].name();
    const IValue& value = arguments[i];
    if ((name == "train" || name == "training") && value.isBool() && !value.toBool()) return true;
    const bool is_rate = name == "dropout_p" || name == "dropout" || (draws_nothing_at_zero && name == "p");
    if (is_rate && value.isDouble() && value.toDouble() == 0) return true;
  }
  return false;
}

}  // namespace

bool MayDraw(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  if (IsOff(op, arguments)) return false;
  if (op.hasTag(at::Tag::nondeterministic_seeded)) return true;
  const auto& formal = op.schema().arguments();
  for (size_t i = 0; i < formal.size(); ++i) {
    if (formal[i].name() == "generator") return true;
    // Composites such as lstm draw within.
    if (IsTrainingDropout(formal[i], arguments[i]) &&
        op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd))
      return true;
  }
  return false;
}

std::optional<Draws> CountDraws(
    const OperatorHandle& op, const std::vector<IValue>& arguments, const at::Tensor& result) {
  const Row* row = FindRow(op.operator_name());
  if (!row || result.is_complex() || result.layout() != at::kStrided) return std::nullopt;
  if (row->law == Law::kUniform || row->name == "aten::uniform_")
    return ApplyUniform(result.scalar_type(), result.numel());
  return Apply(row->law, op, arguments, result);
}

at::Generator GeneratorOf(const std::vector<IValue>& arguments) {
  for (const IValue& value : arguments)
    if (value.isGenerator()) return value.toGenerator();
  return at::detail::getDefaultCPUGenerator();
}

}  // namespace fakeprop::deferred_init
