#include "lib/deferred_init/chunks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "lib/deferred_init/replay_calls.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/schema/functional_name.h"

namespace fakeprop::deferred_init {
namespace {

using c10::IValue;

// Elements that are computed together. A multiple of the 16 elements that normal_ fills together.
constexpr int64_t kChunk = int64_t{1} << 20;
constexpr int64_t kNormalBlock = 16;

constexpr std::string_view kElementwise[] = {"abs", "add", "ceil", "clamp", "clamp_max", "clamp_min", "clone", "copy",
    "cos", "div", "erf", "erfinv", "exp", "exp2", "expm1", "floor", "log", "log1p", "log2", "mul", "neg", "pow",
    "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "sub", "tan", "tanh", "to", "_to_copy",
    "trunc"};

enum class Filling { kNone, kZero, kOne, kValue, kUniform, kNormal };

struct Factory {
  std::string_view name;
  Filling filling;
};
constexpr Factory kFactories[] = {
    {"aten::empty", Filling::kNone},
    {"aten::empty_like", Filling::kNone},
    {"aten::new_empty", Filling::kNone},
    {"aten::zeros", Filling::kZero},
    {"aten::zeros_like", Filling::kZero},
    {"aten::new_zeros", Filling::kZero},
    {"aten::ones", Filling::kOne},
    {"aten::ones_like", Filling::kOne},
    {"aten::new_ones", Filling::kOne},
    {"aten::full", Filling::kValue},
    {"aten::full_like", Filling::kValue},
    {"aten::new_full", Filling::kValue},
    {"aten::rand", Filling::kUniform},
    {"aten::rand_like", Filling::kUniform},
    {"aten::randn", Filling::kNormal},
    {"aten::randn_like", Filling::kNormal},
};

const Factory* FindFactory(const Node& node) {
  const auto it = std::find_if(std::begin(kFactories), std::end(kFactories),
      [&](const Factory& factory) { return node.op && factory.name == node.op->operator_name().name; });
  return it == std::end(kFactories) ? nullptr : it;
}

bool IsNamed(const Node& node, std::string_view name) { return node.op && node.op->operator_name().name == name; }

// The elements [begin, end) of a contiguous tensor.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
  Range Within(const Range& outer) const { return {std::max(begin, outer.begin), std::min(end, outer.end)}; }
};

// A tensor as the calls that gave it its elements, the first one first.
struct History {
  std::shared_ptr<Slot> root;
  std::vector<std::shared_ptr<Node>> writes;  // in order
  int64_t numel;
  c10::ScalarType dtype;
  c10::Device device;
};

const Input* WrittenInput(const Node& node) {
  const Input* written = nullptr;
  for (const Input& input : node.inputs) {
    if (!input.writes) continue;
    if (written) return nullptr;
    written = &input;
  }
  return written;
}

bool IsPlain(const Geometry& geometry) {
  const auto width = static_cast<int64_t>(c10::elementSize(geometry.dtype));
  return geometry.contiguous && geometry.offset == 0 && geometry.numel() * width == geometry.nbytes;
}

// Follows `x.set_data(y)` to y. Null after any other change of the metadata.
std::shared_ptr<Slot> RootOf(std::shared_ptr<Slot> slot, std::shared_ptr<Node> last_reshape) {
  while (last_reshape && !last_reshape->done) {
    if (last_reshape->kind != CallKind::kSetData || last_reshape->inputs.size() != 2) return nullptr;
    const Input& data = last_reshape->inputs[1];
    slot = data.slot;
    last_reshape = data.last_reshape;
  }
  return slot;
}

std::optional<History> FindHistory(const std::shared_ptr<Slot>& slot, const std::shared_ptr<Node>& last_reshape,
    std::shared_ptr<Node> write, const Geometry& geometry) {
  if (!IsPlain(geometry)) return std::nullopt;
  History history{RootOf(slot, last_reshape), {}, geometry.numel(), geometry.dtype, geometry.device};
  if (!history.root) return std::nullopt;
  while (write && !write->done) {
    const Input* written = WrittenInput(*write);
    if (!written || written->pinned.defined()) return std::nullopt;
    history.writes.push_back(write);
    write = written->last_write;
  }
  std::reverse(history.writes.begin(), history.writes.end());
  return history;
}

std::optional<History> HistoryOf(const Input& input) {
  if (!input.geometry || input.pinned.defined()) return std::nullopt;
  return FindHistory(input.slot, input.last_reshape, input.last_write, *input.geometry);
}

std::optional<History> HistoryOf(const at::Tensor& fake) {
  const Recording& recording = *FindRecording(fake);
  return FindHistory(recording.slot, recording.last_reshape, FindGroup(fake)->last_write, Geometry(fake));
}

// Random numbers in pieces. Each call goes on where its last piece has stopped.
class Pieces {
 public:
  // Runs `fill` with the generator `words` after the start of the node's numbers.
  // They draw `count` words.
  template <typename Fill>
  void Draw(const Node& node, int64_t words, int64_t count, const Fill& fill) {
    Cursor& cursor = cursors_[&node];
    const bool goes_on = cursor.engine && cursor.words == words;
    DrawScope scope(
        {node.random->stream, node.random->offset.Ahead(words), std::nullopt}, goes_on ? &*cursor.engine : nullptr);
    fill();
    cursor.engine = scope.Engine();
    cursor.words = words + count;
  }

