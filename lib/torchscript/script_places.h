// Finds the lines of the user's Python from which the code of a TorchScript archive was made.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/text_arena.h"
#include "lib/base/zip_archive.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

class ScriptPlaces {
 public:
  // `root` is the folder of the archive's members. `texts` are the names of members and functions that places refer to.
  ScriptPlaces(const ZipArchive& archive, std::string root, const std::vector<std::string>& texts, TextArena& arena)
      : archive_(archive), root_(std::move(root)), texts_(texts), arena_(arena) {}

  // The calls as a traceback text of Python, outermost first. Places without a record are left out.
  std::string_view StackTrace(const std::vector<ScriptPlace>& places);
  // The member and line of a place: "code/__torch__/zoo.py:12". Empty if it is not known.
  std::string_view CodePlace(const ScriptPlace& place);

 private:
  // A range of code, and the start of the Python text that it was made from.
  struct Record {
    uint32_t offset;
    int32_t source;
    size_t start;
  };
  struct Source {
    std::string file;
    std::string text;
    int64_t first_line = 0;
  };
  struct Member {
    std::vector<Record> records;  // by offset
    std::vector<Source> sources;
    std::vector<size_t> lines;  // where the code's lines begin
  };

  const Member& MemberOf(int32_t text);
  void ReadRecords(const std::string& bytes, Member& member) const;
  std::string FrameText(const ScriptPlace& place);

  const ZipArchive& archive_;
  std::string root_;
  const std::vector<std::string>& texts_;
  TextArena& arena_;
  std::map<int32_t, Member> members_;
  std::map<std::pair<int32_t, ptrdiff_t>, std::string_view> code_places_;  // by member and line
  std::map<std::vector<std::tuple<int32_t, int32_t, uint32_t>>, std::string_view> traces_;
};

}  // namespace fakeprop
