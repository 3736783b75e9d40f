#include "lib/inputs/input_option.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "lib/inputs/slots.h"
#include "lib/json/json_writer.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

[[noreturn]] void Fail(std::string_view text, const std::string& why) {
  throw std::invalid_argument(
      "takes an input such as `x=4x16:int64@cuda:0` or `x=batchx16`, not `" + std::string(text) + "`: " + why);
}

template <typename T>
std::optional<T> TryNumber(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string> ReadSizes(std::string_view text, std::string_view whole) {
  const bool is_tuple = text.starts_with('(') && text.ends_with(')') && text.find(',') != std::string_view::npos;
  if (is_tuple || (text.starts_with('[') && text.ends_with(']'))) text = text.substr(1, text.size() - 2);
  std::vector<std::string> sizes;
  if (Trimmed(text).empty()) return sizes;
  const char between = text.find(',') == std::string_view::npos ? 'x' : ',';
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(between, start), text.size());
    const std::string size(Trimmed(text.substr(start, end - start)));
    if (size.empty() && between == ',' && end == text.size() && !sizes.empty()) break;  // "4,"
    const std::optional<Expression> expression = ParseExpression(size);
    if (!expression)
      Fail(whole, size.empty() ? "a size is missing"
                               : "`" + size + "` is no size; commas part sizes as well, where a name has an `x`");
    if (DtypeFromName(size)) Fail(whole, "`" + size + "` is a dtype, which follows a `:`");
    sizes.push_back(size);
    start = end + 1;
  }
  return sizes;
}

// kAny for a name that no input has: reading the spec reports it.
InputType TypeOf(const Graph& graph, const std::string& name) {
  for (const Input& input : graph.inputs)
    if (graph.nodes[input.node].name == name) return input.type;
  return InputType::kAny;
}

bool IsNumberOrText(InputType type) {
  return type == InputType::kInt || type == InputType::kFloat || type == InputType::kBool ||
         type == InputType::kString || type == InputType::kDevice;
}

std::set<std::string> SymbolsOf(const Graph& graph) {
  std::set<std::string> symbols;
  const auto add = [&](const RecordedSize& size) {
    const std::optional<Expression> expression = ParseExpression(size.expression);
    if (size.expression.empty() || !expression) return;
    for (const std::string& symbol : UnknownSymbols(*expression, {})) symbols.insert(symbol);
  };
  for (const Input& input : graph.inputs) {
    const auto it = graph.recorded.find(graph.nodes[input.node].name);
    if (it == graph.recorded.end()) continue;
    if (const auto* number = std::get_if<RecordedNumber>(&it->second)) add(number->integer);
    if (const auto* tensor = std::get_if<RecordedTensor>(&it->second)) ForEachSize(*tensor, add);
  }
  return symbols;
}

void WriteValue(const InputOption& option, InputType type, JsonWriter& json) {
  json.Key("value");
  const bool is_bool = option.text == "true" || option.text == "false";
  if (const auto number = TryNumber<int64_t>(option.text)) json.Int(*number);
  else if (const auto real = TryNumber<double>(option.text); real && type == InputType::kFloat) json.Float(*real);
  else if (type == InputType::kBool && is_bool) json.Bool(option.text == "true");
  else json.String(option.text);
}

void WriteTensor(const InputOption& option, JsonWriter& json) {
  if (option.sizes)
    json.Key("shape").Array(*option.sizes, [&](const std::string& size) {
      if (const auto number = TryNumber<int64_t>(size)) json.Int(*number);
      else json.String(size);
    });
  if (!option.dtype.empty()) json.Key("dtype").String(option.dtype);
  if (!option.device.empty()) json.Key("device").String(option.device);
}

// Symbols of the sizes that the graph does not have, each once.
std::vector<std::string> NewSymbols(const std::vector<InputOption>& options, const Graph& graph) {
  std::set<std::string> known = SymbolsOf(graph);
  std::vector<std::string> symbols;
  for (const InputOption& option : options) {
    if (!option.sizes || IsNumberOrText(TypeOf(graph, option.name))) continue;
    for (const std::string& size : *option.sizes)
      for (const std::string& symbol : UnknownSymbols(*ParseExpression(size), {}))
        if (known.insert(symbol).second) symbols.push_back(symbol);
  }
  return symbols;
}

}  // namespace

InputOption ParseInputOption(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) Fail(text, "it has no `NAME=`; a file goes with `--inputs`");
  InputOption option{.name = std::string(text.substr(0, equals)), .text = std::string(text.substr(equals + 1))};
  std::string_view rest = option.text;
  if (const size_t at = rest.find('@'); at != std::string_view::npos) {
    option.device = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (option.device.empty()) Fail(text, "no device follows the `@`");
  }
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    option.dtype = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (option.dtype.empty()) Fail(text, "no dtype follows the `:`");
    if (option.dtype.find(':') != std::string::npos) Fail(text, "a device follows an `@`");
  }
  if (!rest.empty()) option.sizes = ReadSizes(rest, text);
  else if (option.dtype.empty() && option.device.empty()) Fail(text, "nothing follows the `=`");
  return option;
}

std::string SpecOf(const std::vector<InputOption>& options, const Graph& graph) {
  JsonWriter json;
  json.BeginObject();
  json.Key("format").String("fakeprop.inputs/1");
  json.Key("symbols").BeginObject();
  for (const std::string& symbol : NewSymbols(options, graph)) {
    json.KeyOf(symbol).BeginObject();
    json.EndObject();
  }
  json.EndObject();
  json.Key("inputs").BeginObject();
  for (const InputOption& option : options) {
    json.KeyOf(option.name).BeginObject();
    if (const InputType type = TypeOf(graph, option.name); IsNumberOrText(type)) WriteValue(option, type, json);
    else WriteTensor(option, json);
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
  return json.Take();
}

}  // namespace fakeprop
