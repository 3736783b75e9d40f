// Makes the value of each placeholder. Fields of the spec win over what the graph recorded.
#include "lib/error/error.h"
#include "lib/inputs/declare.h"
#include "lib/inputs/determine.h"
#include "lib/inputs/input_codes.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/known_value.h"
#include "lib/inputs/spec.h"
#include "lib/inputs/symbols.h"
#include "lib/inputs/tensor_value.h"
#include "lib/inputs/views.h"
#include "lib/json/document_kind.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

void ReportMissing(const Graph& graph, const std::vector<Slot>& slots, std::string_view file, DiagnosticSink& sink) {
  std::string names;
  for (const Slot& slot : slots)
    if (slot.IsMissing()) names += (names.empty() ? "" : ", ") + Quote(slot.label);
  if (names.empty()) return;
  Diagnostic diagnostic;
  diagnostic.code = kMissingInput;
  diagnostic.message = "the graph recorded nothing for " + names +
                       ": an input spec has to give the shape and dtype "
                       "of a tensor, the value of a number";
  diagnostic.file = file.empty() ? graph.source : std::string(file);
  diagnostic.notes.push_back("a spec to start from, for `--inputs`:\n" + InputSpecTemplate(graph));
  sink.Add(std::move(diagnostic));
}

class InputResolver {
 public:
  InputResolver(const Graph& graph, const SpecEntries& entries, std::string_view file, DiagnosticSink& sink,
      ShapeEnv* env, SymbolDeclarations declarations)
      : graph_(graph),
        slots_(MakeSlots(graph, entries)),
        file_(file),
        sink_(sink),
        env_(env),
        declarations_(std::move(declarations)),
        symbols_(graph),
        sizes_(graph, symbols_.values(), file, sink, env) {}

  std::vector<InputValue> Resolve() {
    std::vector<InputValue> values;
    ReportMissing(graph_, slots_, file_, sink_);
    bases_ = FindViewBases(graph_, slots_, file_, sink_);
    Try([&] { symbols_.Bind(slots_); });
    // Values without their symbols or bases would only repeat what is already reported.
    if (sink_.HasErrors()) return values;
    if (env_) Try([&] { Declare(); });
    if (sink_.HasErrors()) return values;
    for (const Slot& slot : slots_) {
      values.emplace_back();
      Try([&] { values.back() = MakeValue(slot); });
    }
    if (!sink_.HasErrors()) JoinViews(slots_, bases_, file_, sink_, values);
    return values;
  }

 private:
  template <typename Step>
  void Try(Step step) {
    try {
      step();
    } catch (const SpecError& error) {
      Report(error, error.code, file_, sink_);
    } catch (const JsonError& error) {
      Report(error, kMalformedSpec, file_, sink_);
    }
  }

  void Declare() {
    try {
      DeclareSymbols(graph_, slots_, declarations_, sizes_.bindings(), *env_);
    } catch (const OpError& error) {
      Diagnostic diagnostic;
      diagnostic.code = kConflictingSymbol;
      diagnostic.message = error.message();
      diagnostic.file = graph_.source;
      sink_.Add(std::move(diagnostic));
    }
  }

  InputValue MakeValue(const Slot& slot) {
    InputValue value;
    value.origin = DescribeOrigin(slot);
    if (slot.IsTensor()) {
      MakeTensor(slot, value);
      return value;
    }
    if (slot.entry) CheckOnlyKnown(slot);
    value.value = slot.HasItems() ? MakeContainer(slot) : slot.IsNumber() ? MakeNumber(slot) : MakeKnown(slot);
    return value;
  }

  void MakeTensor(const Slot& slot, InputValue& value) {
    size_t position = static_cast<size_t>(&slot - slots_.data());
    value.is_tensor = true;
    TensorMeta& meta = value.meta;
    meta.dtype = DtypeOf(position);
    meta.device = DeviceOf(position);
    if (slot.tensor) meta.layout = slot.tensor->layout;
    FillSizes(slot, meta);
    FillOffset(slot, meta);
    Guard(slot, [&] {
      FillStrides(slot, meta);
      if (meta.layout == Layout::Strided) Numel(meta.size_span()), StorageNbytes(meta);
    });
    value.requires_grad = RequiresGrad(slot, meta);
    if (slot.entry && slot.entry->value) value.constant = ReadConstant(*slot.entry, meta);
    else if (!slot.entry) value.constant = slot.input->elements;
  }

  // Of a view that nothing is known of, its base's.
  ScalarType DtypeOf(size_t position) const {
    const Slot& slot = slots_[position];
    if (slot.entry && slot.entry->dtype) return *slot.entry->dtype;
    if (slot.tensor) return slot.tensor->dtype;
    size_t base = bases_[position];
    return base != position ? DtypeOf(base) : ScalarType::Float;
  }

