// Modules filled from files.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fakeprop/deferred_init.h"

namespace fakeprop {
namespace {

namespace nn = torch::nn;

std::string TempFile(const char* name) { return std::string(::testing::TempDir()) + "/" + name; }

// A file of safetensors with these tensors, which are contiguous.
void WriteSafetensors(const std::string& path, const std::map<std::string, at::Tensor>& tensors) {
  std::string header, data;
  for (const auto& [name, tensor] : tensors) {
    std::ostringstream sizes;
    for (int64_t d = 0; d < tensor.dim(); ++d) sizes << (d ? "," : "") << tensor.size(d);
    const std::string begin = std::to_string(data.size());
    data.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    header += (header.empty() ? "{\"" : ",\"") + name + "\":{\"dtype\":\"" +
              (tensor.scalar_type() == at::kBFloat16 ? "BF16" : "F32") + "\",\"shape\":[" + sizes.str() +
              "],\"data_offsets\":[" + begin + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  const uint64_t length = header.size();
  std::ofstream(path, std::ios::binary) << std::string(reinterpret_cast<const char*>(&length), 8) << header << data;
}

TEST(MaterializeFrom, FillsByNameAndReplaysTheRest) {
  const std::string path = TempFile("model.safetensors");
  const at::Tensor weight = torch::rand({3}), bias = torch::rand({3}).to(at::kBFloat16);
  WriteSafetensors(path, {{"net.bias", bias}, {"net.weight", weight}});
  auto norm = DeferredInit([] { return nn::BatchNorm1d(3); });
  const auto result = MaterializeFrom(*norm, Checkpoint(path), {.prefix = "net."});
  EXPECT_EQ(result.loaded, (std::vector<std::string>{"bias", "weight"}));
  EXPECT_EQ(result.replayed, (std::vector<std::string>{"num_batches_tracked", "running_mean", "running_var"}));
  EXPECT_TRUE(torch::equal(norm->weight, weight));
  EXPECT_TRUE(torch::equal(norm->bias, bias.to(at::kFloat)));
  EXPECT_TRUE(torch::equal(norm->running_var, torch::ones({3})));
  EXPECT_TRUE(norm->weight.requires_grad());
}

TEST(MaterializeFrom, ChecksBeforeAnythingChanges) {
  const std::string path = TempFile("wrong.safetensors");
  WriteSafetensors(path, {{"bias", torch::rand({3})}, {"weight", torch::rand({5, 3})}, {"more", torch::rand({1})}});
  auto net = DeferredInit([] { return nn::Linear(5, 3); });
  try {
    MaterializeFrom(*net, Checkpoint(path));
    FAIL();
  } catch (const DeferredInitError& e) {
    const std::string text = e.what_without_backtrace();
    EXPECT_NE(text.find("`weight` has sizes [5, 3] there and [3, 5] here"), std::string::npos) << text;
    EXPECT_NE(text.find("`more` is not in the module"), std::string::npos) << text;
  }
  EXPECT_TRUE(IsDeferred(net->weight));
  EXPECT_TRUE(IsDeferred(net->bias));
}

TEST(MaterializeFrom, ShardsTiedWeightsAndSlices) {
  const std::string folder = TempFile("sharded");
  std::filesystem::create_directories(folder);
  const at::Tensor a = torch::rand({6, 4}), b = torch::rand({2});
  WriteSafetensors(folder + "/1.safetensors", {{"a", a}});
  WriteSafetensors(folder + "/2.safetensors", {{"b", b}});
  std::ofstream(folder + "/model.safetensors.index.json")
      << R"({"metadata": {}, "weight_map": {"a": "1.safetensors", "b": "2.safetensors"}})";
  const auto make = [] {
    struct Holder : nn::Module {};
    auto holder = std::make_shared<Holder>();
    auto tied = holder->register_parameter("tied", torch::rand({6, 4}));
    holder->register_parameter("a", tied);
    holder->register_parameter("b", torch::rand({2}));
    return holder;
  };
  auto net = DeferredInit(make);
  MaterializeFrom(*net, Checkpoint(folder));
  EXPECT_TRUE(torch::equal(net->named_parameters()["tied"], a));
  EXPECT_TRUE(net->named_parameters()["tied"].is_same(net->named_parameters()["a"]));
  auto shard = DeferredInit(make);
  MaterializeFromOptions options;
  options.slices = [](const std::string&, const at::Tensor& t) { return TensorSlice{0, 0, t.size(0) / 2}; };
  MaterializeFrom(*shard, Checkpoint(folder + "/model.safetensors.index.json"), options);
  EXPECT_TRUE(torch::equal(shard->named_parameters()["a"], a.narrow(0, 0, 3)));
}

// The module of tools/dev/export/export_state_dicts.py.
struct Net : nn::Module {
  Net() {
    linear = register_module("linear", nn::Linear(3, 2));
    norm = register_module("norm", nn::BatchNorm1d(2));
  }
  nn::Linear linear{nullptr};
  nn::BatchNorm1d norm{nullptr};
};

TEST(MaterializeFrom, ReadsFilesOfPyTorch) {
  for (const char* file : {"net.pt", "nested.pt", "net.pt2", "net.safetensors"}) {
    SCOPED_TRACE(file);
    auto net = DeferredInit([] { return std::make_shared<Net>(); });
    const auto result = MaterializeFrom(*net, Checkpoint(std::string("testdata/state_dicts/") + file));
    EXPECT_EQ(result.loaded.size(), 7u);
    EXPECT_TRUE(torch::equal(net->linear->weight, torch::arange(6.0).view({2, 3})));
    EXPECT_TRUE(torch::equal(net->linear->bias, torch::tensor({10.0f, 20.0f})));
    EXPECT_TRUE(torch::equal(net->norm->running_mean, torch::tensor({0.5f, 0.25f})));
    EXPECT_EQ(net->norm->num_batches_tracked.item<int64_t>(), 0);
  }
}

TEST(MaterializeFrom, RefusesOtherFiles) {
  for (const char* path : {"/nonexistent", "/", "/dev/null", "testdata/BUILD.bazel"})
    EXPECT_THROW(Checkpoint{path}, DeferredInitError) << path;
}

}  // namespace
}  // namespace fakeprop
