#include "lib/symbolic/shape_env.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "lib/error/error.h"
#include "lib/symbolic/bounds.h"

namespace fakeprop {
namespace {

constexpr uint32_t kMaxDepth = 400;
constexpr uint32_t kMaxSize = 1 << 15;

thread_local ShapeEnv* current = nullptr;

void CollectSymbols(Sym node, std::set<Sym>& symbols) {
  if (node->op == SymOp::kSymbol) symbols.insert(node);
  for (Sym argument : node->arguments) CollectSymbols(argument, symbols);
}

// As Python has it: Eq(a, b) is a == b.
std::string PythonText(Sym condition) {
  const bool is_negated = condition->op == SymOp::kNot;
  const Sym inner = is_negated ? condition->arguments[0] : condition;
  std::string text = ToString(inner);
  if (inner->op != SymOp::kEqualZero && inner->op != SymOp::kFloatEqual) return ToString(condition);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ',' && depth == 1)
      return text.substr(3, i - 3) + (is_negated ? " != " : " == ") + text.substr(i + 2, text.size() - i - 3);
  }
  return ToString(condition);
}

}  // namespace

CurrentShapeEnv::CurrentShapeEnv(ShapeEnv* env) : saved_(current) { current = env; }
CurrentShapeEnv::~CurrentShapeEnv() { current = saved_; }

ScopedShapeEnvSettings::ScopedShapeEnvSettings(ShapeEnv& env, ShapeEnvSettings settings)
    : env_(env), saved_(std::exchange(env.settings_, std::move(settings))) {}
ScopedShapeEnvSettings::~ScopedShapeEnvSettings() { env_.settings_ = std::move(saved_); }

ShapeEnv* ShapeEnv::Current() { return current; }

ShapeEnv::ShapeEnv() = default;

size_t ShapeEnv::NodeHash::operator()(Sym n) const {
  size_t hash = static_cast<size_t>(n->op) * 0x9e3779b97f4a7c15u + static_cast<size_t>(n->type);
  auto mix = [&](uint64_t v) { hash = (hash ^ v) * 0x100000001b3u, hash ^= hash >> 29; };
  mix(static_cast<uint64_t>(n->integer));
  mix(std::bit_cast<uint64_t>(n->real));
  for (Sym argument : n->arguments) mix(argument->id);
  for (int64_t c : n->coefficients) mix(static_cast<uint64_t>(c));
  if (!n->name.empty()) mix(std::hash<std::string>()(n->name));
  return hash;
}

bool ShapeEnv::NodeEqual::operator()(Sym a, Sym b) const {
  return a->op == b->op && a->type == b->type && a->integer == b->integer &&
         std::bit_cast<uint64_t>(a->real) == std::bit_cast<uint64_t>(b->real) && a->arguments == b->arguments &&
         a->coefficients == b->coefficients && a->name == b->name;
}

Sym ShapeEnv::Intern(SymNode node) {
  if (auto it = interned_.find(&node); it != interned_.end()) return *it;
  Finish(node);
  nodes_.push_back(std::move(node));
  interned_.insert(&nodes_.back());
  return &nodes_.back();
}

// What follows from the operation and its arguments.
void ShapeEnv::Finish(SymNode& node) {
  node.env = this;
  node.id = static_cast<uint32_t>(nodes_.size());
  std::vector<SymNumber> hints;
  uint64_t size = 1;
  for (Sym argument : node.arguments) {
    node.depth = std::max(node.depth, argument->depth + 1);
    size += argument->size;
    node.symbols |= argument->symbols;
    node.is_unbacked |= argument->is_unbacked;
    if (argument->hint) hints.push_back(*argument->hint);
  }
  if (node.depth > kMaxDepth || size > kMaxSize)
    Fail(ErrorClass::kOverflow, "an expression over sizes has grown beyond " + std::to_string(kMaxSize) + " parts");
  node.size = static_cast<uint32_t>(size);
  if (node.op != SymOp::kSymbol && hints.size() == node.arguments.size()) node.hint = ApplyOperation(node, hints);
}

Sym ShapeEnv::Integer(int64_t value) {
  SymNode node;
  node.integer = value;
  return Intern(std::move(node));
}

Sym ShapeEnv::Truth(bool value) {
  SymNode node;
  node.op = SymOp::kTruth;
  node.type = SymType::kBool;
  node.integer = value;
  return Intern(std::move(node));
}

Sym ShapeEnv::Constant(SymNumber value) {
  if (value.type == SymType::kInt) return Integer(value.integer);
  if (value.type == SymType::kBool) return Truth(value.integer != 0);
  SymNode node;
  node.op = SymOp::kReal;
  node.type = SymType::kFloat;
  node.real = value.real;
  return Intern(std::move(node));
}

Sym ShapeEnv::NewSymbol(std::string name, Range range, std::optional<int64_t> hint, std::string source, SymType type) {
  SymNode node;
  node.op = SymOp::kSymbol;
  node.type = type;
  node.integer = static_cast<int64_t>(symbols_.size());
  node.symbols = uint64_t{1} << (symbols_.size() % 64);
  node.name = name;
  node.is_unbacked = !hint;
  if (hint) node.hint = SymNumber::Of(*hint);
  Sym symbol = Intern(std::move(node));
  symbols_.push_back({symbol, range, hint, std::move(source), !hint});
  by_name_.emplace(std::move(name), symbol);
  ranges_[symbol] = range;
  return symbol;
}

