// Every rule has cases: one whose input is not contiguous, ones of two ranks, and an error, wherever its schema allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/call_tables.h"
#include "lib/rules/testing/call_text.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

constexpr std::string_view kCase = "a case", kStrided = "a case with an input that is not contiguous",
                           kRank = "cases of two ranks", kError = "a case that is an error";

// What a schema allows and its operator does not.
struct Exemption {
  std::string_view what;
  std::string_view reason;
  std::vector<std::string_view> ops;
};
const Exemption kExemptions[] = {
    {kError, "takes every tensor as it is",
        {"aten::_autocast_to_full_precision", "aten::_autocast_to_reduced_precision", "aten::_cast_Byte",
            "aten::_cast_Char", "aten::_cast_Double", "aten::_cast_Float", "aten::_cast_Half", "aten::_cast_Int",
            "aten::_cast_Long", "aten::_cast_Short", "aten::_foobar", "aten::_fused_dropout", "aten::_lazy_clone",
            "aten::_neg_view", "aten::_no_grad_fill_", "aten::_no_grad_zero_", "aten::_test_functorch_fallback",
            "aten::as_tensor", "aten::atleast_1d", "aten::atleast_1d.Sequence", "aten::atleast_2d",
            "aten::atleast_2d.Sequence", "aten::atleast_3d", "aten::atleast_3d.Sequence", "aten::conj",
            "aten::copy_.float", "aten::copy_.int", "aten::cpu", "aten::data", "aten::detach_", "aten::diagflat",
            "aten::float_power.Scalar", "aten::isfinite", "aten::isreal", "aten::lift_fresh", "aten::numpy_T",
            "aten::numpy_T.a", "aten::ravel", "aten::real", "aten::resolve_conj", "aten::resolve_neg", "aten::set_",
            "aten::set_.source_Tensor", "aten::set_data", "aten::shallow_copy_data_", "fsdp::record_grad_output_stream",
            "aten::to.prim_Device", "aten::to.prim_dtype", "aten::to.prim_other", "aten::to_dense",
            "aten::to_mkldnn_backward", "aten::type_as", "aten::zero_",
            "quantized_decomposed::convert_element_type.no_fuse", "_c10d_functional::wait_tensor",
            "_c10d_functional::_wrap_tensor_autograd", "_c10d_functional::broadcast", "_c10d_functional::broadcast_",
            "_c10d_functional::isend", "_c10d_functional::irecv", "c10d_functional::wait_tensor",
            "c10d_functional::broadcast", "c10d_functional::isend", "c10d_functional::irecv", "c10d::barrier",
            "c10d::monitored_barrier_", "c10d::check_for_nan", "c10d::alltoall_base_", "c10d::allgather_coalesced_",
            "c10d::allgather_into_tensor_coalesced_", "c10d::allreduce_coalesced_", "c10d::gather_", "c10d::reduce_",
            "c10d::reduce_scatter_tensor_coalesced_", "c10d::recv_", "c10d::recv_any_source_", "c10d::send",
            "symm_mem::all_to_all_vdev_2d", "symm_mem::all_to_all_vdev_2d_offset", "symm_mem::one_shot_all_reduce",
            "symm_mem::multimem_one_shot_all_reduce", "symm_mem::multimem_all_reduce_",
            "symm_mem::two_shot_all_reduce_", "symm_mem::get_remote_tensors"}},
    {kError, "asks a question that every tensor answers",
        {"aten::_debug_has_internal_overlap", "aten::_fused_sdp_choice", "aten::_has_compatible_shallow_copy_type",
            "aten::_has_same_storage_numel", "aten::_is_zerotensor", "aten::cudnn_is_acceptable", "aten::dense_dim",
            "aten::_version", "aten::is_inference", "aten::is_leaf", "aten::is_distributed", "aten::is_pinned",
            "aten::result_type.Scalar", "aten::result_type.Scalar_Tensor", "aten::result_type.Tensor",
            "aten::sparse_dim", "aten::dim", "aten::element_size", "aten::get_device", "aten::is_complex",
            "aten::is_conj", "aten::is_contiguous", "aten::is_contiguous.memory_format", "aten::is_floating_point",
            "aten::is_neg", "aten::is_non_overlapping_and_dense", "aten::is_same_size", "aten::is_set_to",
            "aten::is_signed", "aten::is_strides_like_format", "aten::numel", "aten::size", "aten::storage_offset",
            "aten::stride", "aten::sym_is_contiguous", "aten::sym_numel", "aten::sym_size", "aten::sym_storage_offset",
            "aten::sym_stride"}},
    {kError, "takes every list",
        {"aten::Size", "aten::__contains__.float_list", "aten::__contains__.int_list", "aten::__contains__.str_list",
            "aten::_list_to_tensor", "aten::_size_if_not_equal", "aten::all.bool", "aten::all.float", "aten::all.int",
            "aten::any.bool", "aten::any.float", "aten::any.int", "aten::any.str", "aten::count.bool",
            "aten::count.float", "aten::count.int", "aten::count.str", "aten::eq.bool_list", "aten::eq.float_list",
            "aten::eq.int_list", "aten::eq.str_list", "aten::ne.bool_list", "aten::ne.float_list", "aten::ne.int_list",
            "aten::ne.str_list", "aten::sorted.bool", "aten::sorted.float", "aten::sorted.int", "aten::sorted.str",
            "aten::sum.bool", "aten::sum.float", "aten::sum.int"}},
    {kError, "takes every text", {"aten::_print"}},
    {kError, "keeps what it is given", {"quantized::make_quantized_cell_params_dynamic"}},
    {kError, "fails by its data alone",
        {"aten::_assert_async", "aten::_assert_async.msg", "aten::_functional_assert_async.msg"}},
    {kStrided, "takes one element, which has no strides that tell",
        {"aten::Bool.Tensor", "aten::Int.Tensor", "aten::IntImplicit", "aten::ScalarImplicit",
            "aten::_amp_update_scale", "aten::_amp_update_scale_", "aten::_local_scalar_dense", "aten::is_nonzero",
            "aten::item", "aten::linspace.Scalar_Tensor", "aten::linspace.Tensor_Scalar",
            "aten::linspace.Tensor_Tensor", "aten::logspace.Scalar_Tensor", "aten::logspace.Tensor_Scalar",
            "aten::logspace.Tensor_Tensor", "aten::trace_backward"}},
    {kStrided, "demands a contiguous input",
        {"quantized::embedding_byte", "quantized::embedding_4bit", "quantized::embedding_bag_byte",
            "quantized::embedding_bag_4bit", "quantized::embedding_bag_byte_rowwise_offsets",
            "quantized::embedding_bag_4bit_rowwise_offsets", "quantized::embedding_bag_2bit_rowwise_offsets",
            "aten::_linalg_check_errors", "aten::_pdist_forward", "aten::cudnn_affine_grid_generator",
            "aten::cudnn_affine_grid_generator_backward"}},
    {kError, "asserts what its only callers give it", {"aten::_linalg_check_errors"}},
    {kError, "takes what its forward made, on cuda, and looks at none of it",
        {"aten::_scaled_dot_product_cudnn_attention_backward",
            "aten::_scaled_dot_product_fused_attention_overrideable_backward"}},
    {kCase, "takes a stream, which has no text", {"aten::record_stream"}},
    {kRank, "takes a stream, which has no text", {"aten::record_stream"}},
    {kStrided, "takes a stream, which has no text", {"aten::record_stream"}},
    {kError, "takes a stream, which has no text", {"aten::record_stream"}},
    // Operators for cuda that PyTorch has no answer to without a device; their rules follow the sources.
    {kCase, "is for cuda", {"aten::cuda", "aten::_thnn_fused_gru_cell"}},
    {kRank, "is for cuda", {"aten::cuda", "aten::_thnn_fused_gru_cell", "aten::baddbmm.dtype"}},
    {kStrided, "is for cuda", {"aten::cuda", "aten::_thnn_fused_gru_cell", "aten::baddbmm.dtype"}},
    {kError, "is for cuda", {"aten::cuda", "aten::_thnn_fused_gru_cell"}},
};

