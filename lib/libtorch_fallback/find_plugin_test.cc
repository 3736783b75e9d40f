#include "lib/libtorch_fallback/find_plugin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libfakeprop_libtorch.so";

void WriteFile(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "a plug-in";
}

// Each test runs in a folder of its own, which is the current one, with no setting that names a plug-in.
class FindPluginTest : public testing::Test {
 protected:
  FindPluginTest() {
    for (const char* name : {"FAKEPROP_LIBTORCH", "FAKEPROP_TORCH", "RUNFILES_DIR", "TEST_SRCDIR"}) unsetenv(name);
    fs::create_directories(folder_);
    fs::current_path(folder_);
  }
  ~FindPluginTest() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  const fs::path before_ = fs::current_path();
  const fs::path folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string reason_;
};

TEST_F(FindPluginTest, BesideTheProgram) {
  WriteFile(folder_ / "bin" / kLibrary);
  const auto found = FindPlugin(folder_ / "bin/fakeprop", reason_);
  ASSERT_TRUE(found) << reason_;
  EXPECT_EQ(found->plugin, folder_ / "bin" / kLibrary);
  EXPECT_EQ(found->torch, "");
}

// Without /proc a program does not know where it is.
TEST_F(FindPluginTest, NotInTheCurrentFolder) {
  WriteFile(folder_ / kLibrary);
  WriteFile(folder_ / "lib/libtorch_fallback/plugin" / kLibrary);
  WriteFile(folder_ / "lib/python3.11/site-packages/fakeprop_torch/__init__.py");
  EXPECT_FALSE(FindPlugin("", reason_));
  EXPECT_EQ(reason_, "without /proc the program does not know its own folder: FAKEPROP_LIBTORCH names the plug-in");
}

TEST_F(FindPluginTest, WhereItIsNamed) {
  WriteFile(folder_ / "named.so");
  setenv("FAKEPROP_LIBTORCH", (folder_ / "named.so").c_str(), /*overwrite=*/1);
  const auto found = FindPlugin("", reason_);
  ASSERT_TRUE(found) << reason_;
  EXPECT_EQ(found->plugin, folder_ / "named.so");
  setenv("FAKEPROP_LIBTORCH", "/no/such/file.so", /*overwrite=*/1);
  EXPECT_FALSE(FindPlugin("", reason_));
  EXPECT_EQ(reason_, "no such file: /no/such/file.so");
}

TEST_F(FindPluginTest, Nowhere) {
  EXPECT_FALSE(FindPlugin(folder_ / "bin/fakeprop", reason_));
  EXPECT_NE(reason_.find("no such file: " + (folder_ / "bin" / kLibrary).string()), std::string::npos) << reason_;
  EXPECT_NE(reason_.find("no package fakeprop_torch beside it"), std::string::npos) << reason_;
}

}  // namespace
}  // namespace fakeprop
