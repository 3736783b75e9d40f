// Writes numbers and texts as bytes and reads them back, for a pipe between two processes of one program.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "lib/base/check.h"

namespace fakeprop::dispatch {

class WireWriter {
 public:
  template <typename T>
  void Put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void PutText(std::string_view text) {
    Put(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T Get() {
    T value;
    std::memcpy(&value, Take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string GetText() { return std::string(Take(Get<size_t>())); }

 private:
  std::string_view Take(size_t size) {
    FAKEPROP_CHECK(size <= bytes_.size());
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
};

}  // namespace fakeprop::dispatch
