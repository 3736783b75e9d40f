// Conditions and branches. Source: to_ir in torch/csrc/jit/frontend/ir_emitter.cpp (torch 2.15).
#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/emitter.h"

namespace fakeprop::script {
namespace {

bool IsCallOf(const Syntax& expression, std::string_view name) {
  return expression.kind == SyntaxKind::kApply && expression.of[0].kind == SyntaxKind::kName &&
         expression.of[0].text == name;
}

}  // namespace

Condition Emitter::Known(bool value, CodePlace place) {
  Condition out;
  out.value = Constant(value, TypeCase::kBool, place);
  out.known = value;
  return out;
}

Condition Emitter::EmitCondition(const Syntax& expression) {
  if (IsCallOf(expression, "isinstance") && expression.of.size() == 3)
    return EmitIsInstance(expression.of[1], expression.of[2]);
  // Torch looks at the callee once more before it compiles the call, which may load variables.
  if (expression.kind == SyntaxKind::kApply) Emit(expression.of[0]);
  Condition out;
  out.value = EmitToBool(EmitValue(expression), At(expression));
  if (out.value->node->Is("aten::is_scripting")) out.known = true;
  if (out.value->node->Is("aten::has_torch_function")) out.known = false;
  if (IsPlainConstant(*out.value)) out.known = out.value->node->constant.value.Get<bool>();
  return out;
}

IrValue* Emitter::EmitToBool(IrValue* value, CodePlace place) {
  Meaning cast = Meaning::Named(MeaningKind::kCast, "aten::Bool");
  cast.type = Basic(TypeCase::kBool);
  IrValue* out = Call(cast, place, {{value, ""}}, {}).value;
  if (!out || !out->type->Is(TypeCase::kBool)) Decline("a condition that is no bool", place);
  return out;
}

Condition Emitter::EmitIsInstance(const Syntax& object, const Syntax& types) {
  IrValue* value = EmitValue(object);
  std::vector<TypeRef> wanted;
  if (types.kind == SyntaxKind::kTuple) {
    for (const Syntax& type : types.of) wanted.push_back(program_.ReadType(type, *function_.file));
  } else {
    wanted.push_back(program_.ReadType(types, *function_.file));
  }
  const TypeRef actual = value->type;
  if (wanted.size() != 1 || actual->Is(TypeCase::kOptional) || wanted[0]->Is(TypeCase::kOptional))
    Decline("a question for one of several types", At(object));
  const bool is_name = object.kind == SyntaxKind::kName;
  if (actual->Is(TypeCase::kAny)) {
    Condition out;
    out.value = graph_.InsertOp("prim::isinstance", {value}, Basic(TypeCase::kBool));
    out.value->node->types = wanted;
    if (is_name) out.if_true = {{object.text, wanted[0]}};
    if (is_name) out.if_false = {{object.text, actual}};
    return out;
  }
  Condition out = Known(IsSubtype(actual, wanted[0]), At(object));
  if (!*out.known && IsSubtype(wanted[0], actual)) Decline("a question for a narrower type", At(object));
  if (is_name) (*out.known ? out.if_true : out.if_false) = {{object.text, actual}};
  return out;
}

void Emitter::Refine(const std::vector<Refinement>& refinements, CodePlace place) {
  for (const Refinement& refinement : refinements) {
    IrValue* value = variables_.Find(refinement.name).value;
    if (!value) Decline("a narrower type of something that is no variable", place);
    IrValue* cast = graph_.InsertOp("prim::unchecked_cast", {value}, refinement.type);
    variables_.Set(place, refinement.name, Meaning::Of(cast));
  }
}

std::shared_ptr<Frame> Emitter::EmitBranch(
    IrBlock& block, const Syntax& code, const std::vector<Refinement>& refinements) {
  variables_.Push(&block);
  const InsertingAt inserting(block);
  Refine(refinements, At(code));
  EmitBlock(code);
  return variables_.Pop();
}

void Emitter::EmitIf(const Syntax& statement) {
  const CodePlace place = At(statement);
  const Condition condition = EmitCondition(statement.of[0]);
  if (condition.known) {
    Refine(*condition.known ? condition.if_true : condition.if_false, place);
    return EmitBlock(statement.of[*condition.known ? 1 : 2]);
  }
  IrNode* node = graph_.Insert(graph_.Create("prim::If", {condition.value}, {}));
  node->place = place;
  IrBlock* if_true = node->AddBlock();
  IrBlock* if_false = node->AddBlock();
  const auto true_frame = EmitBranch(*if_true, statement.of[1], condition.if_true);
  const auto false_frame = EmitBranch(*if_false, statement.of[2], condition.if_false);
  MergeBranches(*node, *true_frame, *false_frame, place);
}

// A variable has a value after the branches if it has one in both. Torch finds out by loading it there, and the loads
// take part in the naming.
void Emitter::MergeBranches(IrNode& node, const Frame& if_true, const Frame& if_false, CodePlace place) {
  std::set<std::string> changed;
  const auto collect = [&](const Frame& frame, const Frame& other, const IrBlock& other_block) {
    for (const auto& [name, type] : frame.types) {
      const InsertingAt inserting(other_block);
      if (variables_.Find(name, &other).kind != MeaningKind::kNothing) changed.insert(name);
    }
  };
  collect(if_true, if_false, *node.blocks[1]);
  collect(if_false, if_true, *node.blocks[0]);
  const auto load = [&](const std::string& name, const Frame& frame, const IrBlock& block) {
    const InsertingAt inserting(block);
    const Meaning meaning = variables_.Find(name, &frame);
    if (!meaning.IsValue()) Decline("a variable that is a value in one branch alone", place);
    return meaning.value->type;
  };
  for (const std::string& name : changed) {
    const TypeRef true_type = load(name, if_true, *node.blocks[0]);
    const TypeRef false_type = load(name, if_false, *node.blocks[1]);
    const Meaning outer = variables_.Find(name);
    if (const TypeRef unified = Unify(true_type, false_type, program_.types())) variables_.SetType(name, unified);
    else if (outer.kind != MeaningKind::kNothing)
      Decline("a variable with the types `" + true_type->name + "` and `" + false_type->name + "`", place);
  }
}

}  // namespace fakeprop::script
