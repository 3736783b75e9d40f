// What an expression of the code means while it is compiled: mostly a value of the graph, but also functions, methods,
// classes, namespaces and ranges, which no graph has. Torch calls these sugared values.
#pragma once

#include <string>

#include "lib/torchscript/compiler/ir.h"

namespace fakeprop::script {

enum class MeaningKind {
  kValue,
  kNothing,     // the result of print
  kNamespace,   // `torch`, `ops.quantized`: name is that of the operators, "aten"
  kOps,         // `ops`
  kConstants,   // `CONSTANTS`
  kPath,        // `__torch__.zoo`, with nothing at it
  kClass,       // type
  kNamedTuple,  // type
  kEnum,        // type
  kOperator,    // name: "aten::add"
  kCast,        // `int`: type, name of the operator
  kFunction,
  kMethod,  // value: the object; name
  kForm,    // what has rules of its own for its arguments: `annotate`; name
  kRange,   // value: its end; start and step are null if the code gives the end alone
};

struct Meaning {
  MeaningKind kind = MeaningKind::kNothing;
  IrValue* value = nullptr;
  std::string name;
  TypeRef type = nullptr;
  ScriptFunction* function = nullptr;
  IrValue* start = nullptr;
  IrValue* step = nullptr;

  static Meaning Of(IrValue* value) { return {MeaningKind::kValue, value}; }
  static Meaning Named(MeaningKind kind, std::string name) { return {kind, nullptr, std::move(name)}; }
  bool IsValue() const { return kind == MeaningKind::kValue; }
};

}  // namespace fakeprop::script
