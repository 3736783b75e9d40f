// The values of options: words, sizes, devices, counts.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/commands.h"

namespace fakeprop::cli {

// A command line that is wrong, told by one diagnostic.
struct UsageError {
  std::string message;
  std::vector<std::string> notes;
};

// "did you mean ...?" as the only note, or no note.
std::vector<std::string> Question(const std::string& nearest);

// The position of an option's word in the list of those that it takes; 0 where the option is not given.
size_t WordIndex(const CLI::App& app, const std::string& name, const std::string& word);

// Reads the texts that the options of `app` left in `raw`. Throws a UsageError for a value that no option takes.
void ReadWords(const CLI::App& app, const RawOptions& raw, CommandLineOptions& o);

}  // namespace fakeprop::cli