  // A view goes where its base goes, wherever it was recorded.
  Device DeviceOf(size_t position) const {
    const Slot& slot = slots_[position];
    if (slot.entry && slot.entry->device) return *slot.entry->device;
    if (size_t base = bases_[position]; base != position) return DeviceOf(base);
    return slot.tensor ? WithIndex(slot.tensor->device) : Device(DeviceType::CPU);
  }

  void FillSizes(const Slot& slot, TensorMeta& meta) {
    if (slot.entry && slot.entry->shape) {
      for (const SpecSize& size : *slot.entry->shape) meta.sizes.push_back(sizes_.Given(size));
      return;
    }
    for (size_t i = 0; i < slot.tensor->sizes.size(); ++i)
      meta.sizes.push_back(sizes_.Determine(slot.tensor->sizes[i], slot, "dimension " + std::to_string(i)));
  }

  void FillStrides(const Slot& slot, TensorMeta& meta) {
    if (slot.entry && slot.entry->stride) {
      for (const SpecSize& stride : *slot.entry->stride) meta.strides.push_back(sizes_.Given(stride));
      if (meta.strides.size() != meta.sizes.size())
        throw SpecError(kInvalidSpecValue, slot.entry->json.Get("stride"),
            std::to_string(meta.strides.size()) + " strides for " + std::to_string(meta.sizes.size()) + " dimensions");
    } else if (slot.entry && slot.entry->shape) {
      if (meta.layout == Layout::Strided) meta.strides = ContiguousStrides(meta.size_span());
    } else {
      for (size_t i = 0; i < slot.tensor->strides.size(); ++i)
        meta.strides.push_back(sizes_.Determine(slot.tensor->strides[i], slot, "stride " + std::to_string(i)));
    }
  }

  void FillOffset(const Slot& slot, TensorMeta& meta) {
    if (slot.entry && slot.entry->storage_offset) meta.storage_offset = sizes_.Given(*slot.entry->storage_offset);
    else if (slot.tensor) meta.storage_offset = sizes_.Determine(slot.tensor->storage_offset, slot, "storage offset");
  }

  static bool RequiresGrad(const Slot& slot, const TensorMeta& meta) {
    bool can = IsFloatOrComplex(meta.dtype);
    if (!slot.entry || !slot.entry->requires_grad) return can && slot.tensor && slot.tensor->requires_grad;
    if (*slot.entry->requires_grad && !can)
      throw SpecError(kInvalidSpecValue, slot.entry->json.Get("requires_grad"),
          "only floating and complex tensors require grad, not " + std::string(DtypeName(meta.dtype)));
    return *slot.entry->requires_grad;
  }

  // Sizes whose product leaves int64 are a mistake of the spec or the file.
  template <typename Step>
  void Guard(const Slot& slot, Step step) {
    try {
      step();
    } catch (const OpError& error) {
      sizes_.ReportAt(slot, kInvalidSpecValue, "too large: " + error.message());
    }
  }

  Constant ReadConstant(const SpecEntry& entry, const TensorMeta& meta) const {
    if (entry.view_of)
      throw SpecError(kInvalidSpecView, *entry.value, "an input with `view_of` has the data of another, no value");
    std::vector<int64_t> shape;
    for (Dim size : meta.sizes) {
      if (!size.TryNumber())
        throw SpecError(
            kSymbolicSize, *entry.value, "a tensor with symbols in its shape has no value here: " + ToString(meta));
      shape.push_back(*size.TryNumber());
    }
    return ReadTensorValue(*entry.value, shape, meta.dtype);
  }

  static void CheckOnlyKnown(const Slot& slot) {
    const std::string_view known = slot.HasItems() ? "items" : "value";
    for (JsonValue field : slot.entry->json)
      if (field.key() != known && field.key() != "argument")
        throw SpecError(kSpecMismatch, field,
            Quote(slot.label) + " is no tensor: it has " + (slot.HasItems() ? "`items`" : "a `value`") + " and no " +
                Quote(field.key()));
  }

  // What is in it by position among the values.
  static Value MakeContainer(const Slot& slot) {
    const bool by_key = slot.entry->items_json->kind() == JsonKind::kObject;
    List list;
    list.is_tuple = slot.Declared().type == InputType::kTuple;
    Dict dict;
    for (size_t i = 0; i < slot.items.size(); ++i) {
      const Value item = NodeRef{slot.items[i]};
      if (by_key) dict.items.emplace_back(KeyOf(slot.entry->items[i].json, slot.Declared()), item);
      else list.items.push_back(item);
    }
    return by_key ? Value(std::move(dict)) : Value(std::move(list));
  }

