// Versions of torch as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/version.h"

namespace fakeprop {

// "2.13"
std::string TorchVersionText(int torch);

// Of "2.13", "2.13+cpu", "2.13.0+cpu", "2.13.0a0+gita1b2c3": 13. Nothing if it is no version of torch.
std::optional<int> ReadTorchVersion(std::string_view text);

// Of "2.13.0+cpu": kCpu; of "2.13.0+cu130": kCuda. Nothing if the text does not say.
std::optional<TorchBuild> ReadTorchBuild(std::string_view text);

// The version whose answers are given for a graph of another version: the oldest one for what is older, the newest one
// for what is newer.
int NearestKnownTorch(int torch);

// The versions whose answers are known: "2.13|2.14|2.15".
std::string KnownTorchVersions();

}  // namespace fakeprop
