#include "lib/rules/testing/symbolic_call.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_text.h"
#include "lib/rules/testing/parsed_call.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::testing {
namespace {

// The dimensions with the smallest stride first, and of equal strides the last first.
std::vector<size_t> InnermostFirst(const Dims& strides) {
  std::vector<size_t> order(strides.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a].raw() < strides[b].raw(); });
  return order;
}

class Symbols {
 public:
  explicit Symbols(ShapeEnv& env) : env_(env) {}

  void Put(TensorMeta& meta, const std::string& tensor) {
    const Dims sizes = meta.sizes, strides = meta.strides;
    for (size_t d = 0; d < sizes.size(); ++d) meta.sizes[d] = SymbolFor(sizes[d], tensor + "s" + std::to_string(d));
    const std::vector<size_t> order = InnermostFirst(strides);
    for (size_t k = 0; k < order.size(); ++k)
      meta.strides[order[k]] = Stride(meta, sizes, strides, {order.data(), k + 1}, tensor);
    meta.storage_offset = SymbolFor(meta.storage_offset, tensor + "o");
  }

  // In the place of an argument's numbers.
  void PutArgument(Value& value) {
    value = MapValues(value, [this](const Value& inner) -> Value {
      const Dim* number = inner.TryGet<Dim>();
      return number ? SymbolFor(*number, "a" + std::to_string(next_argument_++)) : inner;
    });
  }

 private:
  // The stride of the last of the dimensions `order` by another of them that has it for its extent.
  Dim Stride(const TensorMeta& meta, const Dims& sizes, const Dims& strides, std::span<const size_t> order,
      const std::string& tensor) {
    const Dim stride = strides[order.back()];
    if (stride.raw() <= 1) return stride;
    for (size_t i = order.size() - 1; i-- > 0;) {
      const size_t inner = order[i];
      if (sizes[inner].raw() * strides[inner].raw() == stride.raw()) return meta.sizes[inner] * meta.strides[inner];
    }
    return SymbolFor(stride, tensor + "d" + std::to_string(order.back()));
  }

  Dim SymbolFor(Dim number, const std::string& name) {
    if (number.raw() < 2) return number;
    return Dim::Of(env_.NewSymbol(name, {2, Range::kNoHigh}, number.raw(), "the call"));
  }

  ShapeEnv& env_;
  int next_argument_ = 0;
};

// ---- effects with numbers for their symbols

void PutHints(Dims& dims) {
  for (Dim& d : dims) d = d.Hint().value_or(-1);
}

void PutHints(TensorMeta& meta) {
  PutHints(meta.sizes);
  PutHints(meta.strides);
  meta.storage_offset = meta.storage_offset.Hint().value_or(-1);
}

Value AtHint(const Value& value) {
  if (const Dim* d = value.TryGet<Dim>()) return d->Hint().value_or(-1);
  const Symbolic* symbolic = value.TryGet<Symbolic>();
  if (!symbolic || !symbolic->expression->hint) return value;
  const SymNumber number = *symbolic->expression->hint;
  return number.type == SymType::kBool ? Value(number.Truth()) : Value(number.real);
}

void PutHints(Output& output) {
  PutHints(output.meta);
  output.value = MapValues(output.value, AtHint);
  for (Output& item : output.items) PutHints(item);
}

void PutHints(Effects& effects) {
  for (Output& output : effects.outputs) PutHints(output);
  for (Mutation& mutation : effects.mutations)
    if (mutation.meta) PutHints(*mutation.meta);
}

}  // namespace

SymbolicAnswer RunSymbolic(const std::string& text, SymInts sym_ints) {
  ShapeEnv env;
  const CurrentShapeEnv current(&env);
  ParsedCall call = ParseCall(text);
  Symbols symbols(env);
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    Tensor& t = *call.tensors[i];
    symbols.Put(t.meta, "t" + std::to_string(i));
    t.storage->nbytes = StorageNbytes(t.meta);
  }
  for (size_t i = 0; i < call.arguments.size() && sym_ints == SymInts::kSymbols; ++i)
    if (ArgumentOf(call, i).type.kind == TypeKind::kSymInt) symbols.PutArgument(call.arguments[i].value);
  SymbolicAnswer answer;
  const std::string effects = RunParsedWith(call, {}, true, [&](Call& c) {
    RunRule(*FindRule(c.schema()), c);
    PutHints(c.effects());
  });
  answer.effects = effects.substr(0, effects.starts_with('!') ? effects.find(':') : std::string::npos);
  answer.message = effects.starts_with('!') ? effects : "";
  for (const GuardRecord& guard : env.guards()) answer.guards.push_back(ToString(guard.expression));
  for (const SymbolInfo& symbol : env.symbols())
    if (!symbol.is_unbacked && env.RangeOf(env.Simplify(symbol.node)).IsPoint())
      answer.specialised.push_back(ToString(symbol.node));
  answer.call = CallText(call);
  return answer;
}

}  // namespace fakeprop::testing
