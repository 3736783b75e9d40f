#include "lib/base/check.h"

namespace fakeprop {

void FailCheck(const char* file, int line, const char* condition) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": check failed: " + condition);
}

}  // namespace fakeprop
