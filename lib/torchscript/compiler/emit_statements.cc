// Statements. Source: to_ir in torch/csrc/jit/frontend/ir_emitter.cpp (torch 2.15).
#include <limits>

#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"
#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {

void CompileFunction(ScriptFunction& function, Program& program) {
  function.graph = std::make_unique<IrGraph>(program.types());
  const Syntax definition = ParseFunctionAt(*function.file, function.begin);
  Emitter(function, program).Run(definition);
  ConvertToSsa(*function.graph);
  NormalizeOperators(*function.graph, program.operators());
  CleanUp(*function.graph, program.operators());
}

Emitter::Emitter(ScriptFunction& function, Program& program)
    : function_(function),
      program_(program),
      graph_(*function.graph),
      matcher_(graph_, program.operators()),
      variables_(graph_, matcher_) {}

void Emitter::Run(const Syntax& definition) {
  OpSchema schema = ReadDeclaration(definition, *function_.file, function_.self, program_);
  if (!schema.returns.empty()) declared_return_ = schema.returns[0];
  IrNode& parameters = *graph_.block()->parameters;
  variables_.Push(graph_.block());
  if (function_.self) {
    if (definition.of[1].of.empty()) Decline("a method without `self`", At(definition));
    const Syntax& self = definition.of[1].of[0];
    IrValue* value = parameters.AddOutput(function_.self->type);
    SetName(*value, self.text);
    variables_.Set(At(self), self.text, Meaning::Of(value));
  }
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const Syntax& parameter = definition.of[1].of[i + (function_.self ? 1 : 0)];
    IrValue* value = parameters.AddOutput(schema.arguments[i].type);
    if (IsMeaningfulName(parameter.text)) SetName(*value, parameter.text);
    variables_.Set(At(parameter), parameter.text, Meaning::Of(value));
  }
  EmitBlock(definition.of[2]);
  if (!exited_.contains(graph_.block())) {
    if (declared_return_ && !declared_return_->Is(TypeCase::kNone))
      Decline("a function that does not end with a return", At(definition));
    EmitReturn({SyntaxKind::kReturn, definition.offset, "", {{SyntaxKind::kNone, definition.offset, "None", {}}}});
  }
  graph_.block()->results->AddInput(graph_.InsertOp("prim::Uninitialized", {}, return_type_));
  if (function_.self) {
    OpArgument self;
    self.name = "self";
    self.type = function_.self->type;
    schema.arguments.insert(schema.arguments.begin(), std::move(self));
  }
  schema.name = function_.path;
  schema.returns = {return_type_};
  function_.schema = std::move(schema);
}

void Emitter::EmitBlock(const Syntax& block) {
  for (const Syntax& statement : block.of) {
    EmitStatement(statement);
    if (exited_.contains(variables_.frame()->block)) return;
  }
}

void Emitter::EmitStatement(const Syntax& statement) {
  switch (statement.kind) {
    case SyntaxKind::kIf: return EmitIf(statement);
    case SyntaxKind::kWhile: return EmitWhile(statement);
    case SyntaxKind::kFor: return EmitFor(statement);
    case SyntaxKind::kWith: return EmitWith(statement);
    case SyntaxKind::kAssign: return EmitAssign(statement);
    case SyntaxKind::kDeclare: return EmitDeclare(statement);
    case SyntaxKind::kReturn: return EmitReturn(statement);
    case SyntaxKind::kExpression: Emit(statement.of[0]); return;
    case SyntaxKind::kPass: return;
    default: Decline("a statement of this kind", At(statement));
  }
}

void Emitter::EmitReturn(const Syntax& statement) {
  if (variables_.frame()->block != graph_.block()) Decline("a return within a block", At(statement));
  IrValue* value = EmitValue(statement.of[0], declared_return_);
  if (declared_return_) {
    value = matcher_.Convert(At(statement), declared_return_, value, true);
    if (!IsSubtype(value->type, declared_return_))
      Decline(
          "a result of type `" + value->type->name + "` instead of `" + declared_return_->name + "`", At(statement));
  }
  return_type_ = declared_return_ ? declared_return_ : value->type;
  if (return_type_->Is(TypeCase::kAny) && !value->type->Is(TypeCase::kAny))
    value = graph_.InsertOp("prim::unchecked_cast", {value}, return_type_);
  graph_.Insert(graph_.Create("prim::ReturnStmt", {value}, {}));
  exited_.insert(graph_.block());
}

void Emitter::EmitAssign(const Syntax& statement) {
  const Syntax& target = statement.of[0];
  const Syntax& value = statement.of[1];
  if (target.kind == SyntaxKind::kSelect) {
    const Meaning object = Emit(target.of[0]);
    IrValue* attribute = EmitValue(value);
    return SetAttribute(object, target.text, attribute, At(statement));
  }
  if (target.kind == SyntaxKind::kTuple) return AssignParts(target, Emit(value), At(value));
  Assign(target, Emit(value), At(value));
}

void Emitter::EmitDeclare(const Syntax& statement) {
  const Syntax& target = statement.of[0];
  if (statement.of.size() != 3 || target.kind != SyntaxKind::kName) Decline("a declaration", At(statement));
  const TypeRef type = program_.ReadType(statement.of[1], *function_.file);
  Meaning value = Emit(statement.of[2], type);
  if (!value.IsValue()) Decline("a declared variable that is no value", At(statement));
  variables_.Set(At(target), target.text, std::move(value), type);
}