// What the cases of a row show.
struct Coverage {
  int cases = 0;
  bool has_result = false;
  bool has_strided = false;  // a case with an input that is not contiguous
  bool has_error = false;
  std::set<std::string> ranks;  // of the inputs; of the results where there are none
};

std::string RanksOf(const Call& call) {
  std::string ranks;
  for (size_t i = 0; i < call.size(); ++i)
    ForEachTensor(
        call.Arg(static_cast<int>(i)), [&](const Tensor& t) { ranks += std::to_string(t.meta.rank()) + ","; });
  if (ranks.empty())
    for (size_t i = 0; i < call.size(); ++i)
      if (const List* list = call.Arg(static_cast<int>(i)).TryList()) ranks += std::to_string(list->items.size()) + ",";
  return ranks;
}

// An answer that is no more than that data would be needed: such a case shows all that a result would.
bool NeedsData(const std::string& effects) {
  return effects.starts_with("!DynamicOutputShape") || effects.starts_with("!DataDependentOutput");
}

using Coverages = std::map<std::string_view, Coverage>;

void Count(const testing::CallRow& row, Coverages& coverages) {
  const std::string name = row.call.substr(0, row.call.find('('));
  const Schema* schema = FindSchema(name.find("::") == std::string::npos ? "aten::" + name : name);
  const ServedRule* served = schema ? FindRule(*schema) : nullptr;
  if (!served) return;
  Coverage& c = coverages[served->row->op];
  ++c.cases;
  const bool is_error = row.effects.starts_with('!');
  c.has_error = c.has_error || is_error;
  c.has_result = c.has_result || !is_error || NeedsData(row.effects);
  // Not reached where the devices differ.
  testing::RunCallWith(row.call, {}, true, [&](Call& call) {
    c.ranks.insert(RanksOf(call));
    if (is_error && !NeedsData(row.effects)) return;
    for (size_t i = 0; i < call.size(); ++i)
      ForEachTensor(call.Arg(static_cast<int>(i)),
          [&](const Tensor& t) { c.has_strided = c.has_strided || !IsContiguous(t.meta); });
  });
}

