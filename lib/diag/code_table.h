// The table of diagnostic codes. Its rows are the headings of docs/diagnostics.md.
#pragma once

#include <span>
#include <string_view>

#include "fakeprop/diagnostic.h"
#include "lib/error/error.h"

namespace fakeprop {

struct CodeInfo {
  Code code;
  std::string_view title;  // what is wrong, in a few words
};

// All codes, sorted.
std::span<const CodeInfo> AllCodes();

// The row of "FP3001", or of the class "ShapeMismatch", in any case. Null if there is none.
const CodeInfo* FindCodeInfo(std::string_view id_or_class);

// The code of an operator's error. The classes have the codes FP3001, FP3002 ... in their order. A bug in fakeprop has
// FP9001.
Code CodeOf(ErrorClass error_class);

inline constexpr Code kRecordedDiffers{"FP4001", "RecordedDiffers"};
inline constexpr Code kGoldenDiffers{"FP4002", "GoldenDiffers"};
inline constexpr Code kRuleDiffers{"FP4003", "RuleDiffers"};
inline constexpr Code kBadUsage{"FP5001", "BadUsage"};
inline constexpr Code kUnwritableOutput{"FP5002", "UnwritableOutput"};
inline constexpr Code kBadGolden{"FP5003", "BadGolden"};
inline constexpr Code kOutOfMemory{"FP5004", "OutOfMemory"};
inline constexpr Code kNoLibTorch{"FP5005", "NoLibTorch"};
inline constexpr Code kNoZ3{"FP5006", "NoZ3"};
inline constexpr Code kBadBaseline{"FP5007", "BadBaseline"};
inline constexpr Code kBadConfig{"FP5008", "BadConfig"};

// Custom operators.
inline constexpr Code kUnloadableLibrary{"FP6002", "UnloadableLibrary"};

// Lint rules.
inline constexpr Code kSilentBroadcast{"FP8001", "SilentBroadcast"};
inline constexpr Code kPromotedDtype{"FP8002", "PromotedDtype"};
inline constexpr Code kBroadcastBlowUp{"FP8003", "BroadcastBlowUp"};
inline constexpr Code kLargeIntermediate{"FP8004", "LargeIntermediate"};
inline constexpr Code kNeedlessCopy{"FP8005", "NeedlessCopy"};
inline constexpr Code kLostWrite{"FP8006", "LostWrite"};
inline constexpr Code kCopyingReshape{"FP8007", "CopyingReshape"};
inline constexpr Code kOutputAliasesInput{"FP8008", "OutputAliasesInput"};
inline constexpr Code kInputWritten{"FP8009", "InputWritten"};
inline constexpr Code kUnusedResult{"FP8010", "UnusedResult"};
inline constexpr Code kUnusedInput{"FP8011", "UnusedInput"};
inline constexpr Code kUnusedParameter{"FP8012", "UnusedParameter"};
inline constexpr Code kFixedDimension{"FP8013", "FixedDimension"};
inline constexpr Code kMixedDevices{"FP8014", "MixedDevices"};
inline constexpr Code kLostLayout{"FP8015", "LostLayout"};
inline constexpr Code kDataDependentSize{"FP8016", "DataDependentSize"};
inline constexpr Code kHalfReduction{"FP8017", "HalfReduction"};
inline constexpr Code kDuplicateWeight{"FP8018", "DuplicateWeight"};

}  // namespace fakeprop
