// Operator calls read from text and written as text; call_text.h has the syntax.
#pragma once

#include <memory>
#include <string>

#include "lib/rules/core/bind_arguments.h"
#include "lib/schema/schema.h"

namespace fakeprop::testing {

struct ParsedCall {
  std::string op;                        // "aten::add.Tensor"
  const Schema* schema = nullptr;        // null where there is none of that name
  std::vector<GivenArgument> arguments;  // as written
  std::vector<Tensor*> tensors;          // in the order of the text
  ObjectTable objects;
  std::unique_ptr<const std::string> text;  // which the arguments' names point into
};

// A text that is no call is a std::invalid_argument.
ParsedCall ParseCall(std::string text);
std::string CallText(const ParsedCall& call);

// What the schema says of the i-th argument as written, which must have one there.
const SchemaArgument& ArgumentOf(const ParsedCall& call, size_t i);

std::string TensorText(const TensorMeta& meta);

}  // namespace fakeprop::testing
