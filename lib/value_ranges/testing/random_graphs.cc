#include "lib/value_ranges/testing/random_graphs.h"

namespace fakeprop::testing {
namespace {

// What stands for an argument: I a tensor of integers, B one of bools, F the table of floats, n a small number, N none,
// p a positive number, d a dimension, s the symbol, t a dtype of integers.
constexpr const char* kCalls[] = {
    "arange(s)",
    "arange(s)",
    "arange.start(n, s)",
    "arange.start_step(n, s, p)",
    "zeros_like(I)",
    "ones_like(I)",
    "full_like(I, n)",
    "add.Tensor(I, I)",
    "add.Tensor(I, n)",
    "add.Tensor(I, I, n)",
    "sub.Tensor(I, I)",
    "sub.Tensor(I, n)",
    "rsub.Scalar(I, n)",
    "mul.Tensor(I, I)",
    "mul.Tensor(I, n)",
    "mul.Tensor(I, B)",
    "neg(I)",
    "abs(I)",
    "sign(I)",
    "clamp(I, n, N)",
    "clamp(I, N, n)",
    "clamp(I, n, n)",
    "minimum(I, I)",
    "maximum(I, I)",
    "floor_divide(I, p)",
    "remainder.Scalar(I, p)",
    "fmod.Scalar(I, p)",
    "eq.Scalar(I, n)",
    "ne.Scalar(I, n)",
    "lt.Tensor(I, I)",
    "ge.Tensor(I, I)",
    "bitwise_and.Tensor(B, B)",
    "bitwise_or.Tensor(B, B)",
    "bitwise_not(B)",
    "bitwise_not(I)",
    "bitwise_and.Tensor(I, I)",
    "logical_not(I)",
    "to.dtype(I, t)",
    "to.dtype(B, t)",
    "unsqueeze(I, d)",
    "squeeze(I)",
    "transpose.int(I, 0, 1)",
    "flatten.using_ints(I)",
    "flip(I, [0])",
    "expand(I, [3, -1])",
    "repeat(I, [2])",
    "repeat(I, [1, 2])",
    "slice.Tensor(I, d, n, n)",
    "slice.Tensor(I, 0, p, s)",
    "slice.Tensor(I, d, n, 9223372036854775807, p)",
    "select.int(I, d, n)",
    "cat([I, I])",
    "cat([I, I], d)",
    "stack([I, I])",
    "where.self(B, I, I)",
    "masked_fill.Scalar(I, B, n)",
    "masked_select(I, B)",
    "tril(I)",
    "index.Tensor(I, [B])",
    "cumsum(I, d)",
    "cumsum(B, d)",
    "sum(I)",
    "sum.dim_IntList(I, [d])",
    "count_nonzero(I)",
    "argmax(I)",
    "argmax(I, d)",
    "max(I)",
    "min(I)",
    "amax(I)",
    "nonzero(B)",
    "sort(I)",
    "argsort(I)",
    "diff(I)",
    "bucketize.Tensor(I, I)",
    "tril_indices(p, p)",
    "randint.low(n, p, [3])",
    "randperm(p)",
    "one_hot(I, p)",
    "bincount(I)",
    "scatter.value(I, d, I, n)",
    "index_put(I, [I], I)",
    "clone(I)",
    "alias(I)",
    // written to
    "add_.Tensor(I, n)",
    "mul_.Tensor(I, n)",
    "fill_.Scalar(I, n)",
    "zero_(I)",
    "copy_(I, I)",
    "clamp_(I, n, n)",
    "index_fill_.int_Scalar(I, 0, I, n)",
    "masked_fill_.Scalar(I, B, n)",
    "cumsum_(I, 0)",
    // uses
    "embedding(F, I)",
    "gather(I, d, I)",
    "index_select(I, d, I)",
    "index.Tensor(I, [I])",
    "index.Tensor(F, [I])",
    "index.Tensor(I, [I, I])",
    "take(I, I)",
    "nll_loss(G, I)",
    "repeat_interleave.Tensor(I)",
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  RandomGraph Write() {
    graph_.size = Below(8);
    AddInput("x", Pick({"i64[77]", "i64[3,77]", "i32[77]", "u8[77]", "i64[4]"}), true);
    AddInput("y", Pick({"i64[77]", "i64[77,3]", "i64[5]", "i64[]"}), true);
    AddInput("m", Pick({"b8[77]", "b8[3,77]", "b8[5]"}), false);
    graph_.text += "w: f32[5,2]\ng: f32[77,4]\n";
    graph_.values.resize(5);
    integers_ = {"x", "y"};
    bools_ = {"m"};
    graph_.text += "s = sym_size.int(g, 0)\n";
    for (uint64_t i = 0, count = 3 + Below(10); i < count; ++i) AddCall("v" + std::to_string(i));
    graph_.text += "return x";
    return std::move(graph_);
  }

 private:
  uint64_t Below(uint64_t count) { return random_() % count; }
  template <typename List>
  auto PickFrom(const List& list) {
    return list[Below(std::size(list))];
  }
  std::string Pick(std::vector<std::string> list) { return PickFrom(list); }

  void AddInput(const std::string& name, const std::string& type, bool may_be_declared) {
    graph_.text += name + ": " + type + "\n";
    ValueBounds bounds;
    const int64_t least = type.starts_with("u8") ? 0 : -3;
    if (may_be_declared && Below(2)) bounds.min = static_cast<int64_t>(Below(6)) + least;
    if (may_be_declared && Below(2)) bounds.max = bounds.min.value_or(0) + static_cast<int64_t>(Below(8));
    graph_.values.push_back(bounds);
  }

  static bool IsComparison(const std::string& call) {
    for (const char* op : {"eq.", "ne.", "lt.", "ge.", "logical_not"})
      if (call.starts_with(op)) return true;
    return false;
  }

  void AddCall(const std::string& name) {
    const std::string call = PickFrom(kCalls);
    const size_t open = call.find('(');
    std::string text = name + " = " + call.substr(0, open);
    for (const char c : call.substr(open)) text += ArgumentFor(c);
    graph_.text += text + "\n";
    const bool gives_bools = IsComparison(call) || (call.starts_with("bitwise_") && call.find('B') != call.npos);
    const bool gives_several = call.find("sort(") == 0;
    if (gives_several) {
      for (const char* item : {"0", "1"}) {
        graph_.text += name + item + " = _operator.getitem(" + name + ", " + item + ")\n";
        integers_.push_back(name + item);
      }
    } else {
      (gives_bools ? bools_ : integers_).push_back(name);
    }
  }

  std::string ArgumentFor(char c) {
    switch (c) {
      case 'I': return integers_[Below(integers_.size())];
      case 'B': return bools_[Below(bools_.size())];
      case 'F': return "w";
      case 'G': return "g";
      case 'N': return "None";
      case 'n': return std::to_string(static_cast<int64_t>(Below(9)) - 4);
      case 'p': return std::to_string(1 + Below(5));
      case 'd': return Below(3) ? "0" : "-1";
      case 's': return "s";
      case 't': return Pick({"i64", "i32", "u8", "i8"});
      default: return std::string(1, c);
    }
  }

  std::mt19937_64 random_;
  RandomGraph graph_;
  std::vector<std::string> integers_, bools_;
};

}  // namespace

RandomGraph MakeRandomGraph(uint64_t seed) { return Writer(seed).Write(); }

}  // namespace fakeprop::testing