  Value MakeNumber(const Slot& slot) {
    const InputType type = slot.part.type;
    if (slot.entry && slot.entry->value) {
      const JsonValue value = *slot.entry->value;
      const bool is_symbolic = type == InputType::kInt && value.kind() == JsonKind::kString;
      return is_symbolic ? Value(sizes_.Given({0, value.AsString(), value})) : ReadKnownValue(value, slot.part);
    }
    if (slot.number->integer.expression.empty()) {
      if (type == InputType::kFloat) return slot.number->floating;
      return type == InputType::kBool ? Value(slot.number->boolean) : Value(slot.number->integer.number);
    }
    if (Sym symbolic = sizes_.TrySymbolic(slot.number->integer.expression)) return Value::Of(symbolic);
    std::optional<Number> number = sizes_.DetermineNumber(slot.number->integer.expression, slot, "its value");
    if (!number) return {};
    if (type == InputType::kFloat) return number->real;
    return type == InputType::kBool ? Value(number->real != 0) : Value(number->AsInteger().value_or(0));
  }

  // Where no type is declared (FX JSON), a string that names symbols is a number.
  Sym SymbolicText(const InputPart& part, JsonValue value) const {
    const bool may_be_number =
        part.type == InputType::kAny && (part.parts.empty() || part.parts[0].type == InputType::kInt);
    return may_be_number && value.kind() == JsonKind::kString ? sizes_.TrySymbolic(value.AsString()) : nullptr;
  }

  // A constant, an object or a token: the graph was made with it.
  Value MakeKnown(const Slot& slot) {
    if (slot.part.type != InputType::kOther && slot.entry && slot.entry->value) {
      if (Sym symbolic = SymbolicText(slot.part, *slot.entry->value)) return Value::Of(symbolic);
      return ReadKnownValue(*slot.entry->value, slot.part);
    }
    if (slot.entry && slot.entry->json.size() > 0)
      throw SpecError(kSpecMismatch, slot.entry->json,
          Quote(slot.label) + " is " + ToString(slot.input->constant) + " in this graph and cannot be changed");
    return slot.input->constant;
  }

  std::string DescribeOrigin(const Slot& slot) const {
    std::string qualified = Quote(slot.input->qualified_name);
    switch (slot.input->kind) {
      case InputKind::kParameter: return "parameter " + qualified;
      case InputKind::kBuffer: return "buffer " + qualified;
      case InputKind::kTensorConstant: return "constant " + qualified;
      default: return "input " + Quote(slot.label) + (slot.entry ? " of " + std::string(file_) : "");
    }
  }

  const Graph& graph_;
  std::vector<Slot> slots_;
  std::string_view file_;
  DiagnosticSink& sink_;
  ShapeEnv* env_;
  SymbolDeclarations declarations_;
  SymbolBinder symbols_;
  SizeDeterminer sizes_;
  std::vector<int> bases_;
};

void PutInHints(TensorMeta& meta) {
  for (Dim& size : meta.sizes) size = size.Hint().value_or(0);
  for (Dim& stride : meta.strides) stride = stride.Hint().value_or(0);
  meta.storage_offset = meta.storage_offset.Hint().value_or(0);
}

Value HintOf(const Value& value) {
  if (auto d = value.TryGet<Dim>()) return Dim(d->Hint().value_or(0));
  auto s = value.TryGet<Symbolic>();
  return s && s->expression->hint ? Value::Of(s->expression->env->Constant(*s->expression->hint)) : value;
}

}  // namespace

std::string SpecializeToHints(std::vector<InputValue>& inputs, const ShapeEnv& env) {
  for (InputValue& input : inputs) {
    if (input.is_tensor) PutInHints(input.meta);
    else input.value = HintOf(input.value);
  }
  std::string text;
  for (const SymbolInfo& symbol : env.symbols())
    if (symbol.hint) text += (text.empty() ? "" : ", ") + symbol.node->name + " = " + std::to_string(*symbol.hint);
  return text;
}

std::optional<std::vector<InputValue>> ResolveInputs(const Graph& graph, std::string_view spec_text,
    std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env, const SymbolValues& hints) {
  DiagnosticSink found;
  std::optional<JsonTree> tree;
  SpecEntries entries(graph.inputs.size());
  std::vector<InputValue> values;
  try {
    bool is_given = !spec_text.empty() || !spec_name.empty();
    if (is_given)
      tree = ParseDocument(
          spec_text, {"an input spec", "fakeprop.inputs/1", "`fakeprop inputs GRAPH` prints a spec to start from"});
    if (tree) entries = ReadSpecEntries(tree->root(), graph, spec_name, found);
    SpecSymbols symbols;
    if (tree && !found.HasErrors()) symbols = ReadSpecSymbols(tree->root());
    if (!found.HasErrors())
      values = InputResolver(graph, entries, spec_name, found, env, {std::move(symbols), hints}).Resolve();
  } catch (const SpecError& error) {
    Report(error, error.code, spec_name, found);
  } catch (const JsonError& error) {
    Report(error, kMalformedSpec, spec_name, found);
  }
  for (const Diagnostic& diagnostic : found.diagnostics()) sink.Add(diagnostic);
  if (found.HasErrors()) return std::nullopt;
  return values;
}

}  // namespace fakeprop
