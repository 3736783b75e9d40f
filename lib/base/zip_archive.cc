#include "lib/base/zip_archive.h"

#include <zip.h>

#include <algorithm>

#include "lib/base/decompress.h"

namespace fakeprop {
namespace {

std::string TextOf(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
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

struct FileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void ZipArchive::Closer::operator()(zip* archive) const { zip_discard(archive); }

bool ZipArchive::IsZip(std::string_view start) {
  using namespace std::string_view_literals;
  return start.starts_with("PK\3\4"sv) || start.starts_with("PK\5\6"sv);
}

std::optional<ZipArchive> ZipArchive::Open(const std::string& path, std::string& error) {
  int code = 0;
  zip* handle = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (handle) return FromHandle(handle, error);
  if (code == ZIP_ER_NOZIP) {
    error = "the list of its members, which stands at its end, is missing: is the file cut off?";
    return std::nullopt;
  }
  zip_error_t reason;
  zip_error_init_with_code(&reason, code);
  error = TextOf(&reason);
  return std::nullopt;
}

std::optional<ZipArchive> ZipArchive::FromBytes(std::string bytes, std::string& error) {
  if (!IsZip(bytes)) {  // nothing at all would pass for an empty archive
    error = "Not a zip archive";
    return std::nullopt;
  }
  auto kept = std::make_unique<std::string>(std::move(bytes));
  zip_error_t reason;
  zip_error_init(&reason);
  zip_source_t* source = zip_source_buffer_create(kept->data(), kept->size(), 0, &reason);
  zip* handle = source ? zip_open_from_source(source, ZIP_RDONLY, &reason) : nullptr;
  if (!handle) {
    if (source) zip_source_free(source);
    error = TextOf(&reason);
    return std::nullopt;
  }
  zip_error_fini(&reason);
  auto archive = FromHandle(handle, error);
  if (archive) archive->bytes_ = std::move(kept);
  return archive;
}

std::optional<ZipArchive> ZipArchive::FromHandle(zip* handle, std::string& error) {
  ZipArchive archive;
  archive.handle_.reset(handle);
  if (!archive.ReadMembers(error)) return std::nullopt;
  return archive;
}

bool ZipArchive::ReadMembers(std::string& error) {
  const zip_int64_t count = zip_get_num_entries(handle_.get(), ZIP_FL_UNCHANGED);
  members_.resize(static_cast<size_t>(count));
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    if (zip_stat_index(handle_.get(), i, ZIP_FL_UNCHANGED | ZIP_FL_ENC_RAW, &info) != 0) {
      error = "entry " + std::to_string(i) + " of its directory is damaged";
      return false;
    }
    members_[i] = {info.name, info.size, info.comp_size};
    if (!IsHarmless(members_[i].name)) {
      error = "it has a member named `" + members_[i].name + "`, which would lie outside of it";
      return false;
    }
    if (!indices_.emplace(members_[i].name, i).second) {
      error = "it has two members named `" + members_[i].name + "`";
      return false;
    }
  }
  return true;
}

const ZipArchive::Member* ZipArchive::Find(std::string_view name) const {
  auto it = indices_.find(name);
  return it == indices_.end() ? nullptr : &members_[it->second];
}

std::optional<std::string> ZipArchive::Read(const Member& member, uint64_t max_bytes, std::string& error) const {
  const std::string who = "its member `" + member.name + "` ";
  const auto too_large = [&](uint64_t most) {
    error = who + "unpacks to " + std::to_string(member.size) + " bytes, more than " + std::to_string(most);
    return std::nullopt;
  };
  const uint64_t most = std::min<uint64_t>(max_bytes, MaxUnpackedBytes(member.packed_size));
  if (member.size > most) return too_large(most);
  const auto fail = [&](const char* reason) {
    error = who + "cannot be read: " + reason;
    return std::nullopt;
  };
  std::unique_ptr<zip_file_t, FileCloser> file(
      zip_fopen_index(handle_.get(), static_cast<zip_uint64_t>(&member - members_.data()), ZIP_FL_UNCHANGED));
  if (!file) return fail(zip_strerror(handle_.get()));
  std::string bytes(member.size, '\0');
  uint64_t filled = 0;
  for (;;) {
    // At the end, one more read makes libzip compare the checksum.
    char beyond;
    char* to = filled < bytes.size() ? bytes.data() + filled : &beyond;
    const zip_int64_t n = zip_fread(file.get(), to, std::max<uint64_t>(bytes.size() - filled, 1));
    if (n < 0) return fail(zip_file_strerror(file.get()));
    if (n == 0) break;
    if (filled == bytes.size()) return fail("it holds more than its directory says");
    filled += static_cast<uint64_t>(n);
  }
  if (filled < bytes.size()) return fail("it is cut off");
  return bytes;
}

}  // namespace fakeprop
