// The arguments of a call in Python, and how a signature binds them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/meta/value.h"

namespace fakeprop {

struct PythonArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;

  // The value of the keyword, or null.
  const Value* Keyword(std::string_view name) const;
  // Removes a keyword and returns its value; None if it is not there.
  Value Take(std::string_view name);
};

// Names and their values, in the order of a signature.
class Bindings {
 public:
  void Set(std::string_view name, Value value);
  bool Has(std::string_view name) const { return Find(name); }
  const Value* Find(std::string_view name) const;
  // The value of a name, which must exist.
  const Value& operator[](std::string_view name) const;

  bool IsNone(std::string_view name) const { return (*this)[name].IsNone(); }
  bool Bool(std::string_view name) const;
  int64_t Int(std::string_view name) const;
  double Float(std::string_view name) const;
  std::string_view String(std::string_view name) const;
  Tensor& TensorOf(std::string_view name) const;

  const std::vector<std::pair<std::string, Value>>& values() const { return values_; }

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

// "conv2d(input, weight, bias=None, *sizes)": the names of a function's parameters with their defaults.
class Signature {
 public:
  explicit Signature(std::string_view text);

  const std::string& name() const { return name_; }
  bool Has(std::string_view parameter) const;
  std::vector<std::string_view> Parameters() const;
  // Binds arguments as Python does. Throws an OpError of class TypeError if they do not fit. `*name` takes the
  // remaining ones.
  Bindings Bind(PythonArguments&& arguments) const;

 private:
  struct Parameter {
    std::string name;
    bool has_default = false;
    Value default_value;
    bool is_variadic = false;
    bool is_keyword_only = false;
  };
  std::string name_;
  std::vector<Parameter> parameters_;
};

// These read a value of a required type. For another type they throw an OpError of class TypeError that names it.
Tensor& AsTensor(const Value& value);
const Dim& AsInt(const Value& value);
double AsFloat(const Value& value);  // also takes an int
ScalarType AsDtype(const Value& value);
const std::string& AsString(const Value& value);
const std::vector<Value>& AsItems(const Value& value);  // of a list or tuple

// The size of a tensor in a dimension. Throws OpError if the tensor does not have the dimension.
const Dim& SizeIn(const TensorMeta& meta, int64_t dimension);
// The whole part of a number, as Python's int(). Throws OpError if there is none, or if it leaves int64.
int64_t ToInt(double number);

// The type of a value in Python, for messages: "a tensor", "int", "list".
std::string PythonTypeName(const Value& value);

}  // namespace fakeprop
