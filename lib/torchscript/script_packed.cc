// Source: aten/src/ATen/native/quantized/cpu/{fbgemm_utils.cpp,conv_serialization.h}, aten/src/ATen/native/RNN.cpp
// (torch 2.15): what `def_pickle` of each class writes.
#include "lib/torchscript/script_packed.h"

namespace fakeprop {
namespace {

using Kind = PickleItem::Kind;
using Indices = std::vector<PickleIndex>;

constexpr std::string_view kClasses = "__torch__.torch.classes.";

PackedArgument Given(const ScriptData& data, std::string name, PickleIndex value) {
  if (data.ItemOf(value).kind == Kind::kNone) return {std::move(name), Value()};
  return {std::move(name), value};
}

// (weight, bias): a weight of float32 is packed as one of float16.
std::optional<PackedObject> ReadLinear(const ScriptData& data, const Indices& state) {
  if (state.size() < 2 || !data.IsTensor(state[0])) return std::nullopt;
  std::string storage;
  const bool is_half = data.ReadTensor(state[0], storage).tensor.dtype == ScalarType::Float;
  return PackedObject{is_half ? "quantized::linear_prepack_fp16" : "quantized::linear_prepack",
      {Given(data, "weight", state[0]), Given(data, "bias", state[1])}};
}

// ---- convolutions

// The numbers of a convolution: dimensions, and for each of them its stride, padding, dilation and output padding; then
// groups, and whether it is transposed.
std::vector<int64_t> ReadNumbers(const ScriptData& data, PickleIndex value) {
  std::vector<int64_t> numbers;
  if (data.IsTensor(value)) {
    std::string storage;
    const Constant elements = data.ReadTensor(value, storage).elements;
    for (size_t i = 0; elements && i < elements->size(); ++i)
      if (const Dim* number = (*elements)[i].TryGet<Dim>()) numbers.push_back(number->Specialize());
    return numbers;
  }
  for (PickleIndex item : data.ItemOf(value).children) numbers.push_back(data.ItemOf(item).integer);
  return numbers;
}

Value ListAt(const std::vector<int64_t>& numbers, size_t list, size_t count) {
  List out;
  for (size_t i = 0; i < count; ++i) out.items.emplace_back(numbers[1 + list * count + i]);
  return out;
}

std::optional<PackedObject> MakeConvolution(
    PackedArgument weight, PackedArgument bias, const std::vector<int64_t>& numbers) {
  const size_t count = numbers.empty() || numbers[0] < 1 || numbers[0] > 3 ? 0 : static_cast<size_t>(numbers[0]);
  if (!count || numbers.size() < 3 + 4 * count) return std::nullopt;
  const bool is_transposed = numbers[2 + 4 * count] & 1;
  PackedObject out;
  out.prepack =
      std::string("quantized::conv") + (is_transposed ? "_transpose" : "") + std::to_string(count) + "d_prepack";
  out.arguments = {std::move(weight), std::move(bias), {"stride", ListAt(numbers, 0, count)},
      {"padding", ListAt(numbers, 1, count)}};
  if (is_transposed) out.arguments.push_back({"output_padding", ListAt(numbers, 3, count)});
  out.arguments.push_back({"dilation", ListAt(numbers, 2, count)});
  out.arguments.push_back({"groups", Value(numbers[1 + 4 * count])});
  return out;
}

// Version 2: ("2", [numbers as int16, weight], [bias]). Version 3: (3, numbers, [nothing, weight, bias]).
std::optional<PackedObject> ReadConvolution(const ScriptData& data, const Indices& state) {
  if (state.size() != 3) return std::nullopt;
  const PickleItem& version = data.ItemOf(state[0]);
  const Indices &second = data.ItemOf(state[1]).children, &third = data.ItemOf(state[2]).children;
  if (version.kind == Kind::kString && version.text == "2" && second.size() == 2 && third.size() < 2) {
    const PackedArgument bias = third.empty() ? PackedArgument{"bias", Value()} : Given(data, "bias", third[0]);
    return MakeConvolution(Given(data, "weight", second[1]), bias, ReadNumbers(data, second[0]));
  }
  if (version.kind == Kind::kInt && version.integer == 3 && third.size() == 3)
    return MakeConvolution(Given(data, "weight", third[1]), Given(data, "bias", third[2]), ReadNumbers(data, state[1]));
  return std::nullopt;
}

// ---- embeddings and recurrent cells

// (version, [weight], [], [bits])
std::optional<PackedObject> ReadEmbedding(const ScriptData& data, const Indices& state) {
  const Indices weights = state.size() < 2 ? Indices() : data.ItemOf(state[1]).children;
  if (weights.size() != 1 || !data.IsTensor(weights[0])) return std::nullopt;
  return PackedObject{"quantized::embedding_bag_prepack", {{"weight", weights[0]}}};
}

// (kind, tensors, floats, ints, packed weights)
std::optional<PackedObject> ReadCell(const ScriptData& data, const Indices& state) {
  if (state.size() != 5) return std::nullopt;
  const std::string& kind = data.ItemOf(state[0]).text;
  const Indices &biases = data.ItemOf(state[1]).children, &ints = data.ItemOf(state[3]).children,
                &layers = data.ItemOf(state[4]).children;
  if (layers.size() != 2) return std::nullopt;
  PackedObject out{"", {{"w_ih", layers[0]}, {"w_hh", layers[1]}}};
  if (kind == "quantized_fp16") {
    out.prepack = "quantized::make_quantized_cell_params_fp16";
    return out;
  }
  if (kind != "quantized_dynamic" || biases.size() != 2) return std::nullopt;
  out.prepack = "quantized::make_quantized_cell_params_dynamic";
  out.arguments.push_back({"b_ih", biases[0]});
  out.arguments.push_back({"b_hh", biases[1]});
  out.arguments.push_back({"reduce_range", Value(!ints.empty() && data.ItemOf(ints[0]).integer != 0)});
  return out;
}

}  // namespace

std::optional<PackedObject> ReadPackedObject(const ScriptData& data, PickleIndex value) {
  const std::string_view cls = data.ClassOf(value);
  const PickleItem& object = data.ItemOf(value);
  if (!cls.starts_with(kClasses) || object.state == kNoItem) return std::nullopt;
  const Indices& state = data.ItemOf(object.state).children;
  const std::string_view name = cls.substr(kClasses.size());
  if (name == "quantized.LinearPackedParamsBase") return ReadLinear(data, state);
  if (name == "quantized.EmbeddingPackedParamsBase") return ReadEmbedding(data, state);
  if (name == "rnn.CellParamsBase") return ReadCell(data, state);
  const bool is_convolution = name == "quantized.Conv2dPackedParamsBase" || name == "quantized.Conv3dPackedParamsBase";
  return is_convolution ? ReadConvolution(data, state) : std::nullopt;
}

}  // namespace fakeprop
