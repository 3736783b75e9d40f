#include "lib/python/python_arguments.h"

#include "lib/base/check.h"
#include "lib/error/error.h"
#include "lib/python/python_expression.h"

namespace fakeprop {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The next parameter's text; commas inside brackets and quotes do not end it.
std::string_view TakeParameter(std::string_view& text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') quoted = !quoted;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || depth > 0 || quoted) continue;
    const std::string_view parameter = text.substr(0, i);
    text.remove_prefix(i + 1);
    return Trim(parameter);
  }
  const std::string_view parameter = text;
  text = {};
  return Trim(parameter);
}

[[noreturn]] void FailType(std::string_view name, const Value& value, std::string_view expected) {
  Fail(ErrorClass::kTypeError,
      "the argument `" + std::string(name) + "` has to be " + std::string(expected) + ", not " + ToString(value));
}

const Value* FindNamed(const std::vector<std::pair<std::string, Value>>& values, std::string_view name) {
  for (const auto& [known, value] : values)
    if (known == name) return &value;
  return nullptr;
}

}  // namespace

const Value* PythonArguments::Keyword(std::string_view name) const { return FindNamed(keywords, name); }

Value PythonArguments::Take(std::string_view name) {
  for (size_t i = 0; i < keywords.size(); ++i) {
    if (keywords[i].first != name) continue;
    Value value = std::move(keywords[i].second);
    keywords.erase(keywords.begin() + static_cast<std::ptrdiff_t>(i));
    return value;
  }
  return {};
}

void Bindings::Set(std::string_view name, Value value) {
  for (auto& [known, old] : values_)
    if (known == name) {
      old = std::move(value);
      return;
    }
  values_.emplace_back(std::string(name), std::move(value));
}

const Value* Bindings::Find(std::string_view name) const { return FindNamed(values_, name); }

const Value& Bindings::operator[](std::string_view name) const {
  const Value* value = Find(name);
  if (!value) throw InternalError("a Python function's table has no parameter " + std::string(name));
  return *value;
}

bool Bindings::Bool(std::string_view name) const {
  const Value& value = (*this)[name];
  if (auto b = value.TryGet<bool>()) return *b;
  if (auto i = value.TryGet<Dim>()) return Guard(Ne(*i, 0));
  if (value.IsNone()) return false;
  FailType(name, value, "a bool");
}

int64_t Bindings::Int(std::string_view name) const {
  const Value& value = (*this)[name];
  if (auto i = value.TryGet<Dim>()) return i->Specialize();
  if (auto b = value.TryGet<bool>()) return *b;
  FailType(name, value, "an int");
}

double Bindings::Float(std::string_view name) const {
  const Value& value = (*this)[name];
  if (auto d = value.TryGet<double>()) return *d;
  return static_cast<double>(Int(name));
}

std::string_view Bindings::String(std::string_view name) const {
  const Value& value = (*this)[name];
  if (auto s = value.TryGet<std::string>()) return *s;
  FailType(name, value, "a string");
}

Tensor& Bindings::TensorOf(std::string_view name) const {
  const Value& value = (*this)[name];
  if (Tensor* t = value.TryTensor()) return *t;
  FailType(name, value, "a tensor");
}

namespace {

template <typename T>
const T& As(const Value& value, const char* kind) {
  if (const T* found = value.TryGet<T>()) return *found;
  Fail(ErrorClass::kTypeError, std::string("expected ") + kind + ", not " + PythonTypeName(value));
}

}  // namespace

Tensor& AsTensor(const Value& value) { return *As<Tensor*>(value, "a tensor"); }
const Dim& AsInt(const Value& value) { return As<Dim>(value, "an int"); }
double AsFloat(const Value& value) {
  const double* number = value.TryGet<double>();
  return number ? *number : static_cast<double>(As<Dim>(value, "a number").Specialize());
}
ScalarType AsDtype(const Value& value) { return As<ScalarType>(value, "a dtype"); }
const std::string& AsString(const Value& value) { return As<std::string>(value, "a string"); }
const std::vector<Value>& AsItems(const Value& value) { return As<List>(value, "a list").items; }

