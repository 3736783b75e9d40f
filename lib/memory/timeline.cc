#include "lib/memory/timeline.h"

#include <array>

namespace fakeprop {
namespace {

struct CategoryName {
  std::string_view many, one;
};

constexpr std::array<CategoryName, kMemoryCategories> kNames = {{
    {"parameters", "parameter"},
    {"buffers", "buffer"},
    {"inputs", "input"},
    {"constants", "constant"},
    {"optimizer_states", "optimizer state"},
    {"activations", "activation"},
    {"gradients", "gradient"},
    {"temporaries", "temporary"},
    {"outputs", "output"},
}};

}  // namespace

std::string_view Name(MemoryCategory category) { return kNames[static_cast<size_t>(category)].many; }
std::string_view SingularName(MemoryCategory category) { return kNames[static_cast<size_t>(category)].one; }

}  // namespace fakeprop
