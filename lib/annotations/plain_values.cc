#include "lib/annotations/plain_values.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "fakeprop/c_api.h"
#include "lib/annotations/symbols_json.h"
#include "lib/meta/dtype.h"
#include "lib/meta/objects.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

class Writer {
 public:
  explicit Writer(PlainValues& to) : to_(to) {}

  // False if something in the values written is not plain.
  bool ok() const { return ok_; }

  void Write(const Value& value) { std::visit(*this, value.variant()); }

  void operator()(Dim v) {
    const int64_t number = Number(v);
    if (v.IsSymbolic() && number < 0) Put({FAKEPROP_VALUE_SYMINT, -1 - number});
    else Put({FAKEPROP_VALUE_INT, number});
  }
  void operator()(bool v) { Put({FAKEPROP_VALUE_BOOL, v}); }
  void operator()(double v) { Put({FAKEPROP_VALUE_FLOAT, std::bit_cast<int64_t>(v)}); }
  void operator()(const List& v) { Items(v.items); }
  void operator()(const Slice& v) { Items(v.bounds); }
  void operator()(const SharedValue& v) {
    if (v.class_name.empty()) Write(*v.to);
    else Put({FAKEPROP_VALUE_NONE});
  }
  void operator()(Tensor* t) {
    const TensorMeta& meta = t->meta;
    Put({FAKEPROP_VALUE_TENSOR, t->storage->id, Name(DtypeName(meta.dtype)), Name(meta.device.str()), Flags(*t),
        Number(meta.storage_offset), meta.rank()});
    for (Dim size : meta.size_span()) Put({Number(size)});
    for (Dim stride : meta.stride_span()) Put({Number(stride)});
  }
  void operator()(const Dict&) { ok_ = false; }
  void operator()(Symbolic) { ok_ = false; }
  template <typename Other>
  void operator()(const Other&) {
    Put({FAKEPROP_VALUE_NONE});
  }

  void Put(std::initializer_list<int64_t> numbers) { to_.numbers.insert(to_.numbers.end(), numbers); }
  // An expression is -1 minus its number, with the equalities that the run found.
  int64_t Number(const Dim& dim) {
    if (!dim.IsSymbolic()) return dim.raw();
    const auto [known, is_new] = numbers_.emplace(dim.Expression(), 0);
    if (is_new) known->second = NumberOf(known->first->env->Simplify(known->first));
    return known->second;
  }

 private:
  void Items(const auto& items) {
    Put({FAKEPROP_VALUE_LIST, static_cast<int64_t>(items.size())});
    for (const Value& item : items) Write(item);
  }

  static int64_t Flags(const Tensor& t) {
    return (t.meta.layout == Layout::Strided ? 0 : FAKEPROP_TENSOR_NOT_STRIDED) |
           (t.meta.is_conj ? FAKEPROP_TENSOR_CONJ : 0) | (t.meta.is_neg ? FAKEPROP_TENSOR_NEG : 0) |
           (t.own_requires_grad ? FAKEPROP_TENSOR_REQUIRES_GRAD : 0);
  }

  int64_t NumberOf(Sym expression) {
    if (const std::optional<int64_t> number = Dim::Of(expression).TryNumber()) {
      ok_ = ok_ && *number >= 0;
      return *number;
    }
    to_.expressions.push_back(ToString(expression));
    return -std::ssize(to_.expressions);
  }

  int64_t Name(std::string_view name) {
    const int64_t index = std::find(to_.names.begin(), to_.names.end(), name) - to_.names.begin();
    if (index == std::ssize(to_.names)) to_.names.emplace_back(name);
    return index;
  }

  PlainValues& to_;
  std::unordered_map<Sym, int64_t> numbers_;  // of expressions
  bool ok_ = true;
};

bool IsPlain(const Annotations& run) {
  return run.graphs.size() == 1 && run.diagnostics.empty() &&
         std::none_of(run.shape_env->symbols().begin(), run.shape_env->symbols().end(),
             [](const SymbolInfo& symbol) { return symbol.is_unbacked; });
}

std::string WriteConditions(const ShapeEnv& env) {
  if (env.symbols().empty()) return "";
  JsonWriter json;
  json.BeginObject();
  WriteSymbols(&env, json.Key("symbols"));
  WriteGuards(&env, json.Key("guards"));
  json.EndObject();
  return json.Take();
}

void WriteStorages(const std::vector<const Storage*>& storages, Writer& writer) {
  writer.Put({static_cast<int64_t>(storages.size())});
  for (const Storage* storage : storages) writer.Put({writer.Number(storage->nbytes)});
}

void WriteNodes(const std::vector<NodeAnnotation>& nodes, std::vector<int64_t>& numbers, Writer& writer) {
  writer.Put({static_cast<int64_t>(nodes.size())});
  size_t position = numbers.size();
  numbers.resize(position + nodes.size());
  for (const NodeAnnotation& node : nodes) {
    numbers[position++] = numbers.size();
    writer.Write(node.value);
  }
}

}  // namespace

std::optional<PlainValues> ReadPlainValues(const Annotations& run) {
  if (!IsPlain(run)) return std::nullopt;
  PlainValues values;
  values.numbers.reserve(16 * run.graphs[0].nodes.size() + run.storages.size() + 2);
  Writer writer(values);
  WriteStorages(run.storages, writer);
  WriteNodes(run.graphs[0].nodes, values.numbers, writer);
  if (!writer.ok()) return std::nullopt;
  values.symbols = WriteConditions(*run.shape_env);
  return values;
}

}  // namespace fakeprop
