// Custom operators from a library and from a file of rules, against PyTorch's answers
// (tools/dev/export/export_custom_ops.py).
#include <gtest/gtest.h>

#include "lib/base/testing/read_text.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/op_rules.h"
#include "lib/schema/schema_table.h"
#include "lib/testing/golden_graph.h"

namespace fakeprop {
namespace {

const std::string kFolder = "testdata/custom_ops/";

LibTorchFallback& OpenedLibTorch() {
  std::string reason;
  LibTorchFallback* tail = OpenLibTorch(reason);
  EXPECT_TRUE(tail) << reason;
  return *tail;
}

TEST(CustomOps, LibraryAndRulesGiveWhatPyTorchGives) {
  const std::vector<std::string> names = OpenedLibTorch().LoadOperatorLibrary(kFolder + "libcustom_ops.so");
  EXPECT_EQ(names, (std::vector<std::string>{"example::add_one_", "example::first_half", "example::no_kernel",
                       "example::only_cpu", "example::row_sums", "example::scale"}));
  // Once is enough.
  EXPECT_TRUE(OpenedLibTorch().LoadOperatorLibrary(kFolder + "libcustom_ops.so").empty());
  EXPECT_TRUE(FindSchema("example::scale")->Has(kHasCompositeImplicit));
  EXPECT_TRUE(FindSchema("example::row_sums")->Has(kHasMeta));

  OpRules rules;
  DiagnosticSink sink;
  ASSERT_TRUE(rules.Add(ReadTextFile(kFolder + "rules.txt"), "rules.txt", sink)) << sink.diagnostics()[0].message;
  const nlohmann::json got = testing::AnnotateFile(kFolder + "graph.json", kFolder + "inputs.json", &rules);
  for (const std::string& difference :
      testing::CompareAnnotations(got, nlohmann::json::parse(ReadTextFile(kFolder + "expected.json"))))
    ADD_FAILURE() << difference;
}

// The graph of a folder by the folder's rules.
void ExpectPyTorchsAnswers(const std::string& folder, const std::string& inputs) {
  OpRules rules;
  DiagnosticSink sink;
  ASSERT_TRUE(rules.Add(ReadTextFile(folder + "rules.txt"), "rules.txt", sink)) << sink.diagnostics()[0].message;
  const nlohmann::json got = testing::AnnotateFile(folder + "graph.json", inputs, &rules);
  for (const std::string& difference :
      testing::CompareAnnotations(got, nlohmann::json::parse(ReadTextFile(folder + "expected.json"))))
    ADD_FAILURE() << difference;
}

// torch.export wraps operators that change their arguments in auto_functionalized_v2.
TEST(CustomOps, Functionalized) { ExpectPyTorchsAnswers(kFolder + "functionalized/", ""); }

// Functions of Python and modules, which FX JSON calls by their dotted paths.
TEST(CustomOps, FunctionsAndModulesOfPython) {
  ExpectPyTorchsAnswers(kFolder + "python/", kFolder + "python/inputs.json");
}

std::string LoadingError(const std::string& library) {
  try {
    OpenedLibTorch().LoadOperatorLibrary(kFolder + library);
    return "";
  } catch (const OpError& error) {
    return error.message();
  }
}

TEST(CustomOps, ConstructorsThatThrowAreErrors) {
  OpenedLibTorch().LoadOperatorLibrary(kFolder + "libcustom_ops.so");
  EXPECT_TRUE(LoadingError("libsame_namespace.so")
                  .starts_with("its constructors throw an exception: Only a single TORCH_LIBRARY can be used to "
                               "register the namespace example"));
  EXPECT_EQ(LoadingError("libthrows.so"), "its constructors end the process");
  EXPECT_TRUE(OpenedLibTorch().LoadOperatorLibrary(kFolder + "libno_operators.so").empty());
}

// Without the library, rules can say all of it. Which of the two comes first does not matter.
TEST(CustomOps, RulesAlone) {
  OpRules rules;
  DiagnosticSink sink;
  for (const char* file : {"rules.txt", "library_rules.txt"})
    ASSERT_TRUE(rules.Add(ReadTextFile(kFolder + file), file, sink)) << sink.diagnostics()[0].message;
  const nlohmann::json got = testing::AnnotateFile(kFolder + "graph.json", kFolder + "inputs.json", &rules);
  for (const std::string& difference :
      testing::CompareAnnotations(got, nlohmann::json::parse(ReadTextFile(kFolder + "expected.json"))))
    ADD_FAILURE() << difference;
}

TEST(CustomOps, WhatCannotBeLoadedSaysWhy) {
  for (const char* path : {"testdata/custom_ops/no_such.so", "testdata/custom_ops/rules.txt", "testdata/custom_ops"}) {
    try {
      OpenedLibTorch().LoadOperatorLibrary(path);
      ADD_FAILURE() << path;
    } catch (const OpError& e) {
      EXPECT_NE(e.message().find(path), std::string::npos) << e.message();
    }
  }
}

}  // namespace
}  // namespace fakeprop
