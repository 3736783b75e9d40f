// einsum. The last product of matrices decides the result's layout; it is then permuted into the order that is asked
// for. Source: einsum and sumproduct_pair in aten/src/ATen/native/Linear.cpp (torch 2.13).
#include <algorithm>
#include <array>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/view_metas.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {
namespace {

// The dtype in which a tensor comes to the inner operator `part` under autocast.
ScalarType DtypeInPart(const Call& call, std::string_view part, ScalarType dtype) {
  const Device device = call.device();
  const ExecutionState::Autocast& autocast = device.is_cpu() ? call.state().cpu_autocast : call.state().cuda_autocast;
  if (!(device.is_cpu() || device.is_cuda()) || !autocast.enabled) return dtype;
  if (!IsFloat(dtype) || dtype == ScalarType::Double) return dtype;
  const uint32_t flags = FindSchema(part)->flags;
  switch (AutocastPolicyOf(flags, device.is_cpu() ? kAutocastCpuShift : kAutocastCudaShift)) {
    case AutocastPolicy::kNone: return dtype;
    case AutocastPolicy::kLowerPrecision: return autocast.dtype;
    default: return ScalarType::Float;
  }
}

constexpr int kLetters = 52;
constexpr int kEllipsis = kLetters;

using Labels = std::vector<int>;
using DimIds = std::vector<int64_t>;

// Capitals come before small letters.
int LabelOf(const Call& call, char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  FailValue(call, {"invalid subscript `{}` given, subscripts must be in [a-zA-Z]", std::string_view(&c, 1)});
}

Labels ParseLabels(const Call& call, std::string_view text) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] != '.') {
      labels.push_back(LabelOf(call, text[i]));
      continue;
    }
    if (text.substr(i, 3) != "..." || std::count(labels.begin(), labels.end(), kEllipsis))
      FailValue(call, {"found `.` that is not part of a single ellipsis in `{}`", text});
    labels.push_back(kEllipsis);
    i += 2;
  }
  return labels;
}

struct Equation {
  std::vector<Labels> operands;
  std::optional<Labels> output;
};

Equation ParseEquation(const Call& call, std::string_view text) {
  Equation equation;
  const size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) equation.output = ParseLabels(call, text.substr(arrow + 2));
  std::string_view left = text.substr(0, arrow);
  while (true) {
    const size_t comma = left.find(',');
    equation.operands.push_back(ParseLabels(call, left.substr(0, comma)));
    if (comma == std::string_view::npos) return equation;
    left.remove_prefix(comma + 1);
  }
}

// The place of each label's dimension: first the dimensions of the result, then those that are summed over.
struct Order {
  std::array<int64_t, kLetters + 1> at;  // -1 where a label is not used
  int64_t ellipsis_dims = 0;
  int64_t output_dims = 0;
  int64_t all_dims = 0;

  int64_t Span(int label) const { return label == kEllipsis ? ellipsis_dims : 1; }
  void Append(int label) {
    at[label] = all_dims;
    all_dims += Span(label);
  }
};

void CheckRank(const Call& call, const Labels& labels, int64_t rank, int64_t& ellipsis_dims) {
  const int64_t named = static_cast<int64_t>(labels.size()) - std::count(labels.begin(), labels.end(), kEllipsis);
  const bool ellipsis = named != static_cast<int64_t>(labels.size());
  RequireShape(call, ellipsis ? named <= rank : named == rank,
      {"the number of subscripts in the equation ({}) does not match the number of dimensions ({}) for an operand",
          named, rank});
  if (ellipsis) ellipsis_dims = std::max(ellipsis_dims, rank - named);
}

Labels ImplicitOutput(const std::array<int, kLetters + 1>& counts) {
  Labels labels;
  if (counts[kEllipsis] > 0) labels.push_back(kEllipsis);
  for (int label = 0; label < kLetters; ++label)
    if (counts[label] == 1) labels.push_back(label);
  return labels;
}

Order OrderLabels(const Call& call, const Equation& equation, const Operands& tensors) {
  Order order;
  order.at.fill(-1);
  std::array<int, kLetters + 1> counts = {};
  for (size_t i = 0; i < tensors.size(); ++i) {
    CheckRank(call, equation.operands[i], tensors[i]->rank(), order.ellipsis_dims);
    for (int label : equation.operands[i]) ++counts[label];
  }
  for (int label : equation.output.value_or(ImplicitOutput(counts))) {
    RequireValue(call, order.at[label] < 0, "an output subscript appears more than once");
    RequireValue(call, counts[label] > 0 || label == kEllipsis, "an output subscript does not appear in the operands");
    order.Append(label);
  }
  order.output_dims = order.all_dims;
  if (order.at[kEllipsis] < 0) order.Append(kEllipsis);
  for (int label = 0; label < kLetters; ++label)
    if (counts[label] > 0 && order.at[label] < 0) order.Append(label);
  return order;
}

