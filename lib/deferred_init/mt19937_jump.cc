#include "lib/deferred_init/mt19937_jump.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <vector>

namespace fakeprop::deferred_init {
namespace {

constexpr size_t kWords = 624, kMiddle = 397;
constexpr size_t kDegree = 19937;
constexpr size_t kLimbs = kDegree / 64 + 1;       // of a polynomial of at most this degree
constexpr uint64_t kStepped = uint64_t{1} << 24;  // counts up to this are drawn

// A polynomial over GF(2); bit i is the coefficient of x^i.
using Polynomial = std::array<uint64_t, kLimbs>;
using Product = std::vector<uint64_t>;

bool Bit(const uint64_t* bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; }
void Flip(uint64_t* bits, size_t i) { bits[i / 64] ^= uint64_t{1} << (i % 64); }

// The recurrence: word k + 624 of the sequence, from words k, k + 1 and k + 397.
uint32_t NextWord(uint32_t first, uint32_t second, uint32_t middle) {
  const uint32_t mixed = (first & 0x80000000u) | (second & 0x7fffffffu);
  return middle ^ (mixed >> 1) ^ (second & 1 ? 0x9908b0dfu : 0);
}

void NextBlock(std::array<uint32_t, kWords>& w) {
  for (size_t j = 0; j < kWords; ++j) w[j] = NextWord(w[j], w[(j + 1) % kWords], w[(j + kMiddle) % kWords]);
}

// 2 * kDegree bits of the sequence.
std::vector<uint8_t> SampleBits() {
  at::mt19937 engine(1);
  std::vector<uint8_t> bits(2 * kDegree);
  // Tempering is linear, so bits of the output serve as well as those of the state.
  for (uint8_t& bit : bits) bit = engine() & 1;
  return bits;
}

// What the Berlekamp-Massey algorithm holds: connection polynomials with the sequence reversed in a window, so that a
// discrepancy is the parity of an and of words.
void XorShifted(std::vector<uint64_t>& into, const std::vector<uint64_t>& from, size_t shift) {
  const size_t words = shift / 64, bits = shift % 64;
  for (size_t i = 0; i + words < into.size(); ++i) {
    into[i + words] ^= from[i] << bits;
    if (bits && i + words + 1 < into.size()) into[i + words + 1] ^= from[i] >> (64 - bits);
  }
}

bool Parity(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  uint64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum ^= a[i] & b[i];
  return __builtin_parityll(sum);
}

void ShiftIn(std::vector<uint64_t>& window, bool bit) {
  for (size_t i = window.size(); i-- > 1;) window[i] = window[i] << 1 | window[i - 1] >> 63;
  window[0] = window[0] << 1 | (bit ? 1 : 0);
}

// The characteristic polynomial of one step. It has kDegree + 1 coefficients. Computed by Berlekamp and Massey's
// algorithm from the engine's own output, so that no constant of 20 KB stands here.
Polynomial FindCharacteristic() {
  const std::vector<uint8_t> sequence = SampleBits();
  std::vector<uint64_t> current(kLimbs + 1), previous(kLimbs + 1), window(kLimbs + 1);
  current[0] = previous[0] = 1;
  size_t length = 0, gap = 1;
  for (size_t n = 0; n < sequence.size(); ++n) {
    ShiftIn(window, sequence[n]);
    if (!Parity(current, window)) {
      ++gap;
    } else if (2 * length <= n) {
      std::vector<uint64_t> before = current;
      XorShifted(current, previous, gap);
      length = n + 1 - length;
      previous = std::move(before);
      gap = 1;
    } else {
      XorShifted(current, previous, gap++);
    }
  }
  Polynomial reversed{};
  for (size_t i = 0; i <= kDegree; ++i)
    if (Bit(current.data(), i)) Flip(reversed.data(), kDegree - i);
  return reversed;
}

// The characteristic polynomial times x^0 .. x^63, to reduce without shifting each time.
class Modulus {
 public:
  Modulus() {
    const Polynomial plain = FindCharacteristic();
    for (size_t shift = 0; shift < 64; ++shift) {
      shifted_[shift].assign(kLimbs + 1, 0);
      std::vector<uint64_t> wide(plain.begin(), plain.end());
      wide.push_back(0);
      XorShifted(shifted_[shift], wide, shift);
    }
  }

