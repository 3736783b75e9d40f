// Compares derivatives on fakes with those of real tensors:
//   bazel run //lib/fuzzer:derivatives                       the calls of all tables
//   bazel run //lib/fuzzer:derivatives -- 'mul.Tensor(f32[2], f32[2])' ...
// Prints a line for each call and device: operator, device, verdict, call, and what differs, with tabs between.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include "lib/fuzzer/derivatives.h"
#include "lib/fuzzer/seeds.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {
namespace {

const char* const kKinds[] = {"agree", "differ", "fails", "none"};

// Of operators whose calls in the tables have no gradient on real tensors.
const char* const kMoreCalls[] = {
    "_cdist_backward(f32[2,3,4], f32[2,3,6], f32[2,4,6], 2.0, f32[2,3,4])",
    "_pdist_backward(f32[3], f32[3,2], 2.0, f32[3])",
    "fractional_max_pool2d(f32[2,3,8,8], [2,2], [3,3], f32[2,3,2])",
    "fractional_max_pool3d(f32[2,3,8,8,8], [2,2,2], [3,3,3], f32[2,3,3])",
    "log_sigmoid_backward(f32[3,4], f32[3,4], f32[3,4])",
    "native_layer_norm_backward(f32[2,3,4], f32[2,3,4], [4], f32[2,3,1], f32[2,3,1], f32[4], f32[4], [True,True,True])",
    "nll_loss2d_backward(f32[], f32[2,3,4,4], i64[2,4,4], None, 1, -100, f32[])",
    "nll_loss2d_forward(f32[2,3,4,4], i64[2,4,4], None, 1, -100)",
    "nll_loss_backward(f32[], f32[3,4], i64[3], None, 1, -100, f32[])",
    "rrelu_with_noise(f32[3,4], f32[3,4], 0.1, 0.3, True)",
    "rrelu_with_noise_backward(f32[3,4], f32[3,4], f32[3,4], 0.1, 0.3, True, False)",
    "soft_margin_loss(f32[3,4], f32[3,4])",
    "soft_margin_loss_backward(f32[], f32[3,4], f32[3,4], 1)",
};

// The calls on tensors of other layouts than strided. Their answers are left out.
std::vector<std::string> LayoutCalls() {
  std::vector<std::string> calls;
  for (const char* file : {"compressed", "coo", "mkldnn"}) {
    std::ifstream in(std::string("testdata/layouts/") + file + ".calls");
    for (std::string line; std::getline(in, line);)
      if (const size_t end = line.find(") -> "); end != std::string::npos) calls.push_back(line.substr(0, end + 1));
  }
  return calls;
}

std::vector<std::string> AllCalls() {
  std::vector<std::string> calls = ReadSeeds();
  for (std::string& call : LayoutCalls()) calls.push_back(std::move(call));
  calls.insert(calls.end(), std::begin(kMoreCalls), std::end(kMoreCalls));
  const std::set<std::string> known(calls.begin(), calls.end());
  for (const std::string& call : PlainCalls())
    if (!known.contains(call)) calls.push_back(call);
  return calls;
}

int Main(int argc, char** argv) {
  libtorch::Prepare();
  const std::vector<std::string> calls = argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : AllCalls();
  const auto all = JudgeDerivatives(calls);
  for (size_t i = 0; i < calls.size(); ++i)
    for (const DerivativeVerdict& verdict : all[i])
      std::printf("%s\t%s\t%s\t%s\t%s\n", verdict.op.c_str(), verdict.device.c_str(),
          kKinds[static_cast<int>(verdict.kind)], calls[i].c_str(), verdict.what.c_str());
  return 0;
}

}  // namespace
}  // namespace fakeprop::fuzzer

int main(int argc, char** argv) { return fakeprop::fuzzer::Main(argc, argv); }
