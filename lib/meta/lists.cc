#include "lib/meta/lists.h"

namespace fakeprop {

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

}  // namespace fakeprop
