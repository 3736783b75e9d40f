#include "lib/fuzzer/batch.h"

#include <ATen/Parallel.h>

#include "lib/dispatch/forked.h"
#include "lib/dispatch/wire.h"

namespace fakeprop::fuzzer {
namespace {

constexpr size_t kBatch = 40;

std::string JudgeHere(std::span<const Question> questions) {
  at::set_num_threads(1);  // the threads of the parent are not here
  dispatch::WireWriter out;
  for (const Question& question : questions) {
    const Verdict verdict = Judge(question.call, question.oracle);
    out.Put(verdict.kind);
    out.PutText(verdict.op);
    out.PutText(verdict.what);
  }
  return out.bytes();
}

void Read(const std::string& bytes, size_t count, std::vector<Verdict>& verdicts) {
  dispatch::WireReader in(bytes);
  for (size_t i = 0; i < count; ++i) {
    Verdict verdict;
    verdict.kind = in.Get<Verdict::Kind>();
    verdict.op = in.GetText();
    verdict.what = in.GetText();
    verdicts.push_back(std::move(verdict));
  }
}

Verdict VerdictOnCrash(const Question& question) {
  Verdict verdict{
      Verdict::Kind::kNone, question.call.substr(0, question.call.find('(')), "the kernel ends its process"};
  const auto alone = dispatch::RunForked([&] {
    RunOursAlone(question.call);
    return std::string();
  });
  if (!alone) verdict = {Verdict::Kind::kDiffer, verdict.op, "we end the process"};
  return verdict;
}

void JudgeHalves(std::span<const Question> questions, std::vector<Verdict>& verdicts) {
  if (const auto bytes = dispatch::RunForked([&] { return JudgeHere(questions); }))
    return Read(*bytes, questions.size(), verdicts);
  if (questions.size() == 1) return verdicts.push_back(VerdictOnCrash(questions[0]));
  const size_t half = questions.size() / 2;
  JudgeHalves(questions.first(half), verdicts);
  JudgeHalves(questions.subspan(half), verdicts);
}

}  // namespace

std::string Text(const Question& question) { return std::string(Name(question.oracle)) + ": " + question.call; }

Question ParseQuestion(const std::string& text) {
  const size_t colon = text.find(": ");
  if (colon != std::string::npos)
    if (const auto oracle = OracleFromName(text.substr(0, colon))) return {*oracle, text.substr(colon + 2)};
  return {Oracle::kCpu, text};
}

std::vector<Verdict> JudgeAll(std::span<const Question> questions) {
  std::vector<Verdict> verdicts;
  while (!questions.empty()) {
    const size_t count = std::min(kBatch, questions.size());
    JudgeHalves(questions.first(count), verdicts);
    questions = questions.subspan(count);
  }
  return verdicts;
}

}  // namespace fakeprop::fuzzer
