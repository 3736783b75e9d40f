// The kernel of an operator whose calls are served by equal earlier ones without being boxed.
#pragma once

#include <ATen/core/boxing/impl/boxing.h>
#include <c10/util/Metaprogramming.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "lib/fake/repeated_composites.h"
#include "lib/fake/serve.h"
#include "lib/fake/unboxed_call.h"

namespace fakeprop::fake {

// What the C++ function of an operator returns. An in-place operator returns its first argument, an out= form its last
// ones.
template <typename Result>
struct UnboxedResult;

template <>
struct UnboxedResult<at::Tensor> {
  template <typename... Arguments>
  static at::Tensor Of(const UnboxedCall& call, Arguments&...) {
    return call.Result(0);
  }
};

template <>
struct UnboxedResult<at::Tensor&> {
  template <typename... Others>
  static at::Tensor& Of(const UnboxedCall&, at::Tensor& self, Others&...) {
    return self;
  }
  template <typename First, typename... Others>
  static at::Tensor& Of(const UnboxedCall&, First&, Others&... others) {
    return std::get<sizeof...(Others) - 1>(std::tuple<Others&...>(others...));
  }
};

// Of resize_ and the like.
template <>
struct UnboxedResult<const at::Tensor&> {
  template <typename... Others>
  static const at::Tensor& Of(const UnboxedCall&, const at::Tensor& self, Others&...) {
    return self;
  }
};

template <>
struct UnboxedResult<void> {
  template <typename... Arguments>
  static void Of(const UnboxedCall&, Arguments&...) {}
};

template <>
struct UnboxedResult<std::vector<at::Tensor>> {
  template <typename... Arguments>
  static std::vector<at::Tensor> Of(const UnboxedCall& call, Arguments&...) {
    return call.List(0);
  }
};

template <typename... Tensors>
struct UnboxedResult<std::tuple<Tensors...>> {
  using Result = std::tuple<Tensors...>;

  template <typename... Arguments>
  static Result Of(const UnboxedCall& call, Arguments&... arguments) {
    if constexpr (c10::impl::is_tuple_of_mutable_tensor_refs<Result>::value) {
      return c10::guts::tuple_take<std::tuple<Arguments&...>, -static_cast<int>(sizeof...(Tensors))>(
          std::tuple<Arguments&...>(arguments...));
    } else {
      return Made(call, std::index_sequence_for<Tensors...>());
    }
  }

 private:
  template <size_t... kResult>
  static Result Made(const UnboxedCall& call, std::index_sequence<kResult...>) {
    return Result{Item<Tensors>(call, kResult)...};
  }
  template <typename T>
  static T Item(const UnboxedCall& call, size_t result) {
    if constexpr (std::is_same_v<T, std::vector<at::Tensor>>) {
      return call.List(result);
    } else {
      return call.Result(result);
    }
  }
};

// `Op` is one of at::_ops.
template <typename Op, typename Function = typename Op::schema>
class UnboxedKernel;

template <typename Op, typename Result, typename... Arguments>
class UnboxedKernel<Op, Result(Arguments...)> {
 public:
  static void Register() {
    fake::Register(Operator(), c10::DispatchKey::Fake, c10::KernelFunction::makeFromUnboxedRuntimeFunction(&Serve));
  }

 private:
  static const c10::OperatorHandle& Operator() {
    static const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
    return op;
  }

  static Result Serve(c10::DispatchKeySet keys, Arguments... arguments) {
    static const UnboxedOperator facts(Operator());
    {
      UnboxedCall call(Operator(), facts);
      if (call.Find(arguments...)) return UnboxedResult<Result>::Of(call, arguments...);
    }
    return c10::impl::BoxedKernelWrapper<Result(Arguments...)>::call(
        c10::BoxedKernel::makeFromFunction<&ServeBoxed>(), Operator(), keys, std::forward<Arguments>(arguments)...);
  }

  static void ServeBoxed(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
    ServeInMode(op, *stack);
  }
};

template <typename... Ops>
struct UnboxedKernels {
  static void Register() { (UnboxedKernel<Ops>::Register(), ...); }
};

}  // namespace fakeprop::fake
