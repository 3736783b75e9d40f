// Work that may end the process, done in a child of it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace fakeprop::dispatch {

// Runs `work` in a child process and gives the bytes that it returns; nothing where the child dies, takes more than a
// few seconds or cannot be made. The work must not throw, and only the calling thread exists in the child.
std::optional<std::string> RunForked(const std::function<std::string()>& work);

}  // namespace fakeprop::dispatch
