"""Calls of the test tables as templates: a program's own values take the places of their tensors."""

import glob
import os
import re
import sys

import torch

import truth_path  # noqa: F401
from call_text import NoText, find_operator, parse_call
from program import Ref

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SOURCES = ("testdata/ops/*.calls", "lib/rules/expected_calls/*.calls")
LEFT_OUT = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
# Operators that end the process, depend on data, ask about the machine, or make what programs do not go on with.
LEFT_OUT_NAMES = (
    "_make_dual", "_fw_primal", "_unpack_dual", "set_data", "retain_grad", "_backward", "rename", "align", "from_file",
    "record_stream", "_assert", "_functional_assert", "sym_", "is_pinned", "pin_memory", "_pin_memory", "cuda", "sparse",
    "to_mkldnn", "mkldnn", "nested", "quantize", "fake_quant", "_debug", "_cudnn", "_mps", "_use_cudnn", "miopen", "_nnpack",
    "_amp", "_fbgemm", "fbgemm", "_weight_int", "_dyn_quant", "_convert_weight", "_int_mm", "_cslt", "_test", "_coalesced",
    "data", "equal", "item", "_local_scalar", "nonzero", "masked_select", "unique", "bincount", "histogram", "_histogramdd",
    "combinations", "repeat_interleave.Tensor", "_is_", "is_", "_version", "_has", "_grouped_mm", "_scaled", "embedding_bag",
    "_embedding_bag", "_efficient", "_thnn", "ctc_loss", "segment_reduce", "to_padded", "_propagate_xla", "_lu_with",
    "split_with_sizes_copy.out", "_print", "_spdiags", "_sobol", "_pad_packed", "_pack_padded", "lift", "_cast",
    "_resize_output", "_reshape_alias", "_reshape_copy", "_foobar", "_lazy_clone", "_copy_from", "output_nr", "_rowwise",
    "rowwise", "_transform_bias", "_triton", "_transformer", "_native_multi", "_flash", "_efficient_attention", "fbgemm",
    "_validate", "_wrapped", "wrapped", "_jagged", "_padded", "_saturate", "_linalg_det", "geqrf", "_remove_batch",
    "_add_batch", "_unsafe_masked", "_philox", "_chunk_cat", "_mixed", "rnn", "gru", "lstm", "_fused_adam", "_fused_sgd",
    "_fused_adagrad", "ccol", "crow", "col_indices", "row_indices", "indices", "values", "coalesce", "dense_dim", "_dim",
    "qscheme", "q_", "_q_", "int_repr", "chalf", "_shape_as_tensor", "empty_quantized", "_stft", "_spsolve", "_conj_copy_",
    "_has_same", "_nnpack", "_convolution_mode", "isin", "allclose", "_values", "_indices", "_nnz", "is_set", "_sample",
)

# Programs make no inputs of them.
# Leave an input without a batch with a batch dimension, which their schemas rule out.
LEAVES_BATCH = re.compile(r"slow_conv_transpose[23]d")
ODD_DTYPES = ("torch.float4", "torch.float8", "torch.q")


def readable(text):
    call = parse_call(text)
    if "::" in call.name or call.name.startswith(LEFT_OUT_NAMES) or any(part in call.name for part in (
            "_backward", "_jvp", "sparse", "nested", "quantize", "empty")):
        return None
    if any(spec.device != "cpu" or str(spec.dtype).startswith(ODD_DTYPES) for spec in call.tensors()):
        return None
    return None if LEFT_OUT & set(find_operator(call.name).tags) else call


def read_templates():
    """{operator: its calls}, of those that programs can have."""
    templates = {}
    for pattern in SOURCES:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path) as f:
                lines = [line.split(" -> ") for line in f if not line.startswith("#") and " -> " in line]
            for text, answer in lines:
                try:
                    call = readable(text)
                except (ValueError, KeyError, AttributeError, IndexError, RuntimeError, NoText, TypeError):
                    continue
                if call and not answer.startswith("!"):
                    templates.setdefault(call.name, []).append(call)
    if not templates:
        sys.exit(f"no calls in {', '.join(os.path.join(ROOT, pattern) for pattern in SOURCES)}")
    return templates


class Fit:
    """Fits a template to a program: its sizes become those of the value that takes the first tensor's place."""

    def __init__(self, pool, rng, new_input):
        self.pool, self.rng, self.new_input = pool, rng, new_input
        self.sizes = {}

    def arguments(self, template):
        made = template.mapped(self.tensor)
        return made.args, made.kwargs

    def tensor(self, spec):
        wanted = [self.sizes.get(n, n) for n in spec.sizes]
        options = [name for name, t in self.pool.items() if self.suits(t, spec, wanted)]
        if options and self.rng.random() < 0.9:
            name = self.rng.choice(options)
            for n, own in zip(spec.sizes, self.pool[name].shape):
                self.sizes.setdefault(n, own)
            return Ref(name)
        return Ref(self.new_input(wanted, spec))

    def suits(self, t, spec, wanted):
        if t.dtype != spec.dtype and (self.rng.random() < 0.85 or kind_of(t.dtype) != kind_of(spec.dtype)):
            return False
        return list(t.shape) == wanted if self.sizes else t.dim() == len(spec.sizes)


def kind_of(dtype):
    return dtype.is_floating_point, dtype.is_complex, dtype == torch.bool
