// Zip archives: lists the members, and reads single members as a whole. No other member is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/base/descriptors.h"

namespace fakeprop {

class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint64_t size = 0;  // unpacked
    uint64_t packed_size = 0;
  };

  // Returns true if a file that starts with these bytes is a zip archive.
  static bool IsZip(std::string_view start);

  // Opens a file, or an archive in memory. If the archive is damaged, cut off, or has a member whose name is absolute,
  // contains `..` or is there twice, returns nothing and puts the reason into `error`.
  static std::optional<ZipArchive> Open(const std::string& path, std::string& error);
  static std::optional<ZipArchive> FromBytes(std::string bytes, std::string& error);

  const std::vector<Member>& members() const { return members_; }
  const Member* Find(std::string_view name) const;
  // The CRC-32 of a member's unpacked bytes, as the directory states it.
  uint32_t ChecksumOf(const Member& member) const { return static_cast<uint32_t>(PlaceOf(member).checksum); }

  // The unpacked bytes of a member, with its checksum verified. If the member is damaged, encrypted, larger than
  // `max_bytes`, or packed so well that it can only be a bomb, returns nothing and puts the reason into `error`.
  std::optional<std::string> Read(const Member& member, uint64_t max_bytes, std::string& error) const;

 private:
  // A file, or bytes in memory.
  struct File {
    explicit File(int fd) : file(fd) {}
    // Nothing if the file does not have these bytes.
    std::optional<std::string> Read(uint64_t offset, uint64_t count) const;

    const Descriptor file;  // none: the archive is in memory
    std::string bytes;
    uint64_t size = 0;
  };
  struct Directory {
    uint64_t offset = 0, size = 0, count = 0;
  };
  // What the directory says of a member's data.
  struct Place {
    uint64_t header = 0;  // the offset of its local header
    uint64_t checksum = 0, method = 0;
    bool is_encrypted = false;
  };
  static std::optional<ZipArchive> FromFile(std::unique_ptr<File> file, const char* without_end, std::string& error);
  std::optional<Directory> FindDirectory() const;
  bool ReadMembers(std::string_view entries, uint64_t count, std::string& error);
  bool AddMember(std::string_view& entries, std::string& error);
  bool FailEntry(std::string& error) const;
  const Place& PlaceOf(const Member& member) const { return places_[static_cast<size_t>(&member - members_.data())]; }
  std::optional<std::string> ReadPacked(const Member& member) const;
  std::string Unpack(const Member& member, std::string& bytes) const;

  std::unique_ptr<File> file_;
  std::vector<Member> members_;                           // in the directory's order
  std::vector<Place> places_;                             // of the same
  std::unordered_map<std::string_view, size_t> indices_;  // into names of members_, which no longer change
};

}  // namespace fakeprop