void Emitter::Assign(const Syntax& target, Meaning meaning, CodePlace value_place) {
  if (target.kind == SyntaxKind::kTuple) return AssignParts(target, meaning, value_place);
  if (target.kind != SyntaxKind::kName) Decline("an assignment to something that is no variable", At(target));
  variables_.Set(At(target), target.text, std::move(meaning));
}

void Emitter::AssignParts(const Syntax& targets, const Meaning& meaning, CodePlace value_place) {
  IrValue* value = ValueOf(meaning, value_place);
  IrValues parts;
  if (value->type->IsTuple()) {
    parts = matcher_.Unpack(value);
  } else if (value->type->Is(TypeCase::kList)) {
    const std::vector<TypeRef> types(targets.of.size(), value->type->element());
    parts = graph_.Insert(graph_.Create("prim::ListUnpack", {value}, types))->outputs;
  }
  if (parts.size() != targets.of.size()) Decline("parts of a value of type `" + value->type->name + "`", value_place);
  for (size_t i = 0; i < parts.size(); ++i) Assign(targets.of[i], Meaning::Of(parts[i]), value_place);
}

IrNode* Emitter::EmitLoop(CodePlace place, IrValue* count, const Syntax* condition) {
  IrNode* loop = graph_.Insert(graph_.Create("prim::Loop", {}, {}));
  loop->place = place;
  IrBlock* body = loop->AddBlock();
  IrBlock* check = loop->AddBlock();
  variables_.Push(check);
  IrValue* goes_on = nullptr;
  if (condition) {
    const InsertingAt inserting(*check);
    goes_on = EmitToBool(EmitValue(*condition), At(*condition));
  } else {
    const InsertingAt inserting(loop);
    goes_on = Constant(true, TypeCase::kBool, place);
  }
  check->results->AddInput(goes_on);
  variables_.Pop();
  loop->AddInput(count);
  body->parameters->AddOutput(Basic(TypeCase::kInt));
  return loop;
}

void Emitter::EmitWhile(const Syntax& statement) {
  const CodePlace place = At(statement);
  IrValue* count = EmitAtFront(std::numeric_limits<int64_t>::max(), place);
  IrNode* loop = EmitLoop(place, count, &statement.of[0]);
  variables_.Push(loop->blocks[0].get());
  const InsertingAt inserting(*loop->blocks[0]);
  EmitBlock(statement.of[1]);
  variables_.Pop();
}

void Emitter::EmitFor(const Syntax& statement) {
  const CodePlace place = At(statement);
  Meaning over = Emit(statement.of[1]);
  IrValue* count = nullptr;
  if (over.kind == MeaningKind::kRange) {
    count = over.start
                ? matcher_.Call("aten::__range_length", place, {{over.start, ""}, {over.value, ""}, {over.step, ""}})
                : over.value;
  } else {
    IrValue* value = ValueOf(over, place);
    if (value->type->Is(TypeCase::kDict)) value = matcher_.Call("aten::keys", place, {{value, ""}});
    if (!value->type->Is(TypeCase::kList) && !value->type->Is(TypeCase::kString) && !value->type->Is(TypeCase::kTensor))
      Decline("a loop over a value of type `" + value->type->name + "`", place);
    over = Meaning::Of(value);
    count = matcher_.Call("aten::len", place, {{value, ""}});
  }
  IrNode* loop = EmitLoop(place, count, nullptr);
  IrBlock& body = *loop->blocks[0];
  variables_.Push(&body);
  const InsertingAt inserting(body);
  IrValue* item = body.inputs()[0];
  if (over.kind == MeaningKind::kRange && over.start) {
    item = matcher_.Call("aten::__derive_index", place, {{item, ""}, {over.start, ""}, {over.step, ""}});
  } else if (over.IsValue() && over.value->type->Is(TypeCase::kTensor)) {
    IrValue* dim = Constant(0, TypeCase::kInt);
    item = matcher_.Call("aten::select", place, {{over.value, ""}, {dim, ""}, {item, ""}});
  } else if (over.IsValue()) {
    item = matcher_.Call("aten::__getitem__", place, {{over.value, ""}, {item, ""}});
  }
  variables_.Set(At(statement.of[0]), statement.of[0].text, Meaning::Of(item));
  EmitBlock(statement.of[2]);
  variables_.Pop();
}

void Emitter::EmitWith(const Syntax& statement) {
  IrValue* object = EmitValue(statement.of[0]);
  if (!object->type->Is(TypeCase::kClass) || !object->type->cls || !object->type->cls->methods.contains("__enter__"))
    Decline("a `with` of something that has no `__enter__`", At(statement));
  ScriptFunction& enter = object->type->cls->methods["__enter__"];
  program_.Define(enter, At(statement));
  IrValue* entered = graph_.InsertOp("prim::Enter", {object}, enter.schema.returns[0]);
  const Syntax& target = statement.of[1];
  if (!target.IsMissing()) variables_.Set(At(target), target.text, Meaning::Of(entered));
  EmitBlock(statement.of[2]);
  graph_.Insert(graph_.Create("prim::Exit", {object}, {Basic(TypeCase::kTensor)}));
}

}  // namespace fakeprop::script
