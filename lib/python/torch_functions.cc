// Functions of `torch` that are written in Python, or whose arguments no operator's schema has.
// Source: torch/functional.py, torch/csrc/utils/tensor_new.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"
#include "lib/rules/support/data_dependent_results.h"

namespace fakeprop {
namespace {

// f(a, b) or f([a, b])
Value Spread(const Bindings& a) {
  const List& given = *a["tensors"].TryList();
  if (given.items.size() == 1 && given.items[0].TryList()) return given.items[0];
  return given;
}

Value BroadcastTensors(Python& python, const Bindings& a) { return python.Call("aten.broadcast_tensors", {Spread(a)}); }
Value CartesianProd(Python& python, const Bindings& a) { return python.Call("aten.cartesian_prod", {Spread(a)}); }
Value BlockDiag(Python& python, const Bindings& a) { return python.Call("aten.block_diag", {Spread(a)}); }
Value ChainMatmul(Python& python, const Bindings& a) { return python.Call("aten.linalg_multi_dot", {Spread(a)}); }

Value Meshgrid(Python& python, const Bindings& a) {
  if (a.IsNone("indexing")) return python.Operator("aten::meshgrid", {Spread(a)});
  return python.Operator("aten::meshgrid.indexing", {Spread(a), a["indexing"]});
}

// One tensor gives a tensor, several a tuple.
Value AtLeast(Python& python, const Bindings& a, std::string_view op) {
  const Value given = Spread(a);
  const List& list = *given.TryList();
  return python.Call(op, {list.items.size() == 1 && AsItems(a["tensors"])[0].TryTensor() ? list.items[0] : given});
}
Value AtLeast1d(Python& python, const Bindings& a) { return AtLeast(python, a, "aten.atleast_1d"); }
Value AtLeast2d(Python& python, const Bindings& a) { return AtLeast(python, a, "aten.atleast_2d"); }
Value AtLeast3d(Python& python, const Bindings& a) { return AtLeast(python, a, "aten.atleast_3d"); }

Value Einsum(Python& python, const Bindings& a) {
  if (!a["equation"].Is<std::string>()) FailArguments("einsum", "takes an equation first here");
  return python.Call("aten.einsum", {a["equation"], Spread(a)});
}

Value Split(Python& python, const Bindings& a) {
  const bool has_sizes = a["split_size_or_sections"].TryList();
  return python.Operator(has_sizes ? "aten::split_with_sizes" : "aten::split.Tensor",
      {a["tensor"], a["split_size_or_sections"], a["dim"]});
}

Value Tensordot(Python& python, const Bindings& a) {
  List left, right;
  if (const List* pair = a["dims"].TryList()) {
    if (pair->items.size() != 2) FailArguments("tensordot", "takes two lists of dimensions");
    const auto dims_of = [](const Value& v) { return v.TryList() ? *v.TryList() : List{{v}, false}; };
    left = dims_of(pair->items[0]);
    right = dims_of(pair->items[1]);
  } else {
    const int64_t count = a.Int("dims");
    for (int64_t i = -count; i < 0; ++i) left.items.push_back(Value(i));
    for (int64_t i = 0; i < count; ++i) right.items.push_back(Value(i));
  }
  return python.Call(
      "aten.tensordot", PythonArguments{{a["a"], a["b"], Value(left), Value(right)}, {{"out", a["out"]}}});
}

Value Cdist(Python& python, const Bindings& a) {
  const std::string_view mode = a.String("compute_mode");
  Value number;
  if (mode == "use_mm_for_euclid_dist") number = Value(1);
  else if (mode == "donot_use_mm_for_euclid_dist") number = Value(2);
  else if (mode != "use_mm_for_euclid_dist_if_necessary")
    Fail(ErrorClass::kValueError, "there is no compute mode `" + std::string(mode) + "` of cdist");
  return python.Call("aten.cdist", {a["x1"], a["x2"], a["p"], number});
}

// With `center` the signal is padded on both sides by half a window.
Value Stft(Python& python, const Bindings& a) {
  Value input = a["input"];
  if (a.Bool("center")) {
    const int64_t rank = a.TensorOf("input").meta.rank();
    const int64_t pad = a.Int("n_fft") / 2;
    Dims extended = a.TensorOf("input").meta.sizes;
    extended.insert(extended.begin(), static_cast<size_t>(std::max<int64_t>(0, 3 - rank)), Dim(1));
    input = python.Call("aten.view", {input, IntListOf(extended)});
    input = python.Call("F.pad", {input, Value(List{{Value(pad), Value(pad)}, false}), a["pad_mode"]});
    const DimSpan padded = AsTensor(input).meta.size_span();
    input = python.Call("aten.view", {input, IntListOf(padded.last(static_cast<size_t>(rank)))});
  }
  return python.Operator("aten::stft", {input, a["n_fft"], a["hop_length"], a["win_length"], a["window"],
                                           a["normalized"], a["onesided"], a["return_complex"]});
}

Device DeviceArgument(const Value& value, Device otherwise) {
  if (auto device = value.TryGet<Device>()) return WithIndex(*device);
  if (auto name = value.TryGet<std::string>())
    if (auto device = DeviceFromName(*name)) return WithIndex(*device);
  if (value.IsNone()) return otherwise;
  Fail(ErrorClass::kValueError, "there is no device " + ToString(value));
}

Value MakeTensor(Python& python, const Bindings& a) {
  const auto* dtype = a["dtype"].TryGet<ScalarType>();
  if (const Tensor* from = a["data"].TryTensor()) {
    Value copy = python.Operator("aten::detach", {python.Operator("aten::clone", {a["data"]})});
    (void)from;
    return python.CallMethod("to", {copy, a["device"], a["dtype"]});
  }
  const List* list = a["data"].TryList();
  const bool is_empty = list && list->items.empty();
  std::optional<ScalarType> wanted = dtype ? std::optional(*dtype) : std::nullopt;
  if (!wanted && is_empty) wanted = python.host().state().default_dtype;
  Value made = TensorFromNumbers(python, a["data"], wanted, DeviceArgument(a["device"], Device(DeviceType::CPU)));
  AsTensor(made).own_requires_grad = a.Bool("requires_grad");
  return made;
}

Value AsTensor(Python& python, const Bindings& a) {
  if (!a["data"].TryTensor()) return MakeTensor(python, a);
  return python.CallMethod("to", {a["data"], a["device"], a["dtype"]});
}

// A number as a tensor of rank 0 that is no wrapped number, on a tensor's device.
Value ScalarLike(Python& python, const Bindings& a) {
  return TensorFromNumbers(python, a["number"], std::nullopt, a.TensorOf("tensor").meta.device);
}

Value IsTensor(Python&, const Bindings& a) { return a["obj"].TryTensor() != nullptr; }

Value Assert(Python& python, const Bindings& a) {
  if (python.Truth(a["condition"])) return {};
  Fail(ErrorClass::kAssertionFailed,
      a["message"].Is<std::string>() ? a["message"].Get<std::string>() : "the assertion is false");
}

// Of an input for which symbolic_trace's concrete_args said None.
Value AssertIsNone(Python&, const Bindings& a) {
  if (!a.IsNone("value")) Fail(ErrorClass::kAssertionFailed, std::string(a.String("msg")));
  return {};
}

std::string MessageOf(const Bindings& a) {
  return a["message"].Is<std::string>() ? a["message"].Get<std::string>() : "the checked condition is false";
}

// Relied on rather than asked. Source: torch/__init__.py _check_with.
void RequireCondition(const Value& condition, const Bindings& a, ErrorClass error) {
  if (auto known = condition.TryGet<bool>()) return rules::RequireTrue(Cond(*known), error, MessageOf(a));
  if (!condition.IsSymbolicBool())
    Fail(ErrorClass::kValueError, "the checked condition must be a bool, not " + ToString(condition));
  rules::RequireTrue(Cond::Of(condition.Get<Symbolic>().expression), error, MessageOf(a));
}

template <ErrorClass error>
Value Check(Python&, const Bindings& a) {
  RequireCondition(a["cond"], a, error);
  return {};
}

Value CheckSize(Python&, const Bindings& a) {
  const Dim size = AsInt(a["i"]);
  rules::RequireTrue(Ge(size, 0), ErrorClass::kAssertionFailed, MessageOf(a));
  if (!a.IsNone("max")) rules::RequireTrue(Le(size, AsInt(a["max"])), ErrorClass::kAssertionFailed, MessageOf(a));
  return {};
}

Value CheckAll(Python& python, const Bindings& a) {
  const Value all = python.Operator("aten::_is_all_true", {a["cond"]});
  RequireCondition(python.Operator("aten::item", {all}), a, ErrorClass::kAssertionFailed);
  return {};
}

// The values, then what else was asked for; a tensor alone is no tuple. Source: torch/functional.py _return_output.
Value AskedFor(const Bindings& a, const Value& results) {
  const List& all = *results.TryList();
  List asked;
  asked.is_tuple = true;
  asked.items.push_back(all.items[0]);
  if (a.Bool("return_inverse")) asked.items.push_back(all.items[1]);
  if (a.Bool("return_counts")) asked.items.push_back(all.items[2]);
  return asked.items.size() == 1 ? asked.items[0] : Value(std::move(asked));
}

Value Unique(Python& python, const Bindings& a) {
  const Value &input = a["input"], &sorted = a["sorted"], &inverse = a["return_inverse"], &counts = a["return_counts"];
  if (a.IsNone("dim")) return AskedFor(a, python.Operator("aten::_unique2", {input, sorted, inverse, counts}));
  return AskedFor(a, python.Operator("aten::unique_dim", {input, a["dim"], sorted, inverse, counts}));
}

Value UniqueConsecutive(Python& python, const Bindings& a) {
  return AskedFor(
      a, python.Operator("aten::unique_consecutive", {a["input"], a["return_inverse"], a["return_counts"], a["dim"]}));
}

Value SetGradEnabled(Python& python, const Bindings& a) {
  python.host().state().grad_enabled = a.Bool("mode");
  return {};
}

Value EnterAutocast(Python& python, const Bindings& a) {
  python.SaveState();
  const bool is_cuda = a.String("device_type") == "cuda";
  if (!is_cuda && a.String("device_type") != "cpu")
    Fail(ErrorClass::kUnsupportedOperator,
        "autocast for the device type `" + std::string(a.String("device_type")) + "` is not known here");
  ExecutionState& state = python.host().state();
  ExecutionState::Autocast& autocast = is_cuda ? state.cuda_autocast : state.cpu_autocast;
  autocast.enabled = a.Bool("enabled");
  if (const auto* dtype = a["dtype"].TryGet<ScalarType>()) autocast.dtype = *dtype;
  return {};
}

Value ExitAutocast(Python& python, const Bindings&) {
  python.RestoreState();
  return {};
}

Value ResultType(Python&, const Bindings& a) { return PromoteTypes(AsDtype(a["type1"]), AsDtype(a["type2"])); }

constexpr FunctionRow kRows[] = {
    {"tensor(data, dtype=None, device=None, requires_grad=False, pin_memory=False)", {}, MakeTensor},
    {"as_tensor(data, dtype=None, device=None, requires_grad=False)", {}, AsTensor},
    {"scalar_like(tensor, number)", {}, ScalarLike},
    {"is_tensor(obj)", {}, IsTensor},
    {"is_floating_point(input)", "torch.Tensor.is_floating_point(input)"},
    {"is_complex(input)", "torch.Tensor.is_complex(input)"},
    {"is_signed(input)", "torch.Tensor.is_signed(input)"},
    {"numel(input)", "torch.Tensor.numel(input)"},
    {"split(tensor, split_size_or_sections, dim=0)", {}, Split},
    {"norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None)",
        "aten.linalg_matrix_norm(input, 'nuc', (-2, -1) if dim is None else dim, keepdim, dtype=dtype) if p == 'nuc' "
        "else "
        "aten.linalg_vector_norm(input, 2 if p is None or p == 'fro' else p, dim, keepdim, dtype=dtype, out=out)"},
    {"broadcast_tensors(*tensors)", {}, BroadcastTensors},
    {"cartesian_prod(*tensors)", {}, CartesianProd},
    {"block_diag(*tensors)", {}, BlockDiag},
    {"chain_matmul(*tensors)", {}, ChainMatmul},
    {"meshgrid(*tensors, indexing=None)", {}, Meshgrid},
    {"atleast_1d(*tensors)", {}, AtLeast1d},
    {"atleast_2d(*tensors)", {}, AtLeast2d},
    {"atleast_3d(*tensors)", {}, AtLeast3d},
    {"einsum(equation, *tensors)", {}, Einsum},
    {"tensordot(a, b, dims=2, out=None)", {}, Tensordot},
    {"cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')", {}, Cdist},
    {"stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', "
     "normalized=False,"
     " onesided=None, return_complex=None, align_to_window=None)",
        {}, Stft},
    {"nonzero(input, out=None, as_tuple=False)",
        "aten.nonzero_numpy(input) if as_tuple else aten.nonzero(input, out=out)"},
    {"unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)", {}, Unique},
    {"unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)", {}, UniqueConsecutive},
    {"_assert(condition, message=None)", {}, Assert},
    {"fx._symbolic_trace._assert_is_none(value, msg)", {}, AssertIsNone},
    {"_check(cond, message=None)", {}, Check<ErrorClass::kAssertionFailed>},
    {"_check_value(cond, message=None)", {}, Check<ErrorClass::kValueError>},
    {"_check_index(cond, message=None)", {}, Check<ErrorClass::kIndexOutOfRange>},
    {"_check_type(cond, message=None)", {}, Check<ErrorClass::kValueError>},
    {"_check_not_implemented(cond, message=None)", {}, Check<ErrorClass::kUnsupportedOperator>},
    {"_check_is_size(i, message=None, max=None)", {}, CheckSize},
    {"_check_tensor_all(cond, message=None)", {}, CheckAll},
    {"promote_types(type1, type2)", {}, ResultType},
    {"_C._set_grad_enabled(mode)", {}, SetGradEnabled},
    {"amp.autocast_mode._enter_autocast(device_type, dtype=None, enabled=True, cache_enabled=True)", {}, EnterAutocast},
    {"amp.autocast_mode._exit_autocast(handle=None)", {}, ExitAutocast},
};

}  // namespace

FunctionTable TorchFunctions() { return {"torch.", kRows}; }

}  // namespace fakeprop
