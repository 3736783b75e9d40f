// The words of eager PyTorch, from LibTorch's kernels, are those that PyTorch says (tools/dev/truth/record_words.py).
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop {
namespace {

std::string SingleSpaced(const std::string& text) {
  std::string single;
  for (char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  return single;
}

std::string WordsOf(const std::string& text) {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  EXPECT_NE(libtorch, nullptr) << reason;
  testing::ParsedCall call = testing::ParseCall(text);
  if (!libtorch || !call.schema) return "no operator";
  const std::vector<const Value*> bound = BindArguments(*call.schema, call.arguments);
  Effects none;
  return SingleSpaced(libtorch->WordsOfEager({*call.schema, bound, {}, Device(DeviceType::CPU), none}));
}

// Calls `check` with the call and the words of each line.
template <typename Check>
int ForEachLine(const char* path, Check check) {
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const size_t arrow = line.find(" -> ");
    if (arrow == std::string::npos) ADD_FAILURE() << "no words: " << line;
    else check(line.substr(0, arrow), line.substr(arrow + 4)), ++lines;
  }
  return lines;
}

TEST(EagerWords, AreThoseOfPyTorch) {
  const int lines = ForEachLine("lib/libtorch_fallback/testing/eager_words.calls",
      [](const std::string& call, const std::string& words) { EXPECT_EQ(WordsOf(call), words) << call; });
  EXPECT_GE(lines, 90);
}

// The rules say these words themselves.
TEST(EagerWords, AreThoseOfRules) {
  const int lines = ForEachLine("lib/rules/words.calls", [](const std::string& call, const std::string& words) {
    EXPECT_NE(WordsOf(call).find(words), std::string::npos) << call << "\n  eager: " << WordsOf(call);
  });
  EXPECT_GE(lines, 300);
}

TEST(EagerWords, OfOtherDevicesAreThoseOfTheSharedChecks) {
  EXPECT_EQ(WordsOf("mm(f32[2,7]@cuda:0, f32[8,3]@cuda:0)"), "mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)");
  EXPECT_EQ(WordsOf("mm(f32[2,7]@cuda:0, f32[8,3])"), "") << "the devices are the mistake";
  EXPECT_EQ(WordsOf("softmax.int(i64[2,3]@cuda:0, 1)"), "") << "the dtypes that a device has kernels for are its own";
}

TEST(EagerWords, AreNoneWhereEagerAcceptsTheCall) {
  EXPECT_EQ(WordsOf("mm(f32[2,7], f32[7,3])"), "");
  EXPECT_EQ(WordsOf("linalg_inv(f32[3,3])"), "") << "an inverse that our numbers do not have is no error of the call";
}

TEST(EagerWords, OfLargeTensorsTakeNoMemory) {
  EXPECT_EQ(WordsOf("mm(f32[8192,4097], f16[4096,65536])"),
      "mat1 and mat2 shapes cannot be multiplied (8192x4097 and 4096x65536)");
}

}  // namespace
}  // namespace fakeprop
