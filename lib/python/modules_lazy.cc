// Modules of torch.nn that learn their input's size from the first input. Source: torch/nn/modules/lazy.py and the
// classes named Lazy* beside those that they become (torch 2.13).
#include "lib/python/module.h"

namespace fakeprop {
namespace {

// Runs the class that the lazy one becomes, with the size that the input has.
Value Become(ModuleInstance& m, std::string_view class_name, std::string_view size_name, Dim size) {
  Dict arguments;
  for (const auto& [name, value] : m.names().values())
    if (name != "input" && name != "output_size" && name != "training")
      arguments.items.emplace_back(Value(name), value);
  arguments.items.emplace_back(Value(std::string(size_name)), Value(size));
  PythonArguments inputs{{m["input"]}, {}};
  if (const Value* output_size = m.names().Find("output_size"))
    inputs.keywords.emplace_back("output_size", *output_size);
  return m.RunSame(class_name, arguments, std::move(inputs));
}

// The channels of an input with or without a batch.
Dim Channels(ModuleInstance& m, int64_t spatial) {
  const TensorMeta& meta = m.names().TensorOf("input").meta;
  if (meta.rank() != spatial + 1 && meta.rank() != spatial + 2)
    Fail(ErrorClass::kValueError, "expected an input of rank " + std::to_string(spatial + 1) + " or " +
                                      std::to_string(spatial + 2) + ", not " + ToString(meta));
  return meta.sizes[meta.rank() == spatial + 2 ? 1 : 0];
}

Value Linear(ModuleInstance& m) {
  const TensorMeta& meta = m.names().TensorOf("input").meta;
  return Become(m, "torch.nn.Linear", "in_features", SizeIn(meta, meta.rank() - 1));
}

template <int64_t kDims>
Value Conv(ModuleInstance& m) {
  return Become(m, "torch.nn.Conv" + std::to_string(kDims) + "d", "in_channels", Channels(m, kDims));
}
template <int64_t kDims>
Value ConvTranspose(ModuleInstance& m) {
  return Become(m, "torch.nn.ConvTranspose" + std::to_string(kDims) + "d", "in_channels", Channels(m, kDims));
}
template <int64_t kDims>
Value BatchNorm(ModuleInstance& m) {
  return Become(m, "torch.nn.BatchNorm" + std::to_string(kDims) + "d", "num_features",
      SizeIn(m.names().TensorOf("input").meta, 1));
}
template <int64_t kDims>
Value InstanceNorm(ModuleInstance& m) {
  return Become(m, "torch.nn.InstanceNorm" + std::to_string(kDims) + "d", "num_features", Channels(m, kDims));
}

constexpr std::string_view kConv1d =
    "LazyConv1d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros',"
    " device=None, dtype=None)";
constexpr std::string_view kConv2d =
    "LazyConv2d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros',"
    " device=None, dtype=None)";
constexpr std::string_view kConv3d =
    "LazyConv3d(out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode='zeros',"
    " device=None, dtype=None)";

constexpr ModuleRow kRows[] = {
    {"LazyLinear(out_features, bias=True, device=None, dtype=None)", "input", {}, nullptr, Linear},
    {kConv1d, "input", {}, nullptr, Conv<1>},
    {kConv2d, "input", {}, nullptr, Conv<2>},
    {kConv3d, "input", {}, nullptr, Conv<3>},
    {"LazyConvTranspose1d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, "
     "dilation=1,"
     " padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, nullptr, ConvTranspose<1>},
    {"LazyConvTranspose2d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, "
     "dilation=1,"
     " padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, nullptr, ConvTranspose<2>},
    {"LazyConvTranspose3d(out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, "
     "dilation=1,"
     " padding_mode='zeros', device=None, dtype=None)",
        "input, output_size=None", {}, nullptr, ConvTranspose<3>},
    {"LazyBatchNorm1d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None)",
        "input", {}, nullptr, BatchNorm<1>},
    {"LazyBatchNorm2d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None)",
        "input", {}, nullptr, BatchNorm<2>},
    {"LazyBatchNorm3d(eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None)",
        "input", {}, nullptr, BatchNorm<3>},
    {"LazyInstanceNorm1d(eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None)",
        "input", {}, nullptr, InstanceNorm<1>},
    {"LazyInstanceNorm2d(eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None)",
        "input", {}, nullptr, InstanceNorm<2>},
    {"LazyInstanceNorm3d(eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None)",
        "input", {}, nullptr, InstanceNorm<3>},
};

}  // namespace

std::span<const ModuleRow> LazyModules() { return kRows; }

}  // namespace fakeprop
