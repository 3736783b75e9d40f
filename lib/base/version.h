// The version of fakeprop, and the torch version whose semantics it follows.
#pragma once

namespace fakeprop {

inline constexpr char kVersion[] = "0.1.0";
inline constexpr char kTorchVersion[] = "2.13.0";

}  // namespace fakeprop
