#include "lib/rules/support/group_sizes.h"

#include "lib/rules/core/results.h"
#include "lib/rules/support/data_dependent_results.h"

namespace fakeprop::rules {
namespace {

thread_local KnownGroups* current = nullptr;

}  // namespace

KnownGroups::KnownGroups(Find find) : find_(std::move(find)), outer_(current) { current = this; }
KnownGroups::~KnownGroups() { current = outer_; }

Dim KnownGroups::SizeOf(const Call& call, const Value& group) {
  const std::string name = ToString(group);
  if (auto it = sizes_.find(name); it != sizes_.end()) return it->second;
  const std::optional<int64_t> known = find_(group);
  if (!known && !MakesUnbacked())
    Fail(ErrorClass::kDynamicOutputShape,
        Format("the shape of {}'s result depends on how many ranks the group {} has, and the graph does not say",
            OpName(call), group));
  return sizes_.emplace(name, known ? Dim(*known) : UnbackedInteger(1)).first->second;
}

Dim SizeOfGroup(const Call& call) {
  const Value& group = call.Arg("group_name");
  if (current) return current->SizeOf(call, group);
  return KnownGroups([](const Value&) { return std::nullopt; }).SizeOf(call, group);
}

}  // namespace fakeprop::rules
