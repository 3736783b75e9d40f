#include "lib/deferred_init/stored_tensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lib/base/testing/make_zip.h"

namespace fakeprop::deferred_init {
namespace {

std::string Write(const std::string& bytes, const std::string& name = "case.safetensors") {
  const std::string path = std::string(::testing::TempDir()) + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string WithLength(uint64_t length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + rest;
}

std::string File(const std::string& header, size_t data_bytes) {
  return WithLength(header.size(), header + std::string(data_bytes, 'x'));
}

// "place: message" of the error in a file, or "no error".
std::string ErrorIn(const std::string& bytes) {
  try {
    ReadSafetensors(Write(bytes));
    return "no error";
  } catch (const WeightsError& error) {
    return error.place + ": " + error.message;
  }
}

TEST(Safetensors, ReadsTables) {
  const StoredTensors tensors = ReadSafetensors(Write(File(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[],"data_offsets":[24,32]},)"
      R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"none":{"dtype":"F16","shape":[0,5],"data_offsets":[24,24]}}   )",
      32)));
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors.at("a").sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors.at("a").strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(tensors.at("a").blob->Get().size(), 24u);
  EXPECT_EQ(tensors.at("b").dtype, c10::ScalarType::Long);
}

TEST(Safetensors, RefusesBrokenLengths) {
  EXPECT_EQ(ErrorIn(""), "byte 0: the file has 0 bytes; safetensors begin with 8");
  EXPECT_EQ(ErrorIn("1234567"), "byte 0: the file has 7 bytes; safetensors begin with 8");
  EXPECT_EQ(ErrorIn(WithLength(100, "{}")),
      "byte 0: the header would have 100 bytes, but the file has only 2 after the length: is it cut off?");
  EXPECT_EQ(ErrorIn(WithLength(UINT64_MAX, "{}")),
      "byte 0: the header would have 18446744073709551615 bytes; at most 100000000 are allowed");
  EXPECT_EQ(ErrorIn(WithLength(0, "")), "byte 8: the header must begin with `{`: is this a safetensors file?");
  EXPECT_EQ(ErrorIn(File("[1]", 0)), "byte 8: the header must begin with `{`: is this a safetensors file?");
}

std::string Tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
}

std::string ErrorInOne(const std::string& tensor, size_t data_bytes) {
  return ErrorIn(File(R"({"w":)" + tensor + "}", data_bytes));
}

TEST(Safetensors, RefusesBrokenTensors) {
  EXPECT_EQ(ErrorInOne(Tensor("F31", "2", "0,8"), 8),
      "/w/dtype: expected a dtype such as F32, BF16 or I64 but found the string `F31`");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "3", "0,8"), 8), "/w: the shape and dtype have 12 bytes, but the offsets hold 8");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "2", "8,0"), 8), "/w/data_offsets: the offsets are reversed: 8 comes after 0");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "2", "0,8"), 7),
      "/w/data_offsets: the tensor ends at byte 8 of the data, but the file has only 7: is it cut off?");
  EXPECT_EQ(
      ErrorInOne(Tensor("F32", "2", "0,8"), 9), "header: the tensors end at byte 8 of the data, but the file has 9");
  EXPECT_EQ(
      ErrorInOne(Tensor("F32", "-2", "0,8"), 8), "/w/shape/0: expected a number that is not negative but found -2");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "2", "0"), 8).substr(0, 40), "/w/data_offsets: expected two offsets bu");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "4611686018427387904,4611686018427387904", "0,0"), 0),
      "/w/shape: a tensor of this shape has more than 2^63 bytes");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "0,4611686018427387904,4611686018427387904", "0,0"), 0),
      "/w/shape: a tensor of this shape has more than 2^63 bytes");
  EXPECT_EQ(ErrorInOne(Tensor("F32", "2", "0,9223372036854775808"), 8).substr(0, 16), "/w/data_offsets/");
  EXPECT_EQ(ErrorInOne(R"({"dtype":"F32"})", 0).substr(0, 3), "/w:");
}

