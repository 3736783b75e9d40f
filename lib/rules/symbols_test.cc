// Every rule takes symbols: the cases of all rules, with symbols for sizes, give at the hints what the numbers give,
// and no symbol becomes a number but where the call or the operator has that number for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_tables.h"
#include "lib/rules/testing/call_text.h"
#include "lib/rules/testing/parsed_call.h"
#include "lib/rules/testing/symbolic_call.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

struct Exemption {
  std::string_view reason;
  std::vector<std::string_view> operators;  // of all overloads
};

// Operators of which a size has to be a number without a number in the call.
const Exemption kFixedSizes[] = {
    {"the two parts of a complex number", {"view_as_complex", "view_as_complex_copy"}},
    {"a vector product is of three numbers", {"cross", "linalg_cross"}},
    {"a point of a grid has as many coordinates as the input has dimensions",
        {"_grid_sampler_2d_cpu_fallback", "_grid_sampler_2d_cpu_fallback_backward", "cudnn_grid_sampler",
            "cudnn_grid_sampler_backward", "grid_sampler", "grid_sampler_2d", "grid_sampler_2d_backward",
            "grid_sampler_3d", "grid_sampler_3d_backward"}},
    {"a random number for each dimension, an output of the size that the call has",
        {"fractional_max_pool2d", "fractional_max_pool2d_backward", "fractional_max_pool3d",
            "fractional_max_pool3d_backward"}},
    {"as many dimensions as there are bins in the call",
        {"_histogramdd_bin_edges", "_histogramdd_from_bin_cts", "_histogramdd_from_bin_tensors", "histogramdd"}},
    {"two bounds", {"histogram"}},
    {"a size for each dimension of the tensors", {"_nested_from_padded"}},
    {"a key has two numbers",
        {"_philox_key_fold_in", "_philox_key_split", "_philox_normal", "_philox_normal_", "_philox_randint",
            "_philox_randint_", "_philox_randint.out", "_philox_uniform", "_philox_uniform_"}},
    {"the call has the number of features as an int",
        {"_native_multi_head_attention", "_transformer_encoder_layer_fwd"}},
    {"the call has the sizes as ints",
        {"quantized::layer_norm", "_fused_rms_norm", "_grad_sum_to_size", "split", "_chunk_cat",
            "cudnn_affine_grid_generator", "cudnn_affine_grid_generator_backward", "_sparse_csc_tensor_unsafe",
            "_sparse_csr_tensor_unsafe", "_sparse_bsc_tensor_unsafe", "_sparse_bsr_tensor_unsafe",
            "_validate_sparse_bsc_tensor_args", "_validate_sparse_bsr_tensor_args",
            "_validate_sparse_compressed_tensor_args", "_validate_sparse_coo_tensor_args",
            "_validate_sparse_csc_tensor_args", "_validate_sparse_csr_tensor_args", "sparse_bsc_tensor",
            "sparse_bsr_tensor", "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor"}},
    {"the call has the length of the window as an int", {"stft", "istft"}},
    {"a length for each item of the batch", {"_ctc_loss", "ctc_loss"}},
    {"the call has the steps of each sequence as ints", {"_use_cudnn_ctc_loss"}},
    {"the call has the number of dimensions as an int", {"_sobol_engine_draw"}},
    {"a state for each layer", {"gru", "lstm", "quantized_gru", "quantized_lstm", "rnn_relu", "rnn_tanh"}},
    {"a single inner element broadcasts", {"gradient"}},
    {"as PyTorch, which takes no more differences than there are", {"diff"}},
    {"a result for each item", {"unbind", "unbind_copy"}},
    {"goes on over as many as its list has",
        {"_test_optional_floatlist", "_test_optional_intlist", "_test_optional_filled_intlist"}},
};

// Operators of which a number remains where all that may be symbols are.
const Exemption kNumbersLeft[] = {
    {"two or three coordinates", {"affine_grid_generator", "affine_grid_generator_backward"}},
    {"a number of groups, of dimensions, of sections is an int",
        {"_fft_c2c", "native_group_norm_backward", "tensor_split"}},
    {"pieces of one element each: as many as elements", {"split", "split_copy", "unsafe_split"}},
    {"cut down to one element", {"constant_pad_nd", "replication_pad2d", "replication_pad2d_backward"}},
    {"as many as there are behind the start", {"narrow"}},
    {"an index for each sparse dimension", {"_sparse_coo_tensor_unsafe", "_sparse_coo_tensor_with_dims_and_tensors"}},
};

