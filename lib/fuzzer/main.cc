// The judge by hand:
//   bazel run //lib/fuzzer -- 'cpu: add.Tensor(f32[2], i64[3])'      one call; `meta: ...`, `grad: ...` for other
//   oracles bazel run //lib/fuzzer -- --seed 7 --count 20000 [--only conv]   variations of all seeds, or of some
//   operators' bazel run //lib/fuzzer -- --calls FILE                           a call a line, as they are
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "lib/fuzzer/fuzz_session.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {
namespace {

const char* const kKinds[] = {"agree", "differ", "without an answer", "unserved", "differ for a known reason"};

int JudgeOne(const std::string& text) {
  const Question question = ParseQuestion(text);
  const Verdict verdict = JudgeAll({&question, 1})[0];
  std::printf("%s: %s\n", kKinds[static_cast<int>(verdict.kind)], verdict.what.c_str());
  return verdict.kind == Verdict::Kind::kDiffer;
}

int JudgeMany(const FuzzOptions& options) {
  const Report report = JudgeVariations(options);
  for (const Finding& finding : report.open) std::printf("open: %s\n", ToString(finding).c_str());
  for (const Finding& finding : report.differences) std::printf("%s\n", ToString(finding).c_str());
  for (const auto& [kind, count] : report.counts) std::printf("# %zu %s\n", count, kKinds[static_cast<int>(kind)]);
  return !report.differences.empty();
}

int Main(int argc, char** argv) {
  libtorch::Prepare();
  FuzzOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (!option.starts_with("--")) return JudgeOne(argv[i]);
    if (i + 1 == argc) break;
    const char* value = argv[++i];
    if (option == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (option == "--count") options.count = std::strtoull(value, nullptr, 10);
    if (option == "--only") options.only = value;
    if (option == "--calls") options.calls = value;
  }
  return JudgeMany(options);
}

}  // namespace
}  // namespace fakeprop::fuzzer

int main(int argc, char** argv) { return fakeprop::fuzzer::Main(argc, argv); }
