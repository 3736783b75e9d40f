// Judgements in child processes, for a kernel may end its process or never end.
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

// "cpu: relu(f32[2])", which the program takes.
std::string Text(const Question& question);
Question ParseQuestion(const std::string& text);

// A verdict for each question. One that ends its process, by crash or by time, is asked again alone; if we end it
// without the oracle, too, the verdict is a difference, else the oracle has no answer.
std::vector<Verdict> JudgeAll(std::span<const Question> questions);

}  // namespace fakeprop::fuzzer
