// What stands between a run and its process: pipes, files, progress, completions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/testing/read_text.h"
#include "lib/diag/render_text.h"
#include "tools/cli/completions.h"
#include "tools/cli/fd_buffer.h"
#include "tools/cli/output.h"
#include "tools/cli/progress.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

TEST(FdBuffer, WritesAll) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    FdBuffer buffer(ends[1]);
    std::ostream out(&buffer);
    out << "a" << 12 << 'c' << std::flush << "rest";
    EXPECT_EQ(buffer.error(), 0);
  }
  char text[16] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text), 8);
  EXPECT_STREQ(text, "a12crest");
  close(ends[0]);
  close(ends[1]);
}

TEST(FdBuffer, RemembersWhyItFailed) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  FdBuffer closed(ends[1]);
  std::ostream out(&closed);
  out << "text" << std::flush << "more" << std::flush;
  EXPECT_FALSE(out);
  EXPECT_EQ(closed.error(), EPIPE);
  close(ends[1]);
  const int full_fd = open("/dev/full", O_WRONLY);
  FdBuffer full(full_fd);
  std::ostream(&full) << "text" << std::flush;
  EXPECT_EQ(full.error(), ENOSPC);
  close(full_fd);
}

class OutputTest : public ::testing::Test {
 protected:
  std::string Error() { return sink_.diagnostics().empty() ? "" : RenderText(sink_.diagnostics().back()); }
  size_t CountFiles() { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
  DiagnosticSink sink_;
  std::ostringstream out_, err_;
  const Console console_{out_, err_};

  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
};

TEST_F(OutputTest, WholeFilesAndStdout) {
  const std::string path = folder_ / "a.json";
  EXPECT_TRUE(CheckWritable(path, sink_));
  EXPECT_EQ(CountFiles(), 0u);
  EXPECT_TRUE(WriteOutput(path, "text", console_, sink_));
  EXPECT_EQ(ReadTextFile(path), "text");
  EXPECT_TRUE(CheckWritable(path, sink_));
  EXPECT_EQ(ReadTextFile(path), "text");
  EXPECT_EQ(CountFiles(), 1u);
  EXPECT_TRUE(CheckWritable("", sink_));
  EXPECT_TRUE(WriteOutput("", "to stdout", console_, sink_));
  EXPECT_EQ(out_.str(), "to stdout");
}

TEST_F(OutputTest, WhatCannotBeWrittenIsFoundBefore) {
  EXPECT_FALSE(CheckWritable(folder_ / "none" / "a.json", sink_));
  EXPECT_EQ(Error(),
      "error[FP5002]: cannot write `" + (folder_ / "none" / "a.json").string() + "`: no such file or directory\n");
  EXPECT_FALSE(CheckWritable(folder_, sink_));
  EXPECT_EQ(Error(), "error[FP5002]: cannot write `" + folder_.string() + "`: is a directory\n");
  std::ofstream(folder_ / "file") << "x";
  EXPECT_FALSE(CheckWritable(folder_ / "file" / "a.json", sink_));
  EXPECT_EQ(Error(), "error[FP5002]: cannot write `" + (folder_ / "file" / "a.json").string() + "`: not a directory\n");
}

TEST_F(OutputTest, AFailureLeavesTheOldFile) {
  EXPECT_FALSE(WriteOutput("/dev/full", "text", console_, sink_));
  EXPECT_EQ(Error(), "error[FP5002]: cannot write `/dev/full`: no space left on device\n");
}

TEST(Progress, OnATerminalOnlyByDefault) {
  std::ostringstream out, err;
  const Console pipe{out, err}, terminal{out, err, true, true};
  EXPECT_FALSE(Progress(When::kAuto, Verbosity::kNormal, pipe).enabled());
  EXPECT_TRUE(Progress(When::kAuto, Verbosity::kNormal, terminal).enabled());
  EXPECT_FALSE(Progress(When::kAuto, Verbosity::kQuiet, terminal).enabled());
  EXPECT_FALSE(Progress(When::kNever, Verbosity::kNormal, terminal).enabled());
}

TEST(Progress, ShortRunsShowNothing) {
  std::ostringstream out, err;
  const Console terminal{out, err, true, true};
  Progress progress(When::kAuto, Verbosity::kNormal, terminal);
  progress.Show(1, 10);
  progress.Clear();
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, OneLineOnATerminalLinesElsewhere) {
  std::ostringstream out, err, file;
  const Console terminal{out, err, true, true}, pipe{out, file};
  Progress shown(When::kAlways, Verbosity::kNormal, terminal);
  shown.Show(1, 10);
  shown.Clear();
  EXPECT_EQ(err.str(), "\rpropagating: node 1 of 10\x1b[K\r\x1b[K");
  Progress lines(When::kAlways, Verbosity::kNormal, pipe);
  for (size_t i = 0; i < 100; ++i) lines.Show(i, 100);
  EXPECT_EQ(file.str().substr(0, 54), "propagating: node 0 of 100\npropagating: node 10 of 100");
  EXPECT_EQ(std::count(file.view().begin(), file.view().end(), '\n'), 10);
}

TEST(Progress, LinesOfJsonForPrograms) {
  std::ostringstream out, err;
  const Console terminal{out, err, true, true};
  Progress progress(When::kJson, Verbosity::kNormal, terminal, "proving, case 2 of at most 64");
  progress.Show(1, 10);
  progress.Show(10, 10);
  progress.Clear();
  EXPECT_EQ(err.str(),
      "{\"stage\": \"proving, case 2 of at most 64\", \"done\": 1, \"total\": 10}\n"
      "{\"stage\": \"proving, case 2 of at most 64\", \"done\": 10, \"total\": 10}\n");
}

TEST(Progress, OfReading) {
  const fs::path path = fs::path(::testing::TempDir()) / "read.json";
  std::ofstream(path) << "{}";
  std::ostringstream out, err, terminal_err;
  const Console pipe{out, err}, terminal{out, terminal_err, true, true};
  ReadingProgress::SetUp(When::kJson, Verbosity::kNormal, pipe);
  { const ReadingProgress reading(path.string()); }
  EXPECT_EQ(err.str(), "{\"stage\": \"reading\", \"file\": \"" + path.string() + "\", \"done\": 0, \"total\": 2}\n" +
                           "{\"stage\": \"reading\", \"file\": \"" + path.string() +
                           "\", \"done\": 2, \"total\": 2}\n");
  ReadingProgress::SetUp(When::kAuto, Verbosity::kNormal, terminal);
  { const ReadingProgress reading(path.string()); }
  EXPECT_EQ(terminal_err.str(), "");  // a small file
  ReadingProgress::SetUp(When::kAlways, Verbosity::kNormal, terminal);
  { const ReadingProgress reading(path.string()); }
  EXPECT_EQ(terminal_err.str(), "\rreading " + path.string() + ": 2 B\x1b[K\r\x1b[K");
  ReadingProgress::SetUp(When::kAlways, Verbosity::kNormal, pipe);
  { const ReadingProgress reading("missing.json"); }
  ReadingProgress::SetUp(When::kNever, Verbosity::kNormal, pipe);
}

TEST(Completions, AreScriptsOfEveryOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = CompletionScript(shell);
    for (const char* word : {"keep-going", "update-golden", "completions", "auto always never"})
      EXPECT_NE(script.find(word), std::string::npos) << shell << " " << word;
  }
}

TEST(Completions, BashTakesTheScript) {
  const fs::path path = fs::path(::testing::TempDir()) / "fakeprop.bash";
  std::ofstream(path) << CompletionScript("bash")
                      << "COMP_WORDS=(fakeprop lint g.json --gol) COMP_CWORD=3; _fakeprop; echo ${COMPREPLY[@]}\n"
                         "COMP_WORDS=(fakeprop --color a) COMP_CWORD=2; _fakeprop; echo ${COMPREPLY[@]}\n"
                         "COMP_WORDS=(fakeprop completions '') COMP_CWORD=2; _fakeprop; echo ${COMPREPLY[@]}\n";
  FILE* run = popen(("bash " + path.string() + " 2>&1").c_str(), "r");
  char text[256] = {};
  const size_t size = fread(text, 1, sizeof text - 1, run);
  EXPECT_EQ(pclose(run), 0);
  EXPECT_EQ(std::string(text, size), "--golden\nauto always\nbash zsh fish\n");
}

}  // namespace
}  // namespace fakeprop::cli