 private:
  struct Cursor {
    int64_t words = 0;
    std::optional<at::mt19937_data_pod> engine;
  };
  std::map<const Node*, Cursor> cursors_;
};

// Computes ranges of a history. First with `Check`, which computes nothing.
class Evaluator {
 public:
  explicit Evaluator(std::optional<c10::Device> device) : device_(device) {}

  bool CanEvaluate(const History& history) {
    if (!history.root->real.defined() && !CanMake(history)) return false;
    return std::all_of(
        history.writes.begin(), history.writes.end(), [&](const auto& node) { return CanWrite(*node, history); });
  }

  // Writes elements `range` of the history into `into`, which is 1-D.
  void Evaluate(const History& history, const Range& range, const at::Tensor& into) {
    if (history.root->real.defined()) into.copy_(Flat(history.root->Real()).narrow(0, range.begin, range.size()));
    else Make(history, range, into);
    for (const auto& node : history.writes) Write(*node, range, into);
  }

  at::Tensor Empty(int64_t count, c10::ScalarType dtype, c10::Device device) const {
    return at::empty({count}, at::device(device_.value_or(device)).dtype(dtype));
  }

 private:
  static at::Tensor Flat(const at::Tensor& t) { return t.contiguous().view({-1}); }

  // Real tensors may take part if they are single numbers, or, in copies, have as many elements.
  static bool TakesReals(const Node& node, int64_t numel) {
    bool fits = true;
    for (const IValue& argument : node.arguments)
      ForEachElement(argument, [&](const at::Tensor& t, uint32_t) { fits &= t.numel() == 1 || t.numel() == numel; });
    return fits;
  }

  static bool CanFill(Filling filling, const Node& node, int64_t numel) {
    if (filling == Filling::kUniform) return WordsPerElement(node, numel).has_value();
    return filling != Filling::kNormal || (node.random && node.random->after && numel >= kNormalBlock);
  }

  static std::optional<int64_t> WordsPerElement(const Node& node, int64_t numel) {
    if (!node.random || !node.random->after || numel == 0) return std::nullopt;
    const int64_t words = TotalWords(node);
    return words > 0 && words % numel == 0 ? std::optional(words / numel) : std::nullopt;
  }

  static int64_t TotalWords(const Node& node) {
    return node.random->after->recorded.draws - node.random->offset.recorded.draws;
  }

  static Filling FillingOf(const Node& node) {
    if (IsNamed(node, "aten::normal_")) return Filling::kNormal;
    return node.random ? Filling::kUniform : Filling::kNone;
  }

  bool CanMake(const History& history) {
    const auto& maker = history.root->maker;
    if (!maker || maker->done || maker->kind != CallKind::kOperator) return false;
    if (const Factory* factory = FindFactory(*maker)) return CanFill(factory->filling, *maker, history.numel);
    return IsElementwise(*maker->op) && maker->inputs.size() == 1 && !maker->random && TakesReals(*maker, 1) &&
           CanEvaluateInput(maker->inputs.front(), history.numel);
  }

  bool CanEvaluateInput(const Input& input, int64_t numel) {
    const auto history = HistoryOf(input);
    return history && history->numel == numel && CanEvaluate(*history);
  }

