// Random graphs on LibTorch's own kernels: no element lies outside of its interval, every end that is said to be met
// is, no use that was shown safe fails, and every use that was shown to fail does.
//
// FAKEPROP_GRAPHS says how many graphs, FAKEPROP_FIRST_SEED which one is the first.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
#include "lib/symbolic/expression.h"
#include "lib/value_ranges/testing/random_graphs.h"
#include "lib/value_ranges/value_analysis.h"

namespace fakeprop {
namespace {

using testing::MakeRandomGraph;
using testing::RandomGraph;
using testing::ReadWrittenGraph;
using testing::WrittenGraph;

constexpr int64_t kSymbolic = 77;

uint64_t SettingOr(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Check {
 public:
  explicit Check(const RandomGraph& random) : random_(random), written_(ReadWrittenGraph(random.text)) {
    auto env = std::make_shared<ShapeEnv>();
    const Sym size = env->NewSymbol("t", {0, Range::kNoHigh}, random.size, "g.size(0)");
    for (size_t i = 0; i < written_.inputs.size(); ++i) {
      InputValue& input = written_.inputs[i];
      for (Dim& dim : input.meta.sizes)
        if (dim.TryNumber() == kSymbolic) dim = Dim::Of(size);
      input.meta.strides = ContiguousStrides(input.meta.size_span());
      input.values = random.values[i];
    }
    RunOptions options;
    options.keep_going = true;
    options.shape_env = env;
    options.on_unbacked = TeachNumbersFromData(written_.graph, written_.inputs);
    actual_["t"] = random.size;
    annotations_ = RunGraph(written_.graph, written_.inputs, options);
    analysis_ = AnalyzeValues(written_.graph, written_.inputs, annotations_);
  }

  // Up to the first call that fails, where a program ends: later nodes may rest on what that call asserts. So may nodes
  // before it, if it asserts something of a number from data: then the program has to run to its end, and to meet all
  // that propagation asserts of such numbers.
  void Run() {
    for (size_t i = 0; i < written_.graph.nodes.size() && !has_failed_; ++i) RunNode(static_cast<int32_t>(i));
    const bool is_whole = !has_failed_ && annotations_.diagnostics.empty() && MeetsAssertions();
    if (is_whole) CheckFacts();
    if (is_whole || !has_numbers_)
      for (const std::string& wrong : wrong_) ADD_FAILURE() << wrong;
  }

  size_t checked() const { return checked_; }

 private:
  const GraphRanges& ranges() const { return analysis_.graphs.front(); }
  const Value& ResultOf(int32_t node) const { return ranges().annotations->nodes[node].value; }

  void RunNode(int32_t index) {
    const Node& node = written_.graph.nodes[index];
    if (ranges().annotations->nodes[index].kind != NodeAnnotation::Kind::kValue) return;
    if (node.op == NodeOp::kPlaceholder) Keep(index, {MakeInput(index)});
    else if (node.target == "_operator.getitem") Keep(index, ItemOf(node));
    else if (node.op == NodeOp::kCallFunction) CallNode(index, node);
  }

  std::optional<int64_t> NumberOf(Sym expression) const {
    if (expression->IsInteger()) return expression->integer;
    const std::optional<Expression> parsed = ParseExpression(ToString(expression));
    const std::optional<Number> value = parsed ? Evaluate(*parsed, actual_) : std::nullopt;
    return value ? value->AsInteger() : std::nullopt;
  }
  std::optional<int64_t> NumberOf(Dim dim) const {
    return dim.IsSymbolic() ? NumberOf(dim.Expression()) : dim.TryNumber();
  }

  // A symbol that data decides is what the kernels say.
  void Bind(Dim dim, int64_t actual) {
    if (!dim.IsSymbolic() || dim.Expression()->op != SymOp::kSymbol || !dim.Expression()->is_unbacked) return;
    has_numbers_ = true;
    actual_.emplace(dim.Expression()->name, actual);
  }

  // Nothing for a fact that is no comparison of integers, or of symbols without a number.
  std::optional<bool> Holds(Sym fact) const {
    if (fact->op != SymOp::kAtMostZero && fact->op != SymOp::kEqualZero) return std::nullopt;
    const std::optional<int64_t> number = NumberOf(fact->arguments[0]);
    if (!number) return std::nullopt;
    return fact->op == SymOp::kEqualZero ? *number == 0 : *number <= 0;
  }

  bool MeetsAssertions() const {
    for (const GuardRecord& guard : annotations_.shape_env->guards())
      if (guard.is_assertion && Holds(guard.expression) == false) return false;
    return true;
  }

  void CheckFacts() {
    for (const Sym fact : annotations_.shape_env->facts())
      if (Holds(fact) == false) wrong_.push_back(ToString(fact) + " does not hold in\n" + random_.text);
  }

  // ---- data
  at::Tensor MakeInput(int32_t index) {
    const Tensor& meta = *ResultOf(index).TryTensor();
    std::vector<int64_t> sizes;
    for (const Dim dim : meta.meta.sizes) sizes.push_back(*dim.Hint());
    const at::ScalarType dtype = ToTorch(meta.meta.dtype);
    if (!IsIntegral(meta.meta.dtype)) return at::rand(sizes, dtype);
    const ValueBounds bounds = random_.values[index];
    int64_t low = -3, high = meta.meta.dtype == ScalarType::Bool ? 1 : 6;
    low = bounds.min.value_or(bounds.max ? std::min(low, *bounds.max) : low);
    high = bounds.max.value_or(std::max(low, high));
    if (meta.meta.dtype == ScalarType::Byte || meta.meta.dtype == ScalarType::Bool) low = std::max<int64_t>(low, 0);
    high = std::max(low, high);
    return at::randint(low, high + 1, sizes, at::kLong).to(dtype);
  }

  std::vector<at::Tensor> ItemOf(const Node& node) {
    const auto real = real_.find(node.arguments[0].value.TryGet<NodeRef>()->index);
    if (real == real_.end()) return {};
    return {real->second.at(static_cast<size_t>(*node.arguments[1].value.TryPlain()->TryGet<Dim>()->TryNumber()))};
  }

  // ---- calls
  void CallNode(int32_t index, const Node& node) {
    const Schema& schema = *FindSchemaOf(node);
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
        std::string(schema.name).c_str(), std::string(schema.overload).c_str());
    if (IsUnchecked(schema) && !IsShownSafe(index)) return;
    torch::jit::Stack stack;
    try {
      // A write that does not happen ends the program.
      if (!BoxArguments(node, schema, op.schema(), stack)) return void(has_failed_ = Writes(schema));
    } catch (const std::bad_variant_access&) {  // a truth that data decides is no number
      return;
    }
    std::string error;
    try {
      op.callBoxed(&stack);
    } catch (const std::exception& e) {
      error = std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
    }
    CheckUses(index, error);
    has_failed_ = !error.empty();
    if (!error.empty()) return;
    const Dim* number = ResultOf(index).TryGet<Dim>();
    if (number && stack.size() == 1 && stack[0].isInt()) Bind(*number, stack[0].toInt());
    Keep(index, TensorsIn(stack));
  }

  static bool Writes(const Schema& schema) {
    return std::any_of(schema.arguments.begin(), schema.arguments.end(),
        [](const SchemaArgument& argument) { return argument.is_write; });
  }

  // Kernels that read and write memory at any index.
  static bool IsUnchecked(const Schema& schema) {
    for (const std::string_view name : {"aten::embedding_bag", "aten::ctc_loss", "aten::repeat_interleave"})
      if (schema.name == name) return true;
    return false;
  }
  bool IsShownSafe(int32_t index) const {
    return std::all_of(ranges().uses.begin(), ranges().uses.end(),
        [&](const IndexUse& use) { return use.node != index || use.verdict == IndexUse::Verdict::kSafe; });
  }

  static const Schema* FindSchemaOf(const Node& node) { return FindSchema(OperatorName(node.target)); }

  // Returns false if an argument comes from a call that failed.
  bool BoxArguments(const Node& node, const Schema& schema, const c10::FunctionSchema& real, torch::jit::Stack& stack) {
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      if (i >= node.arguments.size()) {
        stack.push_back(real.arguments()[i].default_value().value_or(c10::IValue()));
        continue;
      }
      const Value value = Filled(node.arguments[i].value);
      bool is_there = AllKnown(value);
      ForEachNode(node.arguments[i].value, [&](NodeRef ref) { is_there &= Ran(ref.index); });
      ForEachTensor(value, [&](const Tensor& tensor) { is_there &= by_snapshot_.contains(&tensor); });
      if (!is_there) return false;
      stack.push_back(Box(value, real.arguments()[i]));
    }
    return true;
  }

