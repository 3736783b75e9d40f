// What an error says.
#pragma once

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

namespace fakeprop::deferred_testing {

inline std::string TextOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const c10::Error& e) {
    return e.what_without_backtrace();
  }
  return "no error";
}

inline void ExpectMentions(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

}  // namespace fakeprop::deferred_testing
