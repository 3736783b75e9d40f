#include "lib/contract/code_runtime.h"

namespace fakeprop {

const std::string_view kCppRuntime = R"code(
// What a caller gives: the metadata of a tensor, an integer, or any other value as text ("None", "true", "0.5").
struct Input {
  enum class Kind { kTensor, kInteger, kOther } kind = Kind::kOther;
  std::string dtype, device;  // "float32", "cuda:0"
  std::vector<std::int64_t> sizes;
  std::int64_t integer = 0;
  std::string text;

  static Input Tensor(std::string dtype, std::string device, std::vector<std::int64_t> sizes) {
    return {Kind::kTensor, std::move(dtype), std::move(device), std::move(sizes), 0, ""};
  }
  static Input Integer(std::int64_t value) { return {Kind::kInteger, "", "", {}, value, ""}; }
  static Input Other(std::string text) { return {Kind::kOther, "", "", {}, 0, std::move(text)}; }
};

namespace detail {

// An integer that is not known once a result is undefined or leaves 64 bits.
struct Int {
  std::int64_t value = 0;
  bool known = true;
  constexpr Int(std::int64_t v = 0) : value(v) {}
  static Int Unknown() {
    Int result;
    result.known = false;
    return result;
  }
};
inline Int operator+(Int a, Int b) {
  Int r;
  r.known = a.known && b.known && !__builtin_add_overflow(a.value, b.value, &r.value);
  return r;
}
inline Int operator-(Int a, Int b) {
  Int r;
  r.known = a.known && b.known && !__builtin_sub_overflow(a.value, b.value, &r.value);
  return r;
}
inline Int operator*(Int a, Int b) {
  Int r;
  r.known = a.known && b.known && !__builtin_mul_overflow(a.value, b.value, &r.value);
  return r;
}
inline Int floor_div(Int a, Int b) {
  if (!a.known || !b.known || b.value == 0 || (a.value == INT64_MIN && b.value == -1)) return Int::Unknown();
  return a.value / b.value - (a.value % b.value != 0 && (a.value < 0) != (b.value < 0));
}
inline Int mod(Int a, Int b) {
  if (!a.known || !b.known || b.value == 0) return Int::Unknown();
  if (b.value == -1) return 0;
  const std::int64_t rest = a.value % b.value;
  return rest != 0 && (rest < 0) != (b.value < 0) ? rest + b.value : rest;
}
inline Int power(Int base, Int exponent) {
  if (!base.known || !exponent.known || exponent.value < 0) return Int::Unknown();
  std::int64_t left = exponent.value;
  // Any other base leaves 64 bits within 63 steps.
  if (base.value >= -1 && base.value <= 1 && left > 2) left = 2 - left % 2;
  Int result = 1;
  for (; left > 0 && result.known; --left) result = result * base;
  return result;
}
inline Int least(Int a) { return a; }
template <typename... Rest>
Int least(Int a, Rest... rest) {
  const Int b = least(rest...);
  return !a.known || !b.known ? Int::Unknown() : a.value < b.value ? a : b;
}
inline Int greatest(Int a) { return a; }
template <typename... Rest>
Int greatest(Int a, Rest... rest) {
  const Int b = greatest(rest...);
  return !a.known || !b.known ? Int::Unknown() : a.value > b.value ? a : b;
}

enum class Truth { kNo, kYes, kUnknown };
inline Truth truth(bool value) { return value ? Truth::kYes : Truth::kNo; }
inline Truth is_zero(Int a) { return a.known ? truth(a.value == 0) : Truth::kUnknown; }
inline Truth at_most_zero(Int a) { return a.known ? truth(a.value <= 0) : Truth::kUnknown; }
inline Truth negated(Truth a) { return a == Truth::kUnknown ? a : truth(a == Truth::kNo); }
template <typename... Rest>
Truth all_of(Rest... a) {
  if (((a == Truth::kNo) || ...)) return Truth::kNo;
  return ((a == Truth::kUnknown) || ...) ? Truth::kUnknown : Truth::kYes;
}
template <typename... Rest>
Truth any_of(Rest... a) {
  if (((a == Truth::kYes) || ...)) return Truth::kYes;
  return ((a == Truth::kUnknown) || ...) ? Truth::kUnknown : Truth::kNo;
}
inline Int where(Truth condition, Int a, Int b) {
  return condition == Truth::kUnknown ? Int::Unknown() : condition == Truth::kYes ? a : b;
}

class Checker {
 public:
  Checker(const std::vector<Input>& inputs, std::size_t count) : inputs_(inputs) {
    if (inputs.size() != count)
      Add("there are " + std::to_string(inputs.size()) + " inputs, there have to be " + std::to_string(count));
  }
  void tensor(std::size_t i, const char* name, const char* dtype, const char* device, std::size_t rank) {
    if (i >= inputs_.size()) return;
    const Input& input = inputs_[i];
    if (input.kind != Input::Kind::kTensor) return Is(name, "no tensor", "one");
    if (input.dtype != dtype) Is(name, "of dtype " + input.dtype, dtype);
    if (WithIndex(input.device) != device) Is(name, "on device " + input.device, device);
    if (input.sizes.size() != rank)
      Is(name, "of " + std::to_string(input.sizes.size()) + " dimensions", std::to_string(rank));
  }
  void integer(std::size_t i, const char* name) {
    if (i < inputs_.size() && inputs_[i].kind != Input::Kind::kInteger) Is(name, "no integer", "one");
  }
  void other(std::size_t i, const char* name, const char* text) {
    if (i < inputs_.size() && (inputs_[i].kind != Input::Kind::kOther || inputs_[i].text != text))
      Is(name, "another value", text);
  }
  // Returns true if all sizes are there.
  bool ready() const { return broken_.empty(); }
  std::vector<std::string> done() { return std::move(broken_); }

