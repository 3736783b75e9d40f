// Which operators take tensors on two devices under a FakeTensorMode:
//   bazel run //lib/fuzzer:device_mix                the calls of all tables
// Each call with two tensors or more runs on fake cuda tensors, and then with one tensor at a time on the cpu. Prints a
// line for each operator that runs on cuda, and one for each of its arguments that may be on the cpu: operator,
// argument, its number of dimensions, call, with tabs between. tools/dev/truth/device_mix.py compares with what eager
// mode takes.
#include <algorithm>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "lib/fake/testing/mode_fallback.h"
#include "lib/fuzzer/seeds.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/testing/parsed_call.h"

namespace fakeprop::fuzzer {
namespace {

class DeviceCase {
 public:
  explicit DeviceCase(const std::string& text) : text_(text), parsed_(testing::ParseCall(text)) {}

  const Schema* schema() const { return parsed_.schema; }
  size_t count() const { return parsed_.tensors.size(); }

  // Returns true if the call runs with this tensor on the cpu. With none, all are on cuda.
  bool Runs(const Tensor* on_cpu) {
    for (Tensor* t : parsed_.tensors)
      t->meta.device = t->storage->device = t == on_cpu ? Device(DeviceType::CPU) : Device(DeviceType::CUDA, 0);
    try {
      const std::vector<const Value*> bound = BindArguments(*parsed_.schema, parsed_.arguments);
      const ExecutionState state;
      Effects effects;
      Call call(*parsed_.schema, bound, state, Device(DeviceType::CUDA, 0), effects);
      testing::RunInMode(call);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // The arguments whose tensor may be on the cpu while the others are on cuda, with their numbers of dimensions:
  // "other\t0".
  std::set<std::string> Mixing() {
    std::set<std::string> mixing;
    if (!schema() || count() < 2 || !Runs(nullptr)) return mixing;
    mixing.insert("\t");  // of none
    for (const Tensor* t : std::vector<Tensor*>(parsed_.tensors)) Add(*t, mixing);
    return mixing;
  }

 private:
  // Calls change their tensors, so each runs on new ones.
  void Add(const Tensor& t, std::set<std::string>& mixing) {
    const size_t number =
        static_cast<size_t>(std::find(parsed_.tensors.begin(), parsed_.tensors.end(), &t) - parsed_.tensors.begin());
    DeviceCase anew(text_);
    if (anew.Runs(anew.parsed_.tensors[number])) mixing.insert(NameOf(t) + "\t" + (t.meta.sizes.empty() ? "0" : "1+"));
  }

  std::string NameOf(const Tensor& t) const {
    for (size_t i = 0; i < parsed_.arguments.size(); ++i)
      if (AnyTensor(parsed_.arguments[i].value, [&](const Tensor& inner) { return &inner == &t; }))
        return std::string(testing::ArgumentOf(parsed_, i).name);
    return "?";
  }

  const std::string text_;
  testing::ParsedCall parsed_;
};

std::vector<std::string> AllCalls() {
  std::vector<std::string> calls = ReadSeeds();
  for (std::string& call : PlainCalls()) calls.push_back(std::move(call));
  return calls;
}

int Main() {
  libtorch::Prepare();
  std::set<std::string> known;
  for (const std::string& text : AllCalls()) {
    try {
      DeviceCase call(text);
      for (const std::string& argument : call.Mixing()) {
        const std::string place = std::string(call.schema()->full_name) + "\t" + argument;
        if (known.insert(place).second) std::printf("%s\t%s\n", place.c_str(), text.c_str());
      }
    } catch (const std::exception&) {  // no call
    }
  }
  return 0;
}

}  // namespace
}  // namespace fakeprop::fuzzer

int main() { return fakeprop::fuzzer::Main(); }
