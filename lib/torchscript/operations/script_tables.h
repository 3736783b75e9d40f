// The handlers of TorchScript's operations by family. script.cc finds them by name.
#pragma once

#include <span>

#include "lib/higher_order/higher_order_tables.h"

namespace fakeprop {

// A name is complete ("aten::add.t"), or ends in * for all overloads ("aten::append*").
std::span<const HigherOrderRow> ScriptControlRows();
std::span<const HigherOrderRow> ScriptContainerRows();
std::span<const HigherOrderRow> ScriptContextRows();
std::span<const HigherOrderRow> ScriptStringRows();
std::span<const HigherOrderRow> ScriptStructureRows();
std::span<const HigherOrderRow> ScriptTensorRows();
std::span<const HigherOrderRow> ScriptTextRows();
std::span<const HigherOrderRow> ScriptTypeRows();

}  // namespace fakeprop