  // Reduces to less than kDegree.
  void Reduce(Product& product) const {
    for (size_t i = product.size() * 64; i-- > kDegree;) {
      if (!Bit(product.data(), i)) continue;
      const size_t at = i - kDegree, words = at / 64;
      const auto& row = shifted_[at % 64];
      const size_t count = std::min(row.size(), product.size() - words);
      for (size_t k = 0; k < count; ++k) product[words + k] ^= row[k];
    }
  }

 private:
  std::array<std::vector<uint64_t>, 64> shifted_;
};

const Modulus& TheModulus() {
  static const auto* const modulus = new Modulus;
  return *modulus;
}

uint64_t Spread(uint32_t half) {
  uint64_t bits = half;
  bits = (bits | bits << 16) & 0x0000ffff0000ffffull;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ffull;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0full;
  bits = (bits | bits << 2) & 0x3333333333333333ull;
  return (bits | bits << 1) & 0x5555555555555555ull;
}

Product Square(const Product& p) {
  Product square(2 * kLimbs + 1);
  for (size_t i = 0; i < kLimbs; ++i) {
    square[2 * i] = Spread(static_cast<uint32_t>(p[i]));
    square[2 * i + 1] = Spread(static_cast<uint32_t>(p[i] >> 32));
  }
  return square;
}

void TimesX(Product& p) {
  for (size_t i = p.size(); i-- > 1;) p[i] = p[i] << 1 | p[i - 1] >> 63;
  p[0] <<= 1;
}

// x^count modulo the characteristic polynomial.
Product Power(uint64_t count) {
  Product power(kLimbs + 1);
  power[0] = 1;
  for (int bit = 63; bit >= 0; --bit) {
    power = Square(power);
    TheModulus().Reduce(power);
    if (!(count >> bit & 1)) continue;
    TimesX(power);
    TheModulus().Reduce(power);
  }
  return power;
}

// Powers that were used lately: layers of the same shape skip by the same count.
Product CachedPower(uint64_t count) {
  static std::mutex mutex;
  static auto* const powers = new std::map<uint64_t, Product>;
  {
    const std::lock_guard lock(mutex);
    if (const auto it = powers->find(count); it != powers->end()) return it->second;
  }
  Product power = Power(count);
  const std::lock_guard lock(mutex);
  if (powers->size() >= 256) powers->clear();
  return powers->emplace(count, std::move(power)).first->second;
}

// Words count .. count + 623 of the sequence that starts with `window`. All but the low bits of the first are right:
// the recurrence does not use these.
std::array<uint32_t, kWords> Jump(const std::array<uint32_t, kWords>& window, uint64_t count) {
  const Product power = CachedPower(count);
  std::vector<uint32_t> words(window.begin(), window.end());
  words.reserve(kDegree + kWords);
  for (size_t k = 0; k + 1 < kDegree; ++k) words.push_back(NextWord(words[k], words[k + 1], words[k + kMiddle]));
  std::array<uint32_t, kWords> sum{};
  for (size_t i = 0; i < kDegree; ++i) {
    if (!Bit(power.data(), i)) continue;
    for (size_t j = 0; j < kWords; ++j) sum[j] ^= words[i + j];
  }
  return sum;
}

// The block of 624 words that comes `blocks` blocks later.
void SkipBlocks(std::array<uint32_t, kWords>& block, uint64_t blocks) {
  if (blocks * kWords <= kStepped) {
    for (; blocks; --blocks) NextBlock(block);
    return;
  }
  // To one word before the block, and one step further, which makes all bits right.
  auto window = Jump(block, blocks * kWords - 1);
  const uint32_t last = NextWord(window[0], window[1], window[kMiddle]);
  std::copy(window.begin() + 1, window.end(), block.begin());
  block.back() = last;
}

}  // namespace

at::mt19937_data_pod Advance(at::mt19937_data_pod state, uint64_t count) {
  if (count == 0) return state;
  // The engine has used 625 - left_ words of its block; right after seeding it counts as used up.
  const uint64_t next = kWords + 1 - static_cast<uint64_t>(state.left_) + count;
  const uint64_t blocks = (next - 1) / kWords;
  SkipBlocks(state.state_, blocks);
  const uint64_t used = next - blocks * kWords;
  state.next_ = static_cast<uint32_t>(used);
  state.left_ = static_cast<int>(kWords + 1 - used);
  return state;
}

}  // namespace fakeprop::deferred_init
