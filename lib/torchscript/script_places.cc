// Source: SourceRangeSerializer and ConcreteSourceRangeUnpickler in torch/csrc/jit/serialization/ (torch 2.13).
#include "lib/torchscript/script_places.h"

#include <algorithm>

#include "lib/archive/pickle.h"
#include "lib/base/file.h"

namespace fakeprop {
namespace {

using Kind = PickleItem::Kind;

constexpr std::string_view kFormat = "FORMAT_WITH_STRING_TABLE";

bool IsListGlobal(std::string_view global) { return global.starts_with("torch.jit._pickle."); }

// The children of a tuple or list, whatever call says its type; throws PickleError for anything else.
const std::vector<PickleIndex>& Items(const Pickle& pickle, PickleIndex index) {
  const PickleItem* item = &pickle[index];
  if (item->kind == Kind::kObject && item->arguments != kNoItem && !pickle[item->arguments].children.empty())
    item = &pickle[pickle[item->arguments].children[0]];
  if (item->kind != Kind::kTuple && item->kind != Kind::kList) throw PickleError{0, "no list of records"};
  return item->children;
}

const std::string& TextAt(const Pickle& pickle, const std::vector<PickleIndex>& strings, PickleIndex index) {
  return pickle[strings.at(static_cast<size_t>(pickle[index].integer))].text;
}

std::vector<size_t> LinesOf(std::string_view code) {
  std::vector<size_t> lines = {0};
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i] == '\n') lines.push_back(i + 1);
  return lines;
}

std::string_view LineAround(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

// Whether a line is no code but a call as torch.jit.trace records it: "/home/me/model.py(77): forward".
bool IsTracedFrame(std::string_view line) {
  const size_t close = line.rfind("): "), open = close == std::string_view::npos ? close : line.rfind('(', close);
  if (open == std::string_view::npos || open + 1 == close || !line.substr(0, open).ends_with(".py")) return false;
  const std::string_view number = line.substr(open + 1, close - open - 1);
  return number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// ("FORMAT_WITH_STRING_TABLE", strings, ((offset, ((pieces, file, first line), start, end), tag), ...))
void ScriptPlaces::ReadRecords(const std::string& bytes, Member& member) const {
  const Pickle pickle = Pickle::Read(bytes, IsListGlobal);
  const auto& root = Items(pickle, pickle.root());
  if (root.size() < 3 || pickle[root[0]].text != kFormat) return;
  const auto& strings = Items(pickle, root[1]);
  std::map<PickleIndex, int32_t> sources;  // one item for each, however many records name it
  for (PickleIndex record : Items(pickle, root[2])) {
    const auto& fields = Items(pickle, record);
    const auto& range = Items(pickle, fields.at(1));
    auto [it, is_new] = sources.emplace(range.at(0), static_cast<int32_t>(member.sources.size()));
    if (is_new) {
      const auto& parts = Items(pickle, range[0]);
      Source source;
      for (PickleIndex piece : Items(pickle, parts.at(0))) source.text += TextAt(pickle, strings, piece);
      source.file = TextAt(pickle, strings, parts.at(1));
      source.first_line = pickle[parts.at(2)].integer;
      member.sources.push_back(std::move(source));
    }
    member.records.push_back({static_cast<uint32_t>(pickle[fields[0]].integer), it->second,
        static_cast<size_t>(pickle[range.at(1)].integer)});
  }
  std::stable_sort(member.records.begin(), member.records.end(),
      [](const Record& a, const Record& b) { return a.offset < b.offset; });
}

const ScriptPlaces::Member& ScriptPlaces::MemberOf(int32_t text) {
  auto [it, is_new] = members_.try_emplace(text);
  Member& member = it->second;
  if (!is_new) return member;
  std::string error;
  const std::string name = root_ + texts_[text];
  const auto read = [&](const std::string& path) {
    const ZipArchive::Member* found = archive_.Find(path);
    return found ? archive_.Read(*found, kMaxFileBytes, error) : std::nullopt;
  };
  if (const auto code = read(name)) member.lines = LinesOf(*code);
  try {
    if (const auto records = read(name + ".debug_pkl")) ReadRecords(*records, member);
  } catch (const PickleError&) {
    member = {{}, {}, std::move(member.lines)};  // the code says nothing of its origin then
  } catch (const std::out_of_range&) {
    member = {{}, {}, std::move(member.lines)};
  }
  return member;
}

std::string ScriptPlaces::FrameText(const ScriptPlace& place) {
  if (place.member < 0) return {};
  const Member& member = MemberOf(place.member);
  auto after = std::upper_bound(member.records.begin(), member.records.end(), place.offset,
      [](uint32_t offset, const Record& record) { return offset < record.offset; });
  if (after == member.records.begin()) return {};
  const Record& record = *--after;
  const Source& source = member.sources[record.source];
  if (source.file.empty()) return {};
  const size_t start = std::min(record.start, source.text.size());
  const int64_t line =
      source.first_line + std::count(source.text.begin(), source.text.begin() + static_cast<ptrdiff_t>(start), '\n');
  std::string text = "  File \"" + source.file + "\", line " + std::to_string(line);
  if (place.function >= 0) text += ", in " + texts_[place.function];
  const std::string_view code = LineAround(source.text, start);
  if (!IsTracedFrame(code)) text += "\n    " + std::string(code);
  return text + '\n';
}

std::string_view ScriptPlaces::StackTrace(const std::vector<ScriptPlace>& places) {
  std::vector<std::tuple<int32_t, int32_t, uint32_t>> key;
  for (const ScriptPlace& place : places) key.emplace_back(place.member, place.function, place.offset);
  auto [it, is_new] = traces_.try_emplace(std::move(key));
  if (is_new) {
    std::string text;
    for (const ScriptPlace& place : places) text += FrameText(place);
    it->second = arena_.Store(text);
  }
  return it->second;
}

std::string_view ScriptPlaces::CodePlace(const ScriptPlace& place) {
  if (place.member < 0) return {};
  const std::vector<size_t>& lines = MemberOf(place.member).lines;
  const ptrdiff_t line = std::upper_bound(lines.begin(), lines.end(), place.offset) - lines.begin();
  auto [it, is_new] = code_places_.try_emplace({place.member, line});
  if (is_new) it->second = arena_.Store(texts_[place.member] + ":" + std::to_string(line));
  return it->second;
}

}  // namespace fakeprop
