#include "lib/dispatch/dispatch_host.h"

namespace fakeprop::dispatch {
namespace {

thread_local Host* current = nullptr;

}  // namespace

Host* Host::Current() { return current; }

HostScope::HostScope(Host* host) : outer_(current) { current = host; }
HostScope::~HostScope() { current = outer_; }

}  // namespace fakeprop::dispatch
