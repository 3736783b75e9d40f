// Operator calls read from text and written as text; call_text.h has the syntax.
#pragma once

#include <memory>
#include <string>

#include "lib/rules/core/bind_arguments.h"
#include "lib/schema/schema.h"

namespace fakeprop::testing {

struct ParsedCall {
  std::string op;                        // "aten::add.Tensor"
  const Schema* schema = nullptr;        // null if there is no operator of that name
  std::vector<GivenArgument> arguments;  // as written
  std::vector<Tensor*> tensors;          // in the order of the text
  ObjectTable objects;
  std::unique_ptr<const std::string> text;  // the names of the arguments point into it
};

// Throws std::invalid_argument if the text is not a call.
ParsedCall ParseCall(std::string text);
std::string CallText(const ParsedCall& call);

// The schema's argument for the i-th argument in the text, which must exist.
const SchemaArgument& ArgumentOf(const ParsedCall& call, size_t i);

std::string TensorText(const TensorMeta& meta);
std::string TensorText(const Tensor& tensor);
// A tensor of a sparse layout, of the texts of its parts: indices first, values last.
std::string SparseText(const TensorMeta& whole, const std::vector<std::string>& parts, bool is_coalesced);

}  // namespace fakeprop::testing
