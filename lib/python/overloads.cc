#include "lib/python/overloads.h"

#include <algorithm>

#include "lib/meta/device_name.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// Overloads that Python does not bind: a number goes to the one for tensors (SKIP_PYTHON_BINDINGS_SIGNATURES).
constexpr std::string_view kUnbound[] = {"aten::add.Scalar", "aten::add_.Scalar", "aten::div.Scalar",
    "aten::div_.Scalar", "aten::mul.Scalar", "aten::mul_.Scalar", "aten::sub.Scalar", "aten::sub_.Scalar"};

// should_allow_numbers_as_tensors
constexpr std::string_view kTakesNumbers[] = {"_conj", "_to_copy", "add", "copy", "div", "divide", "floor_divide",
    "mul", "multiply", "sub", "subtract", "to", "true_divide"};

// Other names of parameters: numpy_compatibility_arg_names, and `input` of functions.
struct Alias {
  std::string_view schema;
  std::string_view python;
};
constexpr Alias kAliases[] = {{"self", "input"}, {"self", "x"}, {"self", "a"}, {"self", "x1"}, {"dim", "axis"},
    {"keepdim", "keepdims"}, {"other", "x2"}};

bool IsPythonName(std::string_view schema_name, std::string_view python_name) {
  if (schema_name == python_name) return true;
  for (const Alias& alias : kAliases)
    if (alias.schema == schema_name && alias.python == python_name) return true;
  return false;
}

// How far a value may be converted to fit.
enum class Leniency { kStrict, kNumbersAsTensors, kTensorsAsNumbers };

// Whether ints by position may be the one list of ints (x.view(2, 3)).
enum class Spreading { kNone, kAllowed };

bool IsScalarTensor(const Value& value, Leniency leniency) {
  const Tensor* t = value.TryTensor();
  return t && leniency == Leniency::kTensorsAsNumbers && t->meta.rank() == 0 && !t->RequiresGrad();
}

bool FitsOne(const Type& type, const Value& value, Leniency leniency) {
  switch (type.kind) {
    case TypeKind::kTensor: return value.TryTensor() || (leniency == Leniency::kNumbersAsTensors && value.IsNumber());
    case TypeKind::kInt:
    case TypeKind::kSymInt: return value.Is<Dim>() || IsScalarTensor(value, leniency);
    case TypeKind::kFloat: return value.Is<Dim>() || value.Is<double>() || IsScalarTensor(value, leniency);
    case TypeKind::kBool: return value.Is<bool>();
    case TypeKind::kScalar: return value.IsNumber() || IsScalarTensor(value, leniency);
    case TypeKind::kComplex: return value.IsNumber();
    case TypeKind::kString: return value.Is<std::string>();
    case TypeKind::kDtype: return value.Is<ScalarType>();
    case TypeKind::kDevice: return value.Is<Device>() || value.Is<std::string>();
    case TypeKind::kLayout: return value.Is<Layout>();
    case TypeKind::kMemoryFormat: return value.Is<MemoryFormat>();
    default: return value.Is<Opaque>() && type.kind != TypeKind::kDimname;
  }
}

// The n of "int[n]"; 0 where there is none.
int64_t FixedLength(const Type& type) {
  const size_t open = type.text.find('[');
  if (open == std::string_view::npos) return 0;
  int64_t length = 0;
  for (size_t i = open + 1; i < type.text.size() && type.text[i] >= '0' && type.text[i] <= '9'; ++i)
    length = length * 10 + (type.text[i] - '0');
  return length;
}

bool Fits(const Type& type, const Value& value, Leniency leniency) {
  if (value.IsNone()) return type.is_optional || type.kind == TypeKind::kGenerator;
  if (!type.is_list) return FitsOne(type, value, leniency);
  const List* list = value.TryList();
  if (!list) return FixedLength(type) > 0 && FitsOne(type, value, leniency);
  // A list of tensors takes no numbers, whatever the operator.
  const Leniency inner = type.kind == TypeKind::kTensor ? Leniency::kStrict : leniency;
  return std::all_of(list->items.begin(), list->items.end(),
      [&](const Value& item) { return (type.is_element_optional && item.IsNone()) || FitsOne(type, item, inner); });
}

