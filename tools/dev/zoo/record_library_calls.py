#!/usr/bin/env python3
"""Records what operators and functions of well-known libraries give, by hand: needs torch and these libraries.

    record_library_calls.py testdata/custom_ops/library_calls.json [LIBRARY...]

Each call below and of prims_calls.py runs on real tensors on cpu, those of bitsandbytes on fake ones. The file has the call
as FX JSON, the spec of its inputs, and sizes, strides and dtypes of the results, or the library's error. With LIBRARY
(torchao, prims ...) only its calls are recorded, and the others stay. lib/python/shipped has the rules, and
testdata/custom_ops/shipped_rules_test.py compares them with this file.
"""

import json
import pathlib
import re
import sys
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from prims_calls import prims_calls  # noqa: E402
from vision_calls import timm_calls, torchvision_calls  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "export"))
import fakeprop_fx  # noqa: E402


def floats(*sizes, dtype=torch.float32):
    return torch.ones(sizes, dtype=dtype)


def of(dtype, *sizes):
    return torch.ones(sizes).to(dtype)


def torchao_calls():
    import torchao.quantization  # noqa: F401
    ao = torch.ops.torchao
    x = floats(4, 64)
    for keepdim in (False, True):
        for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
            for block in ([1, 64], [1, 32], [4, 64], [1, 1], [2, 16]):
                yield ao.choose_qparams_affine, (x, mapping, block, torch.int8, -128, 127, None, None, None, keepdim)
    half = floats(4, 64, dtype=torch.bfloat16)
    yield ao.choose_qparams_affine, (half, "ASYMMETRIC", [1, 32], torch.uint8, 0, 15, 1e-6, torch.float32, torch.int8)
    yield ao.choose_qparams_affine, (x, "SYMMETRIC", [1, 48], torch.int8)
    yield ao.choose_qparams_affine, (x, "SYMMETRIC", [64], torch.int8)
    yield ao.choose_qparams_affine, (x, "NONE", [1, 64], torch.int8)
    zeros = torch.zeros(4, 2, dtype=torch.int8)
    for tensor in (x, half, floats(64, 4).t(), floats(4, 128)[:, ::2]):
        yield ao.quantize_affine, (tensor, [1, 32], floats(4, 2), zeros, torch.int8, -128, 127)
    yield ao.quantize_affine, (floats(2, 3, 4, 4).to(memory_format=torch.channels_last), [1, 3, 4, 4], floats(2, 1, 1, 1), torch.zeros(2, 1, 1, 1, dtype=torch.int32), torch.uint8)
    yield ao.quantize_affine, (x, [1, 32], floats(4, 3), zeros, torch.int8)
    yield ao.quantize_affine, (floats(4, 64, dtype=torch.float64), [1, 32], floats(4, 2), zeros, torch.int8)
    for output in (torch.float32, torch.bfloat16):
        yield ao.dequantize_affine, (of(torch.int8, 4, 64), [1, 32], floats(4, 2), zeros, torch.int8, -128, 127, output)
        yield ao.dequantize_affine, (of(torch.int8, 64, 4).t(), [1, 64], floats(4), None, torch.int8, -128, 127, output)
    yield ao.dequantize_affine, (of(torch.uint8, 4, 64), [1, 32], floats(4, 2), zeros, torch.int8)
    for block in ([4, 64], [1, 64], [2, 32]):
        yield ao.choose_scale_float8, (x, block)
    for tensor in (x, floats(64, 4).t()):
        yield ao.quantize_affine_float8_non_decomposed, (tensor, floats(1))
        yield ao.quantize_affine_float8_non_decomposed, (tensor, floats(4, 1), torch.float8_e5m2)
        yield ao.dequantize_affine_float8_non_decomposed, (tensor.to(torch.float8_e4m3fn), floats(4, 1), torch.bfloat16)
        yield ao.dequantize_affine_float8_non_decomposed, (tensor.to(torch.float8_e4m3fn), floats(4, 1))


