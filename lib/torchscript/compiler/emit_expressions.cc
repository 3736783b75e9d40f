// Expressions. Source: to_ir in torch/csrc/jit/frontend/ir_emitter.cpp (torch 2.15).
#include <cmath>
#include <limits>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"

namespace fakeprop::script {
namespace {

// Names that mean the same in all code.
struct Global {
  std::string_view name;
  MeaningKind kind;
  std::string_view means;
  TypeCase type = TypeCase::kNone;
};
constexpr Global kGlobals[] = {
    {"torch", MeaningKind::kNamespace, "aten"},
    {"ops", MeaningKind::kOps, ""},
    {"CONSTANTS", MeaningKind::kConstants, ""},
    {"__torch__", MeaningKind::kPath, "__torch__"},
    {"annotate", MeaningKind::kForm, "annotate"},
    {"unchecked_cast", MeaningKind::kForm, "unchecked_cast"},
    {"uninitialized", MeaningKind::kForm, "uninitialized"},
    {"getattr", MeaningKind::kForm, "getattr"},
    {"isinstance", MeaningKind::kForm, "isinstance"},
    {"range", MeaningKind::kForm, "range"},
    {"print", MeaningKind::kForm, "print"},
    {"int", MeaningKind::kCast, "aten::Int", TypeCase::kInt},
    {"float", MeaningKind::kCast, "aten::Float", TypeCase::kFloat},
    {"bool", MeaningKind::kCast, "aten::Bool", TypeCase::kBool},
    {"complex", MeaningKind::kCast, "aten::Complex", TypeCase::kComplex},
    {"str", MeaningKind::kCast, "aten::str", TypeCase::kString},
    {"len", MeaningKind::kOperator, "aten::len"},
    {"min", MeaningKind::kOperator, "prim::min"},
    {"max", MeaningKind::kOperator, "prim::max"},
    {"abs", MeaningKind::kOperator, "prim::abs"},
    {"ord", MeaningKind::kOperator, "aten::ord"},
    {"chr", MeaningKind::kOperator, "aten::chr"},
    {"sorted", MeaningKind::kOperator, "aten::sorted"},
    {"hash", MeaningKind::kOperator, "aten::hash"},
    {"all", MeaningKind::kOperator, "aten::all"},
    {"any", MeaningKind::kOperator, "aten::any"},
    {"sum", MeaningKind::kOperator, "aten::sum"},
    {"divmod", MeaningKind::kOperator, "aten::divmod"},
    {"round", MeaningKind::kOperator, "aten::round"},
    {"hex", MeaningKind::kOperator, "aten::hex"},
    {"oct", MeaningKind::kOperator, "aten::oct"},
    {"bin", MeaningKind::kOperator, "aten::bin"},
    {"pow", MeaningKind::kOperator, "aten::pow"},
};

}  // namespace

Meaning Emitter::Emit(const Syntax& expression, TypeRef hint) {
  switch (expression.kind) {
    case SyntaxKind::kName: return EmitName(expression);
    case SyntaxKind::kSelect: return Attribute(Emit(expression.of[0]), expression.text, At(expression));
    case SyntaxKind::kApply: return EmitApply(expression, hint);
    case SyntaxKind::kSubscript: return EmitSubscript(expression);
    case SyntaxKind::kNumber: return Meaning::Of(EmitNumber(expression));
    case SyntaxKind::kString: return Meaning::Of(Constant(expression.text, TypeCase::kString, At(expression)));
    case SyntaxKind::kTrue: return Meaning::Of(Constant(true, TypeCase::kBool, At(expression)));
    case SyntaxKind::kFalse: return Meaning::Of(Constant(false, TypeCase::kBool, At(expression)));
    case SyntaxKind::kNone: return Meaning::Of(Constant({}, TypeCase::kNone, At(expression)));
    case SyntaxKind::kList: return Meaning::Of(EmitList(expression, hint));
    case SyntaxKind::kTuple: return Meaning::Of(EmitTuple(expression));
    case SyntaxKind::kDict: return Meaning::Of(EmitDict(expression, hint));
    case SyntaxKind::kOperator:
      return Meaning::Of(expression.of.size() == 2 ? EmitComplex(expression) : EmitNegative(expression));
    default: Decline("an expression of this kind", At(expression));
  }
}

IrValue* Emitter::ValueOf(const Meaning& meaning, CodePlace place) {
  if (!meaning.IsValue()) Decline("a name or call that is no value where a value should be", place);
  return meaning.value;
}

IrValue* Emitter::EmitValue(const Syntax& expression, TypeRef hint) {
  IrValue* value = ValueOf(Emit(expression, hint), At(expression));
  if (!hint || !hint->Is(TypeCase::kAny) || value->type->Is(TypeCase::kAny)) return value;
  return graph_.InsertOp("prim::unchecked_cast", {value}, hint);
}

Meaning Emitter::EmitName(const Syntax& name) {
  const Meaning found = variables_.Find(name.text);
  if (found.kind != MeaningKind::kNothing) return found;
  for (const Global& global : kGlobals) {
    if (global.name != name.text) continue;
    Meaning out = Meaning::Named(global.kind, std::string(global.means));
    if (global.kind == MeaningKind::kCast) out.type = Basic(global.type);
    return out;
  }
  if (name.text == "inf")
    return Meaning::Of(Constant(std::numeric_limits<double>::infinity(), TypeCase::kFloat, At(name)));
  if (name.text == "nan")
    return Meaning::Of(Constant(std::numeric_limits<double>::quiet_NaN(), TypeCase::kFloat, At(name)));
  Decline("the name `" + name.text + "`", At(name));
}

// Torch puts numbers that the code writes before all other nodes, each once.
IrValue* Emitter::EmitAtFront(const Value& number, CodePlace place) {
  const InsertingAt inserting(graph_.block()->first());
  if (const Dim* integer = number.TryGet<Dim>()) {
    IrValue*& known = integers_[integer->Specialize()];
    if (!known) known = graph_.InsertConstant(number, Basic(TypeCase::kInt), place);
    return known;
  }
  if (const auto* complex = number.TryGet<std::complex<double>>()) {
    IrValue*& known = imaginaries_[complex->imag()];
    if (!known) known = graph_.InsertConstant(number, Basic(TypeCase::kComplex), place);
    return known;
  }
  IrValue*& known = reals_[number.Get<double>()];
  if (!known) known = graph_.InsertConstant(number, Basic(TypeCase::kFloat), place);
  return known;
}

// "1.5-2.j": a sum that is folded later.
IrValue* Emitter::EmitComplex(const Syntax& sum) {
  IrValue* real = EmitNumber(sum.of[0]);
  IrValue* imaginary = EmitNumber(sum.of[1]);
  return matcher_.Call(sum.text == "-" ? "aten::sub" : "aten::add", At(sum), {{real, ""}, {imaginary, ""}});
}

IrValue* Emitter::EmitNumber(const Syntax& number) {
  return EmitAtFront(ReadNumber(number, *function_.file), At(number));
}

// Of `inf`, or a constant that folds as torch folds it.
IrValue* Emitter::EmitNegative(const Syntax& expression) {
  IrValue* value = EmitValue(expression.of[0]);
  IrValue* out = matcher_.Call("aten::neg", At(expression), {{value, ""}});
  const double* number = IsPlainConstant(*value) ? value->node->constant.value.TryGet<double>() : nullptr;
  if (!number && IsPlainConstant(*value)) Decline("a minus before a constant", At(expression));
  return number ? Constant(-*number, TypeCase::kFloat, At(expression)) : out;
}

IrValue* Emitter::EmitTuple(const Syntax& tuple) {
  IrValues values;
  std::vector<TypeRef> types;
  for (const Syntax& item : tuple.of) {
    values.push_back(EmitValue(item));
    types.push_back(values.back()->type);
  }
  return graph_.InsertOp("prim::TupleConstruct", values, program_.types().Tuple(std::move(types)));
}

IrValue* Emitter::EmitList(const Syntax& list, TypeRef hint) {
  IrValues values;
  for (const Syntax& item : list.of) values.push_back(EmitValue(item));
  TypeTable& types = program_.types();
  if (values.empty() && !hint)
    return graph_.InsertOp("prim::EmptyListLiteral", {}, types.List(Basic(TypeCase::kTensor)));
  if (hint && !hint->Is(TypeCase::kList)) Decline("a list where `" + hint->name + "` is wanted", At(list));
  TypeRef element = values.empty() ? hint->element() : values[0]->type;
  for (const IrValue* value : values) element = element ? Unify(element, value->type, types) : nullptr;
  if (!element) Decline("a list of several types", At(list));
  if (hint && !IsSubtype(element, hint->element())) Decline("a list of other types than it should have", At(list));
  return graph_.InsertOp("prim::ListConstruct", values, types.List(hint ? hint->element() : element));
}

IrValue* Emitter::EmitDict(const Syntax& dict, TypeRef hint) {
  TypeTable& types = program_.types();
  IrValues parts;
  for (const Syntax& part : dict.of) parts.push_back(EmitValue(part));
  TypeRef key = Basic(TypeCase::kString), value = Basic(TypeCase::kTensor);
  for (size_t i = 0; i < parts.size(); i += 2) {
    if (i > 0 && parts[i]->type != key) Decline("a dict with keys of several types", At(dict));
    key = parts[i]->type;
    value = i == 0 ? parts[1]->type : Unify(value, parts[i + 1]->type, types);
    if (!value) Decline("a dict with values of several types", At(dict));
  }
  if (hint && !hint->Is(TypeCase::kDict)) Decline("a dict where `" + hint->name + "` is wanted", At(dict));
  if (hint && !parts.empty() && (hint->of[0] != key || !IsSubtype(value, hint->of[1])))
    Decline("a dict of other types than it should have", At(dict));
  return graph_.InsertOp("prim::DictConstruct", parts, hint ? hint : types.Dict(key, value));
}

Meaning Emitter::EmitSubscript(const Syntax& subscript) {
  const CodePlace place = At(subscript);
  IrValue* object = ValueOf(Emit(subscript.of[0]), At(subscript.of[0]));
  if (subscript.of.size() != 2) Decline("a subscript with several indices", place);
  IrValue* index = EmitValue(subscript.of[1]);
  if (object->type->IsTuple()) return Meaning::Of(EmitTupleIndex(object, index, place));
  if (object->type->Is(TypeCase::kList) || object->type->Is(TypeCase::kString) || object->type->Is(TypeCase::kDict))
    return Meaning::Of(matcher_.Call("aten::__getitem__", place, {{object, ""}, {index, ""}}));
  if (object->type->Is(TypeCase::kClass)) return CallMethod(object, "__getitem__", place, {{index, ""}}, {});
  Decline("a subscript of a value of type `" + object->type->name + "`", place);
}

IrValue* Emitter::EmitTupleIndex(IrValue* tuple, IrValue* index, CodePlace place) {
  if (!index->type->Is(TypeCase::kInt) || !IsPlainConstant(*index)) Decline("a computed index of a tuple", place);
  const int64_t size = static_cast<int64_t>(tuple->type->of.size());
  int64_t at = index->node->constant.value.Get<Dim>().Specialize();
  if (at < 0) at += size;
  if (at < 0 || at >= size) Decline("an index that the tuple does not have", place);
  return graph_.InsertOp("prim::TupleIndex", {tuple, index}, tuple->type->of[static_cast<size_t>(at)]);
}

}  // namespace fakeprop::script
