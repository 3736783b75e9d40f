// Single fake tensors: meta tensors stamped with the device that they stand for.
// Source: c10::TensorImpl::set_fake_device (torch 2.13).
#pragma once

#include <ATen/core/TensorBody.h>

#include "lib/meta/objects.h"

namespace fakeprop::tail {

// A storage without memory: a read or write of its data is an error. It remembers its device.
c10::Storage MakeFakeStorage(int64_t nbytes, Device device);

// A tensor with this metadata on this storage, unknown to autograd.
at::Tensor MakeFakeTensor(const TensorMeta& meta, c10::Storage storage);

// Makes a meta tensor a fake one on `device`.
void StampFakeDevice(const at::Tensor& tensor, Device device);
// Gives a fake tensor its device back where LibTorch has made it as a copy of another's metadata (detach), which leaves
// the device behind.
void RestoreFakeDevice(const at::Tensor& tensor);
// Fake, or on the device meta, which needs no stamp.
bool IsFake(const at::Tensor& tensor);

// A tensor of another layout than strided is an OpError of class UnsupportedOperator.
TensorMeta ReadMeta(const at::Tensor& tensor);
// Sizes, strides, offset.
void SetGeometry(const at::Tensor& tensor, const TensorMeta& meta);

}  // namespace fakeprop::tail