def export_calls():
    """Inner tensors of torchao's quantised weights."""
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_
    for sizes in ((64, 128), (128, 64)):
        model = torch.nn.Sequential(torch.nn.Linear(*sizes))
        quantize_(model, Int8DynamicActivationInt8WeightConfig(version=2))
        for name in ("qdata", "scale"):
            yield torch.ops.export.access_subclass_inner_tensor, (model[0].weight, name)


def bitsandbytes_calls():
    import bitsandbytes  # noqa: F401
    bnb = torch.ops.bitsandbytes
    x = floats(3, 4, 64, dtype=torch.bfloat16)
    weight = of(torch.int8, 16, 64)
    yield bnb.int8_vectorwise_quant, (floats(12, 64, dtype=torch.float16),)
    yield bnb.int8_vectorwise_dequant, (weight, floats(16))
    yield bnb.int8_vectorwise_dequant, (floats(16, 64), floats(16))
    yield bnb.int8_linear_matmul, (of(torch.int8, 3, 4, 64), weight)
    yield bnb.int8_linear_matmul, (floats(4, 64), weight)
    yield bnb.int8_scaled_mm, (of(torch.int8, 4, 64), weight, floats(4), floats(16))
    yield bnb.int8_scaled_mm, (of(torch.int8, 4, 64), weight, floats(4), floats(16), floats(16), torch.bfloat16)
    yield bnb.int8_mm_dequant, (of(torch.int32, 4, 16), floats(4), floats(16), torch.float32)
    yield bnb.int8_mm_dequant, (of(torch.int32, 4, 16), floats(4), floats(16))
    for storage in (torch.uint8, torch.bfloat16, torch.float32):
        for kind, size in (("nf4", 64), ("fp4", 128)):
            yield bnb.quantize_4bit, (x, size, kind, storage)
    yield bnb.quantize_4bit, (x, 65, "nf4", torch.uint8)
    yield bnb.quantize_4bit, (x, 64, "nf5", torch.uint8)
    packed, absmax, code = of(torch.uint8, 512, 1), floats(16), floats(256)
    yield bnb.dequantize_4bit, (packed, absmax, 64, "nf4", [16, 64], torch.float16)
    yield bnb.dequantize_4bit, (packed, floats(16, dtype=torch.float16), 64, "nf4", [16, 64], torch.float16)
    yield bnb.gemm_4bit, (x, packed, [16, 64], absmax, 64, "nf4")
    yield bnb.gemm_4bit, (x, packed, [16, 32], absmax, 64, "nf4")
    yield bnb.gemv_4bit, (floats(1, 1, 64, dtype=torch.bfloat16), packed, [16, 64], absmax, code[:16], 64)
    yield bnb.quantize_blockwise, (floats(5, 64), code, 64)
    yield bnb.quantize_blockwise, (floats(64, 5).t(), code, 64)
    yield bnb.dequantize_blockwise, (of(torch.uint8, 5, 64), floats(5), code, 64, torch.float32)
    yield bnb.dequantize_blockwise, (of(torch.uint8, 5, 64), floats(5), code, 64, torch.int8)


def transformers_calls():
    import transformers.integrations.moe  # noqa: F401
    own = torch.ops.transformers
    tokens, experts, ends = floats(6, 8), floats(3, 8, 5), torch.tensor([2, 4, 6], dtype=torch.int32)
    yield own.grouped_mm_fallback, (tokens, experts, ends)
    yield own.grouped_mm_fallback_backward, (tokens, experts, ends, floats(6, 5))


def transformers_msa_calls():
    import transformers.integrations.msa_attention  # noqa: F401
    ends = torch.tensor([0, 4, 6], dtype=torch.int32)
    for q in (floats(6, 4, 128), floats(4, 6, 128).transpose(0, 1)):
        own = (q, floats(6, 2, 128), floats(6, 2, 128), ends, ends, ends, 4, 64, 6, 4, 4, 2, 0.1, "kernel")
        yield torch.ops.transformers_msa.sparse_atten, own


