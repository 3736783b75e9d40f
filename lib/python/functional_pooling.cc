// torch.nn.functional: pooling. Source: torch/nn/functional.py (torch 2.13).
#include <cmath>

#include "lib/python/registry.h"
#include "lib/python/scaled_size.h"

namespace fakeprop {
namespace {

// A list of one entry a dimension: the given number or list, or the kernel's where there is none.
std::vector<Value> Spatial(const Value& given, int64_t count, const std::vector<Value>& otherwise) {
  if (given.IsNone()) return otherwise;
  if (const List* list = given.TryList()) {
    if (!list->items.empty() && static_cast<int64_t>(list->items.size()) != count)
      Fail(ErrorClass::kValueError, "expected " + std::to_string(count) + " numbers, not " + ToString(given));
    return list->items.empty() ? otherwise : list->items;
  }
  return std::vector<Value>(static_cast<size_t>(count), given);
}

// The result and, where it is asked for, the indices.
Value MaxPool(Python& python, const Bindings& a, const std::string& dims) {
  const std::string name = "aten.max_pool" + dims;
  PythonArguments arguments{{a["input"], a["kernel_size"]}, {}};
  if (!a.IsNone("stride")) arguments.keywords.emplace_back("stride", a["stride"]);
  for (const char* rest : {"padding", "dilation", "ceil_mode"}) arguments.keywords.emplace_back(rest, a[rest]);
  return python.Call(a.Bool("return_indices") ? name + "_with_indices" : name, std::move(arguments));
}
Value MaxPool1d(Python& python, const Bindings& a) { return MaxPool(python, a, "1d"); }
Value MaxPool2d(Python& python, const Bindings& a) { return MaxPool(python, a, "2d"); }
Value MaxPool3d(Python& python, const Bindings& a) { return MaxPool(python, a, "3d"); }

// torch.nn.modules.utils._list_with_default: None keeps the input's size.
Value SizesOrInputs(const Bindings& a) {
  const List* list = a["output_size"].TryList();
  if (!list) return a["output_size"];
  const Dims& sizes = a.TensorOf("input").meta.sizes;
  if (sizes.size() <= list->items.size())
    Fail(ErrorClass::kValueError, "the input has no more dimensions than the output size that is asked for");
  List out = *list;
  for (size_t i = 0; i < out.items.size(); ++i)
    if (out.items[i].IsNone()) out.items[i] = Value(sizes[sizes.size() - out.items.size() + i]);
  return out;
}

Value AdaptiveMax(Python& python, const Bindings& a, const std::string& dims) {
  const Value both = python.Call("aten.adaptive_max_pool" + dims, {a["input"], SizesOrInputs(a)});
  return a.Bool("return_indices") ? both : AsItems(both)[0];
}
Value AdaptiveMax1d(Python& python, const Bindings& a) { return AdaptiveMax(python, a, "1d"); }
Value AdaptiveMax2d(Python& python, const Bindings& a) { return AdaptiveMax(python, a, "2d"); }
Value AdaptiveMax3d(Python& python, const Bindings& a) { return AdaptiveMax(python, a, "3d"); }
Value AdaptiveAvg2d(Python& python, const Bindings& a) {
  return python.Call("aten.adaptive_avg_pool2d", {a["input"], SizesOrInputs(a)});
}
Value AdaptiveAvg3d(Python& python, const Bindings& a) {
  return python.Call("aten.adaptive_avg_pool3d", {a["input"], SizesOrInputs(a)});
}

// The average of powers, scaled and rooted; of an infinite norm the largest.
Value LpPool(Python& python, const Bindings& a, int64_t rank) {
  const std::string dims = std::to_string(rank) + "d";
  const double norm = a.Float("norm_type");
  if (std::isinf(norm)) {
    Value magnitude = python.Call("aten.abs", {a["input"]});
    if (norm < 0) magnitude = python.Call("aten.neg", {magnitude});
    PythonArguments arguments{{magnitude, a["kernel_size"]}, {{"ceil_mode", a["ceil_mode"]}}};
    if (!a.IsNone("stride")) arguments.keywords.emplace_back("stride", a["stride"]);
    Value out = python.Call("aten.max_pool" + dims, std::move(arguments));
    return norm < 0 ? python.Call("aten.neg", {out}) : out;
  }
  PythonArguments arguments{{python.Call("aten.pow", {a["input"], a["norm_type"]}), a["kernel_size"]}, {}};
  if (!a.IsNone("stride")) arguments.keywords.emplace_back("stride", a["stride"]);
  arguments.keywords.emplace_back("ceil_mode", a["ceil_mode"]);
  Value out = python.Call("aten.avg_pool" + dims, std::move(arguments));
  Value kernel = Value(1);
  for (const Value& k : Spatial(a["kernel_size"], rank, {})) kernel = python.Call("_operator.mul", {kernel, k});
  Value positive = python.Call("aten.relu", {python.Call("aten.abs", {out})});
  Value scaled =
      python.Call("aten.mul", {python.Call("aten.mul", {python.Call("aten.sign", {out}), positive}), kernel});
  return python.Call("aten.pow", {scaled, Value(1.0 / norm)});
}
Value LpPool1d(Python& python, const Bindings& a) { return LpPool(python, a, 1); }
Value LpPool2d(Python& python, const Bindings& a) { return LpPool(python, a, 2); }
Value LpPool3d(Python& python, const Bindings& a) { return LpPool(python, a, 3); }

// The output size that undoes the pooling, unless another one near it is asked for.
List UnpooledSizes(const Bindings& a, int64_t rank) {
  const std::vector<Value> kernel = Spatial(a["kernel_size"], rank, {});
  const std::vector<Value> stride = Spatial(a["stride"], rank, kernel),
                           padding =
                               Spatial(a["padding"], rank, std::vector<Value>(static_cast<size_t>(rank), Value(0)));
  const TensorMeta& meta = a.TensorOf("input").meta;
  List out;
  for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
    const Dim size = SizeIn(meta, meta.rank() - rank + static_cast<int64_t>(d));
    out.items.push_back(Value((size - Dim(1)) * AsInt(stride[d]) + AsInt(kernel[d]) - Dim(2) * AsInt(padding[d])));
  }
  const List* asked = a["output_size"].TryList();
  if (!asked) return out;
  std::vector<Value> wanted = asked->items;
  if (wanted.size() == static_cast<size_t>(rank) + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.size() != static_cast<size_t>(rank))
    Fail(ErrorClass::kValueError,
        "an output size of " + std::to_string(rank) + " numbers is needed, not " + ToString(a["output_size"]));
  for (size_t d = 0; d < wanted.size(); ++d) {
    const Dim least = AsInt(out.items[d]) - AsInt(stride[d]), most = AsInt(out.items[d]) + AsInt(stride[d]);
    if (!Guard(And(Lt(least, AsInt(wanted[d])), Lt(AsInt(wanted[d]), most))))
      Fail(ErrorClass::kValueError, "dimension " + std::to_string(d) + " of the output size has to be between " +
                                        least.ToString() + " and " + most.ToString() + ", not " + ToString(wanted[d]));
  }
  return List{wanted, false};
}

Value MaxUnpool1d(Python& python, const Bindings& a) {
  List sizes = UnpooledSizes(a, 1);
  sizes.items.push_back(Value(1));
  auto wide = [&](std::string_view name) { return python.Call("aten.unsqueeze", {a[name], Value(-1)}); };
  return python.Call(
      "aten.squeeze", {python.Call("aten.max_unpool2d", {wide("input"), wide("indices"), Value(sizes)}), Value(-1)});
}
Value MaxUnpool2d(Python& python, const Bindings& a) {
  return python.Call("aten.max_unpool2d", {a["input"], a["indices"], Value(UnpooledSizes(a, 2))});
}
Value MaxUnpool3d(Python& python, const Bindings& a) {
  const std::vector<Value> kernel = Spatial(a["kernel_size"], 3, {});
  return python.Call("aten.max_unpool3d",
      {a["input"], a["indices"], Value(UnpooledSizes(a, 3)), Value(List{Spatial(a["stride"], 3, kernel), false}),
          Value(List{Spatial(a["padding"], 3, {}), false})});
}

// Random samples of [batch, channels, rank] say where the windows are.
Value FractionalMaxPool(Python& python, const Bindings& a, int64_t rank) {
  const TensorMeta meta = a.TensorOf("input").meta;
  List output{Spatial(a["output_size"], rank, {}), false};
  if (a.IsNone("output_size")) {
    const std::vector<Value> ratio = Spatial(a["output_ratio"], rank, {});
    if (ratio.empty()) Fail(ErrorClass::kValueError, "fractional max pooling needs an output size or ratio");
    for (size_t d = 0; d < static_cast<size_t>(rank); ++d)
      output.items.push_back(ScaledSize(python, SizeIn(meta, meta.rank() - rank + static_cast<int64_t>(d)), ratio[d]));
  }
  Value samples = a["_random_samples"];
  if (samples.IsNone()) {
    const bool batched = meta.rank() == rank + 2;
    List shape{{Value(batched ? meta.sizes[0] : Dim(1)), Value(SizeIn(meta, batched ? 1 : 0)), Value(rank)}, false};
    samples = python.Operator("aten::rand", {shape, Value(meta.dtype), Value(), Value(meta.device)});
  }
  Value both = python.Call(
      "aten.fractional_max_pool" + std::to_string(rank) + "d", {a["input"], a["kernel_size"], Value(output), samples});
  return a.Bool("return_indices") ? both : AsItems(both)[0];
}
Value FractionalMaxPool2d(Python& python, const Bindings& a) { return FractionalMaxPool(python, a, 2); }
Value FractionalMaxPool3d(Python& python, const Bindings& a) { return FractionalMaxPool(python, a, 3); }

// What torch.nn.functional.max_pool2d is with return_indices=True, under the name of its own that graphs may hold.
template <NativeFunction kPool>
Value WithIndices(Python& python, const Bindings& a) {
  Bindings asked = a;
  asked.Set("return_indices", Value(true));
  return kPool(python, asked);
}

constexpr FunctionRow kRows[] = {
    {"max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool1d},
    {"max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool2d},
    {"max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool3d},
    {"_max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool1d},
    {"_max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool2d},
    {"_max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)", {},
        MaxPool3d},
    {"adaptive_max_pool1d(input, output_size, return_indices=False)", {}, AdaptiveMax1d},
    {"adaptive_max_pool2d(input, output_size, return_indices=False)", {}, AdaptiveMax2d},
    {"adaptive_max_pool3d(input, output_size, return_indices=False)", {}, AdaptiveMax3d},
    {"adaptive_avg_pool2d(input, output_size)", {}, AdaptiveAvg2d},
    {"adaptive_avg_pool3d(input, output_size)", {}, AdaptiveAvg3d},
    {"lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", {}, LpPool1d},
    {"lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", {}, LpPool2d},
    {"lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", {}, LpPool3d},
    {"max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", {}, MaxUnpool1d},
    {"max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", {}, MaxUnpool2d},
    {"max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", {}, MaxUnpool3d},
    {"fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, FractionalMaxPool2d},
    {"fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, FractionalMaxPool3d},
    {"max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
     "return_indices=False)",
        {}, WithIndices<MaxPool1d>},
    {"max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
     "return_indices=False)",
        {}, WithIndices<MaxPool2d>},
    {"max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
     "return_indices=False)",
        {}, WithIndices<MaxPool3d>},
    {"adaptive_max_pool1d_with_indices(input, output_size, return_indices=False)", {}, WithIndices<AdaptiveMax1d>},
    {"adaptive_max_pool2d_with_indices(input, output_size, return_indices=False)", {}, WithIndices<AdaptiveMax2d>},
    {"adaptive_max_pool3d_with_indices(input, output_size, return_indices=False)", {}, WithIndices<AdaptiveMax3d>},
    {"_adaptive_max_pool1d(input, output_size, return_indices=False)", {}, AdaptiveMax1d},
    {"_adaptive_max_pool2d(input, output_size, return_indices=False)", {}, AdaptiveMax2d},
    {"_adaptive_max_pool3d(input, output_size, return_indices=False)", {}, AdaptiveMax3d},
    {"fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, WithIndices<FractionalMaxPool2d>},
    {"_fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, FractionalMaxPool2d},
    {"fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, WithIndices<FractionalMaxPool3d>},
    {"_fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,"
     " _random_samples=None)",
        {}, FractionalMaxPool3d},
};

}  // namespace

FunctionTable FunctionalPooling() { return {"torch.nn.functional.", kRows}; }

}  // namespace fakeprop
