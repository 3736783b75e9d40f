#include "lib/annotations/summary.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

using Kind = NodeAnnotation::Kind;

TEST(Summary, CountsAndNotes) {
  std::vector<Node> nodes(6);
  Annotations annotations;
  annotations.diagnostics = {{.message = "a"}, {.message = "b"}};
  annotations.graphs = {
      {"", {{Kind::kValue, &nodes[0]}, {Kind::kError, &nodes[1], nullptr, {}, 0},
               {Kind::kSkipped, &nodes[2], nullptr, {}, -1, &nodes[1]},
               {Kind::kSkipped, &nodes[3], nullptr, {}, -1, &nodes[1]}, {Kind::kError, &nodes[4], nullptr, {}, 1}}},
      {"sub", {{Kind::kValue, &nodes[5]}}}};
  EXPECT_EQ(ToString(Summarize(annotations)), "2 errors in 6 nodes; 2 nodes were skipped");
}

}  // namespace
}  // namespace fakeprop
