#!/usr/bin/env python3
"""Writes tools/dev/truth/derivatives.md, a part of docs/parity.md: gradients on fakes and on real tensors.

    $ bazel run //lib/fuzzer:derivatives > /tmp/derivatives
    $ tools/dev/truth/derivatives.py /tmp/derivatives        needs PyTorch, whose formulas it lists

The operators are those of derivatives.yaml. --list prints the calls that do not agree.
"""
import argparse
import collections
import pathlib
import re

import torchgen

PAGE = pathlib.Path(__file__).resolve().parent / "derivatives.md"
YAML = pathlib.Path(torchgen.__file__).parent / "packaged/autograd/derivatives.yaml"
DEVICES = ("cpu", "cuda:0", "xpu:0")

# Why no call of an operator runs: the first pattern that its name matches.
REASONS = [
    (r"_nested_.*", "a nested tensor has no sizes, and no fake is nested"),
]

# Why an operator gives other metadata, in some or all of its calls, or why some of its calls are an error.
DIFFERENCES = [
    (r"index(_put)?(\.Tensor)?|masked_select", "the shape is what a mask says that is not known"),
    (r"linalg_lstsq", "results of other drivers than `gels` depend on ranks, and cards have `gels` alone"),
    (r"_fft_[rc]2c|_euclidean_dist|addbmm|addmv|convolution|(_native|native|_batch_norm|batch_norm).*batch_norm.*|_batch_norm_.*|native_batch_norm.*|native_group_norm|bmm|matmul|slow_conv_.*",
     "the cpu's kernel takes degenerate calls, which the rule refuses: statistics of other sizes than the channels, "
     "dimensions twice, images without a batch or without a size, two dtypes of tensors without elements"),
    (r"_embedding_bag|log_sigmoid_.*|native_layer_norm|native_dropout|_weight_norm_interface|normal\.Tensor_Tensor|_grouped_mm|binary_cross_entropy",
     "cuda's kernel takes or returns other dtypes and intermediate results than the cpu's"),
    (r"ldexp\.Tensor|binary_cross_entropy_backward|_upsample_lanczos2d_aa_backward",
     "the layout is FakeTensorMode's, and the cpu's kernel has another one"),
    (r"convolution_backward", "the cpu's kernel also returns a gradient that the call does not ask for"),
    (r"mkldnn_rnn_layer", "oneDNN chooses the size of its workspace"),
]

# Why an operator has no verdict.
UNCALLED = [
    (r".*(sparse|nested|mkldnn|to_padded|coalesce|indices|values|_nnz|_to_dense|jagged).*|values|indices",
     "sparse, nested and oneDNN tensors"),
    (r"(batch_norm|linear|max_pool2d)_backward|_batch_norm_with_update|.*(cudnn|miopen|mps|nnpack|_cuda|efficient_attention|flash_attention|overrideable|_thnn_fused|fused_dropout"
     r"|conv_depthwise|fused_attention).*",
     "kernels of other devices"),
    (r"(eq|ge|gt|le|lt|ne)_?\.\w+|(all|any|isnan|count_nonzero|nonzero|_is_a\w+_true|one_hot|multinomial|hash_tensor)(\.\w+)?"
     r"|_?unique.*|histc|bucketize.*|view\.dtype",
     "results that are not differentiable"),
    (r"special_.*|igammac?|a(cos|sin|tan)h_|_standard_gamma_grad|_(c|p)dist_backward|rrelu_with_noise_?|random_.*|geqrf|_test_.*|.*_renorm_|_efficientzerotensor|_pin_memory|_new_zeros.*",
     "formulas that raise, or none that a call reaches"),
    (r"_embedding_bag_(dense_)?backward|.*_backward", "the calls at hand have data that the kernel refuses"),
]


def formulas():
    """The operators with a formula: "aten::abs"."""
    return ["aten::" + name for name in re.findall(r"^- name: ([\w.]+)\(", YAML.read_text(), re.MULTILINE)]


def read(path):
    """Verdicts by operator and device: [(verdict, call, what)]."""
    verdicts = collections.defaultdict(list)
    for line in pathlib.Path(path).read_text().splitlines():
        op, device, verdict, call, what = (line.split("\t") + [""])[:5]
        for one in DEVICES if device == "all" else (device,):
            verdicts[op, one].append((verdict, call, what))
    return verdicts


def explain(op, table):
    """The reason of an operator in a table."""
    name = op.removeprefix("aten::")
    return next((reason for pattern, reason in table if re.fullmatch(pattern, name)), "no reason is known")


def state_of(op, verdicts):
    """How the calls of an operator fare."""
    kinds = {verdict for verdict, _, _ in verdicts}
    if not kinds:
        return "not called"
    if kinds == {"agree"}:
        return "agrees"
    if "agree" in kinds:
        return "agrees in some calls"
    if "differ" in kinds:
        return "differs"
    return "unserved"


def names_text(ops):
    """The operators in a sentence."""
    return ", ".join(f"`{op.removeprefix('aten::')}`" for op in sorted(ops))


def by_reason(ops, table):
    """A line for each reason."""
    reasons = collections.defaultdict(list)
    for op in ops:
        reasons[explain(op, table)].append(op)
    return [f"- {names_text(some)}: {reason}." for reason, some in sorted(reasons.items())]


def page(ops, verdicts):
    """The part of the page."""
    states = {device: {op: state_of(op, verdicts[op, device]) for op in ops} for device in DEVICES}

    def on_some_device(state):
        return [op for op in ops if any(states[device][op] == state for device in DEVICES)]

    called = [op for op in ops if states["cpu"][op] != "not called"]
    calls = sum(len(verdicts[op, "cpu"]) for op in ops)
    lines = ["## Gradients on fakes", "",
             f"`//lib/fuzzer:derivatives` runs {calls} calls forward and backward, on fakes and on real cpu tensors. They are of "
             f"{len(called)} operators with a formula in derivatives.yaml, which lists {len(ops)}. Compared are sizes, dtypes and "
             "`requires_grad` of results and gradients, the device of the gradients, and on the cpu strides. Integers are known "
             "where a call needs that. `tools/dev/truth/derivatives.py` writes this section.", "",
             "| fakes on | operators | every call agrees | some calls agree | differs | unserved |",
             "|---|---|---|---|---|---|"]
    for device in DEVICES:
        count = collections.Counter(states[device][op] for op in called)
        lines.append(f"| {device} | {len(called)} | {count['agrees']} | {count['agrees in some calls']} | {count['differs']} "
                     f"| {count['unserved']} |")
    lines += ["", "Unserved on some device:", "", *by_reason(on_some_device("unserved"), REASONS), "",
              "Different in every call, on some device:", "", *by_reason(on_some_device("differs"), DIFFERENCES), "",
              "Some calls agree, and others do not, on some device:", "",
              *by_reason(on_some_device("agrees in some calls"), DIFFERENCES), "",
              "No call of these has a gradient on real cpu tensors:", "", *by_reason(on_some_device("not called"), UNCALLED), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verdicts", help="what //lib/fuzzer:derivatives printed")
    parser.add_argument("--list", action="store_true", help="print the calls that do not agree")
    options = parser.parse_args()
    verdicts, ops = read(options.verdicts), formulas()
    if options.list:
        for op in ops:
            for device in DEVICES:
                for verdict, call, what in verdicts[op, device]:
                    if verdict != "agree":
                        print(f"{op} {device} {verdict}: {call}\n    {what[:300]}")
        return
    PAGE.write_text(page(ops, verdicts))


if __name__ == "__main__":
    main()
