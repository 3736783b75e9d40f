// Host against host: the calls of the rules' own tests, by rule and by LibTorch's dispatcher with our rules beneath it.
// LibTorch decomposes composites, wraps views, counts writes and says what requires grad by itself; the effects have to
// come out the same. The tables are read from the tests' sources, so that a new row is a row here as well.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_text.h"
#include "lib/tail/open.h"

namespace fakeprop {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The calls of `{"call", "effects"}` rows; a text may go over several lines.
std::vector<std::string> CallsOf(const std::string& source) {
  static const std::regex kBreak("\"\\s*\n\\s*\""), kRow("\\{\"((?:[^\"\\\\]|\\\\.)*)\",\\s*\"");
  const std::string joined = std::regex_replace(source, kBreak, "");
  std::vector<std::string> calls;
  for (std::sregex_iterator it(joined.begin(), joined.end(), kRow), end; it != end; ++it) {
    const std::string call = std::regex_replace((*it)[1].str(), std::regex("\\\\\""), "\"");
    if (call.find('(') != std::string::npos) calls.push_back(call);
  }
  return calls;
}

// Strides that say where an element is: not those of dimensions of size 1 or of empty tensors.
Dims TellingStrides(const TensorMeta& m) {
  Dims strides;
  const bool empty = Guard(Eq(Numel(m.size_span()), 0));
  for (int64_t d = 0; d < m.rank(); ++d) strides.push_back(empty || Guard(Eq(m.sizes[d], 1)) ? Dim(1) : m.strides[d]);
  return strides;
}

bool Same(const TensorMeta& a, const TensorMeta& b) {
  const Dims x = TellingStrides(a), y = TellingStrides(b);
  return GuardSame(a.size_span(), b.size_span()) && GuardSame({x.data(), x.size()}, {y.data(), y.size()}) &&
         Guard(Eq(a.storage_offset, b.storage_offset)) && a.dtype == b.dtype && a.device == b.device &&
         a.is_conj == b.is_conj && a.is_neg == b.is_neg;
}

bool Same(const Output& a, const Output& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!Same(a.items[i], b.items[i])) return false;
  if (a.kind == Output::Kind::kValue) return ToString(a.value) == ToString(b.value);
  return a.source == b.source && (a.kind == Output::Kind::kArgument || Same(a.meta, b.meta));
}

// What happens to one argument, in whatever order and number of steps it is stated.
struct Change {
  std::optional<TensorMeta> meta;
  bool writes = false;
};
std::map<const Tensor*, Change> Changes(const Effects& effects) {
  std::map<const Tensor*, Change> changes;
  for (const Mutation& m : effects.mutations) {
    if (m.meta && !Same(*m.meta, m.target->meta)) changes[m.target].meta = m.meta;
    if (m.writes) changes[m.target].writes = true;
  }
  return changes;
}

bool Same(const Effects& a, const Effects& b) {
  if (a.outputs.size() != b.outputs.size()) return false;
  for (size_t i = 0; i < a.outputs.size(); ++i)
    if (!Same(a.outputs[i], b.outputs[i])) return false;
  const auto x = Changes(a), y = Changes(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
    const std::optional<TensorMeta>&m = p.second.meta, &n = q.second.meta;
    if (p.first != q.first || p.second.writes != q.second.writes || m.has_value() != n.has_value()) return false;
    return !m || Same(*m, *n);
  });
}

// How the two ended, for the one who reads the failure.
struct Outcome {
  Effects effects;
  std::optional<OpError> error;
};

template <typename Run>
Outcome Try(Call& call, const Run& run) {
  Outcome outcome;
  call.effects().Clear();
  try {
    run(call);
  } catch (const OpError& e) {
    outcome.error = e;
  }
  outcome.effects = call.effects();
  return outcome;
}

// Rules that follow eager kernels where what LibTorch does without data differs: set_ refuses a view beyond the storage,
// one_hot is contiguous whatever its input is.
bool FollowsEager(const ServedRule& served, const Outcome& rule) {
  if (served.row->op == "aten::one_hot") return true;
  return served.row->op.starts_with("aten::set_") && rule.error && rule.error->error_class() == ErrorClass::kViewError;
}

class HostTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    tail_ = OpenTail(reason);
    ASSERT_TRUE(tail_) << reason;
  }

  // Whether the call was compared; one that LibTorch has no way to serve is not.
  bool Compare(const std::string& text) {
    bool compared = false, same = false;
    const std::string by_tail = testing::RunCallWith(text, {}, true, [&](Call& call) {
      const ServedRule* served = FindRule(call.schema());
      if (!served) return;
      const Outcome rule = Try(call, [&](Call& c) { RunRule(*served, c); });
      const Outcome tail = Try(call, [&](Call& c) { tail_->Run(c); });
      const bool served_by_tail = !tail.error || tail.error->error_class() != ErrorClass::kUnsupportedOperator;
      compared = served_by_tail && !FollowsEager(*served, rule);
      same = rule.error || tail.error ? rule.error && tail.error : Same(rule.effects, tail.effects);
      if (tail.error) throw *tail.error;
    });
    if (compared) EXPECT_TRUE(same) << text << "\n  rule " << testing::RunCall(text, {}, true) << "\n  tail " << by_tail;
    return compared;
  }

  Tail* tail_ = nullptr;
};

TEST_F(HostTest, RulesAndDispatcherAgree) {
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator("lib/rules")) {
    if (!file.path().string().ends_with("_test.cc")) continue;
    for (const std::string& call : CallsOf(ReadFile(file.path()))) compared += Compare(call);
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace fakeprop
