// Operators without a shape to tell: those by which PyTorch's own tests probe the dispatcher, tokens that order others,
// marks for an allocator. Source: aten/src/ATen/native/TestOps.cpp, TensorFactories.cpp _make_dep_token_cpu
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

// A vector plus a list of as many numbers; None gives the vector itself.
template <ScalarType Taken>
void AddList(Call& call) {
  const TensorMeta& values = call.Meta(0);
  if (call.IsNone(1)) return void(call.ReturnArgument(call.TensorArg(0)));
  RequireRank(call, 0, 1);
  const List* list = call.Arg(1).TryList();
  const int64_t length = list ? static_cast<int64_t>(list->items.size()) : 1;
  if (!Expect(Le(values.sizes[0], length)))
    FailShape(call,
        "adds a number to each of " + values.sizes[0].ToString() + " elements, but got " + std::to_string(length));
  if (values.dtype != Taken)
    FailDtype(call, "takes " + std::string(DtypeName(Taken)) + " values, not " + std::string(DtypeName(values.dtype)));
  ReturnContiguous(call, values.size_span(), values.dtype);
}

void Itself(Call& call) { call.ReturnArgument(call.TensorArg(0)); }

void CloneOfFirst(Call& call) { ReturnLike(call, call.Meta(0), call.Meta(0).dtype); }

void Token(Call& call) { ReturnFactory(call, {}, call.state().default_dtype); }

// Which stream uses a tensor is cuda's allocator's affair alone.
void RecordStream(Call& call) {
  if (call.device().is_cpu()) Fail(ErrorClass::kDeviceMismatch, OpName(call) + " does not run on the cpu");
}

constexpr RuleRow kRows[] = {
    {"aten::_test_optional_intlist", AddList<ScalarType::Int>},
    {"aten::_test_optional_filled_intlist", AddList<ScalarType::Int>},
    {"aten::_test_optional_floatlist", AddList<ScalarType::Float>},
    {"aten::_test_functorch_fallback", CloneOfFirst},
    {"aten::_foobar", Itself},
    {"aten::_make_dep_token", Token},
    {"aten::record_stream", RecordStream},
};

}  // namespace

RuleRows ProbeRules() { return kRows; }

}  // namespace fakeprop::rules
