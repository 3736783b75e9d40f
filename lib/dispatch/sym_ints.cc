#include "lib/dispatch/sym_ints.h"

#include "lib/dispatch/dispatch_host.h"
#include "lib/symbolic/node.h"

namespace fakeprop::dispatch {
namespace {

const HostSymbols* SymbolsOfHost() {
  const Host* host = Host::Current();
  return host ? host->symbols() : nullptr;
}

Sym ExpressionOf(const c10::SymNode& symbol) {
  const HostSymbols* symbols = SymbolsOfHost();
  if (Sym expression = symbols ? symbols->FromSymbol(*symbol) : nullptr) return expression;
  Fail(ErrorClass::kUnsupportedOperator, "`" + symbol->str() + "` is a symbol that is not known here");
}

c10::SymNode SymbolOf(Sym expression) {
  const HostSymbols* symbols = SymbolsOfHost();
  return symbols ? symbols->ToSymbol(expression) : c10::SymNode();
}

}  // namespace

Dim ToDim(const c10::SymInt& size) {
  if (const auto number = size.maybe_as_int()) return *number;
  return Dim::Of(ExpressionOf(size.toSymNode()));
}

c10::SymInt ToSymInt(Dim size) {
  if (!size.IsSymbolic()) return size.raw();
  if (c10::SymNode symbol = SymbolOf(size.Expression())) return c10::SymInt(std::move(symbol));
  return size.Specialize();
}

std::optional<c10::IValue> BoxSymbol(const Value& number) {
  const Dim* size = number.TryGet<Dim>();
  const Symbolic* other = number.TryGet<Symbolic>();
  if (!other && !(size && size->IsSymbolic())) return std::nullopt;
  c10::SymNode symbol = SymbolOf(other ? other->expression : size->Expression());
  if (!symbol) return std::nullopt;
  if (size) return c10::IValue(c10::SymInt(std::move(symbol)));
  if (number.IsSymbolicFloat()) return c10::IValue(c10::SymFloat(std::move(symbol)));
  return c10::IValue(c10::SymBool(std::move(symbol)));
}

Value ReadSymbol(const c10::IValue& boxed) {
  if (boxed.isSymInt()) return ToDim(boxed.toSymInt());
  return Value::Of(
      ExpressionOf(boxed.isSymFloat() ? boxed.toSymFloat().toSymNodeImpl() : boxed.toSymBool().toSymNodeImpl()));
}

bool HasSymbols(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides() ||
         (tensor.has_storage() && !tensor.storage().sym_nbytes().maybe_as_int());
}

int64_t HintedBytes(const c10::StorageImpl& storage) {
  const c10::SymInt bytes = storage.sym_nbytes();
  if (const auto number = bytes.maybe_as_int()) return *number;
  return ToDim(bytes).Hint().value_or(0);
}

}  // namespace fakeprop::dispatch
