// What a program saw of its tensors, to compare a run on fakes with one on real tensors.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace fakeprop::programs {

class Trace {
 public:
  // The number that stands for a size.
  using Number = std::function<int64_t(const c10::SymInt& size)>;
  explicit Trace(Number number = [](const c10::SymInt& size) { return size.expect_int(); })
      : number_(std::move(number)) {}

  // Returns the tensor, so that a note can stand in an expression.
  torch::Tensor Note(const std::string& name, torch::Tensor t) {
    lines_.push_back(name + " " + TextOf(t));
    return t;
  }

  // Parameters, their gradients, and buffers.
  void NoteModule(const std::string& name, const torch::nn::Module& module) {
    for (const auto& p : module.named_parameters()) {
      Note(name + "." + p.key(), p.value());
      Note(name + "." + p.key() + ".grad", p.value().grad());
    }
    for (const auto& b : module.named_buffers()) Note(name + "." + b.key(), b.value());
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::string TextOf(const torch::Tensor& t) const {
    if (!t.defined()) return "none";
    std::ostringstream text;
    text << t.scalar_type() << " [";
    for (const c10::SymInt& size : t.sym_sizes()) text << number_(size) << " ";
    text << "] " << (t.requires_grad() ? "requires grad" : "");
    return text.str();
  }

  const Number number_;
  std::vector<std::string> lines_;
};

}  // namespace fakeprop::programs
