// Checks the code that torch's front end evaluates while it compiles: defaults of parameters and constants of classes.
#pragma once

#include <torch/csrc/jit/frontend/source_range.h>

#include <memory>

namespace fakeprop::libtorch {

// Throws an OpError of class ValueError if a default or a class's constant has anything but literals, because the front
// end would run it. torch.jit.save writes only literals.
void CheckLiterals(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace fakeprop::libtorch
