#include "lib/fake/sym_nodes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "lib/error/error.h"
#include "lib/fake/throw_for.h"
#include "lib/symbolic/calls.h"

namespace fakeprop::fake {
namespace {

using Nodes = c10::ArrayRef<c10::SymNode>;

// Questions about all sizes and strides of a tensor, and their guards.
class Layout {
 public:
  Layout(ShapeEnv& env, std::vector<Sym> sizes, std::vector<Sym> strides)
      : env_(env), sizes_(std::move(sizes)), strides_(std::move(strides)) {}

  // Packed, with the last of `order` innermost.
  Sym IsPacked(const std::vector<size_t>& order) const {
    Sym packed = env_.Truth(true), expected = env_.Integer(1);
    for (size_t i = order.size(); i-- > 0;) {
      const size_t d = order[i];
      packed = And(packed, Or(Equal(sizes_[d], env_.Integer(1)), Equal(strides_[d], expected)));
      expected = Multiply(expected, sizes_[d]);
    }
    return packed;
  }

  Sym IsEmpty() const {
    Sym empty = env_.Truth(false);
    for (Sym size : sizes_) empty = Or(empty, Equal(size, env_.Integer(0)));
    return empty;
  }

  std::vector<size_t> RowMajor() const {
    std::vector<size_t> order(sizes_.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // The order batch, space, channels, if there are `rank` dimensions.
  std::vector<size_t> ChannelsLast() const {
    std::vector<size_t> order = RowMajor();
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    return order;
  }

  // The order of falling strides, at the hints.
  std::vector<size_t> ByStrides() const {
    std::vector<size_t> order = RowMajor();
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return HintOf(strides_[a]) > HintOf(strides_[b]); });
    return order;
  }

  // Returns true if strides rise from the channels to the batch. False if they are ambiguous. Source:
  // is_channels_last_strides_2d in c10/core/MemoryFormat.h.
  Sym HasChannelsLastStrides() const {
    const Sym zero = env_.Integer(0), one = env_.Integer(1);
    Sym least = zero, rises = Not(Equal(strides_[1], zero));
    std::vector<size_t> order = ChannelsLast();
    for (size_t i = order.size(); i-- > 0;) {
      const size_t d = order[i];
      rises = And(rises, And(Not(Equal(sizes_[d], zero)), Not(Less(strides_[d], least))));
      // A batch of size 1 with the stride of the channels is ambiguous.
      if (d == 0) rises = And(rises, Not(Equal(least, strides_[1])));
      least = Where(Less(one, sizes_[d]), Multiply(strides_[d], sizes_[d]), strides_[d]);
    }
    return rises;
  }

  size_t rank() const { return sizes_.size(); }

 private:
  static int64_t HintOf(Sym s) { return s->hint ? s->hint->integer : 0; }

  ShapeEnv& env_;
  const std::vector<Sym> sizes_, strides_;
};

// Implements every function of SymNodeImpl without a useful default (c10/core/SymNodeImpl.h, torch 2.13), for integers,
// floats and bools. LibTorch's defaults for all others call these (float_truediv, int_floordiv ...) or say that there
// are no nested sizes.
class Symbol final : public c10::SymNodeImpl {
 public:
  Symbol(Sym node, std::shared_ptr<ShapeEnv> env) : node_(node), env_(std::move(env)) {}

  Sym node() const { return node_; }
  bool IsOf(const ShapeEnv& env) const { return env_.get() == &env; }

  bool is_int() override { return node_->type == SymType::kInt; }
  bool is_bool() override { return node_->type == SymType::kBool; }
  bool is_float() override { return node_->type == SymType::kFloat; }

  c10::SymNode add(const c10::SymNode& b) override { return Call(calls::Sum, b); }
  c10::SymNode sub(const c10::SymNode& b) override { return Call(calls::Difference, b); }
  c10::SymNode mul(const c10::SymNode& b) override { return Call(calls::Product, b); }
  c10::SymNode truediv(const c10::SymNode& b) override { return Call(calls::Quotient, b); }
  c10::SymNode floordiv(const c10::SymNode& b) override { return Call(calls::FloorQuotient, b); }
  c10::SymNode mod(const c10::SymNode& b) override { return Call(calls::Remainder, b); }
  c10::SymNode pow(const c10::SymNode& b) override { return Call(calls::PowerOf, b); }
  c10::SymNode float_pow(const c10::SymNode& b) override {
    return Make([&] { return FloatArithmetic(SymOp::kFloatPow, ToFloat(node_), ToFloat(Read(b))); });
  }

