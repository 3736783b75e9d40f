// The handlers of higher-order operators by family; higher_order.cc finds them by name.
#pragma once

#include <span>
#include <string_view>

#include "lib/propagate/higher_order.h"

namespace fakeprop {

inline constexpr std::string_view kHigherOrderPrefix = "torch.ops.higher_order.";

struct HigherOrderRow {
  std::string_view name;  // after the prefix
  HigherOrder handler;
};

std::span<const HigherOrderRow> RegionRows();

}  // namespace fakeprop