  // A call that writes may have the snapshot of what it writes to, so snapshots do not tell whether it ran.
  bool Ran(int32_t index) const { return TensorsOf(ResultOf(index)).empty() || real_.contains(index); }

  Value Filled(const GraphValue& written) const {
    const Value filled = Fill(written,
        Overloaded{[&](NodeRef ref) { return ResultOf(ref.index); }, [](const InlineSize&) { return Value(); }});
    return MapValues(filled, [&](const Value& value) -> Value {
      const Dim* dim = value.TryGet<Dim>();
      const std::optional<int64_t> number = dim ? NumberOf(*dim) : std::nullopt;
      return number ? Value(*number) : value;
    });
  }

  static bool AllKnown(const Value& value) {
    return !AnyValue(value, [](const Value& inner) {
      const Dim* dim = inner.TryGet<Dim>();
      return dim && dim->IsSymbolic();
    });
  }

  c10::IValue Box(const Value& value, const c10::Argument& argument) {
    const Dim* number = value.TryGet<Dim>();
    if (number && argument.type()->kind() == c10::TypeKind::TensorType) {
      at::Tensor scalar = at::scalar_tensor(*number->TryNumber(), at::kLong);
      scalar.unsafeGetTensorImpl()->set_wrapped_number(true);
      return scalar;
    }
    return dispatch::ToIValue(value, argument, [&](Tensor& tensor) { return by_snapshot_.at(&tensor); });
  }

