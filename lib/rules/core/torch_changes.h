// Where versions of torch answer differently and it shows: a row for each difference. A rule asks for its row. Which
// results require grad in which version, lib/schema/differentiability.inc says; docs/compatibility.md has both lists.
#pragma once

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

struct TorchChange {
  int since;                   // the first version with the new answer
  std::string_view operators;  // whose answer it is
  std::string_view reason;
};

inline constexpr TorchChange kConvolutionsOnOneDevice = {14, "aten::conv*",
    "fake tensors check the devices of weight and bias, as kernels always did; before, the input's was taken"};
inline constexpr TorchChange kPivotsChecked = {
    14, "aten::lu_unpack", "the kernel checks the shape of the pivots; before, it read the first ones"};
inline constexpr TorchChange kGridGradientChecked = {14, "aten::grid_sampler_{2,3}d_backward",
    "the kernel checks the sizes of the gradient; before, it read beyond them"};
inline constexpr TorchChange kRangesOfFloats = {14, "aten::arange*",
    "an int64 range counts its steps by its bounds as they are; before, it cut them down to ints first"};
inline constexpr TorchChange kCausalOrMask = {14, "aten::scaled_dot_product_attention",
    "a mask does not go with is_causal in any kernel; before, the flash kernel for cpu took both"};
inline constexpr TorchChange kOneHeadForAll = {14, "aten::scaled_dot_product_attention",
    "the flash kernel for cpu takes key and value with one head for all of query's; before, that needed enable_gqa"};
inline constexpr TorchChange kGroupNormCopies = {
    14, "aten::native_group_norm", "the kernel for cpu copies an input that is not contiguous; before, it refused it"};
inline constexpr TorchChange kGroupNormNeedsElements = {14, "aten::group_norm, aten::native_group_norm",
    "the kernels refuse inputs without channels or without elements in one; before, they took them"};
inline constexpr TorchChange kCombinationsCounted = {
    14, "aten::combinations", "the number of rows comes from the sizes alone; before, it was read from data"};
inline constexpr TorchChange kSobolDimensionChecked = {14, "aten::_sobol_engine_draw",
    "the kernel checks that the state has as many elements as there are dimensions; before, it took any"};
inline constexpr TorchChange kReplicationLeavesAll = {14, "aten::replication_pad{2,3}d",
    "the kernel demands that something is left of each dimension; before, of one of them"};
inline constexpr TorchChange kUnsignedFlips = {14, "aten::flip*, aten::rot90",
    "the kernel for cpu turns single elements of uint16, uint32 and uint64 around; before, only whole rows"};
inline constexpr TorchChange kReflectionLeavesAll = {15, "aten::reflection_pad{2,3}d",
    "the kernel demands that something is left of each dimension; before, of one of them"};
inline constexpr TorchChange kUnsignedClamps = {15,
    "aten::clamp*, aten::maximum, aten::minimum, aten::fm{ax,in}, aten::relu*",
    "the kernels for cpu take uint16, uint32 and uint64; before, none did"};
inline constexpr TorchChange kBicubicVolumes = {15,
    "aten::grid_sampler, aten::grid_sampler_3d, aten::grid_sampler_3d_backward",
    "volumes are interpolated bicubically too; before, only images were"};
inline constexpr TorchChange kSetPacks = {15, "aten::set_.source_Tensor_storage_offset",
    "without strides the tensor is packed; before, one that had these sizes kept its strides"};

inline bool Has(const Call& call, const TorchChange& change) { return call.state().torch >= change.since; }

}  // namespace fakeprop::rules
