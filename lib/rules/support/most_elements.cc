#include "lib/rules/support/most_elements.h"

#include <utility>

namespace fakeprop::rules {
namespace {

thread_local bool assumes_most = false;

}  // namespace

AssumeMostElements::AssumeMostElements(bool is_on) : outer_(std::exchange(assumes_most, is_on)) {}
AssumeMostElements::~AssumeMostElements() { assumes_most = outer_; }
bool AssumeMostElements::IsOn() { return assumes_most; }

}  // namespace fakeprop::rules
