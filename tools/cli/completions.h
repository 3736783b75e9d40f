// Makes scripts that complete command lines in a shell. They are made from the declared options.
#pragma once

#include <string>
#include <string_view>

namespace fakeprop::cli {

// `shell`: "bash", "zsh" or "fish".
std::string CompletionScript(std::string_view shell);

}  // namespace fakeprop::cli
