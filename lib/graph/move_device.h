// Moves a whole graph to another device. Source: torch/export/passes/__init__.py move_to_device_pass with one device
// for all (torch 2.13).
#pragma once

#include "lib/graph/graph.h"

namespace fakeprop {

// Every device that the graph names becomes `device`: recorded devices of values, from which inputs are made, device
// arguments of operators, and the device type of autocast regions. Also changes subgraphs.
void MoveToDevice(Graph& graph, Device device);

}  // namespace fakeprop
