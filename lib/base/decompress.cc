#include "lib/base/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <new>

#include "lib/base/file.h"

namespace fakeprop {
namespace {

constexpr size_t kBlock = size_t{1} << 17;
// What xz -9 needs is 65 MiB; a file that asks for more is refused rather than served.
constexpr uint64_t kXzMemory = uint64_t{512} << 20;

// Unpacked bytes, with an end to their number.
class UnpackedBytes {
 public:
  explicit UnpackedBytes(size_t limit) : limit_(limit), block_(new char[kBlock]) {}

  char* block() { return block_.get(); }
  // Takes the first n bytes of the block; false where that is too much.
  bool Take(size_t n, std::string& error) {
    if (n > limit_ - bytes_.size()) {
      error = "unpacks to more than " + std::to_string(limit_ >> 20) + " MiB";
      return false;
    }
    bytes_.append(block_.get(), n);
    return true;
  }
  std::string Release() { return std::move(bytes_); }

 private:
  size_t limit_;
  std::string bytes_;
  std::unique_ptr<char[]> block_;
};

std::string Corrupt(Compression kind) { return "the " + std::string(Name(kind)) + " data is corrupt"; }
std::string CutOff(Compression kind) { return "the " + std::string(Name(kind)) + " data is cut off"; }

// zlib counts its input in 32 bits: kMaxFileBytes fits.
bool Gunzip(std::string& in, UnpackedBytes& out, std::string& error) {
  z_stream z = {};
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&z, inflateEnd);
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  for (;;) {
    z.next_out = reinterpret_cast<Bytef*>(out.block());
    z.avail_out = kBlock;
    int status = inflate(&z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (!out.Take(kBlock - z.avail_out, error)) return false;
    if (status == Z_STREAM_END && z.avail_in == 0) return true;
    if (status == Z_STREAM_END) status = inflateReset(&z);  // another member follows
    if (status == Z_OK && (z.avail_in > 0 || z.avail_out == 0)) continue;
    error = status == Z_OK || status == Z_BUF_ERROR ? CutOff(Compression::kGzip) : Corrupt(Compression::kGzip);
    return false;
  }
}

bool Unxz(const std::string& in, UnpackedBytes& out, std::string& error) {
  lzma_stream xz = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&xz, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> closer(&xz, lzma_end);
  xz.next_in = reinterpret_cast<const uint8_t*>(in.data());
  xz.avail_in = in.size();
  for (;;) {
    xz.next_out = reinterpret_cast<uint8_t*>(out.block());
    xz.avail_out = kBlock;
    lzma_ret status = lzma_code(&xz, LZMA_FINISH);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (!out.Take(kBlock - xz.avail_out, error)) return false;
    if (status == LZMA_STREAM_END) return true;
    if (status == LZMA_OK) continue;
    error = status == LZMA_BUF_ERROR        ? CutOff(Compression::kXz)
            : status == LZMA_MEMLIMIT_ERROR ? "the xz data asks for more than 512 MiB to unpack"
                                            : Corrupt(Compression::kXz);
    return false;
  }
}

bool Unzstd(const std::string& in, UnpackedBytes& out, std::string& error) {
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> zstd(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!zstd) throw std::bad_alloc();
  ZSTD_inBuffer input = {in.data(), in.size(), 0};
  for (;;) {
    ZSTD_outBuffer output = {out.block(), kBlock, 0};
    size_t status = ZSTD_decompressStream(zstd.get(), &output, &input);
    if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(status)) {
      error = Corrupt(Compression::kZstd);
      return false;
    }
    if (!out.Take(output.pos, error)) return false;
    bool drained = input.pos == input.size && output.pos < kBlock;
    if (drained && status == 0) return true;
    if (drained) {
      error = CutOff(Compression::kZstd);
      return false;
    }
  }
}

}  // namespace

std::string_view Name(Compression compression) {
  switch (compression) {
    case Compression::kGzip: return "gzip";
    case Compression::kXz: return "xz";
    case Compression::kZstd: return "zstd";
    case Compression::kNone: break;
  }
  return "none";
}

Compression FindCompression(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x1f\x8b"sv)) return Compression::kGzip;
  if (bytes.starts_with("\xfd"
                        "7zXZ\0"sv))
    return Compression::kXz;
  if (bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::kZstd;
  return Compression::kNone;
}

size_t MaxUnpackedBytes(size_t compressed_bytes) {
  constexpr size_t kAlways = size_t{64} << 20;
  return std::min(kMaxFileBytes, std::max(kAlways, 1000 * compressed_bytes));
}

std::optional<std::string> Decompress(std::string bytes, std::string& error) {
  UnpackedBytes out(MaxUnpackedBytes(bytes.size()));
  bool unpacked = false;
  switch (FindCompression(bytes)) {
    case Compression::kNone: return bytes;
    case Compression::kGzip: unpacked = Gunzip(bytes, out, error); break;
    case Compression::kXz: unpacked = Unxz(bytes, out, error); break;
    case Compression::kZstd: unpacked = Unzstd(bytes, out, error); break;
  }
  if (!unpacked) return std::nullopt;
  return out.Release();
}

}  // namespace fakeprop
