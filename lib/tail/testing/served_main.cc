// Reads call texts from standard input, one a line, and prints what fakeprop makes of each: `call -> effects`.
//
//   bazel build //lib/tail:served && bazel-bin/lib/tail/served < calls.txt
#include <iostream>

#include "lib/tail/open.h"
#include "lib/tail/testing/served.h"

int main() {
  std::string reason;
  fakeprop::Tail* tail = fakeprop::OpenTail(reason);
  if (!tail) {
    std::cerr << reason << "\n";
    return 1;
  }
  for (std::string call; std::getline(std::cin, call);) {
    std::cout << call << " -> " << fakeprop::testing::Served(call, *tail) << std::endl;
  }
  return 0;
}
