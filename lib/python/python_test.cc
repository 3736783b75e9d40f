// Which operators a call of Python becomes. Rows: the call, and the operators that make_fx(pre_dispatch=True) captures
// of it in torch 2.13 (but for lift_fresh_copy of constants, and fill_ by a number), or the result, or the class of the
// error.
#include "lib/python/python.h"

#include <gtest/gtest.h>

#include "lib/python/python_expression.h"

namespace fakeprop {
namespace {

// Writes down what is called and gives tensors of no particular shape, two for a list.
class RecordingHost : public OperatorHost {
 public:
  Value CallOperator(const Schema& schema, std::span<const Value* const>) override {
    called += (called.empty() ? "" : " ") + std::string(schema.full_name);
    List results;
    for (const SchemaReturn& r : schema.returns)
      results.items.push_back(r.type.is_list ? NewPair() : NewTensor(ScalarType::Float));
    return results.items.size() == 1 ? results.items[0] : Value(results);
  }
  Tensor* FindAttribute(std::string_view) override { return nullptr; }
  ExecutionState& state() override { return state_; }
  ObjectTable& objects() override { return objects_; }

  Value NewTensor(ScalarType dtype) {
    const Dims sizes = {2, 3};
    TensorMeta meta = ContiguousMeta({sizes.data(), 2}, dtype, Device(DeviceType::CPU));
    Storage* storage = objects_.NewStorage(StorageNbytes(meta), meta.device);
    return objects_.NewTensor(std::move(meta), storage);
  }

  Value NewPair() {
    List pair;
    for (int i = 0; i < 2; ++i) pair.items.push_back(NewTensor(ScalarType::Float));
    return pair;
  }

  std::string called;

