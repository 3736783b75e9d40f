#include "lib/dispatch/forked.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace fakeprop::dispatch {
namespace {

TEST(RunForked, ReturnsWhatTheWorkReturns) {
  EXPECT_EQ(RunForked([] { return std::string(100'000, 'x'); }), std::string(100'000, 'x'));
}

TEST(RunForked, AChildThatDiesReturnsNothing) {
  EXPECT_EQ(RunForked([] { return std::string(1, static_cast<char>(raise(SIGSEGV))); }), std::nullopt);
}

TEST(RunForked, AChildThatThrowsReturnsNothing) {
  const pid_t parent = getpid();
  std::optional<std::string> result;
  try {
    result = RunForked([]() -> std::string { throw std::runtime_error("thrown by the work"); });
  } catch (const std::runtime_error&) {
    if (getpid() != parent) _exit(0);  // the child came back here
  }
  EXPECT_EQ(result, std::nullopt);
  if (getpid() != parent) _exit(0);
}

}  // namespace
}  // namespace fakeprop::dispatch
