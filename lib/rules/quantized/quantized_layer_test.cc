#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

}  // namespace
}  // namespace fakeprop::testing
