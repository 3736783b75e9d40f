// A value: the result of a node, an argument of an operator, or an argument in a graph without references to nodes.
// Those with references are in lib/graph/open_value.h.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lib/meta/objects.h"

namespace fakeprop {

class Value;

struct GraphRef {  // a subgraph, by its index in Graph::subgraphs
  int32_t index;
};
struct List {
  std::vector<Value> items;
  bool is_tuple = false;
};
struct Dict {
  std::vector<std::pair<Value, Value>> items;
};
struct Slice {
  std::vector<Value> bounds;  // start, stop, step
};
// A value without a shape: a script object, an effect token. `name` is its name in the graph.
struct Opaque {
  std::string class_name;
  std::string name;
};
// A list, dict or object of TorchScript. Several values can refer to it and change it. It has the current content; that
// of an object is a Dict of its fields.
struct SharedValue {
  std::shared_ptr<Value> to;
  std::string class_name;  // of an object
};
struct Operator {  // an operator as an argument, by its target's spelling
  std::string target;
};

// A float or bool that is an expression over symbols; a symbolic integer is a Dim.
struct Symbolic {
  const SymNode* expression;
};

class Value {
 public:
  using Variant = std::variant<std::monostate, Tensor*, Dim, double, bool, std::complex<double>, ScalarType, Device,
      Layout, MemoryFormat, GraphRef, std::string, List, Dict, Slice, Opaque, Operator, SharedValue, Symbolic>;

  Value() = default;
  Value(Tensor* v) : v_(v) {}
  Value(Dim v) : v_(v) {}
  Value(int64_t v) : v_(Dim(v)) {}
  Value(int v) : v_(Dim(v)) {}
  Value(double v) : v_(v) {}
  Value(bool v) : v_(v) {}
  Value(std::complex<double> v) : v_(v) {}
  Value(ScalarType v) : v_(v) {}
  Value(Device v) : v_(v) {}
  Value(Layout v) : v_(v) {}
  Value(MemoryFormat v) : v_(v) {}
  Value(GraphRef v) : v_(v) {}
  Value(std::string v) : v_(std::move(v)) {}
  Value(const char* v) : v_(std::string(v)) {}
  Value(List v) : v_(std::move(v)) {}
  Value(Dict v) : v_(std::move(v)) {}
  Value(Slice v) : v_(std::move(v)) {}
  Value(Opaque v) : v_(std::move(v)) {}
  Value(Operator v) : v_(std::move(v)) {}
  Value(SharedValue v) : v_(std::move(v)) {}
  // Makes a value of an expression. An integer becomes a Dim, and a constant a number, float or bool.
  static Value Of(const SymNode* expression);

  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(v_);
  }
  template <typename T>
  const T* TryGet() const {
    return std::get_if<T>(&v_);
  }
  template <typename T>
  T* TryGet() {
    return std::get_if<T>(&v_);
  }
  template <typename T>
  const T& Get() const {
    return std::get<T>(v_);
  }

  bool IsNone() const { return Is<std::monostate>(); }
  Tensor* TryTensor() const {
    auto p = TryGet<Tensor*>();
    return p ? *p : nullptr;
  }
  // int, float, bool or complex, symbols included.
  bool IsNumber() const {
    return Is<Dim>() || Is<double>() || Is<bool>() || Is<std::complex<double>>() || Is<Symbolic>();
  }
  // A float or bool with symbols in it.
  bool IsSymbolicFloat() const;
  bool IsSymbolicBool() const;
  const List* TryList() const { return TryGet<List>(); }

  const Variant& variant() const { return v_; }

 private:
  Variant v_;
};

// A short text for messages: `3`, `[1, 2]`, `f32[2, 3]`, `"mean"`.
std::string ToString(const Value& value);

}  // namespace fakeprop
