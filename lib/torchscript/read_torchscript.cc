#include "lib/torchscript/read_torchscript.h"

#include <charconv>

#include "lib/archive/read_codes.h"
#include "lib/diag/code_table.h"
#include "lib/error/error.h"
#include "lib/torchscript/code_limits.h"
#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_lower.h"
#include "lib/torchscript/script_packed.h"
#include "lib/torchscript/script_places.h"

namespace fakeprop {
namespace {

constexpr uint64_t kOldestVersion = 1, kNewestVersion = 10;  // caffe2/serialize/versions.h, torch 2.13

uint64_t ReadVersion(const ZipArchive& archive, const std::string& root) {
  const std::string member = archive.Find(root + ".data/version") ? ".data/version" : "version";
  const std::string text = ReadMember(archive, root + member, 64);
  uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  if (version >= kOldestVersion && version <= kNewestVersion) return version;
  throw ArchiveError{kUnsupportedVersion,
      "the archive's `" + member + "` is " + "\"" + text.substr(0, text.find_first_of("\r\n")).substr(0, 20) + "\"" +
          ", supported are " + std::to_string(kOldestVersion) + " to " + std::to_string(kNewestVersion)};
}

// The code, with the first thing that was wrong with a member of it.
class CodeReader {
 public:
  CodeReader(const ZipArchive& archive, const std::string& root) : archive_(archive), root_(root) {}

  std::optional<std::string> Read(const std::string& member) {
    if (!archive_.Find(root_ + member)) return std::nullopt;
    try {
      std::string text = ReadMember(archive_, root_ + member, kMostCodeBytes);
      const std::string problem = FindExcess(text);
      if (problem.empty()) return text;
      throw ArchiveError{kMalformedGraph, "`" + root_ + member + "`: " + problem};
    } catch (const ArchiveError& error) {
      if (!error_) error_ = error;
      return std::nullopt;
    }
  }

  void RaiseError() const {
    if (error_) throw ArchiveError(*error_);
  }

 private:
  const ZipArchive& archive_;
  const std::string& root_;
  std::optional<ArchiveError> error_;
};

std::string FirstLines(std::string_view message) {
  message.remove_prefix(std::min(message.find_first_not_of(" \n"), message.size()));
  return std::string(message.substr(0, std::min<size_t>(message.find("\n\n"), 600)));
}

// A constant that is not read: an object of a class that LibTorch does not have, which stands for a tensor in the code.
std::string UnknownConstant(const ScriptData& data) {
  for (size_t i = 0; i < data.constants().size(); ++i) {
    const PickleIndex constant = data.constants()[i];
    if (data.IsTensor(constant) || ReadPackedObject(data, constant)) continue;
    return "its constant `CONSTANTS.c" + std::to_string(i) + "` is " + data.Describe(constant) + ", which is not read";
  }
  return {};
}

[[noreturn]] void FailUnknownMethod(const std::string& method, const std::vector<std::string>& others) {
  std::string names;
  for (const std::string& name : others) names += (names.empty() ? "`" : ", `") + name + "`";
  if (names.empty()) names = "none";
  throw ArchiveError{kUnknownModel, "the module has no method `" + method + "`: it has " + names};
}

// Why the compiler refused the code.
[[noreturn]] void FailCompilation(const OpError& error, const ScriptData& data) {
  std::string reason = UnknownConstant(data);
  if (reason.empty() && error.error_class() == ErrorClass::kUnsupportedOperator)
    throw ArchiveError{kNoLibTorch, error.message()};
  if (reason.empty()) reason = FirstLines(error.message());
  throw ArchiveError{kMalformedGraph, "the archive's code cannot be compiled: " + reason};
}

std::vector<std::string> ConstantClasses(const ScriptData& data) {
  std::vector<std::string> classes;
  for (PickleIndex constant : data.constants()) classes.emplace_back(data.ClassOf(constant));
  return classes;
}

ScriptGraph Compile(
    const ZipArchive& archive, const std::string& root, const ScriptData& data, const TorchScriptOptions& options) {
  CodeReader code(archive, root);
  ScriptSource source;
  source.module_class = data.ClassOf(data.module());
  source.method = options.method.empty() ? "forward" : options.method;
  source.version = ReadVersion(archive, root);
  source.constants = ConstantClasses(data);
  source.classes_with_setstate = data.ClassesWithState();
  source.read = [&](const std::string& member) { return code.Read(member); };
  if (!options.import_script)
    throw ArchiveError{kUnknownFormat, "this is a TorchScript archive, and there is no compiler for its code here"};
  try {
    ScriptGraph graph = options.import_script(source);
    code.RaiseError();
    if (graph.other_methods) FailUnknownMethod(source.method, *graph.other_methods);
    return graph;
  } catch (const OpError& error) {
    code.RaiseError();
    FailCompilation(error, data);
  }
}

Graph ReadMethod(
    const ZipArchive& archive, const std::string& root, const TorchScriptOptions& options, const std::string& source) {
  const ScriptData data(archive, root);
  ScriptGraph script = Compile(archive, root, data, options);
  auto arena = std::make_shared<TextArena>();
  Graph graph;
  graph.source = source;
  graph.text = arena;
  ScriptPlaces places(archive, root, script.texts, *arena);
  LowerScript(script, data, places, *arena, graph);
  return graph;
}

}  // namespace

std::optional<Graph> ReadTorchScript(const ZipArchive& archive, const ArchiveLayout& layout,
    const TorchScriptOptions& options, const std::string& source, DiagnosticSink& sink) {
  try {
    return ReadMethod(archive, layout.root, options, source);
  } catch (const ArchiveError& error) {
    sink.Add({.code = error.code, .message = error.message, .file = source, .place = error.place});
    return std::nullopt;
  }
}

}  // namespace fakeprop