  static std::vector<at::Tensor> TensorsIn(const torch::jit::Stack& stack) {
    std::vector<at::Tensor> tensors;
    for (const c10::IValue& value : stack) {
      if (value.isTensor()) tensors.push_back(value.toTensor());
      else if (value.isTensorList())
        for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
    }
    return tensors;
  }

  // ---- what has to hold
  void Keep(int32_t index, std::vector<at::Tensor> tensors) {
    const std::vector<Tensor*> snapshots = TensorsOf(ResultOf(index));
    if (tensors.size() != snapshots.size()) return;
    for (size_t i = 0; i < tensors.size(); ++i) {
      by_snapshot_[snapshots[i]] = tensors[i];
      for (int64_t d = 0; d < tensors[i].dim() && d < snapshots[i]->meta.rank(); ++d)
        Bind(snapshots[i]->meta.sizes[d], tensors[i].size(d));
      if (i < ranges().nodes[index].size()) CheckRange(index, ranges().nodes[index][i], tensors[i]);
    }
    real_[index] = std::move(tensors);
  }

  void CheckRange(int32_t index, const ValueRange& range, const at::Tensor& tensor) {
    if (tensor.numel() == 0 || !IsIntegral(FromTorch(tensor.scalar_type()))) return;
    ++checked_;
    const at::Tensor elements = tensor.to(at::kLong);
    const int64_t least = elements.min().item<int64_t>(), greatest = elements.max().item<int64_t>();
    if (tensor.scalar_type() == at::kUInt64 && least < 0) return;  // beyond int64
    CheckEnd(range.low, least, index, [](int64_t end, int64_t seen) { return end <= seen; });
    CheckEnd(range.high, greatest, index, [](int64_t end, int64_t seen) { return end >= seen; });
    if (range.counts_along >= 0) CheckCount(index, range, elements);
    if (range.is_permutation && !IsPermutation(elements, least, greatest))
      wrong_.push_back(Place(index) + " is no permutation");
    if (range.is_sorted && elements.dim() > 0 && !elements.equal(std::get<0>(elements.sort(-1))))
      wrong_.push_back(Place(index) + " is not sorted");
  }

