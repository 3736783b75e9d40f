// Where in its generator's sequence each random call stands. While calls are recorded, the generator draws nothing. Its
// state is a mark that says which sequence it is in and how many numbers were drawn, so a call's place is a few bytes.
// The numbers of a call are computed from its place alone.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace fakeprop::deferred_init {

// All that the state of a cpu generator consists of.
struct GeneratorState {
  at::mt19937_data_pod engine;
  std::optional<float> normal_float;
  std::optional<double> normal_double;
};

// A number of draws after the start of a sequence. Normal numbers may be drawn in pairs: `pair` is the place of the
// pair whose second number is kept for the next call.
struct StreamPoint {
  static constexpr int64_t kNoPair = -1, kPairOfStart = -2;
  int64_t draws = 0;  // of 32 bits
  int64_t pair = kNoPair;
};

// The same for both starts that a sequence can have: as recorded, and freshly seeded, when no number is kept.
struct StreamOffset {
  StreamPoint recorded, seeded;
  // Further draws of a call that keeps no number.
  StreamOffset Ahead(int64_t words) const;
};

// How far a call moves a generator.
struct Draws {
  int64_t words = 0;   // of 32 bits
  int64_t singly = 0;  // normal numbers that are drawn in pairs
  StreamPoint After(const StreamPoint& before) const;
  StreamOffset After(const StreamOffset& before) const { return {After(before.recorded), After(before.seeded)}; }
};

// A sequence of random numbers: that of a generator from some state on.
class Stream {
 public:
  enum class Start {
    kRecorded,      // as it was when the first call was recorded
    kSeedOfReplay,  // the same, unless the generator was seeded anew just before the first replay
    kOfReplay,      // the generator's state at the first replay
  };
  Stream(at::Generator generator, const GeneratorState& state, Start start);

  const at::Generator& generator() const { return generator_; }
  // For a replay. The first one settles where the stream starts.
  GeneratorState StateAt(const StreamOffset& offset);
  // The state that eager construction would have left.
  GeneratorState RecordedStateAt(const StreamOffset& offset);
  int64_t WordsBetween(const StreamOffset& from, const StreamOffset& to) const {
    return PointOf(to).draws - PointOf(from).draws;
  }
  // Remembers the state at a place, from which others are near.
  void Note(const StreamOffset& offset, const at::mt19937_data_pod& engine) { near_ = {PointOf(offset).draws, engine}; }

 private:
  const StreamPoint& PointOf(const StreamOffset& offset) const { return is_seeded_ ? offset.seeded : offset.recorded; }
  GeneratorState StateAtPoint(const StreamPoint& point);
  at::mt19937_data_pod EngineAt(int64_t draws);

  at::Generator generator_;
  GeneratorState state_;
  Start start_;
  bool is_seeded_ = false;  // anew, before the first replay
  struct Near {
    int64_t draws = 0;
    at::mt19937_data_pod engine;
  } near_;
};

// Where a random call was recorded.
struct RandomPlace {
  std::shared_ptr<Stream> stream;
  StreamOffset offset;
  std::optional<StreamOffset> after;  // not known for calls that run at once
};

// The place where the generator is now. A generator that was seeded, or drew for real, starts a new stream.
RandomPlace PlaceOf(const at::Generator& generator);
// The same for numbers on a device other than the cpu. They are counted as if a cpu generator drew them.
RandomPlace PlaceOnDevice(c10::Device device);
// Moves the generator past a recorded call.
void MovePast(const RandomPlace& place);
void MovePastOnDevice(c10::Device device, const RandomPlace& place);
// Gives all generators that hold a mark the states that eager calls would have left. Called when a recording ends, and
// before a call draws for real.
void SettleGenerators();
// Forgets what only a recording needs. Called when the outermost recording ends.
void ForgetStreams();

// As long as it lives, the generator is at the place of a recorded call.
class DrawScope {
 public:
  // If `engine` is given, it is the known state at the place.
  explicit DrawScope(const RandomPlace& place, const at::mt19937_data_pod* engine = nullptr);
  ~DrawScope();
  DrawScope(const DrawScope&) = delete;
  // True if the call drew as many numbers as were counted when it was recorded.
  bool DrewAsCounted() const;
  at::mt19937_data_pod Engine() const { return generator_.engine().data(); }

 private:
  const RandomPlace place_;
  at::CPUGeneratorImpl& generator_;
  const GeneratorState saved_;
  const GeneratorState start_;
};

}  // namespace fakeprop::deferred_init