// The diagonal of dimensions a and b, in the place of a.
TensorMeta Diagonal(const Call& call, TensorMeta t, int64_t a, int64_t b) {
  RequireShape(call, Eq(t.sizes[a], t.sizes[b]),
      {"a subscript is repeated for sizes that differ, {} and {}", t.sizes[a], t.sizes[b]});
  t.strides[a] += t.strides[b];
  t.sizes.erase(t.sizes.begin() + b);
  t.strides.erase(t.strides.begin() + b);
  return t;
}

// The operand with a dimension for each one of the order. A label that the operand does not have has size 1.
TensorMeta Arranged(const Call& call, TensorMeta t, const Labels& labels, const Order& order) {
  const int64_t missing = order.ellipsis_dims - (t.rank() - static_cast<int64_t>(labels.size()) + 1);
  DimIds from(order.all_dims, -1);
  int64_t next = 0;
  for (int label : labels) {
    const int64_t to = order.at[label];
    if (label == kEllipsis) {
      for (int64_t k = 0; k < missing; ++k) t = Unsqueezed(std::move(t), next);
      for (int64_t k = 0; k < order.ellipsis_dims; ++k) from[to + k] = next++;
    } else if (from[to] >= 0) {
      t = Diagonal(call, std::move(t), from[to], next);
    } else {
      from[to] = next++;
    }
  }
  for (int64_t& dim : from) {
    if (dim >= 0) continue;
    t = Unsqueezed(std::move(t), -1);
    dim = next++;
  }
  return Permuted(t, from);
}

bool IsOne(Dim size) { return GuardOrFalse(Eq(size, 1)); }

TensorMeta SummedKeeping(const Call& call, const TensorMeta& t, const DimIds& dims) {
  if (dims.empty()) return t;
  Dims sizes = t.sizes;
  for (int64_t d : dims) sizes[d] = 1;
  return ContiguousMeta(sizes, DtypeInPart(call, "aten::sum.dim_IntList", t.dtype), t.device);
}

// A product of two operands as one of batches of matrices. Dimensions of both operands are the batch, those of one
// operand are rows or columns.
struct MatrixDims {
  DimIds both, left, right;
  Dim both_size = 1, left_size = 1, right_size = 1, sum_size = 1;
};

