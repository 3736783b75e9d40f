#include "lib/base/zip_archive.h"

#include <gtest/gtest.h>

#include "lib/base/testing/make_zip.h"

namespace fakeprop {
namespace {

using testing::MakeZip;

constexpr uint64_t kEnough = uint64_t{1} << 30;

// The archive's error, or that of reading its first member.
std::string ErrorOf(std::string bytes, uint64_t max_bytes = kEnough) {
  std::string error;
  const auto archive = ZipArchive::FromBytes(std::move(bytes), error);
  if (archive && !archive->members().empty()) archive->Read(archive->members()[0], max_bytes, error);
  return error;
}

TEST(ZipArchive, ReadsMembers) {
  for (bool compressed : {false, true}) {
    std::string error;
    const std::string text(100'000, 'x');
    const auto archive = ZipArchive::FromBytes(MakeZip({{"m/a.json", text}, {"m/empty", ""}}, compressed), error);
    ASSERT_TRUE(archive) << error;
    EXPECT_EQ(archive->members().size(), 2u);
    EXPECT_EQ(archive->Find("m/b"), nullptr);
    ASSERT_TRUE(archive->Find("m/a.json"));
    EXPECT_EQ(archive->Find("m/a.json")->size, text.size());
    EXPECT_EQ(archive->Read(*archive->Find("m/a.json"), kEnough, error), text);
    EXPECT_EQ(archive->Read(*archive->Find("m/empty"), kEnough, error), "");
  }
}

TEST(ZipArchive, RefusesNamesThatLeaveIt) {
  EXPECT_EQ(
      ErrorOf(MakeZip({{"/etc/passwd", "x"}})), "it has a member named `/etc/passwd`, which would lie outside of it");
  EXPECT_EQ(ErrorOf(MakeZip({{"m/../../x", "x"}})), "it has a member named `m/../../x`, which would lie outside of it");
  EXPECT_EQ(ErrorOf(MakeZip({{"m\\x", "x"}})), "it has a member named `m\\x`, which would lie outside of it");
  EXPECT_EQ(ErrorOf(MakeZip({{"m/..x/y..", "x"}})), "");
}

TEST(ZipArchive, BoundsWhatItUnpacks) {
  EXPECT_EQ(ErrorOf(MakeZip({{"a", "12345"}}), 4), "its member `a` unpacks to 5 bytes, more than 4");
  const std::string bomb = MakeZip({{"a", std::string(200 << 20, '\0')}}, true);
  EXPECT_TRUE(ErrorOf(bomb).starts_with("its member `a` unpacks to 209715200 bytes, more than 20")) << ErrorOf(bomb);
}

TEST(ZipArchive, ComparesChecksums) {
  std::string bytes = MakeZip({{"a", "hello, archive"}});
  bytes[bytes.find("hello")] = 'j';
  EXPECT_EQ(ErrorOf(bytes), "its member `a` cannot be read: CRC error");
}

// Cut off or changed anywhere, it is an error or another archive, and never more than that.
TEST(ZipArchive, SurvivesDamage) {
  const std::string bytes = MakeZip({{"m/a.json", "{\"a\": 1}"}, {"m/data/w", std::string(64, 'w')}});
  for (size_t size = 1; size < bytes.size(); ++size) EXPECT_NE(ErrorOf(bytes.substr(0, size)), "") << size;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (char change : {'\x01', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] ^= change;
      ErrorOf(damaged);
    }
  }
}

TEST(ZipArchive, SaysWhatIsNoArchive) {
  std::string error;
  EXPECT_FALSE(ZipArchive::FromBytes("PK\3\4 and no more", error));
  EXPECT_EQ(error, "Not a zip archive");
  EXPECT_FALSE(ZipArchive::FromBytes("", error));
  EXPECT_FALSE(ZipArchive::Open("/no/such/file", error));
  EXPECT_EQ(error, "No such file or directory");
}

}  // namespace
}  // namespace fakeprop
