#include "lib/base/decompress.h"

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace fakeprop {
namespace {

std::string Gzip(const std::string& text) {
  z_stream z = {};
  deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string Xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()), text.size(),
      reinterpret_cast<uint8_t*>(out.data()), &size, out.size());
  return out.substr(0, size);
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
}

struct Format {
  Compression compression;
  std::string (*compress)(const std::string&);
};

class Decompression : public ::testing::TestWithParam<Format> {
 protected:
  std::string Unpack(const std::string& bytes) {
    std::string error;
    std::optional<std::string> text = Decompress(bytes, error);
    return text ? *text : "error: " + error;
  }
  std::string name() const { return std::string(Name(GetParam().compression)); }
};

std::string Text() {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * 7919) + ", ";
  return text;
}

TEST_P(Decompression, RoundTrip) {
  for (const std::string& text : {std::string(), std::string("{}"), Text()}) {
    std::string bytes = GetParam().compress(text);
    EXPECT_EQ(FindCompression(bytes), GetParam().compression);
    EXPECT_EQ(Unpack(bytes), text);
  }
}

TEST_P(Decompression, SeveralMembers) {
  EXPECT_EQ(Unpack(GetParam().compress("abc") + GetParam().compress("def")), "abcdef");
}

TEST_P(Decompression, CutOff) {
  std::string bytes = GetParam().compress(Text());
  for (size_t size = 8; size < bytes.size(); size += bytes.size() / 50)
    EXPECT_EQ(Unpack(bytes.substr(0, size)), "error: the " + name() + " data is cut off");
  EXPECT_EQ(Unpack(bytes.substr(0, bytes.size() - 1)), "error: the " + name() + " data is cut off");
}

TEST_P(Decompression, FollowedByGarbage) {
  EXPECT_EQ(Unpack(GetParam().compress("abc") + "and something else"), "error: the " + name() + " data is corrupt");
}

TEST_P(Decompression, Damaged) {
  std::string bytes = GetParam().compress(Text());
  size_t wrong = 0;
  for (size_t at = bytes.size() / 3; at < bytes.size() / 3 + 20; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    wrong += Unpack(damaged) != Text();
  }
  EXPECT_EQ(wrong, 20);
}

INSTANTIATE_TEST_SUITE_P(Formats, Decompression,
    ::testing::Values(Format{Compression::kGzip, Gzip}, Format{Compression::kXz, Xz}, Format{Compression::kZstd, Zstd}),
    [](const auto& info) { return std::string(Name(info.param.compression)); });

TEST(Decompress, OtherBytesAreLeftAlone) {
  std::string error;
  EXPECT_EQ(Decompress("{\"a\": 1}", error), "{\"a\": 1}");
  EXPECT_EQ(Decompress("", error), "");
}

TEST(Decompress, BombsAreRefused) {
  std::string error;
  EXPECT_FALSE(Decompress(Zstd(std::string(100'000'000, ' ')), error));
  EXPECT_EQ(error, "unpacks to more than 64 MiB");
  EXPECT_FALSE(Decompress(Xz(std::string(100'000'000, ' ')), error));
  EXPECT_EQ(MaxUnpackedBytes(1), size_t{64} << 20);
  EXPECT_EQ(MaxUnpackedBytes(1'000'000), 1'000'000'000u);
}

}  // namespace
}  // namespace fakeprop
