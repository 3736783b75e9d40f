// Modules filled from files.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/testing/error_text.h"

namespace fakeprop {
namespace {

using deferred_testing::TextOf;

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

// ---- what does not fit

std::string Bytes(uint64_t header_length, const std::string& rest) {
  return std::string(reinterpret_cast<const char*>(&header_length), 8) + rest;
}

// A file of two tensors, each given by its dtype, shape and offsets.
std::string TwoTensors(const std::string& weight, const std::string& bias, size_t data_bytes) {
  const std::string header = R"({"weight":{)" + weight + R"(},"bias":{)" + bias + "}}";
  return Bytes(header.size(), header + std::string(data_bytes, '\0'));
}

// Each is an error that names the file and the place, and leaves the module as it was.
TEST(MaterializeFrom, BrokenSafetensorsChangeNothing) {
  const std::string weight = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";
  const std::string bias = R"("dtype":"F32","shape":[2],"data_offsets":[8,16])";
  const std::string good = TwoTensors(weight, bias, 16);
  const auto with_bias = [&](const std::string& other, size_t data_bytes = 16) {
    return TwoTensors(weight, other, data_bytes);
  };
  const std::vector<std::pair<std::string, const char*>> broken = {
      {"", "byte 0"},
      {good.substr(0, 7), "byte 0"},
      {Bytes(good.size(), good.substr(8)), "byte 0"},
      {Bytes(uint64_t{1} << 63, good.substr(8)), "byte 0"},
      {Bytes(100'000'001, good.substr(8)), "byte 0"},
      {Bytes(20, good.substr(8)), "header: byte 19"},
      {good.substr(0, good.size() - 1), "/bias/data_offsets"},
      {good + "x", "header"},
      {with_bias(R"("dtype":"F32","shape":[2],"data_offsets":[16,8])"), "/bias/data_offsets"},
      {with_bias(R"("dtype":"F32","shape":[2],"data_offsets":[4,12])", 12), "/bias/data_offsets"},
      {with_bias(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])", 8), "/bias/data_offsets"},
      {with_bias(R"("dtype":"F32","shape":[2],"data_offsets":[12,20])", 20), "/bias/data_offsets"},
      {with_bias(R"("dtype":"F32","shape":[2],"data_offsets":[8,18446744073709551624])"), "/bias/data_offsets"},
      {with_bias(R"("dtype":"F32","shape":[3],"data_offsets":[8,16])"), "/bias"},
      {with_bias(R"("dtype":"F32","shape":[2.5],"data_offsets":[8,16])"), "/bias/shape/0"},
      {with_bias(R"("dtype":"F99","shape":[2],"data_offsets":[8,16])"), "/bias/dtype"},
      {with_bias(R"("dtype":7,"shape":[2],"data_offsets":[8,16])"), "/bias/dtype"},
      {with_bias(R"("dtype":"F64","shape":[2],"data_offsets":[8,16])"), "/bias"},
      {with_bias(R"("shape":[2],"data_offsets":[8,16])"), "/bias"},
      {Bytes(200'000, std::string(200'000, '[')), "byte 8"},
      {Bytes(100'005, "{\"a\":" + std::string(100'000, '[')), ""},
  };
  const std::string path = TempFile("broken.safetensors");
  auto net = DeferredInit([] { return nn::LayerNorm(nn::LayerNormOptions({2})); });
  for (const auto& [bytes, place] : broken) {
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string text = TextOf([&] { MaterializeFrom(*net, Checkpoint(path)); });
    EXPECT_NE(text.find("broken.safetensors`: "), std::string::npos) << text;
    EXPECT_NE(text.find(place), std::string::npos) << text << " instead of " << place;
    EXPECT_TRUE(IsDeferred(net->weight) && IsDeferred(net->bias));
  }
  std::ofstream(path, std::ios::binary) << good;
  MaterializeFrom(*net, Checkpoint(path));
  EXPECT_TRUE(torch::equal(net->weight, torch::zeros({2})));
}

// Whatever a byte is changed to, the file is refused, or its tensors lie within it.
TEST(MaterializeFrom, DamagedBytesAreFoundOrHarmless) {
  const std::string path = TempFile("damaged.safetensors");
  WriteSafetensors(path, {{"bias", torch::rand({2})}, {"weight", torch::rand({3, 2})}});
  std::ostringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  for (size_t i = 0; i < whole.str().size() - 32; ++i)
    for (const char c : {'\0', '9', '}', '"', '\xff'}) {
      std::string bytes = whole.str();
      bytes[i] = c;
      std::ofstream(path, std::ios::binary) << bytes;
      auto net = DeferredInit([] { return nn::Linear(2, 3); });
      const std::string text = TextOf([&] { MaterializeFrom(*net, Checkpoint(path)); });
      EXPECT_EQ(IsDeferred(net->weight), text != "no error") << text;
      EXPECT_EQ(IsDeferred(net->bias), text != "no error") << text;
    }
}