TEST(Safetensors, RefusesOverlapsAndGaps) {
  const auto two = [](const std::string& a, const std::string& b) {
    return File(R"({"a":)" + Tensor("U8", "4", a) + R"(,"b":)" + Tensor("U8", "4", b) + "}", 8);
  };
  EXPECT_EQ(ErrorIn(two("0,4", "4,8")), "no error");
  EXPECT_EQ(ErrorIn(two("0,4", "2,6")),
      "/b/data_offsets: tensor `b` begins at byte 2, but the one before it ends at 4: they overlap");
  EXPECT_EQ(ErrorIn(two("0,4", "0,4")),
      "/b/data_offsets: tensor `b` begins at byte 0, but the one before it ends at 4: they overlap");
  EXPECT_EQ(ErrorIn(File(R"({"a":)" + Tensor("U8", "4", "4,8") + "}", 8)),
      "/a/data_offsets: tensor `a` begins at byte 4, but the one before it ends at 0: there is a gap");
}

TEST(Safetensors, RefusesHugeAndMalformedJson) {
  EXPECT_NE(ErrorIn(File(R"({"a":1)", 0)), "no error");
  EXPECT_NE(ErrorIn(File(std::string(100000, '{'), 0)), "no error");
  EXPECT_NE(ErrorIn(File(R"({"a":)" + std::string(600, '[') + std::string(600, ']') + "}", 0)), "no error");
  EXPECT_NE(ErrorIn(File(R"({"a":{},"a":{}})", 0)), "no error");
  EXPECT_NE(ErrorIn(File(R"({"__metadata__":{"a":1}})", 0)), "no error");
}

std::string ErrorInIndex(const std::string& index) {
  try {
    ReadSafetensorsIndex(Write(index, "model.safetensors.index.json"));
    return "no error";
  } catch (const WeightsError& error) {
    return error.place + ": " + error.message;
  }
}

TEST(Safetensors, RefusesBrokenIndices) {
  Write(File(R"({"a":)" + Tensor("U8", "4", "0,4") + "}", 4), "shard.safetensors");
  EXPECT_EQ(ErrorInIndex(R"({"weight_map":{"a":"shard.safetensors"}})"), "no error");
  EXPECT_EQ(ErrorInIndex(R"({"weight_map":{"b":"shard.safetensors"}})"),
      "/weight_map/b: the file `shard.safetensors` has no tensor `b`");
  EXPECT_EQ(ErrorInIndex(R"({"weight_map":{"a":"../shard.safetensors"}})").substr(0, 14), "/weight_map/a:");
  EXPECT_EQ(ErrorInIndex(R"({"weight_map":{"a":"missing.safetensors"}})"), ": no such file or directory");
  EXPECT_NE(ErrorInIndex("{}"), "no error");
}

TEST(WeightsArchive, RefusesWhatIsNoArchiveOfWeights) {
  EXPECT_THROW(ReadWeightsArchive(Write("PK\3\4 cut off", "a.pt")), WeightsError);
  EXPECT_THROW(ReadWeightsArchive("/nonexistent.pt"), WeightsError);
}

TEST(WeightsArchive, HasOneArchiveWithin) {
  std::string bytes = testing::MakeZip({{"archive/data.pkl", "\x80\x02}."}});
  const auto wrap = [&] {
    bytes = testing::MakeZip({{"serialized_exported_program.json", "{}"}, {"serialized_state_dict.pt", bytes}});
    return Write(bytes, "nested.pt2");
  };
  EXPECT_TRUE(ReadWeightsArchive(wrap()).empty());
  try {
    ReadWeightsArchive(wrap());
    FAIL() << "an archive in an archive in an archive was read";
  } catch (const WeightsError& error) {
    EXPECT_EQ(error.message, "this is no state dict of torch.save and no .pt2 of torch.export.save");
  }
}

TEST(StoredTensor, SpansNoMoreThan63Bits) {
  StoredTensor tensor;
  uint64_t span = 0;
  tensor.sizes = {3, 2};
  tensor.strides = {2, 1};
  EXPECT_TRUE(SpanOf(tensor, span));
  EXPECT_EQ(span, 24u);
  tensor.sizes = {INT64_MAX, INT64_MAX};
  tensor.strides = {INT64_MAX, 1};
  EXPECT_FALSE(SpanOf(tensor, span));
}

}  // namespace
}  // namespace fakeprop::deferred_init
