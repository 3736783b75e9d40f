// Programs as users write them, with training loops, on the devices that they are given. They know nothing of fakes.
#pragma once

#include "lib/fake/programs/trace.h"

namespace fakeprop::programs {

// A residual network with autocast, a scaler of gradients, clipping, a schedule, averaged weights, a file and a test.
void TrainResNet(torch::Device device, Trace& trace);
// An encoder and a decoder of GRUs with packed sequences and attention, teacher forcing, beam search and validation.
void TrainSeq2Seq(torch::Device device, Trace& trace);
// Layers on two devices, with micro-batches, checkpoints, accumulated gradients, files and a data loader.
void TrainPipeline(torch::Device first, torch::Device second, Trace& trace);
// A generator and a discriminator with an optimiser each, gradient penalties, an average of weights and a distance.
void TrainGan(torch::Device device, Trace& trace);
// Training of a causal transformer on tokens and targets of any sizes, and what it writes.
void TrainTransformer(const torch::Tensor& tokens, const torch::Tensor& targets, Trace& trace);

}  // namespace fakeprop::programs
