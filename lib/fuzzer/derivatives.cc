#include "lib/fuzzer/derivatives.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/forked.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/dispatch/wire.h"
#include "lib/fake/converter.h"
#include "lib/fake/serve.h"
#include "lib/libtorch_fallback/plugin/real_run.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::fuzzer {
namespace {

using at::Tensor;
using libtorch::Integers;
using torch::jit::Stack;
using Kind = DerivativeVerdict::Kind;

constexpr const char* kDevices[] = {"cpu", "cuda:0", "xpu:0"};
constexpr size_t kBatch = 20;

struct QuietWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Strides say nothing where a dimension has one element, or the tensor none. Kernels of other devices lay out their
// results in other ways.
enum class Strides { kCount, kDoNotCount };

std::string TextOf(const Tensor& t, Strides strides) {
  if (!t.defined()) return "none";
  std::ostringstream text;
  text << t.scalar_type() << t.sizes();
  // How many elements a sparse tensor has depends on data.
  if (t.layout() != at::kStrided) text << t.layout();
  else if (strides == Strides::kCount && t.numel() > 0) {
    text << "{";
    for (int64_t d = 0; d < t.dim(); ++d)
      if (t.size(d) > 1) text << (d ? " " : "") << t.stride(d);
    text << "}";
  }
  return text.str() + (t.requires_grad() ? "g" : "");
}

// A real tensor of another layout than strided. All of its elements are there, so it may have more than the call says.
Tensor MakeOfLayout(const fakeprop::Tensor& t) {
  std::vector<int64_t> sizes, block;
  for (const Dim size : t.meta.size_span()) sizes.push_back(size.raw());
  const Tensor dense = at::ones(sizes, at::dtype(ToTorch(t.meta.dtype)));
  const auto layout = ToTorch(t.meta.layout);
  if (layout == at::kMkldnn) return dense.to_mkldnn();
  if (layout == at::kSparse)
    return dense.to_sparse(t.parts->indices->meta.sizes[0].raw())._coalesced_(t.parts->is_coalesced);
  const auto& values = t.parts->values->meta.sizes;
  if (layout == at::kSparseBsr || layout == at::kSparseBsc) block = {values.end()[-2].raw(), values.end()[-1].raw()};
  return dense.to_sparse(layout, block.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(block));
}

// What one run makes: the results that require grad first, and the gradients of the leaves.
struct Run {
  std::vector<Tensor> results, gradients;

  std::string Text(Strides strides) const {
    std::string text;
    for (const Tensor& t : results) text += (text.empty() ? "" : ", ") + TextOf(t, strides);
    text += "; gradients ";
    for (size_t i = 0; i < gradients.size(); ++i) text += (i ? ", " : "") + TextOf(gradients[i], strides);
    return text;
  }
};

class DerivativeCase {
 public:
  explicit DerivativeCase(const std::string& text)
      : parsed_(testing::ParseCall(text)), bound_(parsed_.schema ? Bind() : std::vector<const Value*>()) {}

  std::vector<DerivativeVerdict> Judge() {
    if (!parsed_.schema || parsed_.schema->IsOut() || !IsOnCpu()) return {};
    const auto op = FindOperator();
    if (!op) return {};
    // Some formulas are for a few arguments alone, and some arguments (running statistics) are written to.
    for (const Leaves leaves : {Leaves::kAll, Leaves::kFirst}) {
      Stage(leaves);
      const auto real = RunReal(*op);
      if (!real || real->gradients.empty()) continue;
      std::vector<DerivativeVerdict> verdicts;
      for (const char* device : kDevices) verdicts.push_back(Compare(*op, *real, device));
      return verdicts;
    }
    return {};
  }

  bool RunsOnRealTensors() {
    Stage(Leaves::kAll);
    const auto op = FindOperator();
    return op && RunReal(*op);
  }

 private:
  // The floating-point tensors that require grad.
  enum class Leaves { kAll, kFirst };

  void Stage(Leaves leaves) {
    bool is_first = true;
    for (fakeprop::Tensor* t : parsed_.tensors) {
      const bool may_require = IsFloatOrComplex(t->meta.dtype);
      t->own_requires_grad = may_require && (is_first || leaves == Leaves::kAll);
      is_first &= !may_require;
    }
  }

  std::vector<const Value*> Bind() const { return BindArguments(*parsed_.schema, parsed_.arguments); }

