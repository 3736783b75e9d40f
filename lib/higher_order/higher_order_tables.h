// The handlers of higher-order operators by family; higher_order.cc finds them by name.
#pragma once

#include <span>
#include <string_view>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

inline constexpr std::string_view kHigherOrderPrefix = "torch.ops.higher_order.";

// The prefix of torch.vmap's functions in a graph of torch.export.
inline constexpr std::string_view kPredispatchPrefix = "torch._functorch.predispatch.";

struct HigherOrderRow {
  std::string_view name;  // after the prefix
  HigherOrder handler;
};

std::span<const HigherOrderRow> RegionRows();
std::span<const HigherOrderRow> ControlFlowRows();
std::span<const HigherOrderRow> WrapperRows();
std::span<const HigherOrderRow> FunctionalizedRows();
std::span<const HigherOrderRow> FlexAttentionRows();
std::span<const HigherOrderRow> InvokeSubgraphRows();

// Finds a handler by the name after kPredispatchPrefix. Null if it is not a function of torch.vmap.
HigherOrder FindVmap(std::string_view name);

// The reason why the operator of this name cannot be run on metadata. Empty for all other operators.
std::string_view FindRefusal(std::string_view name);
// The handler of these operators: throws an error with the reason.
[[noreturn]] Value Refuse(HigherOrderCall& call);

}  // namespace fakeprop
