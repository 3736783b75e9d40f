#include "fakeprop/shape_symbols.h"

#include <set>

#include "lib/api/handles.h"
#include "lib/api/public_value.h"
#include "lib/diag/python_trace.h"
#include "lib/symbolic/expression.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

// Deletes an environment, and lets go of the graphs that its records name.
struct EnvDeleter {
  std::set<std::shared_ptr<const api::GraphState>> graphs = {};

  void operator()(ShapeEnv* env) const { delete env; }
};

std::string LineOf(std::string_view stack_trace) {
  const auto frames = ParseStackTrace(stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? frame->file + ":" + std::to_string(frame->line) : std::string();
}

ShapeSymbol ReadSymbol(const SymbolInfo& info) {
  ShapeSymbol symbol{.name = info.node->name,
      .multiple_of = info.multiple,
      .hint = info.hint,
      .source = info.source,
      .is_unbacked = info.is_unbacked};
  if (info.range.low != Range::kNoLow) symbol.min = info.range.low;
  if (info.range.high != Range::kNoHigh) symbol.max = info.range.high;
  return symbol;
}

ShapeGuard ReadGuard(const GuardRecord& guard) {
  return {
      ToString(guard.expression), std::string(guard.place.node), LineOf(guard.place.stack_trace), guard.is_assertion};
}

}  // namespace

std::string ToString(const SizeExpr& size) { return size.number ? std::to_string(*size.number) : size.expression; }

std::string ToString(const std::vector<SizeExpr>& sizes) {
  return "[" + api::Join(sizes, [](const SizeExpr& size) { return ToString(size); }) + "]";
}

std::optional<int64_t> Evaluate(const SizeExpr& size, const SymbolNumbers& numbers) {
  if (size.number) return size.number;
  const std::optional<Expression> expression = ParseExpression(size.expression);
  const std::optional<Number> value = expression ? Evaluate(*expression, numbers) : std::nullopt;
  return value ? value->AsInteger() : std::nullopt;
}

std::shared_ptr<ShapeEnv> NewShapeEnv() { return std::shared_ptr<ShapeEnv>(new ShapeEnv, EnvDeleter()); }

void api::KeepWith(const std::shared_ptr<ShapeEnv>& env, std::shared_ptr<const GraphState> graph) {
  if (auto* deleter = std::get_deleter<EnvDeleter>(env)) deleter->graphs.insert(std::move(graph));
}

std::vector<ShapeSymbol> ListSymbols(const ShapeEnv& env) {
  std::vector<ShapeSymbol> symbols;
  for (const SymbolInfo& info : env.symbols()) symbols.push_back(ReadSymbol(info));
  return symbols;
}

std::vector<ShapeGuard> ListGuards(const ShapeEnv& env) {
  std::vector<ShapeGuard> guards;
  for (const GuardRecord& guard : env.guards()) guards.push_back(ReadGuard(guard));
  return guards;
}

}  // namespace fakeprop
