#include "lib/fake/cross_check.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <sstream>

#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/fake/converter.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {
namespace {

using torch::jit::Stack;

// The tensors of the results, including undefined ones.
std::vector<at::Tensor> ResultsOf(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      tensors.push_back(value.toTensor());
    } else {
      dispatch::ForEachTensor(value, [&](const at::Tensor& t) { tensors.push_back(t); });
    }
  }
  return tensors;
}

// Strides of dimensions of size 1 and of empty tensors do not count.
bool SameStrides(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return true;
  for (int64_t d = 0; d < a.dim(); ++d)
    if (a.size(d) != 1 && a.stride(d) != b.stride(d)) return false;
  return true;
}

// The first tensor that has the storage, or -1.
int FindShared(const at::Tensor& t, const std::vector<at::Tensor>& others) {
  for (size_t i = 0; i < others.size(); ++i)
    if (SharesStorage(t, others[i])) return static_cast<int>(i);
  return -1;
}

class Comparison {
 public:
  Comparison(std::string op, std::vector<at::Tensor> reals, std::vector<at::Tensor> fakes)
      : op_(std::move(op)), reals_(std::move(reals)), fakes_(std::move(fakes)) {}

  void Compare(const std::vector<at::Tensor>& real, const std::vector<at::Tensor>& fake) {
    if (real.size() != fake.size()) Differ("results", "number", real.size(), fake.size());
    for (size_t i = 0; i < real.size(); ++i) CompareOne("result " + std::to_string(i), real[i], fake[i]);
    for (size_t i = 0; i < reals_.size(); ++i) CompareOne("argument tensor " + std::to_string(i), reals_[i], fakes_[i]);
  }

 private:
  void CompareOne(const std::string& what, const at::Tensor& real, const at::Tensor& fake) const {
    // Fakes have gradients that were not asked for, as in PyTorch's decompositions.
    if (!real.defined() || real.layout() != at::kStrided) return;
    if (!fake.defined()) Differ(what, "presence", true, false);
    if (real.sizes() != fake.sizes()) Differ(what, "size", real.sizes(), fake.sizes());
    if (!SameStrides(real, fake)) Differ(what, "stride", real.strides(), fake.strides());
    if (real.storage_offset() != fake.storage_offset())
      Differ(what, "offset", real.storage_offset(), fake.storage_offset());
    if (real.scalar_type() != fake.scalar_type()) Differ(what, "dtype", real.scalar_type(), fake.scalar_type());
    if (real.device() != fake.device()) Differ(what, "device", real.device(), fake.device());
    const int real_shares = FindShared(real, reals_), fake_shares = FindShared(fake, fakes_);
    if (real_shares != fake_shares) Differ(what, "tensor that it shares storage with", real_shares, fake_shares);
  }

  template <typename T>
  [[noreturn]] void Differ(const std::string& what, const std::string& field, const T& real, const T& fake) const {
    std::ostringstream text;
    text << op_ << ": the " << field << " of " << what << " is " << real << " for real, " << fake << " on fakes";
    throw MetadataMismatch(op_, text.str());
  }

  const std::string op_;
  const std::vector<at::Tensor> reals_, fakes_;  // the arguments
};

// The fake run: its results or its exception.
struct FakeRun {
  Stack results;
  std::exception_ptr error;
  bool is_comparable = true;
};

FakeRun RunOnFakes(const c10::OperatorHandle& op, Stack arguments) {
  FakeRun run;
  try {
    dispatch::Serve(op, arguments);
    run.results = std::move(arguments);
  } catch (const OpError& e) {
    run.error = std::current_exception();
    run.is_comparable = e.error_class() != ErrorClass::kDataDependentOutput &&
                        e.error_class() != ErrorClass::kDynamicOutputShape &&
                        e.error_class() != ErrorClass::kUnsupportedOperator;
  } catch (const DataDependentOutput&) {
    run.is_comparable = false;
  } catch (const DynamicOutputShape&) {
    run.is_comparable = false;
  } catch (const UnsupportedOperator&) {
    run.is_comparable = false;
  } catch (const c10::Error&) {
    run.error = std::current_exception();
  }
  return run;
}

}  // namespace

void RunCrossChecked(const c10::OperatorHandle& op, Stack& stack) {
  const std::string name = dispatch::FullName(op.operator_name());
  const auto scratch = std::make_shared<ModeState>(FakeTensorModeOptions());
  Stack real_arguments = torch::jit::last(stack, op.schema().arguments().size()).vec(), fake_arguments;
  bool is_comparable = true;
  for (const c10::IValue& argument : real_arguments) {
    fake_arguments.push_back(dispatch::MapTensors(argument, [&](const at::Tensor& t) {
      is_comparable &= t.layout() == at::kStrided && !t.is_quantized() && t.has_storage();
      return is_comparable ? FromReal(*scratch, t) : t;
    }));
  }
  FakeRun fake;
  if (is_comparable) {
    const BelowMode below(*scratch);
    fake = RunOnFakes(op, fake_arguments);
  }
  {
    const RealScope real;
    op.callBoxed(stack);
  }
  if (!is_comparable || !fake.is_comparable) return;
  if (fake.error) {
    try {
      std::rethrow_exception(fake.error);
    } catch (const std::exception& e) {
      throw MetadataMismatch(name, name + ": runs for real and fails on fakes: " + std::string(e.what()));
    }
  }
  Comparison(name, dispatch::TensorsAmong(real_arguments), dispatch::TensorsAmong(fake_arguments))
      .Compare(ResultsOf(torch::jit::last(stack, op.schema().returns().size())), ResultsOf(fake.results));
}

}  // namespace fakeprop::fake