 private:
  ExecutionState state_;
  ObjectTable objects_;
};

std::string Trace(std::string_view call) {
  RecordingHost host;
  PythonMemory memory;
  Python python(host, memory);
  Bindings names;
  names.Set("x", host.NewTensor(ScalarType::Float));
  names.Set("i", host.NewTensor(ScalarType::Long));
  names.Set("f64", Value(ScalarType::Double));
  try {
    const Value result = ParseTableExpression(call)->Evaluate(python, names);
    return host.called.empty() ? "= " + ToString(result) : host.called;
  } catch (const OpError& error) {
    return "!" + std::string(Name(error.error_class()));
  }
}

struct Case {
  std::string_view call;
  std::string_view expected;
};

constexpr Case kCalls[] = {
    // Overloads by the types of arguments.
    {"torch.add(x, x)", "aten::add.Tensor"},
    {"torch.add(x, 1)", "aten::add.Tensor"},
    {"torch.add(input=x, other=2.5, alpha=2)", "aten::add.Tensor"},
    {"torch.add(x, x, out=x)", "aten::add.out"},
    {"torch.add(x, 'a')", "!TypeError"},
    {"torch.maximum(x, 1)", "!TypeError"},
    {"torch.eq(x, 1)", "aten::eq.Scalar"},
    {"torch.eq(x, x)", "aten::eq.Tensor"},
    {"torch.pow(x, 2)", "aten::pow.Tensor_Scalar"},
    {"torch.pow(2, x)", "aten::pow.Scalar"},
    {"torch.pow(x, x)", "aten::pow.Tensor_Tensor"},
    {"torch.where(i, x, 1.0)", "aten::where.ScalarOther"},
    {"torch.nonzero(x)", "aten::nonzero"},
    {"torch.nonzero(x, as_tuple=True)", "aten::nonzero_numpy"},
    {"torch.nonzero(x, out=i)", "aten::nonzero.out"},
    {"torch.unique(x)", "aten::_unique2"},
    {"torch.unique(x, dim=0, return_inverse=True)", "aten::unique_dim"},
    {"torch.unique_consecutive(x)", "aten::unique_consecutive"},
    {"torch._check(True)", "= None"},
    {"torch._check(False, 'm')", "!AssertionFailed"},
    {"torch._check(1)", "!ValueError"},
    {"torch._check_value(False)", "!ValueError"},
    {"torch._check_index(False)", "!IndexOutOfRange"},
    {"torch._check_is_size(0)", "= None"},
    {"torch._check_is_size(-1)", "!AssertionFailed"},
    {"torch._check_is_size(3, max=2)", "!AssertionFailed"},
    {"torch.where(i, 1, x)", "aten::where.ScalarSelf"},
    {"torch.clamp(x, max=1)", "aten::clamp"},
    {"torch.clamp(x, None, x)", "aten::clamp.Tensor"},
    {"torch.sum(x)", "aten::sum"},
    {"torch.sum(x, 1)", "aten::sum.dim_IntList"},
    {"torch.sum(x, axis=(0, 1), keepdims=True)", "aten::sum.dim_IntList"},
    {"torch.max(x)", "aten::max"},
    {"torch.max(x, 1)", "aten::max.dim"},
    {"torch.max(x, x)", "aten::max.other"},
    {"torch.div(x, x, rounding_mode='floor')", "aten::div.Tensor_mode"},
    {"torch.arange(5)", "aten::arange"},
    {"torch.arange(1, 5)", "aten::arange.start"},
    {"torch.arange(1, 5, 2)", "aten::arange.start_step"},
    {"torch.zeros(2, 3)", "aten::zeros"},
    {"torch.zeros((2, 3), dtype=f64)", "aten::zeros"},
    {"torch.split(x, 1)", "aten::split.Tensor"},
    {"torch.split(x, [1, 2], 1)", "aten::split_with_sizes"},
    {"torch.ops.aten.mul(x, 2)", "aten::mul.Tensor"},
    {"torch.fft.fft(x)", "aten::fft_fft"},
    {"torch.linalg.inv(x)", "aten::linalg_inv"},
    {"torch.special.expit(x)", "aten::special_expit"},
    {"torch._C._nn.gelu(x)", "aten::gelu"},
    // Methods, and sizes that stand alone.
    {"torch.Tensor.view(x, 3, 2)", "aten::view"},
    {"torch.Tensor.view(x, (3, -1))", "aten::view"},
    {"torch.Tensor.view(x, f64)", "aten::view.dtype"},
    {"torch.Tensor.permute(x, 1, 0)", "aten::permute"},
    {"torch.Tensor.transpose(x, 0, 1)", "aten::transpose.int"},
    {"torch.Tensor.to(x, f64)", "aten::to.dtype"},
    {"torch.Tensor.to(x, 'cpu')", "aten::to.dtype_layout"},
    {"torch.Tensor.to(x, 'nowhere')", "!ValueError"},
    {"torch.Tensor.where(x, i, 0)", "aten::where.ScalarOther"},
    {"torch.Tensor.size(x, -1)", "= 3"},
    {"torch.Tensor.size(x)", "= (2, 3)"},
    {"torch.Tensor.size(x, 2)", "!IndexOutOfRange"},
    {"torch.Tensor.item(x)", "!ShapeMismatch"},
    // What is written in Python.
    {"F.relu(x, inplace=True)", "aten::relu_"},
    {"F.max_pool2d(x, 2, return_indices=True)", "aten::max_pool2d_with_indices"},
    {"F.mse_loss(x, x)", "aten::broadcast_tensors aten::mse_loss"},
    {"F.mse_loss(x, x, reduction='average')", "!ValueError"},
    {"F.tanhshrink(x)", "aten::tanh aten::sub.Tensor"},
    {"torch.norm(x)", "aten::linalg_vector_norm"},
    {"F.relu(x, False, 3)", "!TypeError"},
    {"F.relu(x, slope=3)", "!TypeError"},
    // Operators and builtins.
    {"_operator.add(x, 1)", "aten::add.Tensor"},
    {"_operator.sub(1, x)", "aten::rsub.Scalar"},
    {"_operator.truediv(2, x)", "aten::reciprocal aten::mul.Tensor"},
    {"_operator.pow(2, x)", "aten::pow.Scalar"},
    {"_operator.lt(1, x)", "aten::gt.Scalar"},
    {"_operator.iadd(x, 1)", "aten::add_.Tensor"},
    {"_operator.add(1, 2)", "= 3"},
    {"_operator.add((1,), (2,))", "= (1, 2)"},
    {"_operator.add(x, 'a')", "!TypeError"},
    {"_operator.getitem(x, 0)", "aten::select.int"},
    {"_operator.getitem(x, (0, None))", "aten::select.int aten::unsqueeze"},
    {"_operator.getitem(x, builtins.slice(1, None))", "aten::slice.Tensor"},
    {"_operator.getitem(x, i)", "aten::index.Tensor"},
    {"_operator.getitem(x, [0, 1])", "aten::index.Tensor"},
    {"_operator.getitem(x, (0, 0, 0))", "!IndexOutOfRange"},
    {"_operator.getitem((4, 5, 6), -1)", "= 6"},
    {"collections.namedtuple((4, 5))", "= (4, 5)"},
    {"_operator.getitem((4, 5, 6), builtins.slice(None, None, -2))", "= (6, 4)"},
    {"_operator.getitem((4, 5), 2)", "!IndexOutOfRange"},
    {"_operator.setitem(x, 0, 1.5)", "aten::select.int aten::fill_.Scalar"},
    {"_operator.setitem(x, i, 1)", "aten::index_put_"},
    {"torch.fx._symbolic_trace._assert_is_none(None, 'y is given')", "= None"},
    {"torch.fx._symbolic_trace._assert_is_none(x, 'y is given')", "!AssertionFailed"},
    {"builtins.getattr(x, 'shape')", "= (2, 3)"},
    {"builtins.getattr(x, 'T')", "aten::numpy_T"},
    {"builtins.getattr(x, 'nothing')", "!UnsupportedOperator"},
    {"builtins.getattr(x, 'nothing', 3)", "= 3"},
    {"builtins.getattr(torch.max(x, 1), 'indices')", "aten::max.dim"},
    {"builtins.len(x)", "= 2"},
    {"builtins.max(2, 7, 3)", "= 7"},
    {"builtins.bool(x)", "!ShapeMismatch"},
    {"math.floor(2.5)", "= 2"},
    {"torch.Tensor.hsplit(x, 2)", "aten::hsplit.int"},
    {"torch.Tensor.hsplit(x, 1, 2)", "aten::hsplit.array"},
    // Methods of Python's data model.
    {"torch.Tensor.__radd__(x, 2)", "aten::add.Tensor"},
    {"torch.Tensor.__rsub__(x, 2)", "aten::rsub.Scalar"},
    {"torch.Tensor.__matmul__(x, x)", "aten::matmul"},
    {"torch.Tensor.__imul__(x, 2)", "aten::mul_.Tensor"},
    {"torch.Tensor.__getitem__(x, 0)", "aten::select.int"},
    {"torch.Tensor.__and__(i, 1)", "aten::bitwise_and.Scalar"},
    // Several operators of one function.
    {"torch.lu(x)", "aten::_lu_with_info"},
    {"torch.svd_lowrank(x, 2, 0)",
        "aten::mH aten::randn aten::matmul aten::linalg_qr aten::mH aten::matmul aten::linalg_svd aten::matmul"
        " aten::mH"},
    {"torch.broadcast_shapes((2, 1), 3, (4, 1, 1))", "= (4, 2, 3)"},
    {"torch.broadcast_shapes((2,), (3,))", "!ShapeMismatch"},
    {"torch.is_grad_enabled()", "= True"},
    // Numbers.
    {"math.comb(10, 3)", "= 120"},
    {"math.factorial(5)", "= 120"},
    {"math.factorial(21)", "!Overflow"},
    {"math.perm(5, 2)", "= 20"},
    {"math.isqrt(99)", "= 9"},
    {"math.lcm(4, 6)", "= 12"},
    {"math.acos(2)", "!ValueError"},
    {"math.gamma(1e6)", "!Overflow"},
    {"math.hypot(3, 4)", "= 5.0"},
    {"math.isclose(1.0, 1.0)", "= True"},
    {"math.modf(2.5)", "= (0.5, 2.0)"},
    {"_operator.pow(1, 4611686018427387904)", "= 1"},
    {"_operator.pow(3, 4611686018427387904)", "!Overflow"},
    // Arguments that Python itself would refuse.
    {"F.fractional_max_pool3d(x, 2, None, 0.5)", "!IndexOutOfRange"},
    {"F.fractional_max_pool2d(x, 2, None, [0.5, None])", "!TypeError"},
    {"F.fractional_max_pool2d(x, 2, None, [1e300, 0.5])", "!Overflow"},
    {"F.max_unpool3d(x, i, 2)", "!IndexOutOfRange"},
    {"F.max_unpool2d(x, i, [2, 2, 2])", "!ValueError"},
    {"F.interpolate(x, scale_factor=[2.0, 2.0])", "!ValueError"},
    {"torch.promote_types(f64, 3)", "!TypeError"},
};

TEST(Python, BecomesOperators) {
  for (const Case& c : kCalls) EXPECT_EQ(Trace(c.call), c.expected) << c.call;
}

// An expression of a rule, where x is a float tensor of sizes (2, 3), i one of integers, and n is 7.
std::string Evaluated(std::string_view text) {
  RecordingHost host;
  PythonMemory memory;
  Python python(host, memory);
  Bindings names;
  names.Set("x", host.NewTensor(ScalarType::Float));
  names.Set("i", host.NewTensor(ScalarType::Long));
  names.Set("n", Value(7));
  try {
    const Value result = ParsePythonExpression(text, {"x", "i", "n"})->Evaluate(python, names);
    return host.called.empty() ? ToString(result) : host.called;
  } catch (const OpError& error) {
    return "!" + std::string(Name(error.error_class()));
  } catch (const ExpressionError& error) {
    return "?" + std::to_string(error.at) + " " + error.message;
  }
}

// As Python 3.11 evaluates them.
constexpr Case kExpressions[] = {
    {"1 + 2 * 3 - 4 // 3", "6"},
    {"-7 // 2 + -7 % 3", "-2"},
    {"-2 ** 2 + 2 ** -1", "-3.5"},
    {"7 / 2", "3.5"},
    {"2 - 1", "1"},
    {"2-1", "1"},
    {"1e3", "1000.0"},
    {"(n + 1) * 2", "16"},
    {"1 < n <= 7 != 8", "True"},
    {"not n == 7 or n in (1, 7) and n not in [2]", "True"},
    {"not not n", "True"},
    {"None is None and n is not None", "True"},
    {"x.shape == (2, 3)", "True"},
    {"x.shape == (2,)", "False"},
    {"x.shape[-1] + x.size(0)", "5"},
    {"x.shape[1:] + (n,)", "(3, 7)"},
    {"x.shape[:-1]", "(2)"},
    {"[*x.shape, n]", "[2, 3, 7]"},
    {"max(*x.shape)", "3"},
    {"n, 2", "(7, 2)"},
    {"(n)", "7"},
    {"(n,)", "(7)"},
    {"[2 * k for k in x.shape if_]", "?24 expected `]`"},
    {"[k + n for k in range(3)]", "[7, 8, 9]"},
    {"[[k * m for m in range(2)] for k in range(2)]", "[[0, 0], [0, 1]]"},
    {"x.dtype == torch.float32 and x.dtype != torch.int64", "True"},
    {"\"a\" if n > 7 else 'b'", "\"b\""},
    {"x.new_empty([n], dtype=torch.int64)", "aten::new_empty"},
    {"torch.empty(n, device=x.device)", "aten::empty.memory_format"},
    {"x[0]", "aten::select.int"},
    {"x[:, 1:n]", "aten::slice.Tensor aten::slice.Tensor"},
    {"x + 1", "aten::add.Tensor"},
    {"-x", "aten::neg"},
    {"x.T", "aten::numpy_T"},
    {"n // 0", "!ValueError"},
    {"x.shape[5]", "!IndexOutOfRange"},
    {"", "?0 expected a value, saw the end"},
    {"y + 1", "?0 nothing here is called `y`"},
    {"n + no.such(1)", "?4 no function `no.such` is known here"},
    {"x.no_such()", "?2 no method `no_such` is known here"},
    {"n +", "?3 expected a value, saw the end"},
    {"(n", "?2 expected `,` or `)`"},
    {"n n", "?2 expected an operator or the end, saw `n`"},
    {"'a", "?0 the string does not end"},
    {"12x", "?0 this is no number"},
    {"99999999999999999999", "?0 this is no number"},
    {"__import__('os').system('true')", "?0 no function `__import__` is known here"},
};

TEST(PythonExpression, IsPythons) {
  for (const Case& c : kExpressions) EXPECT_EQ(Evaluated(c.call), c.expected) << c.call;
}

TEST(PythonExpression, DeepNestingIsAnError) {
  for (const char* open : {"(", "-", "[", "n if ", "not "}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    EXPECT_TRUE(Evaluated(text).starts_with("?")) << open;
  }
}

TEST(Python, UnknownFunctions) {
  for (std::string_view path :
      {"torch.no_such_function", "mylib.apply", "torch.nn.functional.nothing", "builtins.print"})
    EXPECT_EQ(FindPythonFunction(path), nullptr) << path;
  EXPECT_EQ(FindPythonMethod("no_such_method"), nullptr);
}

}  // namespace
}  // namespace fakeprop