  Int size(std::size_t i, std::size_t dimension) const { return inputs_[i].sizes[dimension]; }
  Int value(std::size_t i) const { return inputs_[i].integer; }
  // The quotient of sizes that have to divide.
  Int quotient(Int a, Int b, const char* what, const char* text) {
    if (is_zero(mod(a, b)) != Truth::kYes) Add(std::string(what) + " is not what it has to be: " + text);
    return floor_div(a, b);
  }
  void has_to_be(Int seen, Int wanted, const char* what, const char* text) {
    if (is_zero(seen - wanted) == Truth::kYes) return;
    const std::string number = wanted.known ? std::to_string(wanted.value) : "undefined";
    Is(what, std::to_string(seen.value), text == number ? number : std::string(text) + " = " + number);
  }
  void at_least(Int size, std::int64_t low, const char* what) {
    if (size.value < low) Is(what, std::to_string(size.value), "at least " + std::to_string(low));
  }
  void at_most(Int size, std::int64_t high, const char* what) {
    if (size.value > high) Is(what, std::to_string(size.value), "at most " + std::to_string(high));
  }
  void multiple_of(Int size, std::int64_t of, const char* what) {
    if (size.value % of != 0) Is(what, std::to_string(size.value), "a multiple of " + std::to_string(of));
  }
  void demand(Truth holds, const char* text, std::initializer_list<std::pair<const char*, Int>> sizes) {
    if (holds == Truth::kYes) return;
    std::string message = std::string("the sizes violate ") + text;
    const char* between = " where ";
    for (const auto& [what, size] : sizes) {
      message += between + (what + (" is " + std::to_string(size.value)));
      between = ", ";
    }
    Add(message);
  }

 private:
  static std::string WithIndex(const std::string& device) { return device == "cuda" ? "cuda:0" : device; }
  void Is(const char* what, const std::string& seen, const std::string& wanted) {
    Add(std::string(what) + " is " + seen + ", has to be " + wanted);
  }
  void Add(std::string text) { broken_.push_back(std::move(text)); }

  const std::vector<Input>& inputs_;
  std::vector<std::string> broken_;
};

}  // namespace detail
)code";

const std::string_view kPythonRuntime = R"code(
import collections.abc


def floor_div(a, b):
    return a // b


def mod(a, b):
    return a % b


def power(base, exponent):
    if exponent < 0:
        raise ArithmeticError("a negative exponent")
    return base**exponent


def least(*numbers):
    return min(numbers)


def greatest(*numbers):
    return max(numbers)


def where(condition, a, b):
    return a if condition else b


def is_zero(a):
    return a == 0


def at_most_zero(a):
    return a <= 0


def negated(a):
    return not a


def all_of(*conditions):
    return all(conditions)


def any_of(*conditions):
    return any(conditions)


class Checker:
    def __init__(self, inputs, names):
        self.broken = []
        if isinstance(inputs, collections.abc.Mapping):
            self.broken += [f"there is no input {name}" for name in inputs if name not in names]
            self.broken += [f"input {name} is missing" for name in names if name not in inputs]
            inputs = [inputs.get(name) for name in names] if not self.broken else []
        elif len(inputs) != len(names):
            self.broken.append(f"there are {len(inputs)} inputs, there have to be {len(names)}")
        self.inputs = list(inputs)

    def _is(self, what, seen, wanted):
        self.broken.append(f"{what} is {seen}, has to be {wanted}")

    def tensor(self, i, name, dtype, device, rank):
        if i >= len(self.inputs):
            return
        given = self.inputs[i]
        if not all(hasattr(given, field) for field in ("dtype", "device", "shape")):
            self._is(name, "no tensor", "one")
            return
        seen, place = str(given.dtype).removeprefix("torch."), str(given.device)
        if seen != dtype:
            self._is(name, f"of dtype {seen}", dtype)
        if (place + ":0" if place == "cuda" else place) != device:
            self._is(name, f"on device {place}", device)
        if len(given.shape) != rank:
            self._is(name, f"of {len(given.shape)} dimensions", rank)

    def integer(self, i, name):
        if i < len(self.inputs) and (isinstance(self.inputs[i], bool) or not isinstance(self.inputs[i], int)):
            self._is(name, "no integer", "one")

    def other(self, i, name, text):
        if i >= len(self.inputs):
            return
        given = self.inputs[i]
        seen = str(given).lower() if isinstance(given, bool) else str(given)
        if seen != text:
            self._is(name, "another value", text)

    def ready(self):
        return not self.broken

    def done(self):
        return self.broken

    def size(self, i, dimension):
        return int(self.inputs[i].shape[dimension])

    def value(self, i):
        return self.inputs[i]

    def quotient(self, a, b, what, text):
        if a % b:
            self.broken.append(f"{what} is not what it has to be: {text}")
        return a // b

    def has_to_be(self, seen, wanted, what, text):
        try:
            number = wanted()
        except ArithmeticError:
            number = None
        if seen != number:
            self._is(what, seen, number if text == str(number) else f"{text} = {number}")

    def at_least(self, size, low, what):
        if size < low:
            self._is(what, size, f"at least {low}")

    def at_most(self, size, high, what):
        if size > high:
            self._is(what, size, f"at most {high}")

    def multiple_of(self, size, of, what):
        if size % of:
            self._is(what, size, f"a multiple of {of}")

    def demand(self, holds, text, sizes):
        try:
            if holds():
                return
        except ArithmeticError:
            pass
        values = ", ".join(f"{what} is {size}" for what, size in sizes)
        self.broken.append(f"the sizes violate {text}" + (f" where {values}" if values else ""))
)code";

}  // namespace fakeprop
