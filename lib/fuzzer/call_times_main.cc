// Times the calls of all tables on fakes of a FakeTensorMode, beside bare meta tensors:
//   bazel run //lib/fuzzer:call_times
//   bazel run //lib/fuzzer:call_times -- --part 2/5
//   bazel run //lib/fuzzer:call_times -- 'mul.Tensor(f32[2], f32[2])' ...
// Prints a line for each call and state (cpu, cuda, gradients): operator, state, microseconds a call on fakes and on
// meta tensors ("-" if those do not run), call, with tabs between. A call that fails has no line.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/mul.h>
#include <c10/core/GradMode.h>

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/forked.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/error/error.h"
#include "lib/fuzzer/seeds.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::fuzzer {
namespace {

using torch::jit::Stack;

constexpr size_t kBatch = 5;
constexpr struct State {
  const char* name;
  c10::DeviceType device;
  bool with_gradients;
} kStates[] = {{"cpu", c10::kCPU, false}, {"cuda", c10::kCUDA, false}, {"gradients", c10::kCPU, true}};

struct QuietWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Time of the processor; the fastest of several runs. Every call of a run gets the same tensors. Each run has its own,
// because graphs of in-place calls grow, and use memory that later runs find ready.
double MicrosecondsPerCall(const c10::OperatorHandle& op, const std::function<Stack()>& new_arguments) {
  constexpr int kRuns = 6, kCalls = 100;
  constexpr double kSlow = 100;  // one run of these calls will do
  double best = 1e30;
  for (int run = 0; run < kRuns && (run == 0 || best < kSlow); ++run) {
    const Stack arguments = new_arguments();
    const std::clock_t start = std::clock();
    for (int i = 0; i < kCalls; ++i) {
      Stack stack = arguments;
      op.callBoxed(stack);
    }
    best = std::min(best, 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kCalls);
  }
  return best;
}

class TimedCall {
 public:
  explicit TimedCall(const std::string& text) : parsed_(testing::ParseCall(text)) {
    if (!parsed_.schema) throw std::invalid_argument("no such operator");
    bound_ = BindArguments(*parsed_.schema, parsed_.arguments);
    op_ = c10::Dispatcher::singleton().findSchema(
        {std::string(parsed_.schema->name), std::string(parsed_.schema->overload)});
  }

  const std::string& name() const { return parsed_.op; }

  // Nothing if the call fails.
  std::optional<double> OnFakes(const State& state) const {
    const FakeTensorMode mode;
    const FakeModeGuard on(mode);
    return OnTensors(state.device, state.with_gradients);
  }
  std::optional<double> OnMeta(const State& state) const { return OnTensors(c10::kMeta, state.with_gradients); }

 private:
  std::optional<double> OnTensors(c10::Device device, bool with_gradients) const {
    try {
      if (!op_) return std::nullopt;
      return MicrosecondsPerCall(*op_, [&] { return Arguments(device, with_gradients); });
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  Stack Arguments(c10::Device device, bool with_gradients) const {
    Stack stack;
    const auto make = [&](const fakeprop::Tensor& t) { return NewTensor(t.meta, device, with_gradients); };
    for (size_t i = 0; i < bound_.size(); ++i)
      stack.push_back(dispatch::ToIValue(*bound_[i], op_->schema().arguments()[i], make));
    return stack;
  }

  // A tensor that requires grad is no leaf, because a leaf must not be written to.
  static at::Tensor NewTensor(const TensorMeta& meta, c10::Device device, bool with_gradients) {
    std::vector<int64_t> sizes, strides;
    for (Dim size : meta.size_span()) sizes.push_back(size.raw());
    for (Dim stride : meta.stride_span()) strides.push_back(stride.raw());
    at::Tensor made = at::empty_strided(sizes, strides, at::device(device).dtype(ToTorch(meta.dtype)));
    return with_gradients && IsFloatOrComplex(meta.dtype) ? made.requires_grad_().mul(1) : made;
  }

  const testing::ParsedCall parsed_;
  std::vector<const Value*> bound_;
  std::optional<c10::OperatorHandle> op_;
};

// Beyond what docs/fake_tensor.md promises.
bool IsSlow(double fake, std::optional<double> meta, const State& state) {
  if (!meta) return fake > 3;
  return state.with_gradients ? fake > *meta + 0.5 : fake > 2 * *meta && fake > 0.5;
}

std::string LineOf(const TimedCall& timed, const State& state, const std::string& call) {
  constexpr int kMostRepeats = 5;
  const c10::AutoGradMode grad(state.with_gradients);
  auto fake = timed.OnFakes(state);
  if (!fake) return "";
  auto meta = timed.OnMeta(state);
  // Other programs make some runs slower.
  for (int i = 0; i < kMostRepeats && IsSlow(*fake, meta, state); ++i) {
    fake = std::min(*fake, timed.OnFakes(state).value_or(*fake));
    if (meta) meta = std::min(*meta, timed.OnMeta(state).value_or(*meta));
  }
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, meta ? "%.2f\t%.2f" : "%.2f\t-", *fake, meta.value_or(0));
  return timed.name() + "\t" + state.name + "\t" + numbers + "\t" + call + "\n";
}

std::string LinesOf(const std::string& call) {
  std::string lines;
  try {
    const TimedCall timed(call);
    for (const State& state : kStates) lines += LineOf(timed, state, call);
  } catch (const std::invalid_argument&) {
  } catch (const std::out_of_range&) {
  } catch (const OpError&) {}
  return lines;
}

// Kernels may end their process.
void Print(std::span<const std::string> calls) {
  const auto lines = dispatch::RunForked([&] {
    static QuietWarnings quiet;
    const c10::WarningUtils::WarningHandlerGuard no_warnings(&quiet);
    std::string all;
    for (const std::string& call : calls) all += LinesOf(call);
    return all;
  });
  if (lines) {
    std::fputs(lines->c_str(), stdout);
  } else if (calls.size() > 1) {
    const size_t half = calls.size() / 2;
    Print(calls.first(half));
    Print(calls.subspan(half));
  }
}

std::vector<std::string> AllCalls() {
  std::vector<std::string> calls = ReadSeeds();
  for (std::string& call : PlainCalls()) calls.push_back(std::move(call));
  return calls;
}

// "2/5": the second fifth of the calls.
std::span<const std::string> PartOf(std::span<const std::string> calls, const char* part) {
  size_t number = 0, parts = 0;
  if (std::sscanf(part, "%zu/%zu", &number, &parts) != 2 || number < 1 || number > parts) {
    std::fprintf(stderr, "--part %s: expected a part such as 2/5\n", part);
    std::exit(2);
  }
  const size_t first = calls.size() * (number - 1) / parts;
  return calls.subspan(first, calls.size() * number / parts - first);
}

int Main(int argc, char** argv) {
  libtorch::Prepare();
  mallopt(M_TRIM_THRESHOLD, 1 << 30);  // what one run frees, the next one gets
  const FakeTensorMode prepared;
  const bool is_part = argc == 3 && std::string_view(argv[1]) == "--part";
  const std::vector<std::string> all =
      argc == 1 || is_part ? AllCalls() : std::vector<std::string>(argv + 1, argv + argc);
  const auto calls = is_part ? PartOf(all, argv[2]) : std::span(all);
  for (size_t i = 0; i < calls.size(); i += kBatch) Print(calls.subspan(i, std::min(kBatch, calls.size() - i)));
  return 0;
}

}  // namespace
}  // namespace fakeprop::fuzzer

int main(int argc, char** argv) { return fakeprop::fuzzer::Main(argc, argv); }
