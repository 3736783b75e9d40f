// Scripts that complete command lines in a shell, made from the options themselves.
#pragma once

#include <string>
#include <string_view>

namespace fakeprop::cli {

// `shell`: "bash", "zsh" or "fish".
std::string CompletionScript(std::string_view shell);

}  // namespace fakeprop::cli
