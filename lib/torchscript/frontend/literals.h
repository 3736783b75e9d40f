// What torch's front end evaluates while it compiles: defaults of parameters and constants of classes.
#pragma once

#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>

namespace fakeprop::libtorch {

// Throws OpError of class ValueError where a default or a class's constant is not made of literals alone: the front end
// would run it. torch.jit.save writes literals only.
void CheckLiterals(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace fakeprop::libtorch
