#include "lib/base/testing/make_zip.h"

#include <zip.h>

#include <stdexcept>

namespace fakeprop::testing {
namespace {

void AddMember(zip_t* archive, const std::string& name, const std::string& bytes, bool compressed) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) throw std::runtime_error(zip_strerror(archive));
  zip_set_file_compression(archive, index, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  zip_file_set_mtime(archive, index, 0, 0);
}

}  // namespace

std::string MakeZip(const ZipContent& content, bool compressed) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  if (!archive) throw std::runtime_error(zip_error_strerror(&error));
  for (const auto& [name, bytes] : content) AddMember(archive, name, bytes, compressed);
  if (zip_close(archive) != 0) throw std::runtime_error(zip_strerror(archive));
  zip_source_open(target);
  zip_source_seek(target, 0, SEEK_END);
  std::string bytes(zip_source_tell(target), '\0');
  zip_source_seek(target, 0, SEEK_SET);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

}  // namespace fakeprop::testing
