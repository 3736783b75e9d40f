#include "lib/api/c_handles.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace fakeprop {
namespace {

char* Throw(int what) {
  if (what == 0) throw std::runtime_error("lost");
  if (what == 1) throw std::bad_alloc();
  throw what;
}

TEST(CHandles, NothingIsThrownAtC) {
  for (const int what : {0, 1, 2}) {
    EXPECT_EQ(Guarded([&] { return Throw(what); }), nullptr);
    EXPECT_EQ(Say(nullptr, [&](DiagnosticSink&) { return Throw(what); }), nullptr);
  }
}

TEST(CHandles, SaysWhatWasThrown) {
  char* said = nullptr;
  EXPECT_EQ(Say(&said, [](DiagnosticSink&) { return Throw(0); }), nullptr);
  EXPECT_NE(std::string(said).find("a bug in fakeprop: lost"), std::string::npos) << said;
  std::free(said);
}

TEST(CHandles, ATextOfNothingIsNull) {
  char before = 0;
  char* said = &before;
  EXPECT_EQ(Say(&said, [](DiagnosticSink&) { return Throw(2); }), nullptr);
  EXPECT_EQ(said, nullptr);
}

}  // namespace
}  // namespace fakeprop
