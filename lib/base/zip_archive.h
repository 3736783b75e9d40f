// Zip archives: lists the members, and reads single members as a whole. No other member is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fakeprop {

class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint64_t size = 0;  // unpacked
    uint64_t packed_size = 0;
    bool is_encrypted = false;
  };

  // Returns true if a file that starts with these bytes is a zip archive.
  static bool IsZip(std::string_view start);

  // Opens a file, or an archive in memory. If the archive is damaged, cut off, or has a member whose name is absolute,
  // contains `..` or is there twice, returns nothing and puts the reason into `error`.
  static std::optional<ZipArchive> Open(const std::string& path, std::string& error);
  static std::optional<ZipArchive> FromBytes(std::string bytes, std::string& error);

  const std::vector<Member>& members() const { return members_; }
  const Member* Find(std::string_view name) const;

  // The unpacked bytes of a member, with its checksum verified. If the member is damaged, encrypted, larger than
  // `max_bytes`, or packed so well that it can only be a bomb, returns nothing and puts the reason into `error`.
  std::optional<std::string> Read(const Member& member, uint64_t max_bytes, std::string& error) const;

 private:
  // minizip's unzFile.
  using Handle = void*;
  struct Closer {
    void operator()(Handle archive) const;
  };
  // Where a member's entry stands in the archive's directory.
  struct Place {
    uint64_t offset = 0;
    uint64_t number = 0;
  };
  static std::optional<ZipArchive> FromHandle(Handle handle, std::string& error);
  bool ReadMembers(std::string& error);
  bool AddMember(std::string& error);
  std::string ReadOpened(const Member& member, std::string& bytes) const;

  std::unique_ptr<std::string> bytes_;  // of an archive in memory; outlives the handle
  std::unique_ptr<void, Closer> handle_;
  std::vector<Member> members_;                           // in the directory's order
  std::vector<Place> places_;                             // of the same
  std::unordered_map<std::string_view, size_t> indices_;  // into names of members_, which no longer change
};

}  // namespace fakeprop
