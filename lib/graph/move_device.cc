#include "lib/graph/move_device.h"

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// A keyword `device` that is None asks for the default device; the pass sets it as well.
bool IsDefaultDevice(const Schema* schema, const Argument& argument) {
  if (!schema || argument.name != "device" || !argument.value.IsNone()) return false;
  const int index = schema->FindArgument("device");
  return index >= 0 && schema->arguments[index].is_keyword_only;
}

void MoveModule(Module& module, Device device) {
  for (auto& [name, value] : module.arguments.items)
    if (value.Is<Device>()) value = device;
}

void MoveNode(Node& node, Device device) {
  if (node.op != NodeOp::kCallFunction) return;
  const Schema* schema = FindSchema(OperatorName(node.target));
  for (Argument& argument : node.arguments)
    if (argument.value.Is<Device>() || IsDefaultDevice(schema, argument)) argument.value = device;
  const bool is_autocast = node.target == "torch.ops.higher_order.wrap_with_autocast";
  if (is_autocast && !node.arguments.empty() && node.arguments[0].value.Is<std::string>())
    node.arguments[0].value = std::string(DeviceTypeName(device.type()));
}

}  // namespace

void MoveToDevice(Graph& graph, Device device) {
  for (Node& node : graph.nodes) MoveNode(node, device);
  for (auto& [name, recorded] : graph.recorded)
    if (auto* tensor = std::get_if<RecordedTensor>(&recorded)) tensor->device = device;
  for (Attribute& attribute : graph.attributes) attribute.tensor.device = device;
  for (Module& module : graph.modules) MoveModule(module, device);
  for (Subgraph& subgraph : graph.subgraphs) MoveToDevice(*subgraph.graph, device);
}

}  // namespace fakeprop
