// Functions of torch that are several operators in Python. Sources: torch/functional.py, torch/_lowrank.py
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

// ---- low rank: a random subspace, a few turns of power iteration, and the singular values within it

Value Times(Python& python, const Value& a, const Value& b) { return python.Call("aten.matmul", {a, b}); }
Value Adjoint(Python& python, const Value& a) { return python.Call("aten.mH", {a}); }

// A matrix that may have its mean (or another matrix) taken off.
struct Centered {
  Value matrix;
  Value mean;  // None where there is none

  Value Times(Python& python, const Value& by) const {
    Value product = fakeprop::Times(python, matrix, by);
    return mean.IsNone() ? product : python.Call("aten.sub", {product, fakeprop::Times(python, mean, by)});
  }
  Value AdjointTimes(Python& python, const Value& by) const {
    Value product = fakeprop::Times(python, Adjoint(python, matrix), by);
    return mean.IsNone() ? product
                         : python.Call("aten.sub", {product, fakeprop::Times(python, Adjoint(python, mean), by)});
  }
};

Value Orthogonal(Python& python, const Value& of) {
  return GetContainerItem(python.Call("aten.linalg_qr", {of}), Value(0));
}

// get_approximate_basis
Value Basis(Python& python, const Centered& a, const Value& q, int64_t niter) {
  const TensorMeta meta = AsTensor(a.matrix).meta;
  const ScalarType dtype = IsIntegral(meta.dtype) ? ScalarType::Float : meta.dtype;
  const Value columns = Value(SizeIn(meta, meta.rank() - 1));
  const Value random =
      python.Operator("aten::randn", {Value(List{{columns, q}, false}), Value(dtype), Value(), Value(meta.device)});
  Value basis = Orthogonal(python, a.Times(python, random));
  for (int64_t i = 0; i < niter; ++i) {
    basis = Orthogonal(python, a.AdjointTimes(python, basis));
    basis = Orthogonal(python, a.Times(python, basis));
  }
  return basis;
}

// _svd_lowrank
Value LowRank(Python& python, Centered a, const Value& q, int64_t niter) {
  const TensorMeta& meta = AsTensor(a.matrix).meta;
  const Dim rows = SizeIn(meta, meta.rank() - 2), columns = SizeIn(meta, meta.rank() - 1);
  const bool is_wide = Guard(Lt(rows, columns));
  if (is_wide) {
    a.matrix = Adjoint(python, a.matrix);
    if (!a.mean.IsNone()) a.mean = Adjoint(python, a.mean);
  }
  const Value basis = Basis(python, a, q, niter);
  Value small = Times(python, Adjoint(python, basis), a.matrix);
  if (!a.mean.IsNone()) small = python.Call("aten.sub", {small, Times(python, Adjoint(python, basis), a.mean)});
  const Value parts = python.Call("aten.linalg_svd", {small, Value(false)});
  const std::vector<Value>& usv = AsItems(parts);
  const Value u = Times(python, basis, usv[0]), v = Adjoint(python, usv[2]);
  return is_wide ? List{{v, usv[1], u}, true} : List{{u, usv[1], v}, true};
}

int64_t Iterations(const Bindings& a) {
  const int64_t niter = a.IsNone("niter") ? 2 : a.Int("niter");
  constexpr int64_t kMost = 10'000;
  if (niter < 0 || niter > kMost)
    Fail(ErrorClass::kValueError, "niter must be from 0 to 10000, not " + std::to_string(niter));
  return niter;
}

Value SvdLowRank(Python& python, const Bindings& a) {
  Value mean = a["M"];
  if (!mean.IsNone()) {
    mean = python.Call("aten.broadcast_to", {mean, IntListOf(a.TensorOf("A").meta.sizes)});
  }
  return LowRank(python, {a["A"], mean}, a.IsNone("q") ? Value(6) : a["q"], Iterations(a));
}

Value PcaLowRank(Python& python, const Bindings& a) {
  const TensorMeta& meta = a.TensorOf("A").meta;
  const Dim least = Min(SizeIn(meta, meta.rank() - 2), SizeIn(meta, meta.rank() - 1));
  const Value q = a.IsNone("q") ? Value(Min(least, 6)) : a["q"];
  if (!Guard(And(Le(0, AsInt(q)), Le(AsInt(q), least))))
    Fail(ErrorClass::kValueError, "q must be from 0 to " + least.ToString() + ", not " + ToString(q));
  Value matrix = a["A"];
  if (a.Bool("center")) {
    const Value mean = python.Operator("aten::mean.dim", {matrix, IntListOf({-2}), Value(true)});
    matrix = python.Call("aten.sub", {matrix, mean});
  }
  return LowRank(python, {matrix, Value()}, q, Iterations(a));
}

// ---- others

Value Lu(Python& python, const Bindings& a) {
  const Value all = python.Operator("aten::_lu_with_info", {a["A"], a["pivot"], Value(!a.Bool("get_infos"))});
  std::vector<Value> results = AsItems(all);
  if (!a.Bool("get_infos")) results.pop_back();
  return List{results, true};
}

