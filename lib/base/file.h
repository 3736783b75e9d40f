// Reads and writes whole files. A file is written completely or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

// The most bytes of one file that are held in memory, before and after decompression.
inline constexpr size_t kMaxFileBytes = size_t{2} << 30;

// The content of a file, or of standard input if `path` is "-". If it cannot be read or is larger than kMaxFileBytes,
// returns nothing and puts the reason into `error` ("no such file or directory").
std::optional<std::string> ReadWholeFile(const std::string& path, std::string& error);

// Writes a file so that readers see the old content or all of the new content, never a part. Writes directly to a path
// that is not a regular file (a pipe, /dev/stdout). On failure returns false, puts the reason into `error` and leaves
// no partial file.
bool WriteWholeFile(const std::string& path, std::string_view content, std::string& error);

// Removes the file that WriteWholeFile is writing at this moment, if any. Signal handlers call it, so that a process
// leaves no partial file when a signal ends it. Async-signal-safe.
void RemoveUnfinishedFile() noexcept;

// Returns true if WriteWholeFile can write at `path`. To find out, it makes a file beside `path`, which is the first
// step of WriteWholeFile. Permissions do not tell everything: the disk can be full or read-only, and root may do
// anything.
bool CanWriteWholeFile(const std::string& path, std::string& error);

// The system's text for an error number, in the form of our messages: "no space left on device".
std::string SystemErrorText(int error);

}  // namespace fakeprop