// Operators whose answer for numbers is another.
const Exemption kOtherAnswers[] = {
    {"the end of a storage is looked at where no symbol is left to ask; FakeTensorMode never looks",
        {"as_strided", "as_strided_", "as_strided_scatter", "set_", "slice_inverse"}},
    {"a packed object, of which the text has the sizes of what was packed",
        {"quantized::conv1d_prepack", "quantized::conv2d_prepack", "quantized::conv3d_prepack",
            "quantized::conv_transpose1d_prepack", "quantized::conv_transpose2d_prepack",
            "quantized::conv_transpose3d_prepack", "quantized::conv_prepack", "quantized::linear_prepack",
            "quantized::linear_prepack_fp16", "quantized::embedding_bag_prepack",
            "quantized::make_quantized_cell_params_dynamic", "quantized::make_quantized_cell_params_fp16"}},
    {"FakeTensorMode selects by a mask, whose data it does not know: a size of its own", {"combinations"}},
};

std::string_view PacketOf(std::string_view call) { return call.substr(0, std::min(call.find('('), call.find('.'))); }

bool IsExempt(std::span<const Exemption> exemptions, std::string_view call) {
  const std::string_view packet = PacketOf(call);
  return std::any_of(exemptions.begin(), exemptions.end(), [&](const Exemption& e) {
    return std::find(e.operators.begin(), e.operators.end(), packet) != e.operators.end();
  });
}

// The calls of all tables that a rule serves.
std::set<std::string> CallsOfRules() {
  std::set<std::string> calls;
  auto add = [&](const std::vector<testing::CallRow>& rows) {
    for (const testing::CallRow& row : rows) {
      const std::string name = row.call.substr(0, row.call.find('('));
      const Schema* schema = FindSchema(name.find("::") == std::string::npos ? "aten::" + name : name);
      if (schema && FindRule(*schema)) calls.insert(row.call);
    }
  };
  add(testing::RowsOfFamilyTests());
  add(testing::RowsOfFolder("testdata/ops"));
  add(testing::RowsOfFolder("lib/rules/expected_calls"));
  return calls;
}

// Whether an argument of the call is a number that may be a size (SymInt), or a list of them.
bool HasSizes(const testing::ParsedCall& call) {
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (ArgumentOf(call, i).type.kind == TypeKind::kSymInt && !call.arguments[i].value.IsNone()) return true;
  return false;
}

bool Holds(const Value& value, const Tensor* tensor) {
  return AnyTensor(value, [&](const Tensor& held) { return &held == tensor; });
}

bool NeedsData(const std::string& effects) {
  return effects.starts_with("!DynamicOutputShape") || effects.starts_with("!DataDependentOutput");
}

// Whether a symbol ("t2s0") belongs to a tensor that takes a result: a result of a size that is a number fixes it.
bool IsOfOut(const std::string& symbol, const testing::ParsedCall& call) {
  const Tensor* tensor = call.tensors[std::stoul(symbol.substr(1))];
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (ArgumentOf(call, i).IsOut() && Holds(call.arguments[i].value, tensor)) return true;
  return false;
}

// The symbols that became numbers without a reason.
std::string Unasked(const testing::SymbolicAnswer& answer, const std::string& text) {
  const testing::ParsedCall call = testing::ParseCall(text);
  if (HasSizes(call) || IsExempt(kFixedSizes, text)) return "";
  std::string out;
  for (const std::string& symbol : answer.specialised)
    if (!IsOfOut(symbol, call)) out += symbol + " ";
  return out;
}

std::string Joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

TEST(Symbols, EveryRule) {
  size_t checked = 0;
  for (const std::string& call : CallsOfRules()) {
    const std::string numbers = testing::RunCall(call);
    if (NeedsData(numbers)) continue;
    ++checked;
    const testing::SymbolicAnswer answer = testing::RunSymbolic(call);
    if (!IsExempt(kOtherAnswers, call)) {
      EXPECT_EQ(answer.effects, numbers) << answer.call << "\n  " << answer.message
                                         << "\n  guards: " << Joined(answer.guards);
    }
    EXPECT_EQ(Unasked(answer, call), "") << answer.call << "\n  guards: " << Joined(answer.guards);
  }
  EXPECT_GT(checked, 10000u);
}

// With symbols for the arguments that may be symbols as well, hardly a number is left that a size could become.
TEST(Symbols, EveryRuleThatTakesSymInts) {
  size_t checked = 0;
  for (const std::string& call : CallsOfRules()) {
    const std::string numbers = testing::RunCall(call);
    if (NeedsData(numbers) || !HasSizes(testing::ParseCall(call))) continue;
    ++checked;
    const testing::SymbolicAnswer answer = testing::RunSymbolic(call, testing::SymInts::kSymbols);
    if (!IsExempt(kOtherAnswers, call)) {
      EXPECT_EQ(answer.effects, numbers) << answer.call << "\n  " << answer.message;
    }
    if (!IsExempt(kNumbersLeft, call)) {
      EXPECT_EQ(Joined(answer.specialised), "") << answer.call << "\n  guards: " << Joined(answer.guards);
    }
  }
  EXPECT_GT(checked, 1500u);
}

}  // namespace
}  // namespace fakeprop