  c10::SymNode eq(const c10::SymNode& b) override { return Call(calls::IsEqual, b); }
  c10::SymNode ne(const c10::SymNode& b) override { return Call(calls::IsNotEqual, b); }
  c10::SymNode lt(const c10::SymNode& b) override { return Call(calls::IsLess, b); }
  c10::SymNode gt(const c10::SymNode& b) override { return Call(calls::IsGreater, b); }
  c10::SymNode le(const c10::SymNode& b) override { return Call(calls::IsAtMost, b); }
  c10::SymNode ge(const c10::SymNode& b) override { return Call(calls::IsAtLeast, b); }

  c10::SymNode ceil() override { return Call(calls::Round<SymOp::kCeilToInt>); }
  c10::SymNode floor() override { return Call(calls::Round<SymOp::kFloorToInt>); }
  c10::SymNode neg() override { return Call(calls::Negative); }
  c10::SymNode sym_min(const c10::SymNode& b) override { return Call(calls::Smallest, b); }
  c10::SymNode sym_max(const c10::SymNode& b) override { return Call(calls::Largest, b); }
  c10::SymNode sym_or(const c10::SymNode& b) override { return Call(calls::Any, b); }
  c10::SymNode sym_and(const c10::SymNode& b) override { return Call(calls::All, b); }
  c10::SymNode sym_not() override { return Call(calls::Negation); }
  c10::SymNode sym_ite(const c10::SymNode& then, const c10::SymNode& otherwise) override {
    return Make([&] { return Where(Condition(), Read(then), Read(otherwise)); });
  }
  c10::SymNode sym_float() override { return Call(calls::AsFloat); }
  c10::SymNode clone() override { return Wrap(node_); }
  c10::SymNode wrap_int(int64_t v) override {
    return Make([&] { return env_->Integer(v); });
  }
  c10::SymNode wrap_float(double v) override {
    return Make([&] { return env_->Constant(SymNumber::Of(v)); });
  }
  c10::SymNode wrap_bool(bool v) override {
    return Make([&] { return env_->Truth(v); });
  }

  c10::SymNode is_contiguous(Nodes sizes, Nodes strides) override {
    return Make([&] {
      const Layout l = Of(sizes, strides);
      return Or(l.IsPacked(l.RowMajor()), l.IsEmpty());
    });
  }
  c10::SymNode is_channels_last_contiguous_2d(Nodes sizes, Nodes strides) override {
    return ChannelsLast(sizes, strides, 4);
  }
  c10::SymNode is_channels_last_contiguous_3d(Nodes sizes, Nodes strides) override {
    return ChannelsLast(sizes, strides, 5);
  }
  c10::SymNode is_channels_last_strides_2d(Nodes sizes, Nodes strides) override {
    return ChannelsLastStrides(sizes, strides, 4);
  }
  c10::SymNode is_channels_last_strides_3d(Nodes sizes, Nodes strides) override {
    return ChannelsLastStrides(sizes, strides, 5);
  }
  c10::SymNode is_non_overlapping_and_dense(Nodes sizes, Nodes strides) override {
    return Make([&] {
      const Layout l = Of(sizes, strides);
      return Or(l.IsPacked(l.ByStrides()), l.IsEmpty());
    });
  }

