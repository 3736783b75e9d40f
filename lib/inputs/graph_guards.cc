#include "lib/inputs/graph_guards.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "lib/error/error.h"
#include "lib/inputs/spec.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

// Reads one guard. Its references to inputs become symbols with names of our own. The rest is an expression.
class GuardReader {
 public:
  GuardReader(std::string_view text, const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env)
      : rest_(text), graph_(graph), inputs_(inputs), env_(env) {}

  // Null if the guard is not understood.
  Sym Read() {
    while (!rest_.empty()) {
      if (rest_.starts_with("L[") && !IsPartOfName()) {
        if (!ReadSource()) return nullptr;
      } else {
        text_ += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    const std::optional<Expression> expression = ParseExpression(text_);
    Sym condition = expression ? Build(*expression, env_, sources_) : nullptr;
    return condition && condition->type == SymType::kBool ? condition : nullptr;
  }

 private:
  bool IsPartOfName() const {
    const char before = text_.empty() ? ' ' : text_.back();
    return std::isalnum(static_cast<unsigned char>(before)) || before == '_';
  }

  bool Accept(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // "L['x']" and what follows it.
  bool ReadSource() {
    rest_.remove_prefix(1);
    std::string label;
    if (!Accept("['") || !ReadUntil("']", label)) return false;
    while (rest_.starts_with("[")) {
      std::string step;
      rest_.remove_prefix(1);
      const bool is_text = Accept("'");
      if (!ReadUntil(is_text ? "']" : "]", step)) return false;
      label += is_text ? "[\"" + step + "\"]" : "[" + step + "]";
    }
    const int input = FindInput(graph_, label);
    return input >= 0 && ReadProperty(inputs_[static_cast<size_t>(input)]);
  }

  bool ReadUntil(std::string_view end, std::string& text) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) return false;
    text = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return true;
  }

  bool ReadProperty(const InputValue& input) {
    if (!rest_.starts_with(".")) {
      const Value* plain = input.is_tensor ? nullptr : input.value.TryPlain();
      const Dim* number = plain ? plain->TryGet<Dim>() : nullptr;
      return number && Add(*number);
    }
    if (!input.is_tensor) return false;
    if (Accept(".storage_offset()")) return Add(input.meta.storage_offset);
    const bool is_size = Accept(".size()[");
    if (!is_size && !Accept(".stride()[")) return false;
    const Dims& dims = is_size ? input.meta.sizes : input.meta.strides;
    size_t index = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
    if (error != std::errc() || index >= dims.size()) return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return Accept("]") && Add(dims[index]);
  }

  bool Add(Dim value) {
    if (const std::optional<int64_t> number = value.TryNumber()) {
      text_ += "(" + std::to_string(*number) + ")";
      return true;
    }
    const std::string name = "_source_" + std::to_string(sources_.size());
    sources_.emplace(name, value.Expression());
    text_ += name;
    return true;
  }

  std::string_view rest_;
  const Graph& graph_;
  const std::vector<InputValue>& inputs_;
  ShapeEnv& env_;
  std::string text_;
  Renamed sources_;
};

}  // namespace

GraphGuards ReadGraphGuards(const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env) {
  GraphGuards guards;
  for (const std::string& text : graph.guards) {
    Sym condition = nullptr;
    try {
      condition = GuardReader(text, graph, inputs, env).Read();
    } catch (const OpError&) {  // beyond 64 bits, or undefined for these sizes
    }
    if (!condition) guards.unread.push_back(text);
    else if (env.Static(condition) != true) guards.conditions.push_back(condition);
  }
  return guards;
}

}  // namespace fakeprop