  bool IsOnCpu() const {
    const ExecutionState state;
    Effects effects;
    return libtorch::IsOnCpu(Call(*parsed_.schema, bound_, state, fakeprop::Device(DeviceType::CPU), effects));
  }

  std::optional<c10::OperatorHandle> FindOperator() const {
    return c10::Dispatcher::singleton().findSchema(
        {std::string(parsed_.schema->name), std::string(parsed_.schema->overload)});
  }

  // On the first kind of integers with which the kernels run. Nothing if there is none.
  std::optional<Run> RunReal(const c10::OperatorHandle& op) {
    for (const Integers integers : {Integers::kZerosAndOnes, Integers::kZeros, Integers::kOnes}) {
      tensors_ = std::make_unique<libtorch::RealTensors>(integers);
      others_.clear();
      try {
        return RunOn(op, [&](fakeprop::Tensor& t) { return Real(t); });
      } catch (const std::exception&) {  // a verdict about fakes needs an answer of the kernels
      }
    }
    return std::nullopt;
  }

  Tensor Real(fakeprop::Tensor& t) {
    if (t.meta.layout == Layout::Strided) return tensors_->Make(t);
    Tensor& made = others_[&t];
    if (!made.defined()) made = MakeOfLayout(t).requires_grad_(t.own_requires_grad);
    return made;
  }

  // Lengths and offsets are often numbers that a program knows, on the cpu or on the device. So a call that fails
  // without its integers runs again with them.
  DerivativeVerdict Compare(const c10::OperatorHandle& op, const Run& real, const char* device) {
    const DerivativeVerdict without = CompareWith(op, real, device, Known::kNothing);
    if (without.kind != Kind::kFails) return without;
    for (const Known known : {Known::kIntegersOnCpu, Known::kIntegers}) {
      const DerivativeVerdict with = CompareWith(op, real, device, known);
      if (with.kind != Kind::kFails) return with;
    }
    return without;
  }

  enum class Known { kNothing, kIntegersOnCpu, kIntegers };

  // The fake of an argument.
  Tensor Fake(const FakeTensorMode& mode, fakeprop::Tensor& t, const char* device, Known known) {
    const bool may_be_lengths = t.meta.rank() <= 1 && c10::isIntegralType(ToTorch(t.meta.dtype), /*includeBool=*/false);
    if (known == Known::kNothing || !may_be_lengths)
      return fake::FromReal(*fake::StateOf(mode), Real(t), c10::Device(device));
    const Tensor literal = fake::FromLiteral(*fake::StateOf(mode), Real(t));
    return known == Known::kIntegers ? literal.to(c10::Device(device)) : literal;
  }

  DerivativeVerdict CompareWith(const c10::OperatorHandle& op, const Run& real, const char* device, Known known) {
    DerivativeVerdict verdict{Kind::kAgree, std::string(parsed_.schema->full_name), device, ""};
    const Strides strides = std::string_view(device) == "cpu" ? Strides::kCount : Strides::kDoNotCount;
    try {
      const FakeTensorMode mode({.allow_non_fake_inputs = true, .follow_known_data = known == Known::kIntegers});
      const FakeModeGuard on(mode);
      const Run fake = RunOn(op, [&](fakeprop::Tensor& t) { return Fake(mode, t, device, known); });
      for (const Tensor& t : fake.gradients)
        if (t.defined() && t.device() != c10::Device(device)) verdict.what = "a gradient is on " + t.device().str();
      if (verdict.what.empty() && fake.Text(strides) != real.Text(strides))
        verdict.what = "fake " + fake.Text(strides) + ", real " + real.Text(strides);
      if (!verdict.what.empty()) verdict.kind = Kind::kDiffer;
    } catch (const c10::Error& e) {
      verdict.kind = Kind::kFails;
      verdict.what = e.msg();
    } catch (const std::exception& e) {
      verdict.kind = Kind::kFails;
      verdict.what = e.what();
    }
    std::replace(verdict.what.begin(), verdict.what.end(), '\n', ' ');
    return verdict;
  }

