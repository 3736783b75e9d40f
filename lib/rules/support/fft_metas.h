// Discrete Fourier transforms on metas: the sizes, and the layouts of the backends' results. Source: _exec_fft,
// meta_fft_c2c, meta_fft_r2c, meta_fft_c2r in torch/_meta_registrations.py (torch 2.13, a build with MKL; cuFFT on
// cuda).
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// Throws an OpError of class DtypeMismatch on the cpu, except in single and double precision: MKL has no other.
void RequireTransformDtype(const Call& call, const TensorMeta& t);

// `dims` are wrapped and distinct. In transforms from real to complex and back, the last of them is the one that is
// halved.
TensorMeta TransformComplex(const TensorMeta& t, std::vector<int64_t> dims);
TensorMeta TransformReal(const TensorMeta& t, std::vector<int64_t> dims, bool onesided);
TensorMeta TransformToReal(const TensorMeta& t, std::vector<int64_t> dims, Dim last_size);

}  // namespace fakeprop::rules
