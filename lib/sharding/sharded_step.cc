#include "lib/sharding/sharded_step.h"

namespace fakeprop {

Dim ShareOf(Dim bytes, int64_t ranks) { return ranks == 1 ? bytes : CeilDiv(bytes, ranks); }

Dim RingBytes(Dim bytes, int64_t ranks) { return ShareOf(bytes, ranks) * Dim(ranks - 1); }

void AddSent(std::string_view what, Dim bytes, std::vector<Communication>& sent) {
  if (bytes.TryNumber() == 0) return;
  for (Communication& known : sent) {
    if (known.what != what) continue;
    known.bytes += bytes;
    return;
  }
  sent.push_back({what, bytes});
}

}  // namespace fakeprop
