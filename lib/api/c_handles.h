// What the functions with a C interface share.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "fakeprop/annotated_graph.h"
#include "fakeprop/c_api.h"
#include "fakeprop/diagnostic.h"
#include "fakeprop/loaded_graph.h"
#include "lib/annotations/plain_values.h"
#include "lib/diag/bug_in_fakeprop.h"

struct fakeprop_graph {
  fakeprop::LoadedGraph graph;
};

struct fakeprop_annotations {
  fakeprop::AnnotatedGraph annotated;
  std::optional<fakeprop::PlainValues> plain;
  std::string names, expressions;
  fakeprop_values values = {};
};

namespace fakeprop {

// The annotations for a caller in C. Adds their errors to the sink.
fakeprop_annotations* KeepForC(AnnotatedGraph annotated, DiagnosticSink& sink);

inline char* CopyText(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

// Nothing is thrown at C: where `run` throws, this returns null.
template <typename Run>
auto Guarded(const Run& run) noexcept -> decltype(run()) {
  try {
    return run();
  } catch (...) {
    return nullptr;
  }
}

// Calls `run` with a sink, and tells the caller what is in the sink afterwards.
template <typename Run>
auto Say(char** said, const Run& run) noexcept -> decltype(run(std::declval<DiagnosticSink&>())) {
  if (said) *said = nullptr;
  return Guarded([&] {
    DiagnosticSink sink;
    decltype(run(sink)) result = nullptr;
    try {
      result = run(sink);
    } catch (const std::exception& e) {
      sink.Add(BugInFakeprop(e.what()));
    }
    if (said && !sink.diagnostics().empty()) *said = CopyText(ToString(sink));
    return result;
  });
}

}  // namespace fakeprop
