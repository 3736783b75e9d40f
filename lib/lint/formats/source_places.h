// Where a finding is shown in a repository: the user's line of Python if its file is there, else the graph's file.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lib/lint/finding.h"

namespace fakeprop {

struct SourcePlace {
  std::string file;  // relative to the repository, with `/`
  int line = 1;
  bool is_python = false;  // the user's line; else the graph's file
};

class SourcePlaces {
 public:
  // `exists` tells whether a file is there, by its path relative to the working directory.
  explicit SourcePlaces(std::function<bool(const std::string& path)> exists) : exists_(std::move(exists)) {}

  // A trace may be from another machine, so of an absolute path the longest end that exists is taken. A relative path
  // is taken as it is.
  SourcePlace Of(const std::string& graph, const Diagnostic& diagnostic);

 private:
  std::string Find(const std::string& path) const;

  std::function<bool(const std::string&)> exists_;
  std::map<std::string, std::string> found_;  // by the path in the trace; empty for none
};

// A path of the command line without "./" and doubled slashes.
std::string PlainPath(const std::string& path);

}  // namespace fakeprop