const Dim& SizeIn(const TensorMeta& meta, int64_t dimension) {
  if (dimension >= 0 && dimension < meta.rank()) return meta.sizes[static_cast<size_t>(dimension)];
  Fail(ErrorClass::kIndexOutOfRange, "a tensor of " + std::to_string(meta.rank()) + " dimensions has too few");
}

int64_t ToInt(double number) {
  if (number >= -0x1p63 && number < 0x1p63) return static_cast<int64_t>(number);
  Fail(ErrorClass::kOverflow, "an integer is as large as " + ToString(Value(number)));
}

Signature::Signature(std::string_view text) {
  const size_t open = text.find('(');
  FAKEPROP_CHECK(open != std::string_view::npos && text.ends_with(')'));
  name_ = Trim(text.substr(0, open));
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  bool keyword_only = false;
  while (!Trim(rest).empty()) {
    std::string_view part = TakeParameter(rest);
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    Parameter parameter;
    parameter.is_keyword_only = keyword_only;
    if (part.starts_with('*')) {
      parameter.is_variadic = keyword_only = true;
      part.remove_prefix(1);
    }
    const size_t equals = part.find('=');
    parameter.name = Trim(part.substr(0, equals));
    parameter.has_default = equals != std::string_view::npos;
    if (parameter.has_default) parameter.default_value = ParsePythonLiteral(Trim(part.substr(equals + 1)));
    parameters_.push_back(std::move(parameter));
  }
}

bool Signature::Has(std::string_view parameter) const {
  for (const Parameter& known : parameters_)
    if (known.name == parameter) return true;
  return false;
}

std::vector<std::string_view> Signature::Parameters() const {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
  return names;
}

Bindings Signature::Bind(PythonArguments&& arguments) const {
  Bindings bound;
  size_t next = 0;
  for (const Parameter& parameter : parameters_) {
    if (parameter.is_variadic) {
      List rest;
      rest.is_tuple = true;
      for (; next < arguments.positional.size(); ++next) rest.items.push_back(std::move(arguments.positional[next]));
      bound.Set(parameter.name, std::move(rest));
      continue;
    }
    const bool has_keyword = arguments.Keyword(parameter.name);
    if (!parameter.is_keyword_only && next < arguments.positional.size()) {
      if (has_keyword) Fail(ErrorClass::kTypeError, name_ + " is given `" + parameter.name + "` twice");
      bound.Set(parameter.name, std::move(arguments.positional[next++]));
    } else if (has_keyword) {
      bound.Set(parameter.name, arguments.Take(parameter.name));
    } else if (parameter.has_default) {
      bound.Set(parameter.name, parameter.default_value);
    } else {
      Fail(ErrorClass::kTypeError, name_ + " needs its argument `" + parameter.name + "`");
    }
  }
  if (next < arguments.positional.size())
    Fail(ErrorClass::kTypeError, name_ + " takes " + std::to_string(next) + " arguments by position, not " +
                                     std::to_string(arguments.positional.size()));
  if (!arguments.keywords.empty())
    Fail(ErrorClass::kTypeError, name_ + " has no argument `" + arguments.keywords[0].first + "`");
  return bound;
}

std::string PythonTypeName(const Value& value) {
  if (value.TryTensor()) return "Tensor";
  if (value.IsNone()) return "None";
  if (value.Is<bool>()) return "bool";
  if (value.Is<Dim>()) return "int";
  if (value.Is<double>()) return "float";
  if (value.Is<std::complex<double>>()) return "complex";
  if (value.Is<std::string>()) return "str";
  if (value.Is<ScalarType>()) return "dtype";
  if (value.Is<Device>()) return "device";
  if (value.Is<Slice>()) return "slice";
  if (const List* list = value.TryList()) return list->is_tuple ? "tuple" : "list";
  if (value.Is<Dict>()) return "dict";
  return ToString(value);
}

}  // namespace fakeprop
