#include "lib/diag/color.h"

namespace fakeprop {
namespace {

std::string_view Sequence(Color color) {
  switch (color) {
    case Color::kBold: return "\x1b[1m";
    case Color::kDim: return "\x1b[2m";
    case Color::kError: return "\x1b[1;31m";
    case Color::kWarning: return "\x1b[1;33m";
    case Color::kMark: return "\x1b[1;34m";
    case Color::kName: return "\x1b[36m";
  }
  return {};
}

}  // namespace

std::string Paint::operator()(Color color, std::string_view text) const {
  if (!enabled || text.empty()) return std::string(text);
  return std::string(Sequence(color)) + std::string(text) + "\x1b[0m";
}

}  // namespace fakeprop
