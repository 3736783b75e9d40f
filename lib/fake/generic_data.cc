#include "lib/fake/generic_data.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/index.h>
#include <ATen/ops/linalg_lstsq.h>
#include <c10/util/Type.h>
#include <torch/csrc/autograd/function.h>

#include <algorithm>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/dispatch/tensor_elements.h"
#include "lib/fake/constants.h"
#include "lib/fake/serve.h"
#include "lib/meta/tensor_meta.h"

namespace fakeprop::fake {
namespace {

thread_local const GenericData* innermost = nullptr;

// The formula of LibTorch's own that autograd's engine runs in this thread, or null.
const torch::autograd::Node* CurrentFormula() {
  const auto node = torch::autograd::get_current_node();
  if (!node) return nullptr;
  const torch::autograd::Node& formula = *node;
  return c10::demangle(typeid(formula).name()).starts_with("torch::autograd::generated::") ? &formula : nullptr;
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

// ---- index by masks

bool IsMask(const c10::IValue& index) {
  if (!index.isTensor() || !index.toTensor().defined()) return false;
  const c10::ScalarType dtype = index.toTensor().scalar_type();
  return dtype == at::kBool || dtype == at::kByte;
}

// Indexes as masks do that select `count` elements.
at::Tensor IndexByCount(const Question& question, int64_t count) {
  c10::List<std::optional<at::Tensor>> indices;
  for (const c10::IValue& index : question.arguments[1].toListRef()) {
    if (!IsMask(index)) indices.push_back(index.isTensor() ? std::optional(index.toTensor()) : std::nullopt);
    for (int64_t d = 0; IsMask(index) && d < index.toTensor().dim(); ++d)
      indices.push_back(NewFake(index.toTensor(), {count}, at::kLong));
  }
  return at::index(question.tensor(0), indices);
}

// The formula of index_put, if autograd runs it in this thread.
const torch::autograd::Node* CurrentIndexPut() {
  const torch::autograd::Node* formula = CurrentFormula();
  return formula && formula->name().find("IndexPut") != std::string::npos ? formula : nullptr;
}

// Sizes of the values whose gradient the formula of index_put wants.
std::vector<int64_t> SizesOfValues(const torch::autograd::Node& index_put) {
  const torch::autograd::Edge& values = index_put.next_edge(1);
  if (!values.is_valid()) return {};
  const c10::SymIntArrayRef sizes = values.function->input_metadata(values.input_nr).shape_as_dim_vector();
  const auto numbers = c10::asIntArrayRefSlowOpt(sizes);
  return numbers ? numbers->vec() : std::vector<int64_t>();
}

// The gradient of values that were put where a mask is. As many elements are selected as there are values. If one value
// was put at all places, their number does not matter.
Answers IndexByMask(const Question& question, const torch::autograd::Node& index_put) {
  const std::vector<int64_t> values = SizesOfValues(index_put);
  const at::Tensor one = IndexByCount(question, 1), two = IndexByCount(question, 2);
  int64_t selected = one.dim() - 1;
  while (selected > 0 && one.size(selected) == two.size(selected)) --selected;
  const auto behind = static_cast<size_t>(one.dim() - selected);  // dimensions from the selected one to the end
  return {values.size() < behind ? one : IndexByCount(question, values[values.size() - behind])};
}

bool HasMask(Arguments arguments) {
  const auto indices = arguments[1].toListRef();
  return !dispatch::HasSymbols(arguments[0].toTensor()) && std::any_of(indices.begin(), indices.end(), IsMask);
}

// ---- losses, solvers

// The greatest of the lengths. Nothing if it is not known.
std::optional<int64_t> LongestOf(const c10::IValue& lengths) {
  std::vector<int64_t> known;
  if (lengths.isIntList()) known = lengths.toIntVector();
  if (lengths.isTensor()) {
    const at::Tensor value = KnownValue(lengths.toTensor());
    if (!value.defined()) return std::nullopt;
    const RealScope real;
    const Constant elements = dispatch::ReadElements(value);
    if (!elements) return std::nullopt;
    for (const Value& length : *elements) {
      const Dim* number = length.TryGet<Dim>();
      if (!number) return std::nullopt;
      known.push_back(number->raw());
    }
  }
  return known.empty() ? 0 : *std::max_element(known.begin(), known.end());
}

// -> (loss, log_alpha). What the backward pass keeps in log_alpha is as long as the longest target may be.
// Source: ctc_loss_allocate_outputs (aten/src/ATen/native/LossCTC.cpp).
Answers CtcLoss(const Question& question) {
  const at::Tensor &log_probs = question.tensor(0), &targets = question.tensor(1);
  const int64_t longest = LongestOf(question.arguments[3]).value_or(targets.dim() == 0 ? 0 : targets.size(-1));
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

// The lengths of a loss are given. On the cpu the rule reads them.
bool HasLengths(Arguments arguments) {
  const at::Tensor& log_probs = arguments[0].toTensor();
  return !log_probs.is_cpu() && LongestOf(arguments[3]) && !dispatch::HasSymbols(log_probs) &&
         !dispatch::HasSymbols(arguments[1].toTensor());
}

// Of other indices the rule tells the shape. In other formulas (embedding's, whose sparse gradient leaves rows out) a
// mask selects what it does elsewhere.
Answers Index(const Question& question) {
  const torch::autograd::Node* index_put = CurrentIndexPut();
  return index_put && HasMask(question.arguments) ? IndexByMask(question, *index_put) : Answers();
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
    {"aten::index", Index},
    {"aten::is_nonzero", Truth},
    {"aten::linalg_lstsq", LeastSquares, HasOneDriver},
    {"aten::masked_select", MaskedSelect},
    {"aten::nonzero", NonZero},
};

const GenericRow* RowOf(const c10::OperatorHandle& op) {
  const auto row = std::ranges::find(kRows, op.operator_name().name, &GenericRow::op);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

GenericData::GenericData(int64_t masked, bool truth) : masked_(masked), truth_(truth), outer_(innermost) {
  innermost = this;
}
GenericData::~GenericData() { innermost = outer_; }

IsDecided DecisionOf(const c10::OperatorHandle& op) {
  const GenericRow* row = RowOf(op);
  return row ? row->is_decided : nullptr;
}

bool AsksForData(const c10::OperatorHandle& op) { return RowOf(op) != nullptr; }

namespace {

// An out= form returns its out tensors, which get the sizes of the answers.
void FillOutTensors(const c10::OperatorHandle& op, Arguments arguments, Answers& answers) {
  const size_t first = arguments.size() - std::min(arguments.size(), answers.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto* alias = op.schema().arguments()[first + i].alias_info();
    if (!alias || !alias->isWrite() || !arguments[first + i].isTensor()) return;
    const at::Tensor out = arguments[first + i].toTensor();
    out.resize__symint(answers[i].toTensor().sym_sizes());
    answers[i] = out;
  }
}

}  // namespace

bool AnswersForGenericData() { return innermost || CurrentFormula(); }

bool AnswerForGenericData(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const size_t count = op.schema().arguments().size();
  if (count == 0 || !torch::jit::peek(stack, 0, count).isTensor()) return false;
  const GenericRow* row = RowOf(op);
  if (!row) return false;
  const Arguments arguments = torch::jit::last(stack, count);
  if (!innermost && !(row->is_decided && row->is_decided(arguments)) && !CurrentFormula()) return false;
  Answers answers = row->answer({arguments, innermost ? innermost->masked() : 0, innermost && innermost->truth()});
  if (answers.empty()) return false;
  FillOutTensors(op, arguments, answers);
  torch::jit::drop(stack, count);
  for (c10::IValue& answer : answers) stack.push_back(std::move(answer));
  return true;
}

}  // namespace fakeprop::fake
