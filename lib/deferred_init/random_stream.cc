#include "lib/deferred_init/random_stream.h"

#include <ATen/core/DistributionsHelper.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "lib/deferred_init/mt19937_jump.h"

namespace fakeprop::deferred_init {
namespace {

// A mark stands in the words of an engine's state: two magic words, the number of the stream, and the offset.
constexpr uint32_t kMagic[] = {0xfa4eb0b5, 0xdefe44ed};

struct Mark {
  uint64_t stream = 0;
  StreamOffset offset;
};

void PutWords(at::mt19937_data_pod& engine, size_t at, uint64_t value) {
  engine.state_[at] = static_cast<uint32_t>(value);
  engine.state_[at + 1] = static_cast<uint32_t>(value >> 32);
}

uint64_t GetWords(const at::mt19937_data_pod& engine, size_t at) {
  return engine.state_[at] | static_cast<uint64_t>(engine.state_[at + 1]) << 32;
}

void PutPoint(at::mt19937_data_pod& engine, size_t at, const StreamPoint& point) {
  PutWords(engine, at, static_cast<uint64_t>(point.draws));
  PutWords(engine, at + 2, static_cast<uint64_t>(point.pair));
}

StreamPoint GetPoint(const at::mt19937_data_pod& engine, size_t at) {
  return {static_cast<int64_t>(GetWords(engine, at)), static_cast<int64_t>(GetWords(engine, at + 2))};
}

at::mt19937_data_pod ToEngine(const Mark& mark, uint64_t seed) {
  at::mt19937_data_pod engine{seed, 1, true, 1, {kMagic[0], kMagic[1]}};
  PutWords(engine, 2, mark.stream);
  PutPoint(engine, 4, mark.offset.recorded);
  PutPoint(engine, 8, mark.offset.seeded);
  return engine;
}

std::optional<Mark> FindMark(const at::mt19937_data_pod& engine) {
  if (engine.state_[0] != kMagic[0] || engine.state_[1] != kMagic[1]) return std::nullopt;
  return Mark{GetWords(engine, 2), {GetPoint(engine, 4), GetPoint(engine, 8)}};
}

bool IsJustSeeded(const GeneratorState& state) {
  return state.engine.left_ == 1 && state.engine.next_ == 0 && !state.normal_double && !FindMark(state.engine);
}

bool IsSame(const GeneratorState& a, const GeneratorState& b) {
  return a.engine.left_ == b.engine.left_ && a.engine.next_ == b.engine.next_ && a.engine.state_ == b.engine.state_ &&
         a.normal_float == b.normal_float && a.normal_double == b.normal_double;
}

at::CPUGeneratorImpl& CpuOf(const at::Generator& generator) {
  return *static_cast<at::CPUGeneratorImpl*>(generator.unsafeGetGeneratorImpl());
}

GeneratorState ReadState(at::CPUGeneratorImpl& generator) {
  return {generator.engine().data(), generator.next_float_normal_sample(), generator.next_double_normal_sample()};
}

void WriteState(at::CPUGeneratorImpl& generator, const GeneratorState& state) {
  at::mt19937 engine;
  engine.set_data(state.engine);
  generator.set_engine(engine);
  generator.set_next_float_normal_sample(state.normal_float);
  generator.set_next_double_normal_sample(state.normal_double);
}

StreamOffset OffsetOfStart(const GeneratorState& state) {
  return {{0, state.normal_double ? StreamPoint::kPairOfStart : StreamPoint::kNoPair}, {}};
}

// The second number of the pair that an engine draws next.
double SecondOfPair(const at::mt19937_data_pod& engine) {
  at::CPUGeneratorImpl scratch;
  WriteState(scratch, {engine, {}, {}});
  at::normal_distribution<double>(0, 1)(&scratch);
  return *scratch.next_double_normal_sample();
}

// The marks of all recordings. Threads share generators, so they share these too.
class Marks {
 public:
  static Marks& All() {
    static auto* const all = new Marks;
    return *all;
  }

