#include "tools/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/file.h"
#include "lib/diag/codes.h"

namespace fakeprop {
namespace {

bool Fail(const std::string& path, const std::string& reason, DiagnosticSink& sink) {
  sink.Add({.code = kUnwritableOutput, .message = "cannot write `" + path + "`: " + reason});
  return false;
}

// Tries what writing the file whole will do: make another beside it. Permissions alone do not tell it all (a full or
// read-only disk, a user who may do anything).
bool TryNeighbour(const std::string& path, std::string& error) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) {
    error = SystemErrorText(errno);
    return false;
  }
  close(fd);
  unlink(temporary.c_str());
  return true;
}

}  // namespace

std::string SystemErrorText(int error) {
  std::string text = std::strerror(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

bool CheckWritable(const std::string& path, DiagnosticSink& sink) {
  if (path.empty()) return true;
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return Fail(path, "is a directory", sink);
  if (exists && !S_ISREG(info.st_mode)) return access(path.c_str(), W_OK) == 0 || Fail(path, SystemErrorText(errno), sink);
  std::error_code ignored;
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : std::filesystem::path(path);
  std::string error;
  return TryNeighbour(target.empty() ? path : target.string(), error) || Fail(path, error, sink);
}

bool WriteOutput(const std::string& path, std::string_view text, const Console& console, DiagnosticSink& sink) {
  if (path.empty()) {
    console.out << text;
    return true;
  }
  std::string error;
  return WriteWholeFile(path, text, error) || Fail(path, error, sink);
}

}  // namespace fakeprop