bool Takes(const Schema& schema, const std::function<bool(const Type&)>& is_it) {
  return std::any_of(
      schema.arguments.begin(), schema.arguments.end(), [&](const SchemaArgument& a) { return is_it(a.type); });
}

// What the cases of a row lack of what its schema allows: an operator on plain numbers has no ranks and refuses nothing
// but what its arithmetic does.
std::vector<std::string_view> Lacking(const Schema& schema, const Coverage& c) {
  const bool takes_tensors = Takes(schema, [](const Type& type) { return type.kind == TypeKind::kTensor; });
  const bool takes_sizes = takes_tensors || Takes(schema, [](const Type& type) { return type.is_list; });
  std::vector<std::string_view> lacking;
  if (c.cases == 0) lacking.push_back(kCase);
  if (takes_tensors && !c.has_strided) lacking.push_back(kStrided);
  if (takes_sizes && c.ranks.size() < 2) lacking.push_back(kRank);
  if (takes_sizes && !c.has_error) lacking.push_back(kError);
  return lacking;
}

// Whether the schema allows what the operator itself does not.
bool IsExempt(std::string_view op, std::string_view what) {
  return std::any_of(std::begin(kExemptions), std::end(kExemptions),
      [&](const Exemption& e) { return e.what == what && std::find(e.ops.begin(), e.ops.end(), op) != e.ops.end(); });
}

// Rules that refuse whatever comes (operators for sparse tensors, say), by the cases of all their rows: one is enough.
std::set<Rule> RefusingRules(Coverages& coverages) {
  std::set<Rule> refusing, giving;
  for (const RuleRow& row : AllRows()) {
    const Coverage& c = coverages[row.op];
    if (row.rule && c.cases > 0) (c.has_result ? giving : refusing).insert(row.rule);
  }
  for (Rule rule : giving) refusing.erase(rule);
  return refusing;
}

TEST(Coverage, EveryRule) {
  Coverages coverages;
  for (const testing::CallRow& row : testing::RowsOfFamilyTests()) Count(row, coverages);
  for (const char* folder : {"testdata/ops", "lib/rules/expected_calls"})
    for (const testing::CallRow& row : testing::RowsOfFolder(folder)) Count(row, coverages);
  const std::set<Rule> refusing = RefusingRules(coverages);
  for (const RuleRow& row : AllRows()) {
    if (!row.rule || refusing.contains(row.rule)) continue;
    for (std::string_view what : Lacking(*FindSchema(row.op), coverages[row.op]))
      EXPECT_TRUE(IsExempt(row.op, what)) << row.op << " lacks " << what;
  }
}

TEST(Rows, AreAsRecorded) {
  const auto rows = testing::RowsOfFolder("lib/rules/expected_calls");
  EXPECT_GT(rows.size(), 800u);
  for (const testing::CallRow& row : rows)
    EXPECT_EQ(testing::RunCall(row.call), row.effects) << row.call << "\n  " << testing::RunCall(row.call, {}, true);
}

}  // namespace
}  // namespace fakeprop
