#!/usr/bin/env python3
"""Times operators on bare meta tensors, on fakeprop's fake tensors, and on PyTorch's.

  tools/dev/benchmark/fake_mode_benchmark.py [--python]

Prints microseconds a call: the C++ operators on meta tensors without a mode, the same on fakes of a FakeTensorMode of
fakeprop, and, with --python, the Python operators on fakes of the installed torch. Needs a built
//tools/dev/benchmark:fake_mode_benchmark.
"""
import argparse
import json
import os
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BENCHMARK = os.path.join(ROOT, "bazel-bin/tools/dev/benchmark/fake_mode_benchmark")


def python_calls(torch, device, make):
    """The calls of fake_mode_benchmark.cc, by name."""
    f = torch.nn.functional
    square, weight, bias = make(4, 4), make(4, 4), make(4)
    image, filters, channels, heads = make(2, 3, 8, 8), make(4, 3, 3, 3), make(3), make(2, 4, 16, 8)
    statistics = channels.detach()  # must not require grad
    indices, table = torch.empty(6, dtype=torch.long, device=device), make(10, 4)
    return {
        "empty": lambda: torch.empty(4, 4, device=device),
        "add": lambda: square.add(square),
        "add.number": lambda: square.add(1.5),
        "add_": lambda: square.add_(square),
        "relu": lambda: square.relu(),
        "view": lambda: square.view(16),
        "t": lambda: square.t(),
        "slice": lambda: square[0:2],
        "matmul": lambda: square.matmul(square),
        "linear": lambda: f.linear(square, weight, bias),
        "cat": lambda: torch.cat([square, square]),
        "sum": lambda: square.sum(),
        "softmax": lambda: square.softmax(1),
        "layer_norm": lambda: f.layer_norm(square, [4], bias, bias),
        "conv2d": lambda: f.conv2d(image, filters),
        "batch_norm": lambda: f.batch_norm(image, statistics, statistics, channels, channels, True),
        "max_pool2d": lambda: f.max_pool2d(image, 2),
        "embedding": lambda: f.embedding(indices, table),
        "index_select": lambda: table.index_select(0, indices),
        "scaled_dot_product_attention": lambda: f.scaled_dot_product_attention(heads, heads, heads),
        "quantile": lambda: square.quantile(0.5),
        "one_hot": lambda: f.one_hot(indices, 10),
    }


def microseconds(call, runs=3, calls=200):
    """The fastest of several runs. None if the call is an error."""
    try:
        call()
    except Exception:  # what PyTorch's fakes do not serve
        return None
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        for _ in range(calls):
            call()
        best = min(best, time.process_time() - start)
    return 1e6 * best / calls


def time_python():
    """Microseconds by (state, operator)."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    torch.set_num_threads(1)
    times = {}

    def run(state, mode, device, make):
        with mode:
            calls = python_calls(torch, device, make)
            times.update({(state, name): microseconds(call) for name, call in calls.items()})

    with torch.no_grad():
        for device in ("cpu", "cuda"):
            run(device, FakeTensorMode(), device, lambda *sizes, d=device: torch.empty(sizes, device=d))
        symbolic = FakeTensorMode(shape_env=ShapeEnv())

        def symbolic_input(*sizes):
            from torch._subclasses.fake_tensor import unset_fake_temporarily
            with unset_fake_temporarily():
                real = torch.empty(sizes)
            return symbolic.from_tensor(real)
        run("symbolic", symbolic, "cpu", symbolic_input)
    run("gradients", FakeTensorMode(), "cpu", lambda *sizes: torch.empty(sizes).requires_grad_().mul(1))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="store_true", help="also time FakeTensorMode of the installed torch")
    args = parser.parse_args()
    lines = subprocess.run([BENCHMARK], capture_output=True, text=True, check=True).stdout.splitlines()
    python = time_python() if args.python else {}
    print(f"{'state':10} {'operator':30} {'meta us':>8} {'fake us':>8} {'times':>6}" + ("  Python us" if python else ""))
    for row in map(json.loads, lines):
        meta, fake = row.get("meta_us"), row["fake_us"]
        theirs = python.get((row["state"], row["operator"]))
        print(f"{row['state']:10} {row['operator']:30} {'-' if meta is None else f'{meta:.2f}':>8} {fake:8.2f} "
              f"{'-' if meta is None else f'{fake / meta:.1f}':>6}"
              + (f"{'-' if theirs is None else f'{theirs:.0f}':>11}" if python else ""))


if __name__ == "__main__":
    main()
