#include "lib/diag/code_table.h"

#include <algorithm>
#include <cctype>

namespace fakeprop {
namespace {

constexpr CodeInfo kCodes[] = {
    // Reading graphs.
    {{"FP1001", "UnreadableFile"}, "a file is missing or cannot be read"},
    {{"FP1002", "UnknownFormat"}, "a file is no graph that fakeprop knows"},
    {{"FP1003", "MalformedJson"}, "a file is not valid JSON"},
    {{"FP1004", "UnsupportedVersion"}, "a file's format has a version that this fakeprop does not read"},
    {{"FP1005", "MalformedGraph"}, "a field of a graph is missing or not what it has to be"},
    {{"FP1006", "InconsistentGraph"}, "a graph contradicts itself"},
    {{"FP1007", "CorruptCompression"}, "compressed data is damaged or cut off"},
    {{"FP1008", "CorruptArchive"}, "an archive is damaged, cut off, or lacks a member"},
    {{"FP1009", "UnknownModel"}, "an archive has no model of that name, or several to choose from"},
    // Input specs.
    {{"FP2001", "MalformedSpec"}, "an input spec is not what its format asks for"},
    {{"FP2002", "UnknownSpecName"}, "an input spec names something that is not there"},
    {{"FP2003", "SpecMismatch"}, "an input spec does not fit the graph's inputs"},
    {{"FP2004", "InvalidSpecValue"}, "a field of an input spec has a value that cannot be"},
    {{"FP2005", "InvalidSpecView"}, "an input that shares storage does not fit the other's"},
    {{"FP2006", "UndeterminedSymbol"}, "a symbol has no value"},
    {{"FP2007", "ConflictingSymbol"}, "a symbol would need two values"},
    {{"FP2008", "MissingInput"}, "nothing says what an input is"},
    {{"FP2009", "SymbolicSize"}, "a size is not a number"},
    // Propagation, in the order of ErrorClass.
    {{"FP3001", "ShapeMismatch"}, "sizes do not fit together or do not suit the operator"},
    {{"FP3002", "DtypeMismatch"}, "an operator does not take or mix these dtypes"},
    {{"FP3003", "DeviceMismatch"}, "operands are on different devices"},
    {{"FP3004", "IndexOutOfRange"}, "a dimension or index lies outside its tensor"},
    {{"FP3005", "ValueError"}, "an argument has a value that the operator refuses"},
    {{"FP3006", "TypeError"}, "an argument has a type that the operator does not take"},
    {{"FP3007", "ViewError"}, "strides, storage or aliasing forbid a view"},
    {{"FP3008", "AutogradError"}, "autograd forbids a change of a tensor"},
    {{"FP3009", "Overflow"}, "a size or storage does not fit into 64 bits"},
    {{"FP3010", "DataDependentOutput"}, "a result is a number that depends on data"},
    {{"FP3011", "DynamicOutputShape"}, "a result's shape depends on data"},
    {{"FP3012", "UnsupportedOperator"}, "nothing serves an operator"},
    {{"FP3013", "MetadataMismatch"}, "branches or calls of a subgraph disagree"},
    {{"FP3014", "AssertionFailed"}, "an assertion in the graph is false"},
    {{"FP3015", "DataDependentGuard"}, "what happens depends on a size that depends on data"},
    // Lint.
    {kRecordedDiffers, "a value is not what the graph's file recorded"},
    {kGoldenDiffers, "annotations are not those of the golden file"},
    {kRuleDiffers, "a rule gives something else than LibTorch without it"},
    // The command line and output.
    {kBadUsage, "the command line is wrong"},
    {kUnwritableOutput, "the output cannot be written"},
    {kBadGolden, "a golden file is not a file of annotations"},
    {kOutOfMemory, "a run needs more memory than it may have"},
    {kNoLibTorch, "LibTorch is needed and cannot be opened"},
    {kNoZ3, "Z3 is needed and cannot be opened"},
    {kBadBaseline, "a baseline file is not a list of findings"},
    {kBadConfig, "fakeprop.toml has an unknown key or a wrong value"},
    // Custom operators.
    {{"FP6001", "MalformedOpRules"}, "a file of operators' rules is not what its format asks for"},
    {kUnloadableLibrary, "a library of custom operators cannot be loaded"},
    // Annotations at given sizes.
    {{"FP7001", "MalformedAnnotations"}, "a file is not a file of annotations"},
    {{"FP7002", "UnknownSymbol"}, "annotations have no symbol of that name"},
    {{"FP7004", "SymbolOutOfRange"}, "a symbol's value lies outside of its range"},
    {{"FP7005", "GuardViolated"}, "annotations do not hold for these sizes"},
    {{"FP7006", "NotProved"}, "it could not be shown that a graph propagates for all sizes"},
    // Memory and cost.
    {{"FP7101", "OverBudget"}, "a graph needs more memory or work than its budget"},
    {{"FP7102", "NothingToTrain"}, "no parameter of a graph gets a gradient"},
    {{"FP7103", "NoModules"}, "modules are to be recomputed or divided, and the graph has none of them"},
    // Lint rules.
    {kSilentBroadcast, "a row and a column broadcast to a matrix"},
    {kPromotedDtype, "float64 or int64 slips in by promotion"},
    {kBroadcastBlowUp, "broadcasting makes a tensor many times larger"},
    {kLargeIntermediate, "an intermediate has more bytes than allowed"},
    {kNeedlessCopy, "a copy that nobody needs"},
    {kLostWrite, "a write goes to a copy where a view was meant"},
    {kCopyingReshape, "a reshape copies"},
    {kOutputAliasesInput, "an output shares storage with an input"},
    {kInputWritten, "an operator writes to an input"},
    {kUnusedResult, "nothing uses the result of a call"},
    {kUnusedInput, "nothing uses an input"},
    {kUnusedParameter, "nothing uses a parameter"},
    {kFixedDimension, "a guard fixes a dimension that was declared dynamic"},
    {kMixedDevices, "a scalar on cpu meets tensors on another device"},
    {kLostLayout, "a tensor in channels last becomes a usual one"},
    {kDataDependentSize, "the size of a result depends on data"},
    {kHalfReduction, "a reduction or softmax gives float16"},
    {kDuplicateWeight, "parameters hold the same numbers in storages of their own"},
    {{"FP8019", "IndexAlwaysOutOfRange"}, "an index is out of range in every run"},
    {{"FP8020", "IndexLimit"}, "an index is out of range for some sizes or values"},
    // Bugs in fakeprop.
    {{"FP9001", "Internal"}, "a bug in fakeprop"},
};

bool IsSame(std::string_view a, std::string_view b) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [&](char left, char right) { return lower(left) == lower(right); });
}

}  // namespace

std::span<const CodeInfo> AllCodes() { return kCodes; }

const CodeInfo* FindCodeInfo(std::string_view name) {
  for (const CodeInfo& info : kCodes)
    if (IsSame(info.code.id, name) || IsSame(info.code.class_name, name)) return &info;
  return nullptr;
}

Code CodeOf(ErrorClass error_class) {
  if (error_class == ErrorClass::kInternal) return FindCodeInfo("FP9001")->code;
  const CodeInfo* first = FindCodeInfo("FP3001");
  return first[static_cast<int>(error_class)].code;
}

}  // namespace fakeprop
