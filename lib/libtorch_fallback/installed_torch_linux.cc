#include "lib/libtorch_fallback/installed_torch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "lib/base/site_packages.h"

extern char** environ;

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "fakeprop_torch";
// As `python -m fakeprop_torch`, but modules in the current folder, which may be anybody's, are not looked for.
constexpr const char* kAsk =
    "import sys; sys.path[:] = filter(None, sys.path); import runpy; "
    "runpy.run_module('fakeprop_torch', run_name='__main__')";

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsInstalledBeside(const fs::path& binary) {
  const std::vector<fs::path> folders = SitePackagesBeside(binary);
  return std::any_of(folders.begin(), folders.end(), [](const fs::path& folder) { return Exists(folder / kPackage); });
}

std::string PythonOf(const fs::path& folder) {
  const fs::path python = folder / "python3";
  return Exists(python) ? python.string() : "python3";
}

std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(count));
  return text;
}

// What the package prints; nothing if it cannot be run.
std::string AskPython(const std::string& python, bool& succeeded) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string words[] = {python, "-c", kAsk};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child;
  const bool started = !posix_spawnp(&child, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string said = ReadAll(ends[0]);
  close(ends[0]);
  int status = -1;
  if (started) waitpid(child, &status, 0);
  succeeded = status == 0;
  return said;
}

}  // namespace

std::optional<InstalledTorch> FindInstalledTorch(const fs::path& binary, std::string& reason) {
  const fs::path folder = binary.parent_path();
  if (folder.empty()) {
    reason = "without /proc the program does not know its own folder: FAKEPROP_LIBTORCH names the plug-in";
    return std::nullopt;
  }
  if (!IsInstalledBeside(binary)) {
    reason = "no package fakeprop_torch beside it (pip install 'fakeprop[torch]')";
    return std::nullopt;
  }
  bool succeeded = false;
  const std::string python = PythonOf(folder), said = AskPython(python, succeeded);
  const size_t line = said.find('\n'), end = line == std::string::npos ? line : said.find('\n', line + 1);
  if (succeeded && end != std::string::npos)
    return InstalledTorch{said.substr(0, line), said.substr(line + 1, end - line - 1)};
  reason =
      line && line != std::string::npos ? said.substr(0, line) : python + " does not run the package fakeprop_torch";
  return std::nullopt;
}

}  // namespace fakeprop
