// How many ranks a process group has. Some collectives are given the group's name alone, and their results depend on
// it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// What is known of groups while it lives, in this thread; the one before it comes back afterwards.
class KnownGroups {
 public:
  // Asked once a group; nothing for a group that it does not know.
  using Find = std::function<std::optional<int64_t>(const Value& group)>;

  explicit KnownGroups(Find find);
  ~KnownGroups();
  KnownGroups(const KnownGroups&) = delete;
  KnownGroups& operator=(const KnownGroups&) = delete;

 private:
  friend Dim SizeOfGroup(const Call& call);

  Dim SizeOf(const Call& call, const Value& group);

  const Find find_;
  std::map<std::string, Dim> sizes_;
  KnownGroups* const outer_;
};

// The size of the call's `group_name`. Of a group that nothing is known of, one unbacked symbol of at least 1 for all
// calls; without symbols an OpError of class DynamicOutputShape.
Dim SizeOfGroup(const Call& call);

}  // namespace fakeprop::rules