std::string ShapeEnv::FreshName(SymType type, const std::vector<std::string>& names) {
  const bool is_float = type == SymType::kFloat;
  for (const std::string& name : names)
    if (!by_name_.contains(name) && name.starts_with("zuf") == is_float) return name;
  std::string name;
  do {
    name = is_float ? "zuf" + std::to_string(next_unbacked_float_++) : "u" + std::to_string(next_unbacked_++);
  } while (by_name_.contains(name));
  return name;
}

Sym ShapeEnv::NewUnbacked(SymType type, Range range) {
  const auto* names = settings_.namer ? settings_.namer() : nullptr;
  return NewUnbacked(type, range, names ? *names : std::vector<std::string>());
}

Sym ShapeEnv::NewUnbacked(SymType type, Range range, const std::vector<std::string>& names) {
  const std::string name = FreshName(type, names);
  // A bool is an integer that is 1, as PyTorch's unbacked bools are.
  if (type == SymType::kBool) range = {0, 1};
  const SymType stored = type == SymType::kFloat ? type : SymType::kInt;
  Sym symbol = NewSymbol(name, range, std::nullopt, std::string(settings_.place.node), stored);
  symbols_.back().place = settings_.place;
  return type == SymType::kBool ? Equal(symbol, Integer(1)) : symbol;
}

void ShapeEnv::KeepName(Sym symbol) { symbols_[static_cast<size_t>(symbol->integer)].keeps_name = true; }

Sym ShapeEnv::FindSymbol(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::optional<bool> ShapeEnv::Static(Sym condition) {
  if (condition->op == SymOp::kTruth) return condition->integer != 0;
  return Decide(replaced_ & condition->symbols ? Substitute(condition, kInQuestions) : condition);
}

void ShapeEnv::Record(Sym condition, bool is_assertion, bool is_declared) {
  if (recorded_.insert(condition).second) guards_.push_back({condition, settings_.place, is_assertion, is_declared});
}

void ShapeEnv::Assume(Sym condition) {
  if (Static(condition) == true) return;
  Record(condition, false, true);
  Learn(condition);
}

void ShapeEnv::DeclareMultiple(Sym symbol, int64_t of) {
  if (of <= 1) return;
  for (SymbolInfo& info : symbols_)
    if (info.node == symbol) info.multiple = of;
  Learn(Equal(Modulo(symbol, Integer(of)), Integer(0)));
}

std::optional<bool> ShapeEnv::StaticOrProven(Sym condition) {
  std::optional<bool> known = Static(condition);
  if (known || !prover_) return known;
  known = prover_(condition);
  if (known) Learn(*known ? condition : Not(condition));
  return known;
}

// Of data: also by equalities among what data decides, which PyTorch does not put in.
std::optional<bool> ShapeEnv::DecideOrFail(Sym condition) {
  const std::optional<bool> known = StaticOrProven(condition);
  return known || condition->hint ? known : Decide(Substitute(condition, kInErrors));
}

bool ShapeEnv::Guard(Sym condition) {
  if (auto known = DecideOrFail(condition)) return *known;
  if (!condition->hint) FailGuard(condition);
  const bool truth = condition->hint->Truth();
  Sym holds = CancelFactors(*this, truth ? condition : Not(condition));
  Record(holds, false);
  Learn(holds);
  return truth;
}

bool ShapeEnv::GuardOr(Sym condition, bool otherwise) {
  if (auto known = StaticOrProven(condition)) return *known;
  return condition->hint ? Guard(condition) : otherwise;
}

bool ShapeEnv::Expect(Sym condition) {
  if (auto known = DecideOrFail(condition)) return *known;
  if (condition->hint) return Guard(condition);
  Record(condition, true);
  Learn(condition);
  return true;
}

SymNumber ShapeEnv::Specialize(Sym value) {
  Sym known = Substitute(value, kInQuestions);
  if (known->IsConstant()) return *known->hint;
  if (value->type == SymType::kInt)
    if (Range range = RangeOf(known); range.IsPoint()) return SymNumber::Of(range.low);
  if (!value->hint) FailGuard(Equal(value, value->type == SymType::kBool ? Truth(true) : Integer(0)));
  const SymNumber number = *value->hint;
  Guard(Equal(value, Constant(number)));
  return number;
}

std::string ShapeEnv::PlaceText(const GraphPlace& place) const {
  if (place.node.empty()) return "the inputs";
  return settings_.describer ? settings_.describer(place) : "node `" + std::string(place.node) + "`";
}

void ShapeEnv::FailGuard(Sym condition) {
  std::string origins;
  std::set<Sym> symbols;
  CollectSymbols(condition, symbols);
  for (const SymbolInfo& info : symbols_)
    if (info.is_unbacked && symbols.contains(info.node) && origins.size() < 1000)
      origins += "; `" + info.node->name + "` comes from " + PlaceText(info.place);
  const std::string text = ToString(condition);
  Fail(ErrorClass::kDataDependentGuard, "whether `" + text + "` holds depends on data" + origins + "; torch._check(" +
                                            PythonText(condition) + ") or torch._check(" + PythonText(Not(condition)) +
                                            ") before this node would settle it");
}

}  // namespace fakeprop
