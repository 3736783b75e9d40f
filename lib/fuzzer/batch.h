// Compares calls in child processes, because a kernel can end its process or never return.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lib/fuzzer/compare_call.h"

namespace fakeprop::fuzzer {

struct Question {
  Oracle oracle;
  std::string call;
};

// "cpu: relu(f32[2])", as the program reads it.
std::string Text(const Question& question);
Question ParseQuestion(const std::string& text);

// A verdict for each question. A question that ends its process, by a crash or a timeout, is asked again alone. If our
// side without the oracle also ends the process, the verdict is a difference. Else the oracle has no answer.
std::vector<Verdict> JudgeAll(std::span<const Question> questions);

}  // namespace fakeprop::fuzzer
