#include "lib/graph/unbacked_bindings.h"

#include <algorithm>
#include <set>

#include "lib/graph/graph.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

class BindingFinder {
 public:
  BindingFinder(const ShapeEnv& env, size_t first) {
    for (size_t i = first; i < env.symbols().size(); ++i)
      if (env.symbols()[i].is_unbacked) pending_.insert(env.symbols()[i].node);
  }

  bool is_done() const { return pending_.empty(); }
  std::vector<UnbackedBinding> Take() { return std::move(found_); }

  void Visit(const Value& value, const std::string& path) {
    if (is_done()) return;
    if (const Tensor* t = value.TryTensor()) return VisitTensor(t->meta, path);
    if (const List* list = value.TryList()) {
      for (size_t i = 0; i < list->items.size(); ++i) Visit(list->items[i], path + "[" + std::to_string(i) + "]");
    } else if (const Dim* dim = value.TryGet<Dim>()) {
      VisitDim(*dim, path);
    } else if (const Symbolic* number = value.TryGet<Symbolic>()) {
      VisitNumber(number->expression, path);
    }
  }

 private:
  static std::string Join(const std::string& path, const std::string& what) {
    return path.empty() ? what : path + "." + what;
  }

  void VisitTensor(const TensorMeta& t, const std::string& path) {
    for (size_t d = 0; d < t.sizes.size(); ++d) VisitDim(t.sizes[d], Join(path, "size(" + std::to_string(d) + ")"));
    for (size_t d = 0; d < t.strides.size(); ++d)
      VisitDim(t.strides[d], Join(path, "stride(" + std::to_string(d) + ")"));
    VisitDim(t.storage_offset, Join(path, "storage_offset()"));
  }

  void VisitDim(Dim dim, const std::string& path) {
    if (dim.IsSymbolic()) Bind(dim.Expression(), path);
  }

  // A bool is an integer that is 1.
  void VisitNumber(Sym number, const std::string& path) {
    if (number->type != SymType::kBool) return Bind(number, path);
    for (Sym symbol : pending_)
      if (Equal(symbol, symbol->env->Integer(1)) == number) return Bind(symbol, Join(path, "__int__()"));
  }

  // A number, or a size that is known, times a symbol is that symbol once it is divided.
  void Bind(Sym number, const std::string& path) {
    if (pending_.erase(number)) return found_.push_back({number, path});
    const auto [factor, symbol] = Factors(number);
    if (symbol && pending_.erase(symbol)) found_.push_back({symbol, Join(path, "__floordiv__(" + factor + ")")});
  }

  // Of "3*u0" and "s0*u0": what u0 is multiplied by, and u0.
  static std::pair<std::string, Sym> Factors(Sym number) {
    const auto& a = number->arguments;
    if (number->op == SymOp::kSum && a.size() == 1 && number->integer == 0 && a[0]->op == SymOp::kSymbol)
      return {std::to_string(number->coefficients[0]), a[0]};
    const bool is_pair = number->op == SymOp::kProduct && a.size() == 2 &&
                         number->coefficients == std::vector<int64_t>{1, 1} && a[0]->op == SymOp::kSymbol &&
                         a[1]->op == SymOp::kSymbol && a[0]->is_unbacked != a[1]->is_unbacked;
    if (!is_pair) return {"", nullptr};
    const size_t data = a[0]->is_unbacked ? 0 : 1;
    return {a[1 - data]->name, a[data]};
  }

  std::set<Sym> pending_;
  std::vector<UnbackedBinding> found_;
};

bool IsDigit(char c) { return '0' <= c && c <= '9'; }
bool IsNameCharacter(char c) { return IsDigit(c) || c == '_' || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// Calls `found` with each name like u0 or zuf0 in an expression, in either spelling.
template <typename Found>
void ForEachUnbacked(std::string_view text, const Found& found) {
  for (size_t i = 0; i < text.size();) {
    if (!IsNameCharacter(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    const std::string_view name = text.substr(i, end - i);
    const size_t prefix = name.starts_with("zuf") ? 3 : name.starts_with("u") ? 1 : 0;
    if (prefix && prefix < name.size() && std::all_of(name.begin() + prefix, name.end(), IsDigit)) found(name);
    i = end;
  }
}

template <typename Found>
void ForEachUnbacked(const Recorded& recorded, const Found& found) {
  if (const auto* number = std::get_if<RecordedNumber>(&recorded))
    return ForEachUnbacked(number->integer.expression, found);
  const auto& tensor = std::get<RecordedTensor>(recorded);
  for (const RecordedSize& size : tensor.sizes) ForEachUnbacked(size.expression, found);
  for (const RecordedSize& stride : tensor.strides) ForEachUnbacked(stride.expression, found);
  ForEachUnbacked(tensor.storage_offset.expression, found);
}

// u2 before u10.
bool IsBefore(const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

// The node that `index` takes an item of, however deep; itself where it takes none.
int32_t SourceOf(const Graph& graph, int32_t index) {
  for (;;) {
    const Node& node = graph.nodes[index];
    const NodeRef* of = node.target == "_operator.getitem" && !node.arguments.empty()
                            ? node.arguments[0].value.TryGet<NodeRef>()
                            : nullptr;
    if (!of) return index;
    index = of->index;
  }
}

}  // namespace

std::vector<UnbackedBinding> FindBindings(const ShapeEnv& env, size_t first, const Value& result) {
  BindingFinder finder(env, first);
  finder.Visit(result, "");
  return finder.Take();
}

RecordedNames::RecordedNames(const Graph& graph) : names_(graph.nodes.size()) {
  std::set<std::string, std::less<>> seen;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    auto it = graph.recorded.find(graph.nodes[i].name);
    if (it == graph.recorded.end()) continue;
    std::vector<std::string>& names = names_[SourceOf(graph, static_cast<int32_t>(i))];
    ForEachUnbacked(it->second, [&](std::string_view name) {
      if (seen.emplace(name).second) names.emplace_back(name);
    });
    std::sort(names.begin(), names.end(), IsBefore);
  }
}

const std::vector<std::string>& RecordedNames::Of(int32_t node) const { return names_[static_cast<size_t>(node)]; }

}  // namespace fakeprop
