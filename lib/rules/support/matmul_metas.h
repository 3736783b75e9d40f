// Products of matrices and vectors on metas, for the operators that end in them (linear, matmul, einsum, rnn cells).
// Source: meta_mm, common_meta_baddbmm_bmm in torch/_meta_registrations.py; at::native::_matmul_impl, linear in
// aten/src/ATen/native/{LinearAlgebra,Linear}.cpp (torch 2.13). Results are contiguous.
#pragma once

#include <string_view>

#include "lib/rules/core/operand.h"

namespace fakeprop::rules {

// Demands one dtype of both. The kernels demand it, but PyTorch's meta functions in Python do not check it.
void RequireSameDtype(const TensorMeta& a, const TensorMeta& b, std::string_view op);
void RequireRank(const TensorMeta& t, int64_t rank, std::string_view what);
// Demands a matrix, as mm does.
void RequireMatrix(const Operand& t);
// Throws the error that the addend does not broadcast to the product.
[[noreturn]] void FailAddend(std::string_view what, const TensorMeta& addend, const TensorMeta& product);

TensorMeta MatrixProduct(const TensorMeta& a, const TensorMeta& b);        // mm
TensorMeta BatchProduct(const TensorMeta& a, const TensorMeta& b);         // bmm
TensorMeta MatrixVectorProduct(const TensorMeta& a, const TensorMeta& v);  // mv
TensorMeta DotProduct(const TensorMeta& a, const TensorMeta& b);           // dot
TensorMeta Matmul(const TensorMeta& a, const TensorMeta& b);               // matmul of any ranks
TensorMeta Linear(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias);

}  // namespace fakeprop::rules
