#include "lib/readers/argument_names.h"

#include "lib/json/json_parse.h"

namespace fakeprop {
namespace {

bool IsTensorOrNumber(const Input& input) {
  return input.kind == InputKind::kUserInput || input.kind == InputKind::kConstant ||
         (input.kind == InputKind::kCustomObject && input.qualified_name.empty());
}

// The calling convention of the outermost module; nothing where the file does not say.
std::optional<JsonValue> RootSignature(JsonValue module) {
  const std::optional<JsonValue> calls = module.Find("module_call_graph");
  if (!calls || calls->kind() != JsonKind::kArray) return std::nullopt;
  for (JsonValue call : *calls)
    if (call.Get("fqn").AsString().empty()) return call.Find("signature");
  return std::nullopt;
}

// A step into a dict: `["mask"]`, `[3]`.
std::string KeyText(JsonValue key) {
  switch (key.kind()) {
    case JsonKind::kString: return "[\"" + std::string(key.AsString()) + "\"]";
    case JsonKind::kInteger: return "[" + std::to_string(key.AsInt()) + "]";
    default: return "[..]";
  }
}

class LeafNamer {
 public:
  explicit LeafNamer(std::optional<JsonValue> fields) : fields_(fields) {}

  // The leaves below a spec whose own name is `name`.
  void Add(JsonValue spec, const std::string& name) {
    const std::optional<JsonValue> type = spec.Find("type");
    if (!type) return leaves_.push_back(name);
    size_t i = 0;
    const JsonValue children = spec.Get("children_spec").AsArray();
    const std::vector<std::string> steps = StepsInto(spec, type->AsString(), children.size());
    for (JsonValue child : children) Add(child, name + steps[i++]);
  }

  const std::vector<std::string>& leaves() const { return leaves_; }

 private:
  std::vector<std::string> StepsInto(JsonValue spec, std::string_view type, size_t count) const {
    std::vector<std::string> steps;
    const std::optional<JsonValue> context = spec.Find("context");
    const std::string_view text =
        context && context->kind() == JsonKind::kString ? context->AsString() : std::string_view();
    if (type == "collections.namedtuple") steps = FieldsOf(text);
    else if (text.starts_with("[")) steps = StepsOf(ParseJson(text));
    if (steps.size() == count) return steps;
    steps.clear();
    for (size_t i = 0; i < count; ++i) steps.push_back("[" + std::to_string(i) + "]");
    return steps;
  }

  // A dict's context is its keys; a dataclass's the fields that are set, and those that are None.
  static std::vector<std::string> StepsOf(const JsonTree& context) {
    std::vector<std::string> steps;
    if (context.root().kind() != JsonKind::kArray) return steps;
    for (JsonValue key : context.root()) {
      if (key.kind() != JsonKind::kArray) {
        steps.push_back(KeyText(key));
        continue;
      }
      for (JsonValue field : key) steps.push_back("." + std::string(field.AsString()));
      break;
    }
    return steps;
  }

  std::vector<std::string> FieldsOf(std::string_view class_name) const {
    std::vector<std::string> steps;
    const std::optional<JsonValue> of_class = fields_ ? fields_->Find(class_name) : std::nullopt;
    if (!of_class) return steps;
    for (JsonValue field : of_class->Get("field_names").AsArray()) steps.push_back("." + std::string(field.AsString()));
    return steps;
  }

  std::optional<JsonValue> fields_;
  std::vector<std::string> leaves_;
};

// The names of all leaves of (args, kwargs), in order; empty where the file does not name each argument.
std::vector<std::string> LeafNames(JsonValue module, JsonValue signature) {
  const std::optional<JsonValue> spec_text = signature.Find("in_spec");
  const std::optional<JsonValue> names = signature.Find("forward_arg_names");
  if (!spec_text || !names) return {};
  const JsonTree tree = ParseJson(spec_text->AsString());
  LeafNamer namer(module.Find("treespec_namedtuple_fields"));
  JsonValue::Iterator name = names->AsArray().begin();
  for (JsonValue part : tree.root().AsArray()) {
    if (part.kind() != JsonKind::kObject) continue;  // the format's version
    for (JsonValue group : part.Get("children_spec").AsArray()) {
      for (JsonValue argument : group.Get("children_spec").AsArray()) {
        if (name == names->end()) return {};
        namer.Add(argument, std::string((*name).AsString()));
        ++name;
      }
    }
  }
  return namer.leaves();
}

}  // namespace

void NameNestedInputs(JsonValue module, Graph& graph) {
  std::vector<Input*> inputs;
  for (Input& input : graph.inputs)
    if (IsTensorOrNumber(input)) inputs.push_back(&input);
  try {
    const std::optional<JsonValue> signature = RootSignature(module);
    if (!signature) return;
    const std::vector<std::string> names = LeafNames(module, *signature);
    if (names.size() != inputs.size()) return;
    for (size_t i = 0; i < names.size(); ++i)
      if (inputs[i]->kind == InputKind::kUserInput && names[i].find_first_of("[.") != std::string::npos)
        inputs[i]->qualified_name = names[i];
  } catch (const JsonError&) {
    // Another spelling than what is known here: the placeholders' names serve.
  }
}

}  // namespace fakeprop