def diffusers_calls():
    import diffusers.models.attention_dispatch  # noqa: F401
    for q in (floats(2, 5, 4, 8), floats(2, 4, 5, 8).transpose(1, 2)):
        yield torch.ops._diffusers_flash_attn_3._flash_attn_forward, (q, q, q)
    yield torch.ops._diffusers_flash_attn_3._flash_attn_forward, (q[0], q[0], q[0])


LIBRARIES = {"torchao": torchao_calls, "export": export_calls, "bitsandbytes": bitsandbytes_calls,
             "transformers": transformers_calls, "transformers_msa": transformers_msa_calls,
             "_diffusers_flash_attn_3": diffusers_calls, "prims": prims_calls, "torchvision": torchvision_calls, "timm": timm_calls}


def graph_of(operator, arguments, keywords):
    """A graph of one call, whose tensors are inputs, as FX JSON; and the spec of its inputs."""
    graph, spec = torch.fx.Graph(), {}

    def placeholder(value):
        if isinstance(value, list):
            return [placeholder(v) for v in value]
        if not isinstance(value, torch.Tensor):
            return value
        name = f"t{len(spec)}"
        spec[name] = {"shape": list(value.shape), "stride": list(value.stride()), "dtype": str(value.dtype)[6:]}
        return graph.placeholder(name)

    is_operator = isinstance(operator, torch._ops.OpOverloadPacket)
    call = graph.call_function(operator.default if is_operator else operator, tuple(placeholder(a) for a in arguments), keywords, name="call")
    graph.output(call)
    document = fakeprop_fx.to_dict(torch.fx.GraphModule({}, graph))
    return document, {"format": "fakeprop.inputs/1", "inputs": spec}


def metadata(value):
    if not isinstance(value, torch.Tensor):
        return value if isinstance(value, (int, list)) else None
    return {"shape": list(value.shape), "stride": list(value.stride()), "dtype": str(value.dtype)[6:]}


def library_of(operator):
    """The library of an operator or of a function, by its path."""
    return re.split("::|[.]", operator if isinstance(operator, str) else str(operator))[0]


def run(operator, arguments, keywords):
    """Kernels of bitsandbytes differ by device, and some end the process: its fake functions say what it means. A few prims
    run in compiled code only, and some operators on a GPU."""
    library, name = library_of(operator), str(operator)
    if library in ("bitsandbytes", "transformers_msa", "_diffusers_flash_attn_3") or name in ("prims.xor_sum", "prims._make_token"):
        with FakeTensorMode() as mode:
            return operator(*(mode.from_tensor(a) if isinstance(a, torch.Tensor) else a for a in arguments), **keywords)
    result = operator(*arguments, **keywords)
    return None if name == "prims.item" else result  # data, which our results do not have


def truth(operator, arguments, keywords):
    """The results' metadata, or the library's error."""
    try:
        result = run(operator, arguments, keywords)
    except Exception as error:  # of the library's own checks
        return {"error": f"{type(error).__name__}: {error}"}
    results = result if isinstance(result, (tuple, list)) else [result]
    return {"results": [metadata(x) for x in results]}


def recorded(operator, arguments, keywords={}):
    graph, spec = graph_of(operator, arguments, keywords)
    name = graph["nodes"][-2]["target"]
    if name.startswith("torch.ops."):
        name = str(operator).replace(".", "::")
    return {"operator": name, "graph": graph, "inputs": spec, **truth(operator, arguments, keywords)}


def main(path, libraries):
    path = pathlib.Path(path)
    kept = [c for c in json.loads(path.read_text()) if library_of(c["operator"]) not in libraries]
    made = [recorded(*call) for library in libraries for call in LIBRARIES[library]()]
    path.write_text("[\n" + ",\n".join(json.dumps(call) for call in kept + made) + "\n]\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] or list(LIBRARIES))
