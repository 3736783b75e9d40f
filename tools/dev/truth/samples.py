"""The calls of aten operators beneath the sample inputs of PyTorch's OpInfos and ModuleInfos."""

import contextlib
import dataclasses
import random
import signal

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from call_text import Call, NoText, TensorSpec, SHORT_NAMES

SAMPLES = 4            # of one OpInfo and dtype
DTYPES = 3             # of one OpInfo
CALLS = 600            # of one OpInfo
ELEMENTS = 100_000     # of one tensor
LIST = 3               # items in the lists of one foreach call
SECONDS = 5            # for one OpInfo


@dataclasses.dataclass
class Source:
    name: str
    info: object
    kind: str  # "op" or "module"


def sample_sources():
    from torch.testing._internal.common_methods_invocations import foreach_other_op_db, op_db
    from torch.testing._internal import common_methods_invocations as infos
    from torch.testing._internal.common_modules import module_db
    sources = [Source(info.full_name if hasattr(info, "full_name") else info.name, info, "op") for info in op_db]
    for table in ("foreach_unary_op_db", "foreach_binary_op_db", "foreach_pointwise_op_db", "foreach_reduce_op_db"):
        sources += [Source(info.name, info, "op") for info in getattr(infos, table, [])]
    sources += [Source(info.name, info, "op") for info in foreach_other_op_db]
    return sources + [Source("module " + info.name, info, "module") for info in module_db]


def argument(value):
    """An argument as a call text has it; NoText for what has none."""
    if isinstance(value, torch.Tensor):
        if value.numel() > ELEMENTS or value.device.type == "meta":
            raise NoText("a large tensor")
        return TensorSpec.of(value)
    if isinstance(value, (list, tuple)):
        return [argument(v) for v in value]
    return value


def shortened(call):
    """Its lists cut to the same few items: the samples of foreach operators have twenty."""
    cut = lambda value: value[:LIST] if isinstance(value, list) else value
    return Call(call.name, [cut(v) for v in call.args], {k: cut(v) for k, v in call.kwargs.items()})


class Recorder(TorchDispatchMode):
    """Writes down the aten operators that reach it. Composite ones do under inference mode, and are taken apart here."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.write_down(func, args, kwargs)
        if torch.is_inference_mode_enabled() and func._can_decompose() and func.namespace == "aten":
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        return func(*args, **kwargs)

    def write_down(self, func, args, kwargs):
        if func.namespace != "aten" or len(self.calls) >= CALLS:
            return
        packet, overload = func._overloadpacket.__name__, func._overloadname
        name = packet if overload == "default" else f"{packet}.{overload}"
        with contextlib.suppress(NoText):
            call = Call(name, [argument(a) for a in args], {k: argument(v) for k, v in kwargs.items()})
            self.calls.setdefault(str(shortened(call) if packet.startswith("_foreach") else call))


class TooLong(Exception):
    pass


@contextlib.contextmanager
def time_limit(seconds):
    def stop(signum, frame):
        raise TooLong
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def recorded_calls(source, seed):
    """The distinct call texts of one OpInfo or ModuleInfo, as far as time allows."""
    rng = random.Random(seed)
    torch.manual_seed(rng.randrange(1 << 30))
    torch.set_num_threads(1)
    calls = {}
    with contextlib.suppress(TooLong), time_limit(SECONDS):
        runs = module_runs(source.info, rng) if source.kind == "module" else op_runs(source.info, rng)
        for run in runs:
            record(run, calls)
    return list(calls)


def record(run, calls):
    """Once with autograd and a backward pass, once in inference mode, where composites show."""
    for mode in (contextlib.nullcontext, torch.inference_mode):
        try:
            with mode(), Recorder(calls):
                result = run()
                if mode is contextlib.nullcontext:
                    backward(result)
        except TooLong:
            raise
        except Exception:  # a sample that fails has still shown what it called
            pass


def backward(result):
    leaves = [result] if isinstance(result, torch.Tensor) else result if isinstance(result, (list, tuple)) else []
    total = sum(t.abs().sum() if t.is_complex() else t.sum() for t in leaves
                if isinstance(t, torch.Tensor) and t.requires_grad)
    if isinstance(total, torch.Tensor):
        total.backward()


def chosen_dtypes(supported, rng):
    supported = sorted((d for d in supported if d in SHORT_NAMES), key=str)
    first = [torch.float32] if torch.float32 in supported else []
    others = [d for d in supported if d != torch.float32]
    return first + rng.sample(others, min(DTYPES - len(first), len(others)))


def op_runs(info, rng):
    for dtype in chosen_dtypes(info.supported_dtypes("cpu"), rng):
        grad = dtype.is_floating_point and info.supports_autograd
        samples = some(lambda: info.sample_inputs("cpu", dtype, requires_grad=grad), rng)
        for sample in samples:
            for function in (info.op, info.inplace_variant):
                if function:
                    yield lambda f=function, s=sample: f(first_argument(f, info, s), *s.args, **s.kwargs)
    if getattr(info, "error_inputs_func", None):
        for error in some(lambda: info.error_inputs("cpu"), rng):
            s = getattr(error, "sample_input", None)
            if s is not None:
                yield lambda s=s: info.op(s.input, *s.args, **s.kwargs)


def first_argument(function, info, sample):
    """In-place forms take a copy: a leaf that requires grad cannot be written to."""
    if function is info.inplace_variant and isinstance(sample.input, torch.Tensor):
        return sample.input.detach().clone(memory_format=torch.preserve_format)
    if function is info.inplace_variant:
        return [t.detach().clone() for t in sample.input]
    return sample.input


def some(make, rng):
    try:
        samples = list(make())
    except TooLong:
        raise
    except Exception:  # a table of samples for another build
        return []
    return rng.sample(samples, min(SAMPLES, len(samples)))


def module_runs(info, rng):
    for dtype in chosen_dtypes(info.dtypes, rng)[:2]:
        for training in (True, False):
            inputs = some(lambda: info.module_inputs_func(
                info, device="cpu", dtype=dtype, requires_grad=dtype.is_floating_point, training=training), rng)
            for sample in inputs:
                if sample.forward_input is not None:
                    yield lambda s=sample, d=dtype, t=training: run_module(info, s, d, t)


def run_module(info, sample, dtype, training):
    made = sample.constructor_input
    module = info.module_cls(*made.args, **made.kwargs).to("cpu").to(dtype) if dtype.is_floating_point else \
        info.module_cls(*made.args, **made.kwargs)
    module.train(training)
    return module(*sample.forward_input.args, **sample.forward_input.kwargs)
