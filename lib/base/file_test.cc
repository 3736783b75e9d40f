#include "lib/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Read(const std::string& path) {
    std::optional<std::string> content = ReadWholeFile(path, error_);
    return content ? *content : "error: " + error_;
  }

  fs::path folder_;
  std::string error_;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  std::string content("a\0b\n", 4);
  content += std::string(1'000'000, 'x');
  EXPECT_TRUE(WriteWholeFile(Path("f"), content, error_));
  EXPECT_EQ(Read(Path("f")), content);
  EXPECT_TRUE(WriteWholeFile(Path("f"), "", error_));
  EXPECT_EQ(Read(Path("f")), "");
}

TEST_F(FileTest, ErrorsSayWhy) {
  EXPECT_EQ(Read(Path("missing")), "error: no such file or directory");
  EXPECT_EQ(Read(folder_), "error: is a directory");
  EXPECT_FALSE(WriteWholeFile(folder_, "x", error_));
  EXPECT_EQ(error_, "is a directory");
  EXPECT_FALSE(WriteWholeFile(Path("no/folder"), "x", error_));
  EXPECT_EQ(error_, "no such file or directory");
  EXPECT_FALSE(WriteWholeFile("/dev/full", "x", error_));
  EXPECT_EQ(error_, "no space left on device");
}

TEST_F(FileTest, LeavesNothingElseBehind) {
  EXPECT_TRUE(WriteWholeFile(Path("f"), "x", error_));
  EXPECT_FALSE(WriteWholeFile(Path("f") + "/g", "x", error_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// A process that writes for a while, and what a handler of its signals does.
[[noreturn]] void WriteUntilEnded(const std::string& path) {
  std::signal(SIGTERM, [](int) {
    RemoveUnfinishedFile();
    _exit(0);
  });
  const std::string content(size_t{64} << 20, 'x');
  std::string error;
  for (;;) WriteWholeFile(path, content, error);
}

TEST_F(FileTest, ASignalLeavesNoPartialFile) {
  for (int i = 0; i < 8; ++i) {
    const pid_t writer = fork();
    if (writer == 0) WriteUntilEnded(Path("f"));
    const auto has_partial_file = [&] {
      for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path() != Path("f")) return true;
      return false;
    };
    while (!has_partial_file()) usleep(100);
    usleep(static_cast<useconds_t>(i) * 3000);
    kill(writer, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_FALSE(has_partial_file());
  }
}

TEST_F(FileTest, KeepsPermissionsAndLinks) {
  EXPECT_TRUE(WriteWholeFile(Path("f"), "old", error_));
  fs::permissions(Path("f"), fs::perms(0640));
  fs::create_symlink("f", Path("link"));
  EXPECT_TRUE(WriteWholeFile(Path("link"), "new", error_));
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Read(Path("f")), "new");
  EXPECT_EQ(fs::status(Path("f")).permissions(), fs::perms(0640));
}

TEST_F(FileTest, WritesToWhatIsNoFile) { EXPECT_TRUE(WriteWholeFile("/dev/null", "x", error_)); }

}  // namespace
}  // namespace fakeprop
