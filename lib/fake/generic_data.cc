#include "lib/fake/generic_data.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/linalg_lstsq.h>
#include <c10/util/Type.h>
#include <torch/csrc/autograd/function.h>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::fake {
namespace {

thread_local const GenericData* innermost = nullptr;

// Returns true if autograd's engine runs one of LibTorch's own formulas in this thread.
bool IsInFormula() {
  const auto node = torch::autograd::get_current_node();
  if (!node) return false;
  const torch::autograd::Node& formula = *node;
  return c10::demangle(typeid(formula).name()).starts_with("torch::autograd::generated::");
}

at::Tensor NewFake(const at::Tensor& like, std::initializer_list<int64_t> sizes, c10::ScalarType dtype) {
  TensorMeta meta;
  for (int64_t size : sizes) meta.sizes.push_back(size);
  meta.strides = ContiguousStrides(meta.size_span());
  meta.dtype = FromTorch(dtype);
  meta.device = FromTorch(like.device());
  return dispatch::MakeFakeTensor(meta, dispatch::MakeFakeStorage(StorageNbytes(meta), like.device()));
}

// The answer to a question about data; nothing for other operators.
std::optional<c10::IValue> Answer(std::string_view op, const at::Tensor& about, int64_t masked, bool truth) {
  if (op == "aten::allclose") return c10::IValue(true);
  if (op == "aten::equal" || op == "aten::is_nonzero") return c10::IValue(truth);
  if (op == "aten::nonzero") return c10::IValue(NewFake(about, {0, about.dim()}, at::kLong));
  if (op == "aten::masked_select") return c10::IValue(NewFake(about, {masked}, about.scalar_type()));
  if (op != "aten::_local_scalar_dense") return std::nullopt;
  if (about.scalar_type() == at::kBool) return c10::IValue(c10::Scalar(truth));
  if (c10::isIntegralType(about.scalar_type(), /*includeBool=*/false)) return c10::IValue(c10::Scalar(int64_t{0}));
  return std::nullopt;
}

// -> (loss, log_alpha). What the backward pass keeps in log_alpha is as long as the longest target may be.
// Source: ctc_loss_allocate_outputs (aten/src/ATen/native/LossCTC.cpp).
c10::IValue CtcLoss(const at::Tensor& log_probs, const at::Tensor& targets, const c10::IValue& target_lengths) {
  int64_t longest = targets.dim() == 0 ? 0 : targets.size(-1);
  if (target_lengths.isIntList()) {
    longest = 0;
    for (int64_t length : target_lengths.toIntVector()) longest = std::max(longest, length);
  }
  const int64_t steps = log_probs.size(0), batch = log_probs.dim() == 3 ? log_probs.size(1) : 1;
  const c10::ScalarType dtype = log_probs.scalar_type();
  return c10::ivalue::Tuple::create(
      NewFake(log_probs, {batch}, dtype), NewFake(log_probs, {batch, steps, 2 * longest + 1}, dtype));
}

// The answer on the cpu, on another device.
c10::IValue LeastSquares(const at::Tensor& self, const at::Tensor& b) {
  const auto results = at::linalg_lstsq(self.to(at::kCPU), b.to(at::kCPU), std::nullopt, "gels");
  std::vector<c10::IValue> moved;
  for (const at::Tensor& t : {std::get<0>(results), std::get<1>(results), std::get<2>(results), std::get<3>(results)})
    moved.emplace_back(t.to(self.device()));
  return c10::ivalue::Tuple::create(std::move(moved));
}

// Returns true for calls whose results do not depend on data, although FakeTensorMode raises on other devices than the
// cpu: losses whose lengths are given, and least squares, for which other devices have one driver.
bool IsDecided(std::string_view op, c10::ArrayRef<c10::IValue> arguments) {
  if (op == "aten::linalg_lstsq") {
    const auto driver = arguments[3].toOptional<std::string_view>();
    return !arguments[0].toTensor().is_cpu() && driver.value_or("gels") == "gels";
  }
  return op == "aten::_ctc_loss" && arguments[3].isIntList() && !dispatch::HasSymbols(arguments[0].toTensor()) &&
         !dispatch::HasSymbols(arguments[1].toTensor());
}

// -> (values, inverse), of elements that all differ.
c10::IValue Unique(const at::Tensor& self, bool return_inverse) {
  const auto longs = self.options().dtype(at::kLong);
  const at::Tensor inverse =
      return_inverse ? self.new_empty_symint(self.sym_sizes(), longs) : self.new_empty({0}, longs);
  return c10::ivalue::Tuple::create(self.new_empty_symint({self.sym_numel()}), inverse);
}

// The results of an operator with several.
std::optional<c10::IValue> SeveralAnswers(std::string_view op, c10::ArrayRef<c10::IValue> arguments) {
  if (op == "aten::_ctc_loss") return CtcLoss(arguments[0].toTensor(), arguments[1].toTensor(), arguments[3]);
  if (op == "aten::linalg_lstsq") return LeastSquares(arguments[0].toTensor(), arguments[1].toTensor());
  if (op == "aten::_unique") return Unique(arguments[0].toTensor(), arguments[2].toBool());
  return std::nullopt;
}

}  // namespace

GenericData::GenericData(int64_t masked, bool truth) : masked_(masked), truth_(truth), outer_(innermost) {
  innermost = this;
}
GenericData::~GenericData() { innermost = outer_; }

bool AnswerForGenericData(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const size_t count = op.schema().arguments().size();
  if (count == 0 || !torch::jit::peek(stack, 0, count).isTensor()) return false;
  const std::string& name = op.operator_name().name;
  if (!innermost && !IsInFormula() && !IsDecided(name, torch::jit::last(stack, count))) return false;
  if (const auto several = SeveralAnswers(name, torch::jit::last(stack, count))) {
    torch::jit::drop(stack, count);
    for (const c10::IValue& result : several->toTupleRef().elements()) stack.push_back(result);
    return true;
  }
  auto answer = Answer(name, torch::jit::peek(stack, 0, count).toTensor(), innermost ? innermost->masked() : 0,
      innermost && innermost->truth());
  if (!answer) return false;
  torch::jit::drop(stack, count);
  stack.push_back(*std::move(answer));
  return true;
}

}  // namespace fakeprop::fake
