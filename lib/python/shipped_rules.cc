#include "lib/python/shipped_rules.h"

namespace fakeprop {
namespace {

constexpr ShippedRules kShipped[] = {
    {
        "transformers",
#include "lib/python/shipped/transformers.inc"
    },
};

}  // namespace

std::span<const ShippedRules> AllShippedRules() { return kShipped; }

}  // namespace fakeprop
