// Operators by which PyTorch's own tests probe the dispatcher, tokens that keep operators in order, and marks for an
// allocator. Source: aten/src/ATen/native/TestOps.cpp, TensorFactories.cpp _make_dep_token_cpu
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

// A vector plus a list of as many numbers. Without a list the vector itself is returned.
template <ScalarType Taken>
void AddList(Call& call) {
  const Operand values = call.In("values");
  if (call.IsNone("addends")) return void(call.ReturnArgument(values.tensor()));
  values.Rank(1);
  const List* list = call.Arg("addends").TryList();
  const int64_t length = list ? static_cast<int64_t>(list->items.size()) : 1;
  RequireShape(call, Le(values->sizes[0], length),
      {"adds a number to each of {} elements, but got {}", values->sizes[0], length});
  values.Takes(Taken, {"takes {} values, not {}", Taken});
  ReturnContiguous(call, values);
}

void CloneOfFirst(Call& call) {
  const Operand self = call.In("self");
  ReturnLike(call, self);
}

void Token(Call& call) { ReturnFactory(call, {}, call.state().default_dtype); }

// Tells cuda's allocator which stream uses a tensor.
void RecordStream(Call& call) {
  if (call.OnCpu()) Fail(ErrorClass::kDeviceMismatch, OpName(call) + " does not run on the cpu");
}

constexpr RuleRow kRows[] = {
    {"aten::_test_optional_intlist", AddList<ScalarType::Int>},
    {"aten::_test_optional_filled_intlist", AddList<ScalarType::Int>},
    {"aten::_test_optional_floatlist", AddList<ScalarType::Float>},
    {"aten::_test_functorch_fallback", CloneOfFirst},
    {"aten::_foobar", ReturnSelf},
    {"aten::_make_dep_token", Token},
    {"aten::record_stream", RecordStream},
};

}  // namespace

RuleRows TestOperatorsRules() { return kRows; }

}  // namespace fakeprop::rules
