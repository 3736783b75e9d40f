// Four processes build one model. Each holds only its own slice of every matrix, and together they hold the numbers of
// the whole model.
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "examples/llama.h"
#include "fakeprop/deferred_init.h"

namespace {

constexpr int64_t kRanks = 4;

Llama Build() {
  torch::manual_seed(42);  // the same one in all processes
  return fakeprop::DeferredInit([] { return Llama(kSmall); });
}

// Rows of matrices are divided among the ranks. Vectors are not.
std::optional<fakeprop::TensorSlice> SliceOf(const torch::Tensor& t, int64_t rank) {
  if (t.dim() < 2) return std::nullopt;
  const int64_t length = t.size(0) / kRanks;
  return fakeprop::TensorSlice{0, rank * length, length};
}

Llama BuildShard(int64_t rank) {
  Llama net = Build();
  fakeprop::MaterializeModule(
      *net, {.slices = [rank](const std::string&, const torch::Tensor& t) { return SliceOf(t, rank); }});
  return net;
}

// In its own process: prints how many numbers of the shard are those of the whole model.
int RunRank(int64_t rank) {
  const Llama shard = BuildShard(rank);
  torch::manual_seed(42);
  const Llama whole(kSmall);
  int64_t held = 0, same = 0, all = 0;
  const auto expected = whole->named_parameters();
  for (const auto& item : shard->named_parameters()) {
    const torch::Tensor& of_whole = expected[item.key()];
    const auto slice = SliceOf(of_whole, rank);
    const torch::Tensor part = slice ? of_whole.narrow(slice->dim, slice->start, slice->length) : of_whole;
    held += item.value().numel();
    same += item.value().eq(part).sum().item<int64_t>();
    all += of_whole.numel();
  }
  std::cout << "rank " << rank << " holds " << held << " of " << all << " numbers; " << same
            << " are those of the whole model" << std::endl;
  return held == same ? 0 : 1;
}

// Starts this program again for each rank, one after the other.
int RunAll(char* program) {
  int failed = 0;
  for (int64_t rank = 0; rank < kRanks; ++rank) {
    std::string text = std::to_string(rank);
    char* arguments[] = {program, text.data(), nullptr};
    const pid_t child = fork();
    if (child == 0) {
      execv("/proc/self/exe", arguments);
      _exit(127);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failed |= status;
  }
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return argc > 1 ? RunRank(std::stoi(argv[1])) : RunAll(argv[0]); }
