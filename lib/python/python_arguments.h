// The arguments of a call of Python, and how a signature takes them.
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

  // The keyword's value, or null.
  const Value* Keyword(std::string_view name) const;
  // Takes a keyword away and gives its value; None if it is not there.
  Value Take(std::string_view name);
};

// Names and their values, in the order of a signature.
class Bindings {
 public:
  void Set(std::string_view name, Value value);
  bool Has(std::string_view name) const { return Find(name); }
  const Value* Find(std::string_view name) const;
  // A name that has to be there.
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
  // Matches as Python does; what does not fit is an OpError of class TypeError. `*name` takes what is left over.
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

// A value that has to be of a kind; anything else is an OpError of class TypeError that says what it is.
Tensor& AsTensor(const Value& value);
const Dim& AsInt(const Value& value);
double AsFloat(const Value& value);  // of an int too
ScalarType AsDtype(const Value& value);
const std::string& AsString(const Value& value);
const std::vector<Value>& AsItems(const Value& value);  // of a list or tuple

// A tensor's size in a dimension that it may not have, which is an error.
const Dim& SizeIn(const TensorMeta& meta, int64_t dimension);
// The whole part of a number, as Python's int(); what has none or leaves int64 is an error.
int64_t ToInt(double number);

// What Python says a value is: "a tensor", "int", "list": for messages.
std::string PythonTypeName(const Value& value);

}  // namespace fakeprop
