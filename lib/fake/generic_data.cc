#include "lib/fake/generic_data.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/linalg_lstsq.h>
#include <c10/util/Type.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>

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

using Arguments = c10::ArrayRef<c10::IValue>;
using Answers = std::vector<c10::IValue>;  // one for each result

// What the answers to a call depend on.
struct Question {
  Arguments arguments;
  int64_t masked;  // how many elements a mask selects
  bool truth;      // the answer to questions for a bool

  const at::Tensor& tensor(size_t i) const { return arguments[i].toTensor(); }
};

Answers AllClose(const Question&) { return {c10::IValue(true)}; }
Answers Truth(const Question& question) { return {c10::IValue(question.truth)}; }

Answers NonZero(const Question& question) {
  const at::Tensor& self = question.tensor(0);
  return {NewFake(self, {0, self.dim()}, at::kLong)};
}

Answers MaskedSelect(const Question& question) {
  const at::Tensor& self = question.tensor(0);
  return {NewFake(self, {question.masked}, self.scalar_type())};
}

// Nothing for floating-point numbers.
Answers Item(const Question& question) {
  const c10::ScalarType dtype = question.tensor(0).scalar_type();
  if (dtype == at::kBool) return {c10::IValue(c10::Scalar(question.truth))};
  if (c10::isIntegralType(dtype, /*includeBool=*/false)) return {c10::IValue(c10::Scalar(int64_t{0}))};
  return {};
}

// -> (loss, log_alpha). What the backward pass keeps in log_alpha is as long as the longest target may be.
// Source: ctc_loss_allocate_outputs (aten/src/ATen/native/LossCTC.cpp).
Answers CtcLoss(const Question& question) {
  const at::Tensor &log_probs = question.tensor(0), &targets = question.tensor(1);
  const c10::IValue& target_lengths = question.arguments[3];
  int64_t longest = targets.dim() == 0 ? 0 : targets.size(-1);
  if (target_lengths.isIntList()) {
    longest = 0;
    for (int64_t length : target_lengths.toIntVector()) longest = std::max(longest, length);
  }
  const int64_t steps = log_probs.size(0), batch = log_probs.dim() == 3 ? log_probs.size(1) : 1;
  const c10::ScalarType dtype = log_probs.scalar_type();
  return {NewFake(log_probs, {batch}, dtype), NewFake(log_probs, {batch, steps, 2 * longest + 1}, dtype)};
}

// The answer on the cpu, on another device.
Answers LeastSquares(const Question& question) {
  const at::Tensor &self = question.tensor(0), &b = question.tensor(1);
  const auto results = at::linalg_lstsq(self.to(at::kCPU), b.to(at::kCPU), std::nullopt, "gels");
  Answers moved;
  for (const at::Tensor& t : {std::get<0>(results), std::get<1>(results), std::get<2>(results), std::get<3>(results)})
    moved.emplace_back(t.to(self.device()));
  return moved;
}

// -> (values, inverse), of elements that all differ.
Answers Unique(const Question& question) {
  const at::Tensor& self = question.tensor(0);
  const bool return_inverse = question.arguments[2].toBool();
  const auto longs = self.options().dtype(at::kLong);
  const at::Tensor inverse =
      return_inverse ? self.new_empty_symint(self.sym_sizes(), longs) : self.new_empty({0}, longs);
  return {self.new_empty_symint({self.sym_numel()}), inverse};
}

// Least squares have one driver on other devices than the cpu.
bool HasOneDriver(Arguments arguments) {
  const auto driver = arguments[3].toOptional<std::string_view>();
  return !arguments[0].toTensor().is_cpu() && driver.value_or("gels") == "gels";
}

// The lengths of a loss are given.
bool HasLengths(Arguments arguments) {
  return arguments[3].isIntList() && !dispatch::HasSymbols(arguments[0].toTensor()) &&
         !dispatch::HasSymbols(arguments[1].toTensor());
}

struct GenericRow {
  std::string_view op;  // all overloads
  Answers (*answer)(const Question&);
  // Returns true for calls whose results do not depend on data, although FakeTensorMode raises on other devices than
  // the cpu. They are answered everywhere.
  bool (*is_decided)(Arguments) = nullptr;
};
constexpr GenericRow kRows[] = {
    {"aten::_ctc_loss", CtcLoss, HasLengths},
    {"aten::_local_scalar_dense", Item},
    {"aten::_unique", Unique},
    {"aten::allclose", AllClose},
    {"aten::equal", Truth},
    {"aten::is_nonzero", Truth},
    {"aten::linalg_lstsq", LeastSquares, HasOneDriver},
    {"aten::masked_select", MaskedSelect},
    {"aten::nonzero", NonZero},
};

}  // namespace

GenericData::GenericData(int64_t masked, bool truth) : masked_(masked), truth_(truth), outer_(innermost) {
  innermost = this;
}
GenericData::~GenericData() { innermost = outer_; }

bool AnswerForGenericData(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const size_t count = op.schema().arguments().size();
  if (count == 0 || !torch::jit::peek(stack, 0, count).isTensor()) return false;
  const auto row = std::ranges::find(kRows, op.operator_name().name, &GenericRow::op);
  if (row == std::end(kRows)) return false;
  const Arguments arguments = torch::jit::last(stack, count);
  if (!innermost && !IsInFormula() && !(row->is_decided && row->is_decided(arguments))) return false;
  Answers answers = row->answer({arguments, innermost ? innermost->masked() : 0, innermost && innermost->truth()});
  if (answers.empty()) return false;
  torch::jit::drop(stack, count);
  for (c10::IValue& answer : answers) stack.push_back(std::move(answer));
  return true;
}

}  // namespace fakeprop::fake