  // Writes go to the tensor, or to a part that is contiguous in it.
  bool CanWrite(const Node& node, const History& history) {
    const Input& written = *WrittenInput(node);
    const Geometry& to = *written.geometry;
    if (!node.op || !to.contiguous || to.dtype != history.dtype || written.reshapes) return false;
    if (node.random)
      return (IsNamed(node, "aten::normal_") || IsNamed(node, "aten::uniform_") || IsNamed(node, "aten::random_")) &&
             CanFill(FillingOf(node), node, to.numel());
    if (IsNamed(node, "aten::fill_") || IsNamed(node, "aten::zero_")) return node.inputs.size() == 1;
    if (!IsElementwise(*node.op) || !TakesReals(node, to.numel())) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const Input& input) {
      return &input == &written || (!input.writes && CanEvaluateInput(input, to.numel()));
    });
  }

  void Make(const History& history, const Range& range, const at::Tensor& into) {
    const Node& maker = *history.root->maker;
    const Factory* factory = FindFactory(maker);
    if (!factory) return MakeElementwise(maker, history, range, into);
    switch (factory->filling) {
      case Filling::kNone: return;
      case Filling::kZero: into.zero_(); return;
      case Filling::kOne: into.fill_(1); return;
      case Filling::kValue: into.fill_(ValueOf(maker)); return;
      case Filling::kUniform: return FillUniform(maker, history.numel, range, [&] { into.uniform_(); });
      case Filling::kNormal: return FillNormal(maker, history.numel, range, into, [](at::Tensor& t) { t.normal_(); });
    }
  }

  static c10::Scalar ValueOf(const Node& full) {
    const auto& formal = full.op->schema().arguments();
    for (size_t i = 0; i < formal.size(); ++i)
      if (formal[i].name() == "fill_value") return full.arguments[i].toScalar();
    return 0;
  }

  void MakeElementwise(const Node& maker, const History& history, const Range& range, const at::Tensor& into) {
    CheckGiven(maker, maker.inputs.front());
    const History from = *HistoryOf(maker.inputs.front());
    at::Tensor part = Empty(range.size(), from.dtype, from.device);
    Evaluate(from, range, part);
    torch::jit::Stack stack = maker.arguments;
    stack[maker.inputs.front().argument] = part;
    Call(maker, stack);
    into.copy_(stack.front().toTensor());
  }

  void Write(const Node& node, const Range& range, const at::Tensor& into) {
    const Input& written = *WrittenInput(node);
    const Range to{written.geometry->offset, written.geometry->offset + written.geometry->numel()};
    const Range both = range.Within(to);
    if (both.size() <= 0) return;
    at::Tensor part = into.narrow(0, both.begin - range.begin, both.size());
    const Range own{both.begin - to.begin, both.end - to.begin};  // in the tensor that is written to
    auto run = [&](const at::Tensor& t) {
      torch::jit::Stack stack = Arguments(node, own, to.size());
      stack[written.argument] = t;
      Call(node, stack);
    };
    if (!node.random) return run(part);
    if (FillingOf(node) == Filling::kNormal) return FillNormal(node, to.size(), own, part, run);
    FillUniform(node, to.size(), own, [&] { run(part); });
  }

  // The call's other arguments, for a range of its elements.
  torch::jit::Stack Arguments(const Node& node, const Range& range, int64_t numel) {
    torch::jit::Stack stack;
    for (const IValue& argument : node.arguments)
      stack.push_back(dispatch::MapTensors(argument, [&](const at::Tensor& t) {
        return t.numel() == numel && t.dim() > 0 ? Flat(t).narrow(0, range.begin, range.size()) : t;
      }));
    for (const Input& input : node.inputs) {
      if (input.writes) continue;
      CheckGiven(node, input);
      const History from = *HistoryOf(input);
      at::Tensor part = Empty(range.size(), from.dtype, from.device);
      Evaluate(from, range, part);
      stack[input.argument] = part;
    }
    return stack;
  }

  static void Call(const Node& node, torch::jit::Stack& stack) {
    CheckReals(node);
    const ThreadStateScope state(*node.state);
    node.op->callBoxed(stack);
  }

  // Each element takes the same count of words.
  template <typename Fill>
  void FillUniform(const Node& node, int64_t numel, const Range& range, const Fill& fill) {
    const int64_t width = *WordsPerElement(node, numel);
    pieces_.Draw(node, width * range.begin, width * range.size(), fill);
  }

  // Blocks of 16 are filled together. If the last one is not full, the last 16 elements are drawn again at the end.
  template <typename Fill>
  void FillNormal(const Node& node, int64_t numel, const Range& range, const at::Tensor& into, const Fill& fill) {
    const int64_t full = numel / kNormalBlock * kNormalBlock, total = TotalWords(node);
    const int64_t width = into.scalar_type() == at::kDouble ? 2 : 1;
    const int64_t end = std::min((range.end + kNormalBlock - 1) / kNormalBlock * kNormalBlock, full);
    const Range blocks{range.begin / kNormalBlock * kNormalBlock, end};
    if (blocks.size() > 0) FillBlocks(node, blocks, {width * blocks.begin, width * blocks.end}, range, into, fill);
    const Range last{numel - kNormalBlock, numel};
    if (full != numel && range.end > last.begin)
      FillBlocks(node, last, {total - width * kNormalBlock, total}, range, into, fill);
  }

  template <typename Fill>
  void FillBlocks(const Node& node, const Range& blocks, const Range& words, const Range& range, const at::Tensor& into,
      const Fill& fill) {
    const bool is_exact = blocks.begin == range.begin && blocks.end == range.end;
    at::Tensor drawn = is_exact ? into : at::empty({blocks.size()}, into.options());
    pieces_.Draw(node, words.begin, words.size(), [&] { fill(drawn); });
    if (is_exact) return;
    const Range both = blocks.Within(range);
    into.narrow(0, both.begin - range.begin, both.size())
        .copy_(drawn.narrow(0, both.begin - blocks.begin, both.size()));
  }

  const std::optional<c10::Device> device_;
  Pieces pieces_;
};