Value UnravelIndex(Python& python, const Bindings& a) {
  const TensorMeta meta = a.TensorOf("indices").meta;
  if (!IsIntegral(meta.dtype) || meta.dtype == ScalarType::Bool)
    Fail(ErrorClass::kTypeError, "expected 'indices' to be of an integer dtype, not " + ToString(a["indices"]));
  std::vector<Value> shape = {a["shape"]};
  if (a["shape"].TryList()) shape = AsItems(a["shape"]);
  std::vector<Value> strides(shape.size());
  Dim stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = Value(stride);
    if (Guard(Lt(AsInt(shape[d]), 0))) Fail(ErrorClass::kValueError, "'shape' cannot have negative values");
    stride *= AsInt(shape[d]);
  }
  const auto tensor = [&](std::vector<Value> numbers) {
    return TensorFromNumbers(python, Value(List{std::move(numbers), false}), ScalarType::Long, meta.device);
  };
  Value places =
      python.Call("aten.floor_divide", {python.Call("aten.unsqueeze", {a["indices"], Value(-1)}), tensor(strides)});
  return python.Call("aten.unbind", {python.Call("aten.remainder", {places, tensor(shape)}), Value(-1)});
}

// Sizes (or single ints), aligned at their ends.
Value BroadcastShapes(Python&, const Bindings& a) {
  Dims out;
  for (const Value& given : AsItems(a["shapes"])) {
    std::vector<Value> shape = {given};
    if (given.TryList()) shape = AsItems(given);
    if (shape.size() > out.size()) out.insert(out.begin(), shape.size() - out.size(), Dim(1));
    for (size_t i = 0; i < shape.size(); ++i) {
      Dim& size = out[out.size() - shape.size() + i];
      const Dim own = AsInt(shape[i]);
      if (Guard(Eq(own, 1)) || Guard(Eq(own, size))) continue;
      if (!Guard(Eq(size, 1)))
        Fail(ErrorClass::kShapeMismatch, "shapes cannot be broadcast: " + own.ToString() + " and " + size.ToString());
      size = own;
    }
  }
  return IntTupleOf(out);
}

Value Nothing(Python&, const Bindings&) { return {}; }
Value GradMode(Python& python, const Bindings&) { return python.host().state().grad_enabled; }

ExecutionState::Autocast& AutocastOf(Python& python, std::string_view device) {
  ExecutionState& state = python.host().state();
  return device.starts_with("cuda") ? state.cuda_autocast : state.cpu_autocast;
}
// Without a device it is cuda's, as in PyTorch.
Value AutocastMode(Python& python, const Bindings& a) {
  return AutocastOf(python, a.IsNone("device_type") ? "cuda" : a.String("device_type")).enabled;
}
Value AutocastDtype(Python& python, const Bindings& a) { return AutocastOf(python, a.String("device_type")).dtype; }

constexpr FunctionRow kRows[] = {
    {"lu(A, pivot=True, get_infos=False, out=None)", {}, Lu},
    {"_lu_with_info(input, pivot=True, check_errors=True)", "aten._lu_with_info(input, pivot, check_errors)"},
    {"_lowrank.svd_lowrank(A, q=6, niter=2, M=None)", {}, SvdLowRank},
    {"_lowrank.pca_lowrank(A, q=None, center=True, niter=2)", {}, PcaLowRank},
    {"svd_lowrank(A, q=6, niter=2, M=None)", {}, SvdLowRank},
    {"pca_lowrank(A, q=None, center=True, niter=2)", {}, PcaLowRank},
    {"unravel_index(indices, shape)", {}, UnravelIndex},
    {"broadcast_shapes(*shapes)", {}, BroadcastShapes},
    {"_segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None)",
        "aten.segment_reduce(data, reduce, lengths=lengths, indices=indices, offsets=offsets, axis=axis, unsafe=unsafe,"
        " initial=initial)"},
    {"spmm(input, mat2)", "aten.mm(input, mat2)"},
    {"dsmm(input, mat2)", "aten.mm(input, mat2)"},
    {"hsmm(input, mat2)", "aten.mm(input, mat2)"},
    {"is_grad_enabled()", {}, GradMode},
    {"_C.is_grad_enabled()", {}, GradMode},
    {"is_autocast_enabled(device_type=None)", {}, AutocastMode},
    {"is_autocast_cpu_enabled()", "torch.is_autocast_enabled('cpu')"},
    {"get_autocast_dtype(device_type)", {}, AutocastDtype},
    {"get_autocast_gpu_dtype()", "torch.get_autocast_dtype('cuda')"},
    {"get_autocast_cpu_dtype()", "torch.get_autocast_dtype('cpu')"},
    {"is_inference_mode_enabled()", "False"},
    {"are_deterministic_algorithms_enabled()", "False"},
    {"is_storage(obj)", "False"},
    {"get_num_threads()", "1"},
    {"manual_seed(seed)", {}, Nothing},
    {"random.manual_seed(seed)", {}, Nothing},
};

}  // namespace

FunctionTable TorchComposites() { return {"torch.", kRows}; }

}  // namespace fakeprop
