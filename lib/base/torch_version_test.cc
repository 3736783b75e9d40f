#include "lib/base/torch_version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace fakeprop {
namespace {

TEST(TorchVersion, IsReadFromFiles) {
  EXPECT_EQ(ReadTorchVersion("2.13.0+cpu"), 13);
  EXPECT_EQ(ReadTorchVersion("2.15.0a0+git1234567"), 15);
  EXPECT_EQ(ReadTorchVersion("2.6"), 6);
  EXPECT_EQ(ReadTorchVersion("2.6+cpu"), 6);
  EXPECT_EQ(ReadTorchVersion("1.13.1"), 0);
  EXPECT_EQ(ReadTorchVersion("3.0.0"), kNewestTorch);
  for (const char* text : {"", "2", "2.", "2.x", "two", "2.13x", "-2.13", "2.-1"})
    EXPECT_EQ(ReadTorchVersion(text), std::nullopt) << text;
}

TEST(TorchVersion, TellsItsBuild) {
  EXPECT_EQ(ReadTorchBuild("2.13.0+cpu"), TorchBuild::kCpu);
  EXPECT_EQ(ReadTorchBuild("2.15.0+cu132"), TorchBuild::kCuda);
  EXPECT_EQ(ReadTorchBuild("2.13+cpu"), TorchBuild::kCpu);
  for (const char* text : {"", "2.15.0", "2.15.0a0+git1234567"}) EXPECT_EQ(ReadTorchBuild(text), std::nullopt) << text;
}

TEST(TorchVersion, UnknownOnesAreAnsweredAsTheNearest) {
  EXPECT_EQ(NearestKnownTorch(4), kOldestTorch);
  EXPECT_EQ(NearestKnownTorch(14), 14);
  EXPECT_EQ(NearestKnownTorch(99), kNewestTorch);
  EXPECT_EQ(KnownTorchVersions(), "2.13|2.14|2.15");
}

TEST(TorchVersion, IsTheOneThatIsBuiltWith) {
  std::stringstream text;
  text << std::ifstream("third_party/torch.bzl").rdbuf();
  const std::string rules = text.str();
  EXPECT_NE(rules.find("TORCH_VERSIONS = {\n    \"" + std::string(kTorchVersion) + "\""), std::string::npos);
  EXPECT_EQ(ReadTorchVersion(kTorchVersion), kNewestTorch);
  for (int torch = kOldestTorch; torch <= kNewestTorch; ++torch)
    EXPECT_NE(rules.find("    \"" + TorchVersionText(torch) + "."), std::string::npos) << torch;
}

}  // namespace
}  // namespace fakeprop
