// A stream buffer over a file descriptor that remembers why a write failed, which std::cout does not tell.
#pragma once

#include <streambuf>
#include <string>

namespace fakeprop::cli {

class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) {}
  ~FdBuffer() override { sync(); }

  // errno of the first write that failed; 0 if none did. After a failure all output is dropped.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  int fd_;
  int error_ = 0;
  std::string pending_;
};

}  // namespace fakeprop::cli