bool Has(const DimIds& dims, int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

MatrixDims AsMatrices(const TensorMeta& a, const TensorMeta& b, const DimIds& sum_dims) {
  MatrixDims m;
  for (int64_t d = 0; d < a.rank(); ++d) {
    const bool in_a = !IsOne(a.sizes[d]), in_b = !IsOne(b.sizes[d]);
    if (Has(sum_dims, d)) {
      m.sum_size *= a.sizes[d];
    } else if (in_a && in_b) {
      m.both.push_back(d), m.both_size *= a.sizes[d];
    } else if (in_a) {
      m.left.push_back(d), m.left_size *= a.sizes[d];
    } else {
      m.right.push_back(d), m.right_size *= b.sizes[d];
    }
  }
  return m;
}

DimIds Joined(std::initializer_list<const DimIds*> parts) {
  DimIds all;
  for (const DimIds* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// The product of two operands, summed over `sum_dims`: a batched product of matrices between permutations.
TensorMeta SumProduct(const Call& call, TensorMeta a, TensorMeta b, const DimIds& sum_dims) {
  if (sum_dims.empty()) {
    const ScalarType dtype = PromoteTypes(a.dtype, b.dtype);
    if (a.device.is_cpu())
      for (TensorMeta* t : {&a, &b}) *t = CastOperand(*t, dtype).value_or(*t);
    const TensorMeta* operands[] = {&a, &b};
    return ElementwiseMeta(operands, dtype, a.device);
  }
  for (TensorMeta* t : {&a, &b}) t->dtype = DtypeInPart(call, "aten::bmm", t->dtype);
  if (!IsKnownEmpty(a) && !IsKnownEmpty(b))
    RequireCompiled(call, "bmm", a.dtype, kBarebonesUnsignedDtypes | ScalarType::Bool | ScalarType::ComplexHalf);
  const MatrixDims m = AsMatrices(a, b, sum_dims);
  // The operand whose dimensions come first in the result comes first in the product.
  if (!m.left.empty() && !m.right.empty() && m.right.back() < m.left.front()) return SumProduct(call, b, a, sum_dims);
  const DimIds order = Joined({&m.both, &m.left, &sum_dims, &m.right});
  const TensorMeta x = Reshaped(Permuted(a, order), Dims{m.both_size, m.left_size, m.sum_size});
  const TensorMeta y = Reshaped(
      Permuted(b, Joined({&m.both, &sum_dims, &m.right, &m.left})), Dims{m.both_size, m.sum_size, m.right_size});
  Dims sizes;
  DimIds back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t d = order[i];
    sizes.push_back(Has(sum_dims, d) ? Dim(1) : IsOne(a.sizes[d]) ? b.sizes[d] : a.sizes[d]);
    back[d] = static_cast<int64_t>(i);
  }
  return Permuted(Reshaped(BatchProduct(x, y), sizes), back);
}

// The number of operands that have each dimension with a size other than 1. Their sizes must agree.
std::vector<int> CountDims(const Call& call, const std::vector<TensorMeta>& operands) {
  std::vector<int> counts(operands[0].rank());
  for (size_t d = 0; d < counts.size(); ++d) {
    Dim size = 1;
    for (const TensorMeta& t : operands) {
      if (IsOne(t.sizes[d])) continue;
      if (counts[d]++ == 0) size = t.sizes[d];
      RequireShape(call, Eq(size, t.sizes[d]),
          {"operands do not broadcast: sizes {} and {} of one subscript", size, t.sizes[d]});
    }
  }
  return counts;
}

// Multiplies two operands and sums over the dimensions that no other operand has.
TensorMeta Contract(
    const Call& call, const TensorMeta& a, const TensorMeta& b, int64_t output_dims, std::vector<int>& counts) {
  DimIds both, only_a, only_b;
  for (int64_t d = output_dims; d < a.rank(); ++d) {
    const bool in_a = !IsOne(a.sizes[d]), in_b = !IsOne(b.sizes[d]);
    if (in_a && in_b) {
      if (--counts[d] == 1) both.push_back(d), counts[d] = 0;
    } else if (counts[d] == 1 && (in_a || in_b)) {
      (in_a ? only_a : only_b).push_back(d);
      counts[d] = 0;
    }
  }
  return SumProduct(call, SummedKeeping(call, a, only_a), SummedKeeping(call, b, only_b), both);
}

TensorMeta ContractAll(const Call& call, std::vector<TensorMeta> operands, int64_t output_dims) {
  std::vector<int> counts = CountDims(call, operands);
  const bool has_path = call.Has("path");
  const std::vector<int64_t> path = has_path ? call.Ints("path") : std::vector<int64_t>();
  const size_t path_length = operands.size() == 1 ? 1 : 2 * (operands.size() - 1);
  RequireValue(call, !has_path || path.size() == path_length, "expected a contraction path of two operands a step");
  for (size_t step = 0; operands.size() > 1; ++step) {
    int64_t i = has_path ? path[2 * step] : 0, j = has_path ? path[2 * step + 1] : 1;
    if (j < i) std::swap(i, j);
    RequireValue(call, i >= 0 && i != j && j < std::ssize(operands), "invalid contraction path");
    TensorMeta product = Contract(call, operands[i], operands[j], output_dims, counts);
    operands.erase(operands.begin() + j);
    operands.erase(operands.begin() + i);
    operands.insert(has_path ? operands.end() : operands.begin(), std::move(product));
  }
  return operands[0];
}

void Einsum(Call& call) {
  const Operands tensors = call.ListIn("tensors");
  RequireValue(call, !tensors.empty(), "must provide at least one operand");
  const Equation equation = ParseEquation(call, call.String("equation"));
  RequireValue(call, equation.operands.size() == tensors.size(),
      {"the equation names {} operands, but {} were given", equation.operands.size(), tensors.size()});
  const Order order = OrderLabels(call, equation, tensors);
  std::vector<TensorMeta> operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back(Arranged(call, tensors[i], equation.operands[i], order));
  if (operands.size() == 1) {
    const TensorMeta& only = operands[0];
    if (order.all_dims == order.output_dims) {
      call.ReturnView(tensors[0].tensor(), only);
      return;
    }
    const ScalarType dtype =
        IsIntegral(only.dtype) ? ScalarType::Long : DtypeInPart(call, "aten::sum.dim_IntList", only.dtype);
    ReturnContiguous(call, only.size_span().subspan(0, order.output_dims), dtype);
    return;
  }
  TensorMeta out = ContractAll(call, std::move(operands), order.output_dims);
  out.sizes.resize(order.output_dims);
  out.strides.resize(order.output_dims);
  call.ReturnNew(std::move(out));
}

constexpr RuleRow kRows[] = {
    {"aten::einsum", InOrder<RequireDifferentiable<"tensors">, Einsum>},
};

}  // namespace

RuleRows EinsumRules() { return kRows; }

}  // namespace fakeprop::rules
