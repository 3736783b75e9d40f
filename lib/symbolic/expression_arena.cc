#include "lib/symbolic/expression_arena.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

constexpr uint32_t kMaxDepth = 400;
constexpr uint32_t kMaxSize = 1 << 15;

}  // namespace

size_t ExpressionArena::NodeHash::operator()(Sym n) const {
  size_t hash = static_cast<size_t>(n->op) * 0x9e3779b97f4a7c15u + static_cast<size_t>(n->type);
  auto mix = [&](uint64_t v) { hash = (hash ^ v) * 0x100000001b3u, hash ^= hash >> 29; };
  mix(static_cast<uint64_t>(n->integer));
  mix(std::bit_cast<uint64_t>(n->real));
  for (Sym argument : n->arguments) mix(argument->id);
  for (int64_t c : n->coefficients) mix(static_cast<uint64_t>(c));
  if (!n->name.empty()) mix(std::hash<std::string>()(n->name));
  return hash;
}

bool ExpressionArena::NodeEqual::operator()(Sym a, Sym b) const {
  return a->op == b->op && a->type == b->type && a->integer == b->integer &&
         std::bit_cast<uint64_t>(a->real) == std::bit_cast<uint64_t>(b->real) && a->arguments == b->arguments &&
         a->coefficients == b->coefficients && a->name == b->name;
}

Sym ExpressionArena::Intern(SymNode node) {
  if (auto it = interned_.find(&node); it != interned_.end()) return *it;
  Finish(node);
  nodes_.push_back(std::move(node));
  interned_.insert(&nodes_.back());
  return &nodes_.back();
}

// Fills in what follows from the operation and its arguments.
void ExpressionArena::Finish(SymNode& node) {
  node.arena = this;
  node.env = env_;
  node.id = static_cast<uint32_t>(nodes_.size());
  std::vector<SymNumber> hints;
  uint32_t depth = 1;
  uint64_t size = 1;
  for (Sym argument : node.arguments) {
    depth = std::max(depth, argument->depth + 1u);
    size += argument->size;
    node.symbols |= argument->symbols;
    node.is_unbacked |= argument->is_unbacked;
    if (argument->hint) hints.push_back(*argument->hint);
  }
  if (depth > kMaxDepth || size > kMaxSize)
    Fail(ErrorClass::kOverflow, "an expression over sizes has grown beyond " + std::to_string(kMaxSize) + " parts");
  node.depth = static_cast<uint16_t>(depth);
  node.size = static_cast<uint16_t>(size);
  if (node.op != SymOp::kSymbol && hints.size() == node.arguments.size()) node.hint = ApplyOperation(node, hints);
}

Sym ExpressionArena::Integer(int64_t value) {
  SymNode node;
  node.integer = value;
  return Intern(std::move(node));
}

Sym ExpressionArena::Truth(bool value) {
  SymNode node;
  node.op = SymOp::kTruth;
  node.type = SymType::kBool;
  node.integer = value;
  return Intern(std::move(node));
}

Sym ExpressionArena::Constant(SymNumber value) {
  if (value.type == SymType::kInt) return Integer(value.integer);
  if (value.type == SymType::kBool) return Truth(value.integer != 0);
  SymNode node;
  node.op = SymOp::kReal;
  node.type = SymType::kFloat;
  node.real = value.real;
  return Intern(std::move(node));
}

Sym ExpressionArena::Symbol(std::string name, SymType type, std::optional<int64_t> hint, int64_t index, uint64_t bits) {
  SymNode node;
  node.op = SymOp::kSymbol;
  node.type = type;
  node.integer = index;
  node.symbols = bits;
  node.name = std::move(name);
  node.is_unbacked = !hint;
  if (hint) node.hint = SymNumber::Of(*hint);
  return Intern(std::move(node));
}

}  // namespace fakeprop
