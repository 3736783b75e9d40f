// Checks of our own invariants. A failed one is a bug in fakeprop, never a mistake in a user's graph.
#pragma once

#include <stdexcept>
#include <string>

namespace fakeprop {

// Thrown by FAKEPROP_CHECK; the interpreter turns it into an error of class Internal at the current node.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void FailCheck(const char* file, int line, const char* condition);

}  // namespace fakeprop

#define FAKEPROP_CHECK(condition) ((condition) ? void() : ::fakeprop::FailCheck(__FILE__, __LINE__, #condition))
