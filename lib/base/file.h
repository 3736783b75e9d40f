// Whole files: read at once, written whole or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

// The most that is held in memory of one file, before and after decompression.
inline constexpr size_t kMaxFileBytes = size_t{2} << 30;

// The content of a file, or of standard input where `path` is "-". Gives nothing and the reason in `error`
// ("no such file or directory") where it cannot be read or is larger than kMaxFileBytes.
std::optional<std::string> ReadWholeFile(const std::string& path, std::string& error);

// Writes a file so that readers see the old content or all of the new one, never a part. What is not a regular file
// (a pipe, /dev/stdout) is written to directly. Gives false and the reason in `error`; no partial file is left then.
bool WriteWholeFile(const std::string& path, std::string_view content, std::string& error);

// Removes the file that WriteWholeFile is writing at this moment, if it is writing one, so that a process that a signal
// ends leaves no partial file. Async-signal-safe: for signal handlers.
void RemoveUnfinishedFile() noexcept;

// Whether WriteWholeFile could write at `path`, found out by what it would do first: making a file beside it.
// Permissions alone do not tell it all (a full or read-only disk, a user who may do anything).
bool CanWriteWholeFile(const std::string& path, std::string& error);

// What the system says of an error number, as messages have it: "no space left on device".
std::string SystemErrorText(int error);

}  // namespace fakeprop
