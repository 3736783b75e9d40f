#include "lib/rules/compare/known_differences.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/base/check.h"
#include "lib/base/take_until.h"

namespace fakeprop {
namespace {

using Extent = KnownDifference::Extent;

constexpr std::string_view kMeant =
#include "lib/rules/compare/meant.inc"
    ;
constexpr std::string_view kOpen =
#include "lib/rules/compare/open.inc"
    ;

template <typename T>
using Named = std::pair<std::string_view, T>;

constexpr Named<Against> kAgainst[] = {
    {"meta", Against::kMeta}, {"cpu", Against::kCpu}, {"grad", Against::kGrad}, {"recorded", Against::kRecorded}};

constexpr Named<Extent> kExtents[] = {{"some-calls", Extent::kSomeCalls}, {"needs-data", Extent::kNeedsData}};

constexpr unsigned kAnyField = ~0u;
constexpr Named<unsigned> kFields[] = {{"count", unsigned(EffectField::kCount)},
    {"shape", unsigned(EffectField::kShape)}, {"stride", unsigned(EffectField::kStride)},
    {"offset", unsigned(EffectField::kOffset)}, {"dtype", unsigned(EffectField::kDtype)},
    {"device", unsigned(EffectField::kDevice)}, {"view", unsigned(EffectField::kView)},
    {"aliasing", unsigned(EffectField::kAliasing)}, {"value", unsigned(EffectField::kValue)},
    {"write", unsigned(EffectField::kWrite)}, {"outcome", unsigned(EffectField::kOutcome)},
    {"refusal", unsigned(EffectField::kRefusal)}, {"any", kAnyField}};

template <typename T>
std::optional<T> Find(std::span<const Named<T>> names, std::string_view name) {
  const auto it = std::find_if(names.begin(), names.end(), [&](const Named<T>& n) { return n.first == name; });
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

// "shape,stride"
std::optional<unsigned> ParseFields(std::string_view names) {
  unsigned fields = 0;
  while (!names.empty()) {
    const auto field = Find<unsigned>(kFields, TakeUntil(names, ','));
    if (!field) return std::nullopt;
    fields |= *field;
  }
  return fields;
}

// `cpu outcome,refusal "expected scalar type"`; whether it is of this form.
bool ParseKind(std::string_view kind, KnownDifference& difference) {
  const auto against = Find<Against>(kAgainst, TakeUntil(kind, ' '));
  const std::string_view what = TakeUntil(kind, ' ');
  const auto extent = Find<Extent>(kExtents, what);
  const auto fields = extent ? 0u : ParseFields(what);
  const bool is_quoted = kind.size() > 2 && kind.front() == '"' && kind.back() == '"';
  if (!against || what.empty() || !fields || (!kind.empty() && !is_quoted)) return false;
  difference.against = *against;
  difference.extent = extent.value_or(Extent::kFields);
  difference.fields = *fields;
  if (is_quoted) difference.words = kind.substr(1, kind.size() - 2);
  return true;
}

KnownDifference ParseLine(std::string_view line) {
  std::string_view rest = line;
  KnownDifference difference;
  difference.subject = TakeUntil(rest, '\t');
  const std::string_view kind = TakeUntil(rest, '\t');
  difference.reason = rest;
  if (difference.subject.empty() || rest.empty() || !ParseKind(kind, difference))
    throw InternalError("no known difference of the form `operator, kind, reason` with tabs: " + std::string(line));
  return difference;
}

bool IsOf(const KnownDifference& known, std::string_view row_op, Against against) {
  return known.against == against && (known.subject == row_op || known.subject == "*");
}

bool Explains(const KnownDifference& known, const EffectDifference& d) {
  return (known.fields & static_cast<unsigned>(d.field)) && d.b.find(known.words) != std::string::npos;
}

}  // namespace

std::vector<KnownDifference> ParseDifferences(std::string_view text) {
  std::vector<KnownDifference> differences;
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    if (!line.empty() && line[0] != '#') differences.push_back(ParseLine(line));
  }
  return differences;
}

std::span<const KnownDifference> MeantDifferences() {
  static const std::vector<KnownDifference> meant = ParseDifferences(kMeant);
  return meant;
}

std::span<const KnownDifference> OpenDifferences() {
  static const std::vector<KnownDifference> open = ParseDifferences(kOpen);
  return open;
}

const KnownDifference* ExplainDifferences(
    Against against, std::string_view row_op, std::span<const EffectDifference> differences) {
  if (differences.empty()) return nullptr;
  for (const KnownDifference& known : MeantDifferences()) {
    if (!IsOf(known, row_op, against)) continue;
    if (std::ranges::all_of(differences, [&](const EffectDifference& d) { return Explains(known, d); })) return &known;
  }
  return nullptr;
}

const KnownDifference* ExplainText(Against against, std::string_view text) {
  for (const KnownDifference& known : MeantDifferences())
    if (IsOf(known, "*", against) && text.find(known.words) != std::string_view::npos) return &known;
  return nullptr;
}

bool IsListed(std::span<const KnownDifference> list, std::string_view op, Against against, Extent extent) {
  return std::ranges::any_of(
      list, [&](const KnownDifference& known) { return known.extent == extent && IsOf(known, op, against); });
}

}  // namespace fakeprop