// A value as the schema's type has it: an int as a float, a name as a device, one int as a list, a tensor's element.
Value Convert(Python& python, const Type& type, const Value& value) {
  const bool takes_tensor = type.kind == TypeKind::kTensor || type.kind == TypeKind::kAny;
  if (type.is_list) {
    const List* list = value.TryList();
    if (!list && !value.IsNone()) {
      List repeated;
      Type element = type;
      element.is_list = false;
      repeated.items.assign(static_cast<size_t>(FixedLength(type)), Convert(python, element, value));
      return repeated;
    }
    if (!list || takes_tensor) return value;
    List converted = *list;
    Type element = type;
    element.is_list = false;
    for (Value& item : converted.items) item = Convert(python, element, item);
    return converted;
  }
  if (Tensor* t = value.TryTensor(); t && !takes_tensor) return Convert(python, type, python.Item(*t));
  if (type.kind == TypeKind::kFloat && value.Is<Dim>()) return static_cast<double>(AsInt(value).Specialize());
  if (type.kind == TypeKind::kDevice && value.Is<std::string>()) {
    if (auto device = DeviceFromName(value.Get<std::string>())) return *device;
    Fail(ErrorClass::kValueError, "there is no device " + ToString(value));
  }
  return value;
}

// One schema as Python's parser sees it.
class Candidate {
 public:
  Candidate(const Schema& schema, CallForm form) : schema_(schema) {
    size_t positional = 0;
    for (const SchemaArgument& a : schema.arguments) positional += !a.is_keyword_only;
    const size_t first = form == CallForm::kMethod ? 1 : 0;
    // The only positional parameter is a list of ints: its items may stand alone, `x.view(2, 3)`.
    if (positional == first + 1) {
      const Type& type = schema.arguments[first].type;
      const bool is_ints = type.kind == TypeKind::kInt || type.kind == TypeKind::kSymInt;
      if (type.is_list && is_ints) spread_ = first;
    }
    positional_ = positional;
  }

  // One value for each argument of the schema, null for its default; nothing where they do not fit.
  std::optional<std::vector<const Value*>> Match(
      const PythonArguments& arguments, Leniency leniency, Spreading spreading, Value& spread) const {
    std::vector<const Value*> matched(schema_.arguments.size(), nullptr);
    size_t i = 0;
    for (; i < arguments.positional.size(); ++i) {
      if (spreading == Spreading::kAllowed && i == spread_ && !arguments.positional[i].TryList()) {
        spread =
            List{{arguments.positional.begin() + static_cast<std::ptrdiff_t>(i), arguments.positional.end()}, true};
        matched[i] = &spread;
        break;
      }
      if (i >= positional_) return std::nullopt;
      matched[i] = &arguments.positional[i];
    }
    for (const auto& [name, value] : arguments.keywords) {
      const int index = Find(name);
      if (index < 0 || matched[index]) return std::nullopt;
      matched[index] = &value;
    }
    for (size_t k = 0; k < matched.size(); ++k) {
      const SchemaArgument& argument = schema_.arguments[k];
      if (!matched[k] && !argument.default_value) return std::nullopt;
      if (matched[k] && !Fits(argument.type, *matched[k], leniency)) return std::nullopt;
    }
    return matched;
  }

  const Schema& schema() const { return schema_; }

 private:
  int Find(std::string_view name) const {
    for (size_t i = 0; i < schema_.arguments.size(); ++i)
      if (IsPythonName(schema_.arguments[i].name, name)) return static_cast<int>(i);
    return -1;
  }

  const Schema& schema_;
  size_t positional_ = 0;
  size_t spread_ = static_cast<size_t>(-1);
};

// Operators of TorchScript's interpreter alone (aten::split on a list of str) have no kernel at all.
bool IsCallable(const SchemaEntry& entry) {
  constexpr uint32_t kAnyKernel = kHasCompositeImplicit | kHasCompositeExplicit | kHasMeta | kHasCpu;
  if (entry.full_name.starts_with("aten::") && !(entry.flags & kAnyKernel)) return false;
  return std::find(std::begin(kUnbound), std::end(kUnbound), entry.full_name) == std::end(kUnbound);
}

class OverloadSet : public PythonFunction {
 public:
  OverloadSet(std::string_view name, CallForm form) : name_(name.substr(name.find("::") + 2)), form_(form) {
    for (const SchemaEntry& entry : Overloads(name)) {
      if (!IsCallable(entry)) continue;
      const Schema& schema = *FindSchema(entry.full_name);
      (schema.IsOut() ? outs_ : candidates_).emplace_back(schema, form);
    }
    std::string_view functional = name_;
    if (functional.ends_with('_')) functional.remove_suffix(1);
    takes_numbers_ =
        std::find(std::begin(kTakesNumbers), std::end(kTakesNumbers), functional) != std::end(kTakesNumbers);
  }

