#include "tools/cli/show_browser.h"

namespace fakeprop::cli {

std::string BrowseGraph(const Graph&, const Annotations&) {
  return "the library that draws does not know the terminals of Windows";
}

}  // namespace fakeprop::cli
