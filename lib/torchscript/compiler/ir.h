// The graph of a function while it is compiled: nodes in blocks, and the values that they make. It keeps the rules by
// which torch::jit::Graph names values, because names are what users see.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/meta/value.h"
#include "lib/torchscript/compiler/ir_type.h"
#include "lib/torchscript/compiler/syntax.h"

namespace fakeprop::script {

struct IrBlock;
struct IrNode;
class IrGraph;

// The input of a node that a value is.
struct IrUse {
  IrNode* user;
  size_t index;
};

struct IrValue {
  IrNode* node = nullptr;
  TypeRef type = nullptr;
  size_t unique = 0;
  std::string name;  // empty for a value that has a number alone
  std::vector<IrUse> uses;

  bool has_uses() const { return !uses.empty(); }
};

// The call through which inlined code came.
struct CallFrame {
  const CallFrame* inner = nullptr;  // of the callee's own calls
  const ScriptFunction* callee = nullptr;
  CodePlace place;
  const ScriptClass* cls = nullptr;  // of the module whose method it is; null for functions
  std::string instance;              // the name by which the caller knows the module
};

struct IrConstant {
  Value value;
  int32_t archive_number = -1;  // of a tensor or object among the archive's constants
};

using IrValues = std::vector<IrValue*>;

struct IrNode {
  std::string_view kind;  // "aten::add"
  IrGraph* graph = nullptr;
  IrBlock* block = nullptr;  // null while it stands in no block
  IrNode* previous = nullptr;
  IrNode* next = nullptr;
  IrValues inputs;
  IrValues outputs;
  std::vector<std::unique_ptr<IrBlock>> blocks;
  std::string name;            // of an attribute, variable, method or function
  std::vector<TypeRef> types;  // prim::isinstance
  IrConstant constant;
  CodePlace place;
  const CallFrame* calls = nullptr;

  bool Is(std::string_view other) const { return kind == other; }
  IrValue* input() const { return inputs[0]; }
  IrValue* output() const { return outputs[0]; }

  IrValue* AddOutput(TypeRef type);
  void AddInput(IrValue* value);
  void InsertInput(size_t at, IrValue* value);
  void RemoveInput(size_t at);
  void ReplaceInput(size_t at, IrValue* value);
  void EraseOutput(size_t at);
  IrBlock* AddBlock();
  void InsertBefore(IrNode* other);
  void InsertAfter(IrNode* other) { InsertBefore(other->next); }
  void MoveBefore(IrNode* other);
  // Takes it out of the graph with its blocks. Nothing may use it.
  void Destroy();

 private:
  void Unlink();
  void DropUse(size_t at);
};

// Stands between a node of parameters, whose outputs are the block's inputs, and a node of results.
struct IrBlock {
  IrGraph* graph = nullptr;
  IrNode* owner = nullptr;  // null for the whole graph
  IrNode* parameters = nullptr;
  IrNode* results = nullptr;

  IrNode* first() const { return parameters->next; }
  const IrValues& inputs() const { return parameters->outputs; }
  const IrValues& outputs() const { return results->inputs; }
};

class IrGraph {
 public:
  explicit IrGraph(TypeTable& types);
  IrGraph(const IrGraph&) = delete;

  IrBlock* block() { return &block_; }
  TypeTable& types() { return types_; }

  IrNode* Create(std::string_view kind, const IrValues& inputs, const std::vector<TypeRef>& outputs);
  IrNode* Insert(IrNode* node);
  // Creates a node with one output and inserts it.
  IrValue* InsertOp(std::string_view kind, const IrValues& inputs, TypeRef output);
  IrValue* InsertConstant(Value value, TypeRef type, CodePlace place = {});
  IrNode* insert_point() const { return insert_point_; }
  void SetInsertPoint(IrNode* before) { insert_point_ = before; }

  using ValueMap = std::function<IrValue*(IrValue*)>;
  IrNode* Clone(const IrNode& node, const ValueMap& map);
  // Copies the nodes and results of a block to the end of another.
  void CloneBlock(IrBlock& from, IrBlock& to, const ValueMap& map);
  std::unique_ptr<IrGraph> Copy();

 private:
  friend struct IrNode;
  friend void SetName(IrValue& value, std::string name);

  void Begin(IrBlock& block, IrNode* owner);

  TypeTable& types_;
  std::deque<IrNode> nodes_;
  std::deque<IrValue> values_;
  IrBlock block_;
  IrNode* insert_point_ = nullptr;
  std::unordered_map<std::string, IrValue*> names_;
  std::unordered_map<std::string, size_t> suffixes_;  // the next number by the name before it
};

// Nodes are inserted before this one, until the guard ends.
class InsertingAt {
 public:
  explicit InsertingAt(IrNode* before) : graph_(*before->graph), previous_(graph_.insert_point()) {
    graph_.SetInsertPoint(before);
  }
  explicit InsertingAt(const IrBlock& end_of) : InsertingAt(end_of.results) {}
  ~InsertingAt() { graph_.SetInsertPoint(previous_); }
  InsertingAt(const InsertingAt&) = delete;

 private:
  IrGraph& graph_;
  IrNode* previous_;
};

// Names a value. A value that had the name gets a number behind it: "x" becomes "x.1".
void SetName(IrValue& value, std::string name);
std::string NameOf(const IrValue& value);
void ReplaceUses(IrValue& value, IrValue* with);
// Puts outputs into another order.
void PermuteOutputs(IrNode& node, const std::vector<size_t>& order);
void PermuteInputs(IrNode& node, const std::vector<size_t>& order);

// Whether the value is a known constant; objects and tensors of the archive, and functions, have no value here.
bool IsPlainConstant(const IrValue& value);
bool MustBeNone(const IrValue& value);
bool MustNotBeNone(const IrValue& value);

}  // namespace fakeprop::script
