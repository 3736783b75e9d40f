#include "lib/meta/lists.h"

#include <string>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 24;

void CheckLength(uint64_t length, const char* what, const char* of) {
  if (length <= kMost) return;
  Fail(ErrorClass::kOverflow, std::string(what) + " of " + std::to_string(length) + " " + of + "; at most " +
                                  std::to_string(kMost) + " are taken");
}

}  // namespace

List IntListOf(DimSpan dims) {
  List list;
  list.items.reserve(dims.size());
  for (Dim d : dims) list.items.push_back(d);
  return list;
}

List IntTupleOf(DimSpan dims) {
  List list = IntListOf(dims);
  list.is_tuple = true;
  return list;
}

void CheckListLength(uint64_t length) { CheckLength(length, "a list", "elements"); }
void CheckTextLength(uint64_t length) { CheckLength(length, "a string", "characters"); }

}  // namespace fakeprop
