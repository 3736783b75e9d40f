#include "lib/libtorch_fallback/room.h"

#include <sys/mman.h>

#include <new>

namespace fakeprop {

void NeedRoom(size_t bytes) {
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, bytes);
}

}  // namespace fakeprop
