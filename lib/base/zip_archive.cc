#include "lib/base/zip_archive.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lib/base/decompress.h"

namespace fakeprop {
namespace {

// The most that minizip reads in one call.
constexpr uint64_t kMostAtOnce = uint64_t{1} << 30;
constexpr uLong kEncrypted = 1;  // a bit of a member's flags

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

const char* ReasonOf(int code) {
  switch (code) {
    case UNZ_CRCERROR: return "CRC error";
    case UNZ_BADZIPFILE: return "its header is damaged, or packed by a method other than deflate";
    case Z_DATA_ERROR: return "its packed data is damaged";
    case UNZ_ERRNO: return "it is cut off";
    default: return "the archive is damaged";
  }
}

// Where an archive's directory ends: 22 bytes after this mark, and a comment of at most 64 KiB.
constexpr std::string_view kEndMark("PK\5\6", 4);
constexpr size_t kEndBytes = 22;
constexpr int64_t kMostAtEnd = kEndBytes + 65535;

// minizip reads zeros where a file is cut off within this end.
bool HasWholeEnd(std::string_view tail) {
  const size_t at = tail.rfind(kEndMark);
  return at != std::string_view::npos && tail.size() - at >= kEndBytes;
}

std::string TailOf(FILE* file) {
  std::fseek(file, 0, SEEK_END);
  const int64_t size = std::max<int64_t>(ftello(file), 0);
  std::string tail(static_cast<size_t>(std::min(size, kMostAtEnd)), '\0');
  fseeko(file, size - static_cast<int64_t>(tail.size()), SEEK_SET);
  tail.resize(std::fread(tail.data(), 1, tail.size(), file));
  return tail;
}

// Opens bytes in memory as a file.
voidpf OpenBytes(voidpf bytes, const void*, int) {
  auto* text = static_cast<std::string*>(bytes);
  return fmemopen(text->data(), text->size(), "rb");
}

struct MemberCloser {
  void operator()(void* archive) const { unzCloseCurrentFile(archive); }
};

}  // namespace

void ZipArchive::Closer::operator()(Handle archive) const { unzClose(archive); }

bool ZipArchive::IsZip(std::string_view start) {
  using namespace std::string_view_literals;
  return start.starts_with("PK\3\4"sv) || start.starts_with("PK\5\6"sv);
}

std::optional<ZipArchive> ZipArchive::Open(const std::string& path, std::string& error) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  Handle handle = HasWholeEnd(TailOf(file.get())) ? unzOpen64(path.c_str()) : nullptr;
  if (handle) return FromHandle(handle, error);
  error = "the list of its members, which stands at its end, is missing: is the file cut off?";
  return std::nullopt;
}

std::optional<ZipArchive> ZipArchive::FromBytes(std::string bytes, std::string& error) {
  auto kept = std::make_unique<std::string>(std::move(bytes));
  zlib_filefunc64_def functions;
  fill_fopen64_filefunc(&functions);
  functions.zopen64_file = &OpenBytes;
  functions.opaque = kept.get();
  Handle handle = IsZip(*kept) && HasWholeEnd(*kept) ? unzOpen2_64("", &functions) : nullptr;
  if (!handle) {
    error = "Not a zip archive";
    return std::nullopt;
  }
  auto archive = FromHandle(handle, error);
  if (archive) archive->bytes_ = std::move(kept);
  return archive;
}

std::optional<ZipArchive> ZipArchive::FromHandle(Handle handle, std::string& error) {
  ZipArchive archive;
  archive.handle_.reset(handle);
  if (!archive.ReadMembers(error)) return std::nullopt;
  for (size_t i = 0; i < archive.members_.size(); ++i) {
    const std::string& name = archive.members_[i].name;
    if (archive.indices_.emplace(name, i).second) continue;
    error = "it has two members named `" + name + "`";
    return std::nullopt;
  }
  return archive;
}

bool ZipArchive::ReadMembers(std::string& error) {
  unz_global_info64 about{};
  unzGetGlobalInfo64(handle_.get(), &about);
  int code = about.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(handle_.get());
  for (; code == UNZ_OK; code = unzGoToNextFile(handle_.get()))
    if (!AddMember(error)) return false;
  if (code == UNZ_END_OF_LIST_OF_FILE && members_.size() == about.number_entry) return true;
  error = "entry " + std::to_string(members_.size()) + " of its directory is damaged";
  return false;
}

// Adds the member at which minizip stands.
bool ZipArchive::AddMember(std::string& error) {
  unz_file_info64 info{};
  unz64_file_pos place{};
  std::string name;
  bool is_read = unzGetCurrentFileInfo64(handle_.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) == UNZ_OK;
  name.resize(info.size_filename);
  is_read &=
      unzGetCurrentFileInfo64(handle_.get(), &info, name.data(), name.size(), nullptr, 0, nullptr, 0) == UNZ_OK &&
      unzGetFilePos64(handle_.get(), &place) == UNZ_OK;
  if (!is_read) {
    error = "entry " + std::to_string(members_.size()) + " of its directory is damaged";
    return false;
  }
  if (!IsHarmless(name)) {
    error = "it has a member named `" + name + "`, which would lie outside of it";
    return false;
  }
  members_.push_back({std::move(name), info.uncompressed_size, info.compressed_size, (info.flag & kEncrypted) != 0});
  places_.push_back({place.pos_in_zip_directory, place.num_of_file});
  return true;
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
  const std::string reason = ReadOpened(member, bytes);
  if (reason.empty()) return bytes;
  error = who + "cannot be read: " + reason;
  return std::nullopt;
}

// Reads into `bytes`. Returns why it could not, or nothing.
std::string ZipArchive::ReadOpened(const Member& member, std::string& bytes) const {
  if (member.is_encrypted) return "it is encrypted";
  const Place& at = places_[static_cast<size_t>(&member - members_.data())];
  const unz64_file_pos place = {at.offset, at.number};
  if (int code = unzGoToFilePos64(handle_.get(), &place); code != UNZ_OK) return ReasonOf(code);
  if (int code = unzOpenCurrentFile(handle_.get()); code != UNZ_OK) return ReasonOf(code);
  std::unique_ptr<void, MemberCloser> opened(handle_.get());
  bytes.resize(member.size);
  uint64_t filled = 0;
  while (filled < bytes.size()) {
    const auto room = static_cast<unsigned>(std::min(bytes.size() - filled, kMostAtOnce));
    const int count = unzReadCurrentFile(handle_.get(), bytes.data() + filled, room);
    if (count < 0) return ReasonOf(count);
    if (count == 0) return "it is cut off";
    filled += static_cast<uint64_t>(count);
  }
  char beyond = 0;
  if (unzReadCurrentFile(handle_.get(), &beyond, 1) > 0) return "it holds more than its directory says";
  // Compares the checksum.
  const int code = unzCloseCurrentFile(opened.release());
  return code == UNZ_OK ? "" : ReasonOf(code);
}

}  // namespace fakeprop
