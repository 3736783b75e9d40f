#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/tail/interface.h"
#include "lib/tail/open.h"

namespace fakeprop {
namespace {

TEST(OpenTail, RefusesWhatIsNoPlugin) {
  setenv("FAKEPROP_TAIL", "/proc/self/exe", /*overwrite=*/1);
  std::string reason;
  EXPECT_EQ(OpenTail(reason), nullptr);
  EXPECT_NE(reason, "");
}

TEST(OpenTail, AnotherVersionIsRefused) {
  void* library = dlopen("lib/tail/libfakeprop_tail.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto open = reinterpret_cast<OpenTailPlugin>(dlsym(library, "fakeprop_open_tail"));
  ASSERT_TRUE(open);
  EXPECT_EQ(open(TailInterfaceVersion() + 1), nullptr);
  EXPECT_NE(open(TailInterfaceVersion()), nullptr);
}

}  // namespace
}  // namespace fakeprop
