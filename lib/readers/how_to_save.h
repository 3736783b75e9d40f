// The way out where a file holds no graph.
#pragma once

#include <string_view>

namespace fakeprop {

inline constexpr std::string_view kHowToSaveGraph =
    "a graph is made from the model: torch.export.save(torch.export.export(model, args), \"model.pt2\")";

}  // namespace fakeprop
