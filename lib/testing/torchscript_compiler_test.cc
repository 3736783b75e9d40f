// Compiles the archives of testdata/torchscript by fakeprop's compiler and by torch's front end. The graphs are equal:
// their nodes, values, names, types and places.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "lib/testing/compare_compilers.h"

// For the leak sanitizer: a c10::InterfaceType that LibTorch reads from an archive holds itself by its methods'
// schemas.
extern "C" const char* __lsan_default_suppressions() { return "leak:libtorch_cpu.so\n"; }

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

// What is left to LibTorch, and what of it fakeprop's compiler does not know.
const std::map<std::string, std::string> kDeclined = {
    {"forkwait", "a `def` statement"},
    {"packed_of_unknown_lengths", "the type `Union[...]`"},
    {"packed_scripted", "the type `Union[...]`"},
    {"questions_of_type", "a question for one of several types"},
    {"string_missing", "`aten::index` of constants"},
};

// What torch's front end refuses: it does not have the operators of other libraries.
constexpr const char* kOfOtherLibraries = "regions_of_torchvision";

void Expect(const fs::path& folder, int& equal) {
  const ComparedCompilers compared = CompareCompilers((folder / "graph.pt").string(), "");
  if (folder.filename() == kOfOtherLibraries) {
    EXPECT_EQ(compared.match, CompilerMatch::kAccepted) << compared.detail;
    return;
  }
  const auto declined = kDeclined.find(folder.filename().string());
  if (declined == kDeclined.end()) {
    EXPECT_EQ(compared.match, CompilerMatch::kEqual) << folder << ": " << compared.detail;
  } else {
    EXPECT_EQ(compared.match, CompilerMatch::kDeclined) << folder << ": " << compared.detail;
    EXPECT_NE(compared.detail.find(declined->second), std::string::npos) << folder << ": " << compared.detail;
  }
  equal += compared.match == CompilerMatch::kEqual;
}

TEST(TorchScriptCompiler, GraphsEqualThoseOfTorch) {
  int equal = 0, all = 0;
  for (const auto& entry : fs::directory_iterator("testdata/torchscript")) {
    if (!fs::exists(entry.path() / "graph.pt")) continue;
    ++all;
    Expect(entry.path(), equal);
  }
  std::cout << equal << " of " << all << " archives compile to the same graph" << std::endl;
  EXPECT_GT(all, 70);
}

TEST(TorchScriptCompiler, OtherMethodsToo) {
  const std::string path = "testdata/torchscript/other_method/graph.pt";
  EXPECT_EQ(CompareCompilers(path, "encode").match, CompilerMatch::kEqual);
  EXPECT_EQ(CompareCompilers(path, "no_such_method").match, CompilerMatch::kEqual);
}

}  // namespace
}  // namespace fakeprop