int64_t Product(c10::IntArrayRef sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// The slice is one range of elements.
void FillRange(Evaluator& evaluator, const History& history, const Range& range, const at::Tensor& into) {
  // Pieces begin at multiples of the chunk, so that no block of normal numbers is drawn twice.
  for (int64_t begin = range.begin; begin < range.end;) {
    const int64_t end = std::min(range.end, (begin / kChunk + 1) * kChunk);
    evaluator.Evaluate(history, {begin, end}, into.narrow(0, begin - range.begin, end - begin));
    begin = end;
  }
}

// The slice is a range of each row. Rows are computed in groups, as a whole.
void FillRows(Evaluator& evaluator, const History& history, const at::Tensor& into, int64_t row, int64_t start) {
  const int64_t rows = into.size(0), length = into.size(1);
  const int64_t together = std::max<int64_t>(1, kChunk / std::max<int64_t>(row, 1));
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t count = std::min(together, rows - first);
    const at::Tensor whole = evaluator.Empty(count * row, history.dtype, history.device);
    evaluator.Evaluate(history, {first * row, (first + count) * row}, whole);
    into.narrow(0, first, count).copy_(whole.view({count, row}).narrow(1, start, length));
  }
}

}  // namespace

bool IsElementwise(const c10::OperatorHandle& op) {
  std::string_view name = FunctionalName(op.operator_name().name);
  if (!name.starts_with("aten::")) return false;
  name.remove_prefix(6);
  return std::find(std::begin(kElementwise), std::end(kElementwise), name) != std::end(kElementwise);
}

bool CanSlice(const at::Tensor& fake) {
  const auto history = HistoryOf(fake);
  return history && Evaluator(std::nullopt).CanEvaluate(*history);
}

std::optional<at::Tensor> TrySlice(
    const at::Tensor& fake, const TensorSlice& slice, std::optional<c10::Device> device) {
  const auto history = HistoryOf(fake);
  Evaluator evaluator(device);
  if (!history || !evaluator.CanEvaluate(*history)) return std::nullopt;
  const ThreadStateScope plain(PlainState());
  std::vector<int64_t> sizes = fake.sizes().vec();
  const auto dim = static_cast<size_t>(slice.dim);
  const int64_t inner = Product(c10::IntArrayRef(sizes).slice(dim + 1)), row = sizes[dim] * inner;
  const int64_t outer = Product(c10::IntArrayRef(sizes).slice(0, dim));
  sizes[dim] = slice.length;
  const at::Tensor part = evaluator.Empty(Product(sizes), history->dtype, history->device);
  if (outer == 1) {
    const Range range{slice.start * inner, (slice.start + slice.length) * inner};
    FillRange(evaluator, *history, range, part);
  } else {
    FillRows(evaluator, *history, part.view({outer, slice.length * inner}), row, slice.start * inner);
  }
  return part.view(sizes);
}

}  // namespace fakeprop::deferred_init
