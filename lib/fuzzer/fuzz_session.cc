#include "lib/fuzzer/fuzz_session.h"

#include <fstream>
#include <set>

#include "lib/base/fnv.h"
#include "lib/fuzzer/mutate.h"
#include "lib/fuzzer/seeds.h"
#include "lib/rules/compare/known_differences.h"

namespace fakeprop::fuzzer {
namespace {

// One of autograd's stagings in turn, for each costs as much as a kernel.
constexpr Oracle kStagings[] = {
    Oracle::kGrad, Oracle::kGradLeaf, Oracle::kGradView, Oracle::kGradFirst, Oracle::kNoGrad};

std::string Variation(const std::string& seed, Random& random) {
  try {
    return Mutate(seed, random);
  } catch (const std::exception&) {  // a row of a table that is no call
    return "";
  }
}

std::vector<Question> ReadQuestions(const std::string& path) {
  std::vector<Question> questions;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) questions.push_back(ParseQuestion(line));
  return questions;
}

// Each seed has its own numbers, so that a seed more or less leaves the variations of the others as they are.
std::vector<Question> MakeQuestions(const FuzzOptions& options) {
  std::vector<std::string> seeds = ReadSeeds();
  std::erase_if(
      seeds, [&](const std::string& s) { return s.substr(0, s.find('(')).find(options.only) == std::string::npos; });
  std::vector<Question> questions;
  for (const std::string& seed : seeds) {
    Random random(options.seed * 0x9e3779b97f4a7c15 + Hashed(kFnvStart, seed));
    // One more or not by chance, so that the number of seeds hardly matters to one of them.
    const double times = static_cast<double>(options.count) / static_cast<double>(seeds.size());
    const double chance = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    for (double done = chance; done < times; ++done) {
      const std::string call = Variation(seed, random);
      if (call.empty()) continue;
      questions.push_back({Oracle::kCpu, call});
      questions.push_back({Oracle::kMeta, call});
      questions.push_back({random.Pick(kStagings), call});
    }
  }
  return questions;
}

// "aten::lift cpu": an operator, and who differs from us; all ways to ask autograd are one.
std::string Topic(const Question& question, const Verdict& verdict) {
  const bool is_grad = question.oracle != Oracle::kCpu && question.oracle != Oracle::kMeta;
  return verdict.op + " " + std::string(is_grad ? Name(Oracle::kGrad) : Name(question.oracle));
}

// Whether the list has the operator, and who differs from us, for some calls.
bool IsListed(std::span<const KnownDifference> list, const Question& question, const Verdict& verdict) {
  const Against against = question.oracle == Oracle::kCpu    ? Against::kCpu
                          : question.oracle == Oracle::kMeta ? Against::kMeta
                                                             : Against::kGrad;
  return IsListed(list, verdict.op, against, KnownDifference::Extent::kSomeCalls);
}

// The difference without the numbers in it.
std::string Cause(const Question& question, const Verdict& verdict) {
  std::string cause = verdict.op + std::string(Name(question.oracle));
  for (char c : verdict.what)
    if (!std::isdigit(static_cast<unsigned char>(c)) && c != ',' && c != ' ') cause += c;
  return cause;
}

}  // namespace

Report JudgeVariations(const FuzzOptions& options) {
  const std::vector<Question> questions = options.calls.empty() ? MakeQuestions(options) : ReadQuestions(options.calls);
  const std::vector<Verdict> verdicts = JudgeAll(questions);
  Report report;
  std::set<std::string> causes;
  for (size_t i = 0; i < questions.size(); ++i) {
    Verdict::Kind kind = verdicts[i].kind;
    if (kind == Verdict::Kind::kDiffer && IsListed(MeantDifferences(), questions[i], verdicts[i]))
      kind = Verdict::Kind::kKnown;
    ++report.counts[kind];
    if (kind != Verdict::Kind::kDiffer || !causes.insert(Cause(questions[i], verdicts[i])).second) continue;
    auto& found = IsListed(OpenDifferences(), questions[i], verdicts[i]) ? report.open : report.differences;
    found.push_back({questions[i], verdicts[i]});
  }
  return report;
}

std::string ToString(const Finding& finding) {
  return Topic(finding.question, finding.verdict) + "\t" + Text(finding.question) + "\t" + finding.verdict.what;
}

}  // namespace fakeprop::fuzzer
