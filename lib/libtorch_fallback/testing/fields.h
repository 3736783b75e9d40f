// A struct of the interface, for interface_version_test.
#pragma once

namespace fakeprop::testing {

struct Fields {
  int rank = 0;
  int dtype = 0;
};

}  // namespace fakeprop::testing
