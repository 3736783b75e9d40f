#include "lib/testing/compare_compilers.h"

#include "lib/archive/archive_layout.h"
#include "lib/base/zip_archive.h"
#include "lib/error/error.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/shipped_rules.h"
#include "lib/testing/script_graph_text.h"
#include "lib/torchscript/compiler/compile_script.h"
#include "lib/torchscript/read_torchscript.h"

namespace fakeprop {

ScriptGraph ImportByLibTorch(const ScriptSource& source) {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  if (!libtorch) Fail(ErrorClass::kUnsupportedOperator, reason);
  return libtorch->ImportScript(source);
}

namespace {

ScriptGraph CompileBoth(const ScriptSource& source, ComparedCompilers& out) {
  const std::optional<ScriptGraph> ours = CompileScript(source, out.detail, AddShippedLibrary);
  out.match = ours ? CompilerMatch::kAccepted : CompilerMatch::kRefused;
  ScriptGraph theirs = ImportByLibTorch(source);
  out.match = CompilerMatch::kDeclined;
  if (!ours) return theirs;
  out.ours = TextOf(*ours);
  out.theirs = TextOf(theirs);
  out.detail = FirstDifference(out.ours, out.theirs);
  out.match = out.detail.empty() ? CompilerMatch::kEqual : CompilerMatch::kDifferent;
  return theirs;
}

}  // namespace

ComparedCompilers CompareCompilers(const std::string& path, const std::string& method) {
  ComparedCompilers out;
  std::string error;
  const auto archive = ZipArchive::Open(path, error);
  if (!archive) return out;
  const ArchiveLayout layout = FindLayout(*archive);
  if (layout.kind != ArchiveKind::kTorchScript) return out;
  TorchScriptOptions options;
  options.method = method;
  options.import_script = [&](const ScriptSource& source) { return CompileBoth(source, out); };
  DiagnosticSink sink;
  ReadTorchScript(*archive, layout, options, path, sink);
  return out;
}

}  // namespace fakeprop
