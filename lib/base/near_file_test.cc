#include "lib/base/near_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

fs::path Folder() {
  const char* place = std::getenv("TEST_TMPDIR");
  const fs::path folder = fs::path(place ? place : "/tmp") / "near_file_test";
  fs::create_directories(folder / "decoder.json");  // no file
  for (const char* name : {"encoder.json", "encoder_spec.json", "model.pt2", "weights.safetensors", ".hidden"})
    std::ofstream(folder / name) << "x";
  return folder;
}

TEST(NearFile, IsBesideThePath) {
  const fs::path folder = Folder();
  const std::pair<const char*, const char*> kRows[] = {
      {"encodr.json", "encoder.json"},
      {"encoder_spce.json", "encoder_spec.json"},
      {"model.json", "model.pt2"},
      {"modle.pt2", "model.pt2"},
      {"encoder", "encoder.json"},
      {"encoder.json", ""},  // it is there
      {"decoder.jso", ""},
      {"other.json", ""},
      {"modle.onnx", ""},
      {"", ""},
  };
  for (const auto& [name, expected] : kRows)
    EXPECT_EQ(NearFile((folder / name).string()), *expected ? (folder / expected).string() : "") << name;
  EXPECT_EQ(NearFile("/no/such/folder/x.json"), "");
}

}  // namespace
}  // namespace fakeprop
