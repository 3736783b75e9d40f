#include "lib/libtorch_fallback/interface_version.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/libtorch_fallback/fields_digest.h"
#include "lib/libtorch_fallback/swapped_fields_digest.h"

namespace fakeprop {
namespace {

// Sizes would not tell: the fields are of one type. A plug-in of another version is refused (open_other_version_test).
TEST(InterfaceVersion, ASwappedFieldIsAnotherVersion) { EXPECT_NE(kFieldsDigest, kSwappedFieldsDigest); }

TEST(InterfaceVersion, CoversEveryHeaderWhoseObjectsCross) {
  for (std::string_view crossing :
      {"/meta/value.h", "/meta/objects.h", "/meta/tensor_meta.h", "/meta/dim.h", "/rules/core/call.h",
          "/rules/core/effects.h", "/schema/schema.h", "/torchscript/script_graph.h", "/libtorch_fallback/interface.h"})
    EXPECT_TRUE(std::ranges::any_of(kInterfaceDigestHeaders, [&](std::string_view header) {
      return header.ends_with(crossing);
    })) << crossing;
}

TEST(InterfaceVersion, TextsAreHashed) {
  static_assert(Hashed(1, "2.13.0") != Hashed(1, "2.12.0"));
  static_assert(Hashed(1, "a") != Hashed(2, "a"));
}

}  // namespace
}  // namespace fakeprop
