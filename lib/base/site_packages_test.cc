#include "lib/base/site_packages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

TEST(SitePackagesTest, BesideAProgram) {
  const fs::path prefix = fs::path(testing::TempDir()) / "prefix";
  const std::vector<fs::path> packages = {prefix, prefix / "lib/python3.12/site-packages",
      prefix / "lib/python3/dist-packages", prefix / "lib64/python3.9/site-packages"};
  for (const fs::path& folder : packages) fs::create_directories(folder);
  fs::create_directories(prefix / "lib/perl5/site-packages");
  const std::vector<fs::path> found = SitePackagesBeside(prefix / "bin/fakeprop");
  EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), packages.begin(), packages.end()));
  EXPECT_TRUE(SitePackagesBeside(prefix / "unpacked/fakeprop").empty());
}

TEST(SitePackagesTest, NoneWithoutAProgram) { EXPECT_TRUE(SitePackagesBeside("").empty()); }

TEST(SitePackagesTest, ThisProgram) { EXPECT_EQ(ExecutablePath().filename(), "site_packages_test"); }

}  // namespace
}  // namespace fakeprop
