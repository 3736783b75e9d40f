// Control flow: what runs blocks, and what ends a run. Source: torch/csrc/jit/runtime/interpreter.cpp (torch 2.13).
#include <algorithm>

#include "lib/higher_order/merge_branches.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

constexpr int64_t kMostTrips = 1'000'000;

// ---- what can change besides results

// The contents of the lists and dicts that a block is given.
class SharedContents {
 public:
  explicit SharedContents(std::span<const Value> values) {
    for (const Value& value : values) ForEachValue(value, [this](const Value& inner) { Keep(inner); });
  }

  // Both taken of the same values.
  bool SameAs(const SharedContents& other) const {
    if (contents_.size() != other.contents_.size()) return false;
    for (size_t i = 0; i < contents_.size(); ++i)
      if (!SameMetadata(contents_[i].second, other.contents_[i].second)) return false;
    return true;
  }

  void Restore() const {
    for (const auto& [to, content] : contents_) *to = content;
  }

 private:
  void Keep(const Value& value) {
    const SharedValue* shared = value.TryGet<SharedValue>();
    if (!shared) return;
    for (const auto& known : contents_)
      if (known.first == shared->to) return;
    contents_.emplace_back(shared->to, *shared->to);
  }

  std::vector<std::pair<std::shared_ptr<Value>, Value>> contents_;
};

// ---- conditions that depend on data

// Whether a block ends in an exception whatever happens: then the other one is taken, or nothing is.
bool AlwaysRaises(const Subgraph& subgraph) {
  const auto& nodes = subgraph.graph->nodes;
  return std::any_of(
      nodes.begin(), nodes.end(), [](const Node& node) { return node.target == "prim::RaiseException"; });
}

// Of tensors that differ in their sizes alone. If both are views of one storage, so is the result.
std::optional<Value> MergedTensors(HigherOrderCall& call, const Tensor& a, const Tensor& b) {
  std::optional<TensorMeta> meta = MergeSizes(a.meta, b.meta);
  if (!meta) return std::nullopt;
  Storage* storage = a.storage == b.storage ? a.storage : call.objects().NewStorage(StorageNbytes(*meta), meta->device);
  return call.objects().NewTensor(std::move(*meta), storage);
}

// Whether tensors may differ in their sizes: not those of a loop, which change them again in the next round.
enum class Sizes { kMayDiffer, kSame };

// One value for two that may be it: numbers that differ depend on data, and so do sizes of tensors.
std::optional<Value> Merged(HigherOrderCall& call, const Value& a, const Value& b, Sizes sizes) {
  if (SameMetadata(a, b) || IsUninitialized(b)) return a;
  if (IsUninitialized(a)) return b;
  if (IsUnknown(a) && (b.IsNumber() || IsUnknown(b))) return a;
  if (IsUnknown(b) && a.IsNumber()) return b;
  if (a.Is<Dim>() && b.Is<Dim>()) return NumberOfData("int");
  if (a.Is<double>() && b.Is<double>()) return UnknownOf("float");
  if (a.Is<bool>() && b.Is<bool>()) return UnknownOf("bool");
  if (a.Is<std::string>() && b.Is<std::string>()) return UnknownOf("str");
  if (a.TryTensor() && b.TryTensor() && sizes == Sizes::kMayDiffer)
    return MergedTensors(call, *a.TryTensor(), *b.TryTensor());
  const List *x = a.TryList(), *y = b.TryList();
  if (!x || !y || !x->is_tuple || !y->is_tuple || x->items.size() != y->items.size()) return std::nullopt;
  List merged{{}, true};
  for (size_t i = 0; i < x->items.size(); ++i) {
    auto item = Merged(call, x->items[i], y->items[i], sizes);
    if (!item) return std::nullopt;
    merged.items.push_back(std::move(*item));
  }
  return merged;
}

Value RunBothArms(HigherOrderCall& call) {
  const Subgraph &then = call.GraphAt(1), &otherwise = call.GraphAt(2);
  if (AlwaysRaises(then) && !AlwaysRaises(otherwise)) return call.Run(otherwise, call.From(3));
  if (AlwaysRaises(otherwise)) return call.Run(then, call.From(3));
  const SharedContents before(call.From(3));
  const Value a = call.Run(then, call.From(3));
  const SharedContents after_then(call.From(3));
  before.Restore();
  const Value b = call.Run(otherwise, call.From(3));
  auto merged = Merged(call, a, b, Sizes::kMayDiffer);
  if (!merged)
    Fail(ErrorClass::kMetadataMismatch, "the condition depends on data, and the two branches give different results: " +
                                            ToString(a) + " if it is true, " + ToString(b) + " if not");
  if (!after_then.SameAs(SharedContents(call.From(3))))
    Fail(ErrorClass::kMetadataMismatch,
        "the condition depends on data, and the two branches change what they share in different ways");
  return std::move(*merged);
}

Value RunIf(HigherOrderCall& call) {
  const Value& condition = call.At(0, "a condition");
  if (IsUnknown(condition)) return RunBothArms(call);
  const bool* taken = condition.TryGet<bool>();
  if (!taken) Fail(ErrorClass::kTypeError, "a condition has to be a bool but is " + ToString(condition));
  return call.Run(call.GraphAt(*taken ? 1 : 2), call.From(3));
}

// ---- loops

