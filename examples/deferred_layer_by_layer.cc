// Runs a model of which one layer at a time is in memory. Weights come from sharded safetensors.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "examples/llama.h"
#include "fakeprop/deferred_init.h"

namespace {

namespace fs = std::filesystem;

// One file of safetensors with these tensors.
void WriteShard(const fs::path& path, const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  std::ostringstream header;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header << (data.empty() ? "{" : ",") << '"' << name << R"(":{"dtype":"F32","shape":[)";
    for (int64_t d = 0; d < tensor.dim(); ++d) header << (d ? "," : "") << tensor.size(d);
    header << R"(],"data_offsets":[)" << data.size() << ",";
    data.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    header << data.size() << "]}";
  }
  header << "}";
  const uint64_t length = header.str().size();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&length), 8) << header.str() << data;
}

// A checkpoint as trainers write them: a file for each layer, and an index.
void WriteCheckpoint(const fs::path& folder, const torch::nn::Module& net) {
  std::map<std::string, std::vector<std::pair<std::string, torch::Tensor>>> files;
  for (const auto& item : net.named_parameters()) {
    const std::string layer = item.key().substr(0, item.key().find('.', 7));
    files[item.key().starts_with("layers.") ? layer : "others"].emplace_back(item.key(), item.value().detach());
  }
  std::ofstream index(folder / "model.safetensors.index.json");
  const char* separator = R"({"metadata":{},"weight_map":{)";
  for (const auto& [file, tensors] : files) {
    WriteShard(folder / (file + ".safetensors"), tensors);
    for (const auto& [name, tensor] : tensors) {
      index << separator << '"' << name << "\":\"" << file << ".safetensors\"";
      separator = ",";
    }
  }
  index << "}}";
}

torch::Tensor Run(Llama& net, const torch::Tensor& tokens, const std::function<void(int64_t)>& before_layer) {
  torch::Tensor x = net->words(tokens);
  for (int64_t i = 0; i < static_cast<int64_t>(net->layers->size()); ++i) {
    before_layer(i);
    x = net->layers[i]->as<LlamaLayerImpl>()->forward(x);
  }
  return net->head(LlamaLayerImpl::Normalized(x, net->norm));
}

}  // namespace

int main() {
  const torch::NoGradGuard no_grad;
  const fs::path folder = fs::temp_directory_path() / ("layer_by_layer_" + std::to_string(getpid()));
  fs::create_directories(folder);
  Llama trained(kSmall);
  WriteCheckpoint(folder, *trained);
  const torch::Tensor tokens = torch::arange(12).view({2, 6});
  const torch::Tensor expected = Run(trained, tokens, [](int64_t) {});

  const fakeprop::Checkpoint checkpoint(folder.string());
  Llama net = fakeprop::DeferredInit([] { return Llama(kSmall); });
  // All but the layers.
  const auto not_in_layers = [](const std::string& name, const torch::Tensor&) { return !name.starts_with("layers."); };
  fakeprop::MaterializeFromOptions options;
  options.strict = false;  // the layers are in the file and not wanted yet
  options.tensors = not_in_layers;
  fakeprop::MaterializeFrom(*net, checkpoint, options);
  const torch::Tensor logits = Run(net, tokens, [&](int64_t i) {
    const std::string name = "layers." + std::to_string(i);
    fakeprop::MaterializeFromOptions of_layer;
    of_layer.prefix = name + ".";
    const auto from = fakeprop::MaterializeFrom(*net->layers[i], checkpoint, of_layer);
    std::cout << name << ": " << from.loaded.size() << " tensors loaded; the next layer is deferred: "
              << (i + 1 < kSmall.layers && fakeprop::IsDeferred(*net->layers[i + 1])) << "\n";
  });
  std::cout << "same logits as the trained model: " << torch::equal(logits, expected) << "\n";
  fs::remove_all(folder);
  return 0;
}
