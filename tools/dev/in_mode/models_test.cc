// The models of graphs/, whose values PyTorch wrote, with every operator called on at::Tensors under a FakeTensorMode.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/fake/testing/mode_fallback.h"
#include "lib/testing/golden_graph.h"

namespace fakeprop::testing {
namespace {

std::vector<std::filesystem::path> Models() {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::directory_iterator("graphs"))
    if (std::filesystem::exists(entry.path() / "expected.json") && std::filesystem::exists(entry.path() / "graph.json"))
      models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

TEST(Models, AsPyTorchUnderAMode) {
  ModeFallback in_mode;
  const auto models = Models();
  EXPECT_GE(models.size(), 9u);
  for (const auto& model : models) {
    const auto inputs = model / "inputs.json";
    const auto got =
        AnnotateFile(model / "graph.json", std::filesystem::exists(inputs) ? inputs.string() : "", nullptr, &in_mode);
    std::ifstream expected(model / "expected.json");
    for (const std::string& difference : CompareAnnotations(got, nlohmann::json::parse(expected)))
      ADD_FAILURE() << model << ": " << difference;
  }
}

}  // namespace
}  // namespace fakeprop::testing
