#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/libtorch_fallback/interface_version.h"
#include "lib/libtorch_fallback/open_libtorch.h"

namespace fakeprop {
namespace {

TEST(OpenLibTorch, RefusesWhatIsNoPlugin) {
  setenv("FAKEPROP_LIBTORCH", "/proc/self/exe", /*overwrite=*/1);
  std::string reason;
  EXPECT_EQ(OpenLibTorch(reason), nullptr);
  EXPECT_NE(reason, "");
}

TEST(OpenLibTorch, AnotherVersionIsRefused) {
  void* library = dlopen("lib/libtorch_fallback/plugin/libfakeprop_libtorch.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto open = reinterpret_cast<OpenLibTorchPlugin>(dlsym(library, "fakeprop_open_libtorch"));
  ASSERT_TRUE(open);
  EXPECT_EQ(open(PluginInterfaceVersion() + 1), nullptr);
  EXPECT_NE(open(PluginInterfaceVersion()), nullptr);
}

}  // namespace
}  // namespace fakeprop
