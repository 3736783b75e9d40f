// The words of eager PyTorch in errors of operator calls, by which users search.
#pragma once

#include <string>
#include <string_view>

#include "lib/error/error.h"

namespace fakeprop {

struct Schema;

// Returns false if eager PyTorch cannot say anything about an error of this class: it accepts such calls, or decides by
// data, or the mistake is ours.
bool MayEagerRefuse(ErrorClass error_class);

// The words, or none if not all versions of LibTorch say them, since what we print must not depend on the LibTorch that
// we were built with. Where the versions differ, the message has our words alone.
std::string_view WordsOfAllVersions(const Schema& schema, std::string_view words);

// Our message with the words of eager PyTorch. Words that are in the message already are not repeated:
// ("takes a matrix", "mat2 must be a matrix") -> "takes a matrix: mat2 must be a matrix"
// ("no kernel: not implemented for 'Half'", "\"mm\" not implemented for 'Half'") -> "no kernel: \"mm\" not ..."
std::string JoinEagerWords(const std::string& message, std::string_view words);

}  // namespace fakeprop
