// Makes the graph of a function from its code.
#pragma once

#include <set>
#include <vector>

#include "lib/torchscript/compiler/environment.h"
#include "lib/torchscript/compiler/program.h"

namespace fakeprop::script {

// Compiles a function: its schema and its graph, with calls that are not inlined yet.
void CompileFunction(ScriptFunction& function, Program& program);

// A type that a variable has where a condition holds, or where it does not.
struct Refinement {
  std::string name;
  TypeRef type;
};

struct Condition {
  IrValue* value = nullptr;
  std::optional<bool> known;  // then only one branch is compiled
  std::vector<Refinement> if_true;
  std::vector<Refinement> if_false;
};

class Emitter {
 public:
  Emitter(ScriptFunction& function, Program& program);

  void Run(const Syntax& definition);

 private:
  // Statements.
  void EmitBlock(const Syntax& block);
  void EmitStatement(const Syntax& statement);
  void EmitReturn(const Syntax& statement);
  void EmitAssign(const Syntax& statement);
  void EmitDeclare(const Syntax& statement);
  void Assign(const Syntax& target, Meaning meaning, CodePlace value_place);
  void AssignParts(const Syntax& targets, const Meaning& meaning, CodePlace value_place);
  void EmitIf(const Syntax& statement);
  std::shared_ptr<Frame> EmitBranch(IrBlock& block, const Syntax& code, const std::vector<Refinement>& refinements);
  void MergeBranches(IrNode& node, const Frame& if_true, const Frame& if_false, CodePlace place);
  void EmitWhile(const Syntax& statement);
  void EmitFor(const Syntax& statement);
  void EmitWith(const Syntax& statement);
  IrNode* EmitLoop(CodePlace place, IrValue* count, const Syntax* condition);
  void Refine(const std::vector<Refinement>& refinements, CodePlace place);

  // Conditions.
  Condition EmitCondition(const Syntax& expression);
  Condition EmitIsInstance(const Syntax& object, const Syntax& types);
  Condition Known(bool value, CodePlace place);
  IrValue* EmitToBool(IrValue* value, CodePlace place);

  // Expressions. A hint is the type that the code wants, which empty lists and results of `tolist` have by it.
  Meaning Emit(const Syntax& expression, TypeRef hint = nullptr);
  IrValue* EmitValue(const Syntax& expression, TypeRef hint = nullptr);
  IrValue* ValueOf(const Meaning& meaning, CodePlace place);
  Meaning EmitName(const Syntax& name);
  Meaning EmitSubscript(const Syntax& subscript);
  IrValue* EmitTupleIndex(IrValue* tuple, IrValue* index, CodePlace place);
  IrValue* EmitNegative(const Syntax& expression);
  IrValue* EmitComplex(const Syntax& sum);
  IrValue* EmitNumber(const Syntax& number);
  IrValue* EmitAtFront(const Value& number, CodePlace place);
  IrValue* EmitList(const Syntax& list, TypeRef hint);
  IrValue* EmitTuple(const Syntax& tuple);
  IrValue* EmitDict(const Syntax& dict, TypeRef hint);
  Meaning Attribute(const Meaning& of, const std::string& name, CodePlace place);
  Meaning AttributeOfValue(IrValue* value, const std::string& name, CodePlace place);
  Meaning AttributeOfPath(const std::string& path, CodePlace place);
  Meaning ConstantNumbered(const std::string& name, CodePlace place);
  Meaning EnumValue(TypeRef type, const std::string& name, CodePlace place);
  void SetAttribute(const Meaning& of, const std::string& name, IrValue* value, CodePlace place);

  // Calls.
  Meaning EmitApply(const Syntax& apply, TypeRef hint);
  Meaning EmitForm(const std::string& form, const Syntax& apply, TypeRef hint);
  Meaning EmitToList(const Syntax& apply, TypeRef hint);
  Meaning EmitAnnotate(const Syntax& apply);
  Meaning EmitUncheckedCast(const Syntax& apply);
  Meaning EmitRange(const Syntax& apply);
  Meaning Call(const Meaning& callee, CodePlace place, const CallArguments& arguments, const CallArguments& keywords);
  Meaning Cast(const Meaning& callee, CodePlace place, const CallArguments& arguments, const CallArguments& keywords);
  Meaning CallFunction(
      ScriptFunction& function, CodePlace place, const CallArguments& arguments, const CallArguments& keywords);
  Meaning CallMethod(IrValue* self, const std::string& name, CodePlace place, const CallArguments& arguments,
      const CallArguments& keywords);
  Meaning Construct(TypeRef type, CodePlace place, const CallArguments& arguments, const CallArguments& keywords);

  CodePlace At(const Syntax& syntax) const { return {function_.file, syntax.offset}; }
  TypeRef Basic(TypeCase kind) const { return program_.types().Basic(kind); }
  IrValue* Constant(Value value, TypeCase type, CodePlace place = {}) {
    return graph_.InsertConstant(std::move(value), Basic(type), place);
  }

  ScriptFunction& function_;
  Program& program_;
  IrGraph& graph_;
  SchemaMatcher matcher_;
  Environment variables_;
  std::set<const IrBlock*> exited_;  // blocks that end with a return
  TypeRef declared_return_ = nullptr;
  TypeRef return_type_ = nullptr;
  std::map<int64_t, IrValue*> integers_;  // numbers of the code, which stand once at the graph's front
  std::map<double, IrValue*> reals_;
  std::map<double, IrValue*> imaginaries_;
};

}  // namespace fakeprop::script
