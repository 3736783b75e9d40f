// The version of the interface between the core and the plug-in.
#pragma once

#include "lib/base/fnv.h"
#include "lib/libtorch_fallback/interface.h"
#include "lib/libtorch_fallback/interface_digest.h"

namespace fakeprop {

// A hash of the contents of all our headers that lib/libtorch_fallback/interface.h includes, and so of every field that
// is passed; of the version of the compiler; and of the sizes of types, which compiler options can change. A plug-in of
// another build is refused, so it is never misread.
constexpr uint64_t PluginInterfaceVersion() {
  uint64_t version = Hashed(kInterfaceDigest, __VERSION__);
  for (size_t size :
      {sizeof(Call), sizeof(Value), sizeof(Tensor), sizeof(Effects), sizeof(Schema), sizeof(ScriptGraph)})
    version = version * 31 + size;
  return version;
}

}  // namespace fakeprop