  int64_t guard_int(const char*, int64_t) override {
    return Ask([&] {
      const SymNumber number = env_->Specialize(node_);
      return number.type == SymType::kFloat ? static_cast<int64_t>(number.real) : number.integer;
    });
  }
  bool guard_bool(const char*, int64_t) override {
    return Ask([&] { return env_->Guard(Condition()); });
  }
  double guard_float(const char*, int64_t) override {
    return Ask([&] { return env_->Specialize(node_).AsReal(); });
  }
  bool guard_size_oblivious(const char*, int64_t) override {
    return Ask([&] { return env_->GuardOr(Condition(), false); });
  }
  bool guard_or_false(const char*, int64_t) override {
    return Ask([&] { return env_->GuardOr(Condition(), false); });
  }
  bool guard_or_true(const char*, int64_t) override {
    return Ask([&] { return env_->GuardOr(Condition(), true); });
  }
  bool statically_known_true(const char*, int64_t) override {
    return Ask([&] { return env_->Static(Condition()).value_or(false); });
  }
  bool expect_true(const char*, int64_t) override {
    return Ask([&] { return env_->Expect(Condition()); });
  }
  int64_t int_() override { return guard_int(nullptr, 0); }
  bool bool_() override { return guard_bool(nullptr, 0); }

  bool has_hint() override { return node_->hint.has_value(); }
  std::string str() override {
    return Ask([&] { return ToString(env_->Simplify(node_)); });
  }
  std::optional<int64_t> constant_int() override { return maybe_as_int(); }
  std::optional<bool> constant_bool() override {
    return node_->op == SymOp::kTruth ? std::optional(node_->integer != 0) : std::nullopt;
  }
  std::optional<int64_t> maybe_as_int() override {
    return node_->IsInteger() ? std::optional(node_->integer) : std::nullopt;
  }

 private:
  // Throws the exceptions that LibTorch's callers expect.
  template <typename Question>
  std::invoke_result_t<Question> Ask(Question question) const {
    const std::lock_guard lock(SymbolsMutex());
    try {
      return question();
    } catch (const OpError& e) {
      ThrowFor("", e);
    }
  }

  template <typename Compute>
  c10::SymNode Make(Compute compute) const {
    return Wrap(Ask(compute));
  }
  using Function = Sym (*)(calls::Arguments);
  c10::SymNode Call(Function function) const {
    return Make([&] { return function({&node_, 1}); });
  }
  c10::SymNode Call(Function function, const c10::SymNode& other) const {
    return Make([&] {
      const std::array<Sym, 2> operands = {node_, Read(other)};
      return function(operands);
    });
  }

  c10::SymNode Wrap(Sym node) const { return SymbolOf(node, env_); }

  Sym Read(const c10::SymNode& other) const {
    if (Sym node = ExpressionOf(*other, *env_)) return node;
    Fail(ErrorClass::kValueError,
        "`" + other->str() + "` is a symbol of another ShapeEnv than `" + ToString(node_) + "`");
  }

  Sym Condition() const { return calls::AsCondition(node_); }

  Layout Of(Nodes sizes, Nodes strides) const {
    std::vector<Sym> read[2];
    for (const c10::SymNode& size : sizes) read[0].push_back(Read(size));
    for (const c10::SymNode& stride : strides) read[1].push_back(Read(stride));
    return {*env_, std::move(read[0]), std::move(read[1])};
  }

  c10::SymNode ChannelsLast(Nodes sizes, Nodes strides, size_t rank) {
    return Make([&] {
      const Layout l = Of(sizes, strides);
      return l.rank() == rank ? l.IsPacked(l.ChannelsLast()) : env_->Truth(false);
    });
  }

  c10::SymNode ChannelsLastStrides(Nodes sizes, Nodes strides, size_t rank) {
    return Make([&] {
      const Layout l = Of(sizes, strides);
      return l.rank() == rank ? l.HasChannelsLastStrides() : env_->Truth(false);
    });
  }

  const Sym node_;
  const std::shared_ptr<ShapeEnv> env_;
};

}  // namespace

std::recursive_mutex& SymbolsMutex() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

c10::SymNode SymbolOf(Sym expression, std::shared_ptr<ShapeEnv> env) {
  return c10::make_intrusive<Symbol>(expression, std::move(env));
}

Sym ExpressionOf(const c10::SymNodeImpl& symbol, ShapeEnv& env) {
  auto& other = const_cast<c10::SymNodeImpl&>(symbol);
  if (const auto* ours = dynamic_cast<const Symbol*>(&symbol)) return ours->IsOf(env) ? ours->node() : nullptr;
  if (const auto number = other.constant_int()) return env.Integer(*number);
  if (const auto truth = other.constant_bool()) return env.Truth(*truth);
  return nullptr;
}

}  // namespace fakeprop::fake