// One run of the body: whether another follows, and what is carried to it.
Value RunBody(HigherOrderCall& call, Value trip, std::vector<Value>& carried) {
  std::vector<Value> arguments = {std::move(trip)};
  arguments.insert(arguments.end(), carried.begin(), carried.end());
  const auto captured = call.From(4);
  arguments.insert(arguments.end(), captured.begin(), captured.end());
  Value result = call.Run(call.GraphAt(2), arguments);
  if (carried.empty()) return result;
  const List& all = result.Get<List>();
  std::copy(all.items.begin() + 1, all.items.end(), carried.begin());
  return all.items[0];
}

// How often the body runs depends on data: what it carries and shares has to be the same after every run. The integers
// that it carries, and which run it is, are known in no run.
void RunUnknownTimes(HigherOrderCall& call, int64_t trip, std::vector<Value>& carried) {
  for (Value& value : carried)
    if (value.Is<Dim>()) value = NumberOfData("int");
  const std::vector<Value> before = carried;
  const SharedContents shared(call.Positional());
  RunBody(call, rules::MakesUnbacked() ? Value(rules::UnbackedInteger(trip)) : Value(trip), carried);
  const auto fail = [&](const std::string& what) {
    Fail(ErrorClass::kMetadataMismatch, "how often the loop runs depends on data, and each time changes " + what);
  };
  for (size_t i = 0; i < carried.size(); ++i) {
    auto merged = Merged(call, carried[i], before[i], Sizes::kSame);
    if (!merged) fail("what it carries: " + ToString(before[i]) + " becomes " + ToString(carried[i]));
    carried[i] = std::move(*merged);
  }
  if (!shared.SameAs(SharedContents(call.Positional()))) fail("lists or dicts that it fills");
}

Value LoopResult(std::vector<Value> carried) {
  if (carried.empty()) return {};
  if (carried.size() == 1) return std::move(carried[0]);
  return List{std::move(carried), true};
}

bool IsKnownCount(const Value& trips) {
  const Dim* count = trips.TryGet<Dim>();
  return !IsUnknown(trips) && !(count && !count->Hint());
}

Value RunLoop(HigherOrderCall& call) {
  std::vector<Value> carried =
      call.At(3, "what the loop carries").TryList() ? call.At(3, "").TryList()->items : std::vector<Value>();
  Value condition = call.At(1, "a condition");
  const bool bounded = IsKnownCount(call.At(0, "a number of trips"));
  const int64_t most = bounded ? IntAt(call, 0) : 0;
  if (!bounded) condition = UnknownOf("bool");
  for (int64_t trip = 0; !bounded || trip < most; ++trip) {
    if (IsUnknown(condition)) {
      RunUnknownTimes(call, trip, carried);
      break;
    }
    const bool* again = condition.TryGet<bool>();
    if (!again) Fail(ErrorClass::kTypeError, "a condition has to be a bool but is " + ToString(condition));
    if (!*again) break;
    if (trip == kMostTrips)
      Fail(ErrorClass::kValueError, "the loop has run " + std::to_string(kMostTrips) + " times and goes on");
    condition = RunBody(call, trip, carried);
  }
  return LoopResult(std::move(carried));
}

// ---- tasks: run where they are started

Value RunFork(HigherOrderCall& call) { return call.Run(call.GraphAt(0), call.From(1)); }
Value First(HigherOrderCall& call) { return call.At(0, "a value"); }

// ---- exceptions

ErrorClass ClassOfException(std::string_view name) {
  if (name == "AssertionError") return ErrorClass::kAssertionFailed;
  if (name == "TypeError") return ErrorClass::kTypeError;
  if (name == "IndexError" || name == "KeyError") return ErrorClass::kIndexOutOfRange;
  return ErrorClass::kValueError;
}

// RaiseException(message, class): classes of Python's are written "builtins.ValueError".
Value Raise(HigherOrderCall& call) {
  const std::string* name = call.size() > 1 ? call.Positional()[1].TryGet<std::string>() : nullptr;
  std::string_view cls = name ? std::string_view(*name) : std::string_view("AssertionError");
  if (cls.starts_with("builtins.")) cls.remove_prefix(9);
  const Value& message = call.At(0, "a message");
  const std::string* text = message.TryGet<std::string>();
  const std::string words = text ? *text : ToString(message);
  // An assertion's message holds the class already.
  std::string said = "the code raises " + (words.starts_with(cls) ? "" : std::string(cls));
  if (!words.empty()) said += (words.starts_with(cls) ? "" : ": ") + words;
  Fail(ClassOfException(cls), std::move(said));
}

// Which class's method it is stands in the module alone, so that torch's inliner leaves the call.
Value CallThroughInterface(HigherOrderCall& call) {
  Fail(ErrorClass::kUnsupportedOperator, "the method " + ToString(call.At(call.size() - 1, "a name")) +
                                             " is called through an interface, and what serves it is not known here; "
                                             "`torch.jit.freeze` puts the method itself in its place");
}

Value Nothing(HigherOrderCall&) { return {}; }

constexpr HigherOrderRow kRows[] = {
    {"prim::If", RunIf},
    {"prim::Loop", RunLoop},
    {"prim::CallMethod", CallThroughInterface},
    {"prim::fork", RunFork},
    {"prim::awaitable", RunFork},
    {"prim::awaitable_nowait", First},
    {"prim::awaitable_wait", First},
    {"aten::wait*", First},
    {"prim::RaiseException", Raise},
    {"prim::Print", Nothing},
    {"aten::warn*", Nothing},
    {"prim::profile", First},
    {"prim::AddStatValue", Nothing},
};

}  // namespace

std::span<const HigherOrderRow> ScriptControlRows() { return kRows; }

}  // namespace fakeprop
