// Runs work that may end the process in a child process.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace fakeprop::dispatch {

// Runs `work` in a child process and returns its bytes. Returns nothing if the child dies, takes more than a few
// seconds or cannot be made. The work must not throw. In the child only the calling thread exists.
std::optional<std::string> RunForked(const std::function<std::string()>& work);

}  // namespace fakeprop::dispatch