  // Forward and backward. Leaves are made by `make`.
  Run RunOn(const c10::OperatorHandle& op, const dispatch::MakeTensor& make) const {
    static QuietWarnings quiet;
    const c10::WarningUtils::WarningHandlerGuard no_warnings(&quiet);
    Stack stack;
    for (size_t i = 0; i < bound_.size(); ++i) {
      const c10::Argument& argument = op.schema().arguments()[i];
      if (bound_[i]->IsNumber() && argument.type()->isSubtypeOf(*c10::TensorType::get()))
        throw std::invalid_argument("a number in place of a tensor");
      stack.push_back(dispatch::ToIValue(*bound_[i], argument, make));
    }
    std::vector<Tensor> leaves;
    for (const Tensor& t : dispatch::TensorsAmong(stack))
      if (t.requires_grad()) leaves.push_back(t);
    // A leaf must not be written to.
    if (!parsed_.schema->arguments.empty() && parsed_.schema->arguments[0].is_write)
      for (c10::IValue& value : stack)
        value = dispatch::MapTensors(value, [](const Tensor& t) { return t.requires_grad() ? t.mul(1) : t; });
    op.callBoxed(stack);
    return Differentiate(dispatch::TensorsAmong(stack), leaves);
  }

  static Run Differentiate(std::vector<Tensor> results, const std::vector<Tensor>& leaves) {
    Run run{std::move(results), {}};
    std::vector<Tensor> outputs, ones;
    for (const Tensor& t : run.results) {
      if (!t.requires_grad()) continue;
      outputs.push_back(t);
      ones.push_back(at::ones_like(t));
    }
    if (!outputs.empty() && !leaves.empty())
      run.gradients = torch::autograd::grad(outputs, leaves, ones, /*retain_graph=*/false, /*create_graph=*/false,
          /*allow_unused=*/true);
    return run;
  }

  const testing::ParsedCall parsed_;
  const std::vector<const Value*> bound_;
  std::unique_ptr<libtorch::RealTensors> tensors_;
  std::map<const fakeprop::Tensor*, Tensor> others_;  // of other layouts
};

std::string JudgeHere(std::span<const std::string> calls) {
  at::set_num_threads(1);  // the threads of the parent are not here
  dispatch::WireWriter out;
  for (const std::string& call : calls) {
    const auto verdicts = JudgeDerivative(call);
    out.Put(verdicts.size());
    for (const DerivativeVerdict& verdict : verdicts) {
      out.Put(verdict.kind);
      for (const std::string& text : {verdict.op, verdict.device, verdict.what}) out.PutText(text);
    }
  }
  return out.bytes();
}

using Verdicts = std::vector<std::vector<DerivativeVerdict>>;

void Read(const std::string& bytes, size_t count, Verdicts& all) {
  dispatch::WireReader in(bytes);
  for (size_t i = 0; i < count; ++i) {
    std::vector<DerivativeVerdict> verdicts(in.Get<size_t>());
    for (DerivativeVerdict& verdict : verdicts) {
      verdict.kind = in.Get<Kind>();
      for (std::string* text : {&verdict.op, &verdict.device, &verdict.what}) *text = in.GetText();
    }
    all.push_back(std::move(verdicts));
  }
}

// If the kernels themselves end the process, there is nothing to compare with.
std::vector<DerivativeVerdict> VerdictsOnCrash(const std::string& call) {
  const auto real = dispatch::RunForked([&] {
    at::set_num_threads(1);
    DerivativeCase(call).RunsOnRealTensors();
    return std::string();
  });
  if (!real) return {};
  return {{Kind::kFails, "aten::" + call.substr(0, call.find('(')), "all", "the process ends"}};
}

void JudgeHalves(std::span<const std::string> calls, Verdicts& all) {
  if (const auto bytes = dispatch::RunForked([&] { return JudgeHere(calls); })) return Read(*bytes, calls.size(), all);
  if (calls.size() == 1) return all.push_back(VerdictsOnCrash(calls[0]));
  const size_t half = calls.size() / 2;
  JudgeHalves(calls.first(half), all);
  JudgeHalves(calls.subspan(half), all);
}

}  // namespace

std::vector<DerivativeVerdict> JudgeDerivative(const std::string& call_text) {
  try {
    return DerivativeCase(call_text).Judge();
  } catch (const std::invalid_argument&) {
  } catch (const std::out_of_range&) {
  } catch (const OpError&) {}
  return {};
}

std::vector<std::vector<DerivativeVerdict>> JudgeDerivatives(const std::vector<std::string>& calls) {
  Verdicts all;
  std::span<const std::string> left(calls);
  while (!left.empty()) {
    const size_t count = std::min(kBatch, left.size());
    JudgeHalves(left.first(count), all);
    left = left.subspan(count);
  }
  return all;
}

}  // namespace fakeprop::fuzzer