  static bool IsPermutation(const at::Tensor& elements, int64_t least, int64_t greatest) {
    return elements.dim() == 1 && elements.size(0) == greatest - least + 1 &&
           std::get<0>(elements.sort(0)).diff().eq(1).all().item<bool>();
  }

  template <typename IsWithin>
  void CheckEnd(const ValueEnd& end, int64_t seen, int32_t index, const IsWithin& is_within) {
    const std::optional<int64_t> expected = end.at ? NumberOf(end.at) : std::nullopt;
    if (!expected) return;
    const std::string text = std::to_string(seen) + " beside " + ToString(end.at) + Place(index);
    if (!is_within(*expected, seen)) wrong_.push_back("is beyond: " + text);
    const bool is_met = end.met.by_one && end.met.when == Met::kInAllRuns;
    if (is_met && seen != *expected) wrong_.push_back("should be equal: " + text);
  }

  void CheckCount(int32_t index, const ValueRange& range, const at::Tensor& elements) {
    const std::optional<int64_t> first = NumberOf(range.low.at);
    if (!first) return;
    for (int64_t i = 0; i < elements.size(range.counts_along); ++i) {
      const at::Tensor there = elements.select(range.counts_along, i);
      if (!there.eq(*first + i * range.step).all().item<bool>()) wrong_.push_back(Place(index) + " does not count");
    }
  }

  void CheckUses(int32_t index, const std::string& error) {
    bool has_uses = false, all_are_safe = true, one_fails = false;
    for (const IndexUse& use : ranges().uses) {
      if (use.node != index) continue;
      has_uses = true;
      all_are_safe &= use.verdict == IndexUse::Verdict::kSafe;
      one_fails |= use.verdict == IndexUse::Verdict::kFails;
    }
    if (has_uses && all_are_safe && IsAboutIndices(error)) wrong_.push_back(error + Place(index) + ": shown safe");
    if (one_fails && error.empty()) wrong_.push_back(Place(index) + ": shown to fail");
  }

  static bool IsAboutIndices(const std::string& error) {
    for (const char* words : {"out of bounds", "out of range", "out of DATA bounds", "negative", "Target",
             "exceeds dimension size", "not in the valid range", "does not match required size"})
      if (error.find(words) != error.npos) return true;
    return false;
  }

  std::string Place(int32_t index) const {
    return " at " + written_.graph.nodes[index].name + ", t = " + std::to_string(random_.size) + ", in\n" +
           random_.text;
  }

  const RandomGraph& random_;
  WrittenGraph written_;
  Annotations annotations_;
  ValueAnalysis analysis_;
  std::map<int32_t, std::vector<at::Tensor>> real_;
  std::map<const Tensor*, at::Tensor> by_snapshot_;
  SymbolValues actual_;  // of symbols, those that data decides among them
  std::vector<std::string> wrong_;
  bool has_failed_ = false, has_numbers_ = false;
  size_t checked_ = 0;
};

TEST(ValueRanges, AreSoundOnRealKernels) {
  const uint64_t count = SettingOr("FAKEPROP_GRAPHS", 300), first = SettingOr("FAKEPROP_FIRST_SEED", 0);
  size_t checked = 0;
  for (uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomGraph random = MakeRandomGraph(seed);
    Check check(random);
    check.Run();
    checked += check.checked();
  }
  RecordProperty("tensors", static_cast<int>(checked));
  EXPECT_GT(checked, 2 * count);
}

}  // namespace
}  // namespace fakeprop