  RandomPlace PlaceOf(const at::Generator& generator) {
    const std::lock_guard lock(mutex_);
    const GeneratorState state = ReadState(CpuOf(generator));
    if (const auto mark = FindMark(state.engine))
      if (const auto it = streams_.find(mark->stream); it != streams_.end()) return {it->second, mark->offset, {}};
    for (const Settled& settled : settled_)
      if (settled.generator == generator.unsafeGetGeneratorImpl() && IsSame(settled.state, state) &&
          !IsJustSeeded(state))
        return settled.place;
    return {std::make_shared<Stream>(generator, state, StartOf(generator, state)), OffsetOfStart(state), {}};
  }

  void MovePast(const RandomPlace& place) {
    const std::lock_guard lock(mutex_);
    const at::Generator& generator = place.stream->generator();
    at::CPUGeneratorImpl& cpu = CpuOf(generator);
    WriteState(cpu, {ToEngine({NumberOf(place.stream), *place.after}, cpu.current_seed()), {}, {}});
    if (!Has(marked_, generator)) marked_.push_back(generator);
    if (!Has(recorded_, generator)) recorded_.push_back(generator);
  }

  void Settle() {
    const std::lock_guard lock(mutex_);
    for (const at::Generator& generator : marked_) SettleOne(generator);
    marked_.clear();
  }

  RandomPlace PlaceOnDevice(c10::Device device) {
    const std::lock_guard lock(mutex_);
    RandomPlace& place = devices_[{static_cast<int>(device.type()), device.index()}];
    const at::Generator& generator = at::detail::getDefaultCPUGenerator();
    if (!place.stream)
      place.stream = std::make_shared<Stream>(generator, ReadState(CpuOf(generator)), Stream::Start::kOfReplay);
    return place;
  }

  void MovePastOnDevice(c10::Device device, const RandomPlace& place) {
    const std::lock_guard lock(mutex_);
    devices_[{static_cast<int>(device.type()), device.index()}].offset = *place.after;
  }

  void Forget() {
    const std::lock_guard lock(mutex_);
    if (!marked_.empty()) return;  // another thread records
    streams_.clear();
    recorded_.clear();
    devices_.clear();
  }

 private:
  struct Settled {
    c10::GeneratorImpl* generator;
    GeneratorState state;
    RandomPlace place;
  };

  static bool Has(const std::vector<at::Generator>& generators, const at::Generator& generator) {
    return std::find(generators.begin(), generators.end(), generator) != generators.end();
  }

  // A program that seeds its generator and then records wants that seed. So does one that seeds while it records.
  Stream::Start StartOf(const at::Generator& generator, const GeneratorState& state) const {
    const bool is_seeded = IsJustSeeded(state) && state.engine.seed_ != c10::default_rng_seed_val;
    return is_seeded || Has(recorded_, generator) ? Stream::Start::kRecorded : Stream::Start::kSeedOfReplay;
  }

  uint64_t NumberOf(const std::shared_ptr<Stream>& stream) {
    for (auto it = streams_.rbegin(); it != streams_.rend(); ++it)
      if (it->second == stream) return it->first;
    streams_.emplace(++last_, stream);
    return last_;
  }

  void SettleOne(const at::Generator& generator) {
    at::CPUGeneratorImpl& cpu = CpuOf(generator);
    const auto mark = FindMark(cpu.engine().data());
    const auto it = mark ? streams_.find(mark->stream) : streams_.end();
    if (it == streams_.end()) return;
    const GeneratorState state = it->second->RecordedStateAt(mark->offset);
    WriteState(cpu, state);
    settled_.push_back({generator.unsafeGetGeneratorImpl(), state, {it->second, mark->offset, {}}});
    if (settled_.size() > kMostSettled) settled_.pop_front();
  }

