// Discrete Fourier transforms on metas: sizes and the layout that the backends leave behind.
// Source: _exec_fft, meta_fft_c2c, meta_fft_r2c, meta_fft_c2r in torch/_meta_registrations.py (torch 2.13, a build with
// MKL; cuFFT on cuda).
#pragma once

#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

// On the cpu MKL transforms in single and double precision only; else an error of class DtypeMismatch.
void RequireTransformDtype(const Call& call, const TensorMeta& t);

// `dims`: wrapped and distinct; real to complex and back halve the last of them.
TensorMeta TransformComplex(const TensorMeta& t, std::vector<int64_t> dims);
TensorMeta TransformReal(const TensorMeta& t, std::vector<int64_t> dims, bool onesided);
TensorMeta TransformToReal(const TensorMeta& t, std::vector<int64_t> dims, Dim last_size);

}  // namespace fakeprop::rules
