#include "lib/graph/open_value.h"

#include "lib/base/check.h"

namespace fakeprop {
namespace {

Dict DictOf(std::vector<Value> items) {
  FAKEPROP_CHECK(items.size() % 2 == 0);
  Dict dict;
  dict.items.reserve(items.size() / 2);
  for (size_t i = 0; i < items.size(); i += 2) dict.items.emplace_back(std::move(items[i]), std::move(items[i + 1]));
  return dict;
}

}  // namespace

Value ContainerOf(ContainerKind kind, std::vector<Value> items) {
  switch (kind) {
    case ContainerKind::kList: return List{std::move(items), false};
    case ContainerKind::kTuple: return List{std::move(items), true};
    case ContainerKind::kDict: return DictOf(std::move(items));
    case ContainerKind::kSlice: return Slice{std::move(items)};
  }
  return {};
}

}  // namespace fakeprop
