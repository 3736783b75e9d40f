// Storages for hosts that make many.
#pragma once

#include <c10/core/Storage.h>

namespace fakeprop::dispatch {

// A fake storage that holds a host's context (Host::NewStorageContext). A read or write of its data is an error. The
// device has its index.
c10::Storage HoldInStorage(c10::DataPtr context, int64_t nbytes, c10::Device device);

}  // namespace fakeprop::dispatch
