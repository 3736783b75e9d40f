#include "tools/cli/output.h"

#include "lib/base/file.h"
#include "lib/diag/code_table.h"

namespace fakeprop::cli {
namespace {

bool Fail(const std::string& path, const std::string& reason, DiagnosticSink& sink) {
  sink.Add({.code = kUnwritableOutput, .message = "cannot write `" + path + "`: " + reason});
  return false;
}

}  // namespace

bool CheckWritable(const std::string& path, DiagnosticSink& sink) {
  std::string error;
  return path.empty() || CanWriteWholeFile(path, error) || Fail(path, error, sink);
}

bool WriteOutput(const std::string& path, std::string_view text, const Console& console, DiagnosticSink& sink) {
  if (path.empty()) {
    console.out << text;
    return true;
  }
  std::string error;
  return WriteWholeFile(path, text, error) || Fail(path, error, sink);
}

}  // namespace fakeprop::cli