  bool IsEmpty() const { return candidates_.empty() && outs_.empty(); }

  Value Run(Python& python, PythonArguments&& arguments) const override {
    const Value* out = arguments.Keyword("out");
    const bool to_out = out && !out->IsNone();
    if (out && !to_out) arguments.Take("out");
    const Value requires_grad = arguments.Take("requires_grad");
    for (Leniency leniency : {Leniency::kStrict, Leniency::kNumbersAsTensors, Leniency::kTensorsAsNumbers}) {
      if (leniency == Leniency::kNumbersAsTensors && !takes_numbers_) continue;
      // An overload that takes an int comes before one that takes ints: sort_overloads of PyTorch's
      // tools/autograd/gen_python_functions.py.
      for (Spreading spreading : {Spreading::kNone, Spreading::kAllowed}) {
        for (const Candidate& candidate : to_out ? outs_ : candidates_) {
          if (auto result = Try(python, candidate, arguments, leniency, spreading, to_out)) {
            MarkLeaf(*result, requires_grad);
            return std::move(*result);
          }
        }
      }
    }
    FailNoOverload(arguments);
  }

 private:
  std::optional<Value> Try(Python& python, const Candidate& candidate, const PythonArguments& arguments,
      Leniency leniency, Spreading spreading, bool to_out) const {
    const Schema& schema = candidate.schema();
    std::optional<PythonArguments> spelt;
    if (to_out) {
      spelt = NameOuts(schema, arguments);
      if (!spelt) return std::nullopt;
    }
    Value spread;
    const auto matched = candidate.Match(spelt ? *spelt : arguments, leniency, spreading, spread);
    if (!matched) return std::nullopt;
    std::vector<Value> converted(matched->size());
    std::vector<const Value*> bound(matched->size());
    for (size_t i = 0; i < bound.size(); ++i) {
      const SchemaArgument& argument = schema.arguments[i];
      if ((*matched)[i]) converted[i] = Convert(python, argument.type, *(*matched)[i]);
      bound[i] = (*matched)[i] ? &converted[i] : &*argument.default_value;
    }
    return python.CallSchema(schema, bound);
  }

  // `out` is one tensor, or a tuple of one for each result.
  static std::optional<PythonArguments> NameOuts(const Schema& schema, const PythonArguments& arguments) {
    PythonArguments spelt = arguments;
    const Value out = spelt.Take("out");
    std::vector<std::string_view> names;
    for (const SchemaArgument& a : schema.arguments)
      if (a.IsOut()) names.push_back(a.name);
    const List* list = out.TryList();
    if (!list || names.size() == 1) {
      if (names.size() != 1) return std::nullopt;
      spelt.keywords.emplace_back(std::string(names[0]), out);
      return spelt;
    }
    if (list->items.size() != names.size()) return std::nullopt;
    for (size_t i = 0; i < names.size(); ++i) spelt.keywords.emplace_back(std::string(names[i]), list->items[i]);
    return spelt;
  }

  static void MarkLeaf(const Value& result, const Value& requires_grad) {
    Tensor* t = result.TryTensor();
    if (t && requires_grad.Is<bool>() && requires_grad.Get<bool>()) t->own_requires_grad = true;
  }

  [[noreturn]] void FailNoOverload(const PythonArguments& arguments) const {
    std::string given;
    for (const Value& value : arguments.positional) given += (given.empty() ? "" : ", ") + PythonTypeName(value);
    for (const auto& [name, value] : arguments.keywords)
      given += (given.empty() ? "" : ", ") + name + "=" + PythonTypeName(value);
    std::string known;
    for (const Candidate& candidate : candidates_)
      known += (known.empty() ? "" : "; ") + std::string(candidate.schema().text);
    Fail(ErrorClass::kTypeError, name_ + " does not take (" + given + "): its forms are " + known);
  }

  std::string name_;
  CallForm form_;
  bool takes_numbers_ = false;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> outs_;
};

}  // namespace

std::unique_ptr<PythonFunction> MakeOverloads(std::string_view name, CallForm form) {
  if (Overloads(name).empty()) return nullptr;
  auto function = std::make_unique<OverloadSet>(name, form);
  if (function->IsEmpty()) return nullptr;
  return function;
}

}  // namespace fakeprop
