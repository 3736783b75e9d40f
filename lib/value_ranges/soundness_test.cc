// Random graphs on LibTorch's own kernels: no element lies outside of its interval, every end that is said to be met
// is, no use that was shown safe fails, and every use that was shown to fail does.
//
// FAKEPROP_GRAPHS says how many graphs, FAKEPROP_FIRST_SEED which one is the first.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/meta/value_visit.h"
#include "lib/schema/schema_table.h"
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
    annotations_ = RunGraph(written_.graph, written_.inputs, options);
    analysis_ = AnalyzeValues(written_.graph, written_.inputs, annotations_);
  }

  // Up to the first call that fails, where a program ends: later nodes may rest on what that call asserts.
  void Run() {
    for (size_t i = 0; i < written_.graph.nodes.size() && !has_failed_; ++i) RunNode(static_cast<int32_t>(i));
  }

  size_t checked() const { return checked_; }

 private:
  const GraphRanges& ranges() const { return analysis_.graphs.front(); }
  const Value& ValueAt(int32_t node) const { return ranges().annotations->nodes[node].value; }

  void RunNode(int32_t index) {
    const Node& node = written_.graph.nodes[index];
    if (ranges().annotations->nodes[index].kind != NodeAnnotation::Kind::kValue) return;
    if (node.op == NodeOp::kPlaceholder) Keep(index, {MakeInput(index)});
    else if (node.target == "_operator.getitem") Keep(index, ItemOf(node));
    else if (node.op == NodeOp::kCallFunction && !TensorsOf(ValueAt(index)).empty()) CallNode(index, node);
  }

  // ---- data
  at::Tensor MakeInput(int32_t index) {
    const Tensor& meta = *ValueAt(index).TryTensor();
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
    torch::jit::Stack stack;
    if (!BoxArguments(node, schema, op.schema(), stack)) return;
    std::string error;
    try {
      op.callBoxed(&stack);
    } catch (const std::exception& e) {
      error = std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
    }
    CheckUses(index, error);
    has_failed_ = !error.empty();
    if (error.empty()) Keep(index, TensorsIn(stack));
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
      bool is_there = true;
      ForEachNode(node.arguments[i].value, [&](NodeRef ref) { is_there &= Ran(ref.index); });
      ForEachTensor(value, [&](const Tensor& tensor) { is_there &= by_snapshot_.contains(&tensor); });
      if (!is_there) return false;
      stack.push_back(Box(value, real.arguments()[i]));
    }
    return true;
  }

  // A call that writes may have the snapshot of what it writes to, so snapshots do not tell whether it ran.
  bool Ran(int32_t index) const { return TensorsOf(ValueAt(index)).empty() || real_.contains(index); }

  Value Filled(const GraphValue& written) const {
    const Value filled = Fill(written,
        Overloaded{[&](NodeRef ref) { return ValueAt(ref.index); }, [](const InlineSize&) { return Value(); }});
    return MapValues(filled, [](const Value& value) -> Value {
      const Dim* dim = value.TryGet<Dim>();
      return dim ? Value(*dim->Hint()) : value;
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
    const std::vector<Tensor*> snapshots = TensorsOf(ValueAt(index));
    if (tensors.size() != snapshots.size()) return;
    for (size_t i = 0; i < tensors.size(); ++i) {
      by_snapshot_[snapshots[i]] = tensors[i];
      if (i < ranges().nodes[index].size()) CheckRange(index, ranges().nodes[index][i], tensors[i]);
    }
    real_[index] = std::move(tensors);
  }

  void CheckRange(int32_t index, const ValueRange& range, const at::Tensor& tensor) {
    if (tensor.numel() == 0 || !IsIntegral(FromTorch(tensor.scalar_type()))) return;
    ++checked_;
    const at::Tensor elements = tensor.to(at::kLong);
    const int64_t least = elements.min().item<int64_t>(), greatest = elements.max().item<int64_t>();
    CheckEnd(range.low, least, index, [](int64_t end, int64_t seen) { return end <= seen; });
    CheckEnd(range.high, greatest, index, [](int64_t end, int64_t seen) { return end >= seen; });
    if (range.counts_along >= 0) CheckCount(index, range, elements);
    if (range.is_sorted && elements.dim() > 0) {
      EXPECT_TRUE(elements.equal(std::get<0>(elements.sort(-1)))) << Place(index) << " is not sorted";
    }
  }

  // A size that depends on data has no hint.
  template <typename IsWithin>
  void CheckEnd(const ValueEnd& end, int64_t seen, int32_t index, const IsWithin& is_within) {
    if (!end.at || !end.at->hint) return;
    const int64_t expected = end.at->hint->integer;
    EXPECT_TRUE(is_within(expected, seen)) << seen << " is beyond " << ToString(end.at) << Place(index);
    if (end.met.by_one && end.met.when == Met::kInAllRuns) {
      EXPECT_EQ(seen, expected) << "should be " << ToString(end.at) << Place(index);
    }
  }

  void CheckCount(int32_t index, const ValueRange& range, const at::Tensor& elements) {
    if (!range.low.at->hint) return;
    for (int64_t i = 0; i < elements.size(range.counts_along); ++i) {
      const at::Tensor there = elements.select(range.counts_along, i);
      const int64_t expected = range.low.at->hint->integer + i * range.step;
      EXPECT_TRUE(there.eq(expected).all().item<bool>()) << Place(index) << " does not count";
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
    if (has_uses && all_are_safe) {
      EXPECT_FALSE(IsAboutIndices(error)) << error << Place(index) << ": shown safe";
    }
    if (one_fails) {
      EXPECT_NE(error, "") << Place(index) << ": shown to fail";
    }
  }

  static bool IsAboutIndices(const std::string& error) {
    for (const char* words : {"out of bounds", "out of range", "negative", "Target"})
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
  bool has_failed_ = false;
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