  static constexpr size_t kMostSettled = 8;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Stream>> streams_;  // by number in marks
  uint64_t last_ = 0;
  std::vector<at::Generator> marked_;    // those that hold a mark now
  std::vector<at::Generator> recorded_;  // those that held one in this recording
  std::deque<Settled> settled_;  // generators after the last recordings: the next one goes on in the same stream
  std::map<std::pair<int, int>, RandomPlace> devices_;
};

}  // namespace

// Source: normal_distribution<double> in ATen/core/DistributionsHelper.h (torch 2.13): a pair takes two numbers of 64
// bits, and its second normal number is kept for the next call.
StreamPoint Draws::After(const StreamPoint& before) const {
  StreamPoint after = before;
  after.draws += words;
  if (singly == 0) return after;
  const int64_t drawn = before.pair == StreamPoint::kNoPair ? singly : singly - 1;
  after.draws += 4 * ((drawn + 1) / 2);
  after.pair = drawn % 2 ? after.draws - 4 : StreamPoint::kNoPair;
  return after;
}

StreamOffset StreamOffset::Ahead(int64_t words) const {
  return {{recorded.draws + words, StreamPoint::kNoPair}, {seeded.draws + words, StreamPoint::kNoPair}};
}

Stream::Stream(at::Generator generator, const GeneratorState& state, Start start)
    : generator_(std::move(generator)), state_(state), start_(start), near_{0, state.engine} {}

GeneratorState Stream::StateAt(const StreamOffset& offset) {
  if (start_ != Start::kRecorded) {
    const GeneratorState now = ReadState(CpuOf(generator_));
    const bool is_new = start_ == Start::kOfReplay ? !FindMark(now.engine) : IsJustSeeded(now);
    if (is_new) {
      state_ = now;
      is_seeded_ = !now.normal_double;
      near_ = {0, now.engine};
    }
    start_ = Start::kRecorded;
  }
  return StateAtPoint(PointOf(offset));
}

GeneratorState Stream::RecordedStateAt(const StreamOffset& offset) { return StateAtPoint(PointOf(offset)); }

GeneratorState Stream::StateAtPoint(const StreamPoint& point) {
  GeneratorState state{{}, state_.normal_float, {}};
  if (point.pair == StreamPoint::kPairOfStart) state.normal_double = state_.normal_double;
  if (point.pair >= 0) state.normal_double = SecondOfPair(EngineAt(point.pair));
  state.engine = EngineAt(point.draws);
  return state;
}

at::mt19937_data_pod Stream::EngineAt(int64_t draws) {
  if (draws < near_.draws) near_ = {0, state_.engine};
  near_.engine = Advance(near_.engine, static_cast<uint64_t>(draws - near_.draws));
  near_.draws = draws;
  return near_.engine;
}

RandomPlace PlaceOf(const at::Generator& generator) { return Marks::All().PlaceOf(generator); }
RandomPlace PlaceOnDevice(c10::Device device) { return Marks::All().PlaceOnDevice(device); }
void MovePast(const RandomPlace& place) { Marks::All().MovePast(place); }
void MovePastOnDevice(c10::Device device, const RandomPlace& place) { Marks::All().MovePastOnDevice(device, place); }
void SettleGenerators() { Marks::All().Settle(); }
void ForgetStreams() { Marks::All().Forget(); }

DrawScope::DrawScope(const RandomPlace& place, const at::mt19937_data_pod* engine)
    : place_(place),
      generator_(CpuOf(place.stream->generator())),
      saved_(ReadState(generator_)),
      start_(engine ? GeneratorState{*engine, {}, {}} : place.stream->StateAt(place.offset)) {
  WriteState(generator_, start_);
}

DrawScope::~DrawScope() {
  if (place_.after) place_.stream->Note(*place_.after, generator_.engine().data());
  WriteState(generator_, saved_);
}

bool DrawScope::DrewAsCounted() const {
  if (!place_.after) return true;
  const int64_t count = place_.stream->WordsBetween(place_.offset, *place_.after);
  const int64_t expected = (at::MERSENNE_STATE_N - start_.engine.left_ + count) % at::MERSENNE_STATE_N;
  return expected == (at::MERSENNE_STATE_N - generator_.engine().data().left_) % at::MERSENNE_STATE_N;
}

}  // namespace fakeprop::deferred_init
