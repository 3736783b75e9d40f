#include "lib/higher_order/higher_order.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace fakeprop {
namespace {

// All that torch 2.13 registers, and `switch` of 2.15: sorted(torch._ops._higher_order_ops), once torch._inductor and
// torch.export are imported.
constexpr const char* kRegistered[] = {"_export_tracepoint", "aoti_call_delegate", "associative_scan",
    "auto_functionalized", "auto_functionalized_v2", "autograd_function_apply", "call_torchbind", "cond",
    "control_deps", "custom_function_call", "dynamo_bypassing_wrapper", "executorch_call_delegate", "flat_apply",
    "flex_attention", "flex_attention_backward", "foreach_map", "graphsafe_run_with_rng_state", "hints_wrapper",
    "inductor_compiled_code", "inline_asm_elementwise", "invoke_leaf_function", "invoke_quant", "invoke_quant_packed",
    "invoke_subgraph", "local_map_hop", "map_impl", "out_dtype", "print", "register_hook", "run_and_save_rng_state",
    "run_const_graph", "run_dtensor_rng_op", "run_with_rng_state", "scan", "strict_mode", "switch",
    "tag_activation_checkpoint", "trace_wrapped", "triton_kernel_wrapper_functional", "triton_kernel_wrapper_mutation",
    "while_loop", "while_loop_stack_output", "with_effects", "wrap", "wrap_activation_checkpoint", "wrap_with_autocast",
    "wrap_with_set_grad_enabled"};

TEST(HigherOrder, EachIsDecidedAndListed) {
  std::ostringstream page;
  page << std::ifstream("docs/higher_order.md").rdbuf();
  for (const std::string name : kRegistered) {
    EXPECT_TRUE(FindHigherOrder("torch.ops.higher_order." + name)) << name;
    EXPECT_NE(page.str().find("`" + name + "`"), std::string::npos) << "docs/higher_order.md does not list " << name;
  }
}

TEST(HigherOrder, OthersAreNone) {
  EXPECT_FALSE(FindHigherOrder("torch.ops.higher_order.nothing"));
  EXPECT_FALSE(FindHigherOrder("torch.ops.aten.cond.default"));
  EXPECT_TRUE(HigherOrderRefusal("torch.ops.higher_order.cond").empty());
  EXPECT_FALSE(HigherOrderRefusal("torch.ops.higher_order.call_torchbind").empty());
}

}  // namespace
}  // namespace fakeprop
