#include "lib/base/zip_archive.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/base/decompress.h"

// Source of the layout: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16
// (its end, also in 64 bits) and 4.5.3 (sizes of 64 bits).
namespace fakeprop {
namespace {

constexpr std::string_view kLocalMark("PK\3\4", 4), kEntryMark("PK\1\2", 4), kEndMark("PK\5\6", 4),
    kWideEndMark("PK\6\6", 4), kWideLocatorMark("PK\6\7", 4);
constexpr uint64_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kWideEndBytes = 56, kWideLocatorBytes = 20;
constexpr uint64_t kMostComment = 65535;
constexpr uint64_t kMostDirectory = uint64_t{1} << 30;
constexpr uint64_t kWide = 0xffffffff;  // the number stands in the entry's field of 64 bits

// A number of little-endian bytes. The caller has checked that they are there.
uint64_t NumberAt(std::string_view bytes, uint64_t at, int size) {
  uint64_t number = 0;
  for (int i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// A folder's name ends in a slash, which is no climb.
bool IsHarmless(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos) return false;
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find('/', start), name.size());
    if (name.substr(start, end - start) == "..") return false;
    start = end + 1;
  }
  return true;
}

// Puts the numbers of 64 bits of an entry's extra field (id 1) where the entry says kWide. False if one is missing.
bool ReadWideNumbers(std::string_view extra, std::initializer_list<uint64_t*> numbers) {
  std::string_view wide;
  while (extra.size() >= 4) {
    const uint64_t id = NumberAt(extra, 0, 2), size = NumberAt(extra, 2, 2);
    if (size > extra.size() - 4) break;
    if (id == 1) wide = extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  for (uint64_t* number : numbers) {
    if (*number != kWide) continue;
    if (wide.size() < 8) return false;
    *number = NumberAt(wide, 0, 8);
    wide.remove_prefix(8);
  }
  return true;
}

// Unpacks deflate's format into all of `bytes`. False if the data is damaged or gives another number of bytes. zlib
// counts in 32 bits: kMaxFileBytes, the most of a member, fits.
bool Inflate(std::string_view packed, std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int code = inflate(&stream, Z_FINISH);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  return code == Z_STREAM_END && stream.avail_out == 0;
}

uint64_t Checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

}  // namespace

std::optional<std::string> ZipArchive::File::Read(uint64_t offset, uint64_t count) const {
  if (offset > size || count > size - offset) return std::nullopt;
  if (file.get() < 0) return bytes.substr(offset, count);
  std::string read(count, '\0');
  for (uint64_t filled = 0; filled < count;) {
    const int64_t n =
        ReadAt(file.get(), read.data() + filled, std::min<uint64_t>(count - filled, kMostBytesAtOnce), offset + filled);
    if (n <= 0) return std::nullopt;
    filled += static_cast<uint64_t>(n);
  }
  return read;
}

bool ZipArchive::IsZip(std::string_view start) { return start.starts_with(kLocalMark) || start.starts_with(kEndMark); }

std::optional<ZipArchive> ZipArchive::Open(const std::string& path, std::string& error) {
  auto file = std::make_unique<File>(OpenToRead(path));
  const off_t size = file->file.get() < 0 ? -1 : lseek(file->file.get(), 0, SEEK_END);
  if (size < 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  file->size = static_cast<uint64_t>(size);
  return FromFile(
      std::move(file), "the list of its members, which stands at its end, is missing: is the file cut off?", error);
}

std::optional<ZipArchive> ZipArchive::FromBytes(std::string bytes, std::string& error) {
  auto file = std::make_unique<File>(-1);
  file->size = bytes.size();
  file->bytes = std::move(bytes);
  return FromFile(std::move(file), "Not a zip archive", error);
}

std::optional<ZipArchive> ZipArchive::FromFile(
    std::unique_ptr<File> file, const char* without_end, std::string& error) {
  ZipArchive archive;
  archive.file_ = std::move(file);
  const std::optional<Directory> directory = archive.FindDirectory();
  const std::optional<std::string> entries = directory && directory->size <= kMostDirectory
                                                 ? archive.file_->Read(directory->offset, directory->size)
                                                 : std::nullopt;
  if (!entries) {
    error = without_end;
    return std::nullopt;
  }
  if (!archive.ReadMembers(*entries, directory->count, error)) return std::nullopt;
  return archive;
}

std::optional<ZipArchive::Directory> ZipArchive::FindDirectory() const {
  const uint64_t most = std::min(file_->size, kEndBytes + kMostComment);
  const std::optional<std::string> tail = file_->Read(file_->size - most, most);
  const size_t at = tail ? tail->rfind(kEndMark) : std::string::npos;
  if (at == std::string::npos || tail->size() - at < kEndBytes) return std::nullopt;
  Directory directory{NumberAt(*tail, at + 16, 4), NumberAt(*tail, at + 12, 4), NumberAt(*tail, at + 10, 2)};
  if (at < kWideLocatorBytes || tail->compare(at - kWideLocatorBytes, 4, kWideLocatorMark) != 0) return directory;
  const std::optional<std::string> wide = file_->Read(NumberAt(*tail, at - kWideLocatorBytes + 8, 8), kWideEndBytes);
  if (!wide || !wide->starts_with(kWideEndMark)) return std::nullopt;
  return Directory{NumberAt(*wide, 48, 8), NumberAt(*wide, 40, 8), NumberAt(*wide, 32, 8)};
}

bool ZipArchive::ReadMembers(std::string_view entries, uint64_t count, std::string& error) {
  for (uint64_t i = 0; i < count; ++i)
    if (!AddMember(entries, error)) return false;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (indices_.emplace(members_[i].name, i).second) continue;
    error = "it has two members named `" + members_[i].name + "`";
    return false;
  }
  return true;
}

// Adds the member of the first entry, and takes the entry away.
bool ZipArchive::AddMember(std::string_view& entries, std::string& error) {
  const bool has_entry = entries.size() >= kEntryBytes && entries.starts_with(kEntryMark);
  const uint64_t name_size = has_entry ? NumberAt(entries, 28, 2) : 0,
                 extra_size = has_entry ? NumberAt(entries, 30, 2) : 0;
  const uint64_t size = kEntryBytes + name_size + extra_size + (has_entry ? NumberAt(entries, 32, 2) : 0);
  if (!has_entry || size > entries.size()) return FailEntry(error);
  Member member;
  Place place;
  member.name = entries.substr(kEntryBytes, name_size);
  member.packed_size = NumberAt(entries, 20, 4);
  member.size = NumberAt(entries, 24, 4);
  place.header = NumberAt(entries, 42, 4);
  place.checksum = NumberAt(entries, 16, 4);
  place.method = NumberAt(entries, 10, 2);
  place.is_encrypted = NumberAt(entries, 8, 2) & 1;
  if (!ReadWideNumbers(
          entries.substr(kEntryBytes + name_size, extra_size), {&member.size, &member.packed_size, &place.header}))
    return FailEntry(error);
  entries.remove_prefix(size);
  if (!IsHarmless(member.name)) {
    error = "it has a member named `" + member.name + "`, which would lie outside of it";
    return false;
  }
  members_.push_back(std::move(member));
  places_.push_back(place);
  return true;
}

bool ZipArchive::FailEntry(std::string& error) const {
  error = "entry " + std::to_string(members_.size()) + " of its directory is damaged";
  return false;
}

const ZipArchive::Member* ZipArchive::Find(std::string_view name) const {
  auto it = indices_.find(name);
  return it == indices_.end() ? nullptr : &members_[it->second];
}

std::optional<std::string> ZipArchive::Read(const Member& member, uint64_t max_bytes, std::string& error) const {
  const std::string who = "its member `" + member.name + "` ";
  const uint64_t most = std::min<uint64_t>(max_bytes, MaxUnpackedBytes(member.packed_size));
  if (member.size > most) {
    error = who + "unpacks to " + std::to_string(member.size) + " bytes, more than " + std::to_string(most);
    return std::nullopt;
  }
  std::string bytes;
  const std::string reason = Unpack(member, bytes);
  if (reason.empty()) return bytes;
  error = who + "cannot be read: " + reason;
  return std::nullopt;
}

std::optional<std::string> ZipArchive::ReadPacked(const Member& member) const {
  const Place& place = PlaceOf(member);
  const std::optional<std::string> header = file_->Read(place.header, kLocalBytes);
  if (!header || !header->starts_with(kLocalMark)) return std::nullopt;
  const uint64_t start = place.header + kLocalBytes + NumberAt(*header, 26, 2) + NumberAt(*header, 28, 2);
  return file_->Read(start, member.packed_size);
}

// Unpacks into `bytes`. Returns why it could not, or nothing.
std::string ZipArchive::Unpack(const Member& member, std::string& bytes) const {
  const Place& place = PlaceOf(member);
  if (place.is_encrypted) return "it is encrypted";
  if (place.method != 0 && place.method != Z_DEFLATED) return "it is packed by a method other than deflate";
  // Deflate's format adds 5 bytes to each block of 64 KiB at most.
  if (member.packed_size > member.size + member.size / 1024 + 1024)
    return "its directory gives it sizes that cannot be";
  std::optional<std::string> packed = ReadPacked(member);
  if (!packed) return "it is cut off, or its header is damaged";
  if (place.method == 0) {
    if (packed->size() != member.size) return "its directory gives it two sizes";
    bytes = std::move(*packed);
  } else {
    bytes.resize(member.size);
    if (!Inflate(*packed, bytes)) return "its packed data is damaged";
  }
  return Checksum(bytes) == place.checksum ? "" : "CRC error";
}

}  // namespace fakeprop