// Archives of PyTorch that were cut off.
TEST(MaterializeFrom, CutOffArchives) {
  for (const char* file : {"net.pt", "nested.pt", "net.pt2"}) {
    std::ostringstream whole;
    whole << std::ifstream(std::string("testdata/state_dicts/") + file, std::ios::binary).rdbuf();
    const std::string path = TempFile(file);
    for (size_t part = 0; part < 16; ++part) {
      std::ofstream(path, std::ios::binary) << whole.str().substr(0, whole.str().size() * part / 16);
      EXPECT_THROW(Checkpoint{path}, DeferredInitError) << file << " " << part;
    }
  }
}

// The bytes of a conjugated view are not its values.
TEST(MaterializeFrom, ConjugatedTensors) {
  const std::string text = TextOf([] { Checkpoint{"testdata/state_dicts/conjugated.pt"}; });
  EXPECT_NE(text.find("`rates` is a conjugated or negated view"), std::string::npos) << text;
}

TEST(MaterializeFrom, OneBrokenShardChangesNothing) {
  const std::string folder = TempFile("broken_shards");
  std::filesystem::create_directories(folder);
  WriteSafetensors(folder + "/1.safetensors", {{"weight", torch::rand({3})}});
  std::ofstream(folder + "/2.safetensors") << "cut off";
  std::ofstream(folder + "/model.safetensors.index.json")
      << R"({"weight_map": {"weight": "1.safetensors", "bias": "2.safetensors"}})";
  auto net = DeferredInit([] { return nn::LayerNorm(nn::LayerNormOptions({3})); });
  EXPECT_NE(
      TextOf([&] { MaterializeFrom(*net, Checkpoint(folder)); }).find("/2.safetensors`: byte 0"), std::string::npos);
  EXPECT_TRUE(IsDeferred(net->weight));
}

TEST(MaterializeFrom, StrictOrNot) {
  const std::string path = TempFile("part.safetensors");
  WriteSafetensors(path, {{"weight", torch::rand({3, 5})}, {"more", torch::rand({1})}});
  torch::manual_seed(1);
  const nn::Linear eager(5, 3);
  torch::manual_seed(1);
  auto net = DeferredInit([] { return nn::Linear(5, 3); });
  const std::string text = TextOf([&] { MaterializeFrom(*net, Checkpoint(path)); });
  EXPECT_NE(text.find("the parameter `bias` is not in it"), std::string::npos) << text;
  EXPECT_NE(text.find("`more` is not in the module"), std::string::npos) << text;
  EXPECT_TRUE(IsDeferred(net->weight));
  const auto from = MaterializeFrom(*net, Checkpoint(path), {.strict = false});
  EXPECT_EQ(from.unused, std::vector<std::string>{"more"});
  EXPECT_EQ(from.replayed, std::vector<std::string>{"bias"});
  EXPECT_TRUE(torch::equal(net->bias, eager->bias));
}

TEST(MaterializeFrom, OtherDtypeAndMostMemory) {
  const std::string path = TempFile("dtype.safetensors");
  const at::Tensor weight = torch::rand({3, 5}), bias = torch::rand({3});
  WriteSafetensors(path, {{"weight", weight}, {"bias", bias}});
  auto net = DeferredInit([] { return nn::Linear(5, 3); });
  MaterializeFromOptions options;
  options.dtype = torch::kBFloat16;
  options.max_bytes = 35;
  EXPECT_NE(TextOf([&] { MaterializeFrom(*net, Checkpoint(path), options); }).find("max_bytes"), std::string::npos);
  EXPECT_TRUE(IsDeferred(net->weight) && IsDeferred(net->bias));
  options.max_bytes = 36;
  MaterializeFrom(*net, Checkpoint(path), options);
  EXPECT_TRUE(torch::equal(net->weight, weight.to(torch::kBFloat16)));
  EXPECT_TRUE(torch::equal(net->bias, bias.to(torch::kBFloat16)));
}

TEST(MaterializeFrom, RefusesOtherFiles) {
  for (const char* path : {"/nonexistent", "/", "/dev/null", "testdata/BUILD.bazel"})
    EXPECT_THROW(Checkpoint{path}, DeferredInitError) << path;
}

}  // namespace
}  // namespace fakeprop
