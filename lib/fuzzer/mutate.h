// Makes variations of calls.
#pragma once

#include <cstdint>
#include <string>

namespace fakeprop::fuzzer {

// Random numbers that are the same on every machine (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // 0 to n - 1.
  size_t Below(size_t n) { return Next() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <typename Items>
  auto& Pick(Items& items) {
    return items[Below(std::size(items))];
  }

 private:
  uint64_t state_;
};

// The call with one to four changes: to sizes, ranks, strides, dtypes, numbers, options, or to the operator's in-place
// form. The result may be an invalid call.
std::string Mutate(const std::string& call, Random& random);

}  // namespace fakeprop::fuzzer
