"""Makes random programs: views, changes in place, out= forms, changes of metadata, autograd."""

import random

import torch

from eager import Machine, Refused
from moves import moves_of, strided
from program import Input, Program, Ref, Step
from templates import LEAVES_BATCH, Fit, find_operator

DTYPES = [torch.float32] * 6 + [torch.int64] * 2 + [torch.bool] * 2 + [
    torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.int32, torch.uint8]
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 8, 0]
# What eager raises because of its data or its build, which metadata cannot tell.
OF_DATA = ("out of bounds", "out of DATA bounds", "out of range", "singular", "positive-definite", "probability", "converge",
           "divide by zero", "ZeroDivision", "not compiled", "must be less than", "can't allocate", "negative integer powers", "Expected all",
           "INTERNAL ASSERT", "indices", "should be greater", "needs_dynamic_casting", "element 0 of tensors", "not finite",
           "Found no NVIDIA", "CUDA", "random_ expects", "from <=", "factorization", "ill-conditioned", "all elements",
           "MKL FFT error", "Pivots given", "pivots passed", "allocated size does not match", "Number of elements of source", "invalid multinomial",
           "Expected p_in", "without overflow", "invalid Poisson rate")


class Generator:
    """One random program, which runs while it is made."""

    def __init__(self, seed, templates, max_steps=25):
        self.rng = random.Random(seed)
        self.templates, self.names = templates, sorted(templates)
        self.program = Program([], [])
        self.machine = Machine()
        self.count = 0
        for _ in range(self.rng.randint(2, 5)):
            self.random_input()
        if self.rng.random() < 0.2:
            self.other_window()
        self.length = self.rng.randint(3, max_steps)

    def run(self):
        try:
            for _ in range(self.length):
                self.grow()
            for name in list(self.pool())[:16]:
                self.attempt("alias", [Ref(name)], {})
        finally:
            torch.set_grad_enabled(True)
        return self.program, (self.machine.snaps, self.machine.errors)

    def pool(self):
        return {n: v for n, v in self.machine.values.items() if isinstance(v, torch.Tensor)}

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    # ---- inputs

    def random_input(self):
        dtype = self.rng.choice(DTYPES)
        rank = self.rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5])
        wide = self.rng.random() < 0.15  # maps of 1x1
        sizes = [self.rng.choice(SIZES[:-1] if self.rng.random() < 0.8 else SIZES) for _ in range(rank)]
        if wide and rank >= 3:
            sizes[2:] = [1] * (rank - 2)
        return self.add_input(sizes, dtype)

    def add_input(self, sizes, dtype):
        strides, offset = self.layout(sizes)
        grad = (dtype.is_floating_point or dtype.is_complex) and self.rng.random() < 0.25
        return self.put_input(Input(self.name("x"), list(sizes), strides, offset, dtype, grad))

    def put_input(self, given):
        self.machine.add_input(given)
        self.program.inputs.append(given)
        return given.name

    def other_window(self):
        """Another view of an input's storage, as a saved model has tied weights."""
        whole = self.rng.choice(self.program.inputs)
        sizes, strides, offset = strided(self.rng, None)
        given = Input(self.name("x"), sizes, strides, offset or 0, whole.dtype, False, whole.name)
        if 0 < given.extent() <= whole.extent() and not whole.view_of:
            self.put_input(given)

    def layout(self, sizes):
        """Contiguous, channels-last, permuted, sliced, or expanded."""
        kind = self.rng.choice(["contiguous"] * 4 + ["channels_last"] * 2 + ["permuted", "sliced", "expanded"])
        order = list(range(len(sizes)))
        if kind == "channels_last" and len(sizes) >= 3:
            order = [order[0]] + order[2:] + [order[1]]
        elif kind == "permuted":
            self.rng.shuffle(order)
        strides, step = [0] * len(sizes), self.rng.choice([2, 1]) if kind == "sliced" else 1
        for d in reversed(order):
            strides[d] = step
            step *= max(sizes[d], 1) + (self.rng.random() < 0.5 if kind == "sliced" else 0)
        if kind == "expanded" and sizes:
            strides[self.rng.randrange(len(sizes))] = 0
        return strides, self.rng.choice([0, 0, 0, 3]) if kind == "sliced" else 0

    def input_like(self, sizes, spec):
        if self.rng.random() < 0.2:
            given = Input(self.name("x"), list(sizes), list(spec.strides), spec.offset, spec.dtype)
            if sizes == spec.sizes:
                return self.put_input(given)
        return self.add_input(sizes, spec.dtype)

    # ---- steps

    def grow(self):
        for _ in range(8):
            inputs = len(self.program.inputs)
            target, args, kwargs = self.random_call()
            if self.attempt(target, args, kwargs):
                return
            self.drop_inputs(inputs)

    def drop_inputs(self, kept):
        for given in self.program.inputs[kept:]:
            del self.machine.values[given.name], self.machine.snaps[given.name]
        del self.program.inputs[kept:]

    def random_call(self):
        if self.rng.random() < 0.5 and (pool := self.pool()):
            return moves_of(self.rng, pool)
        template = self.rng.choice(self.templates[self.rng.choice(self.names)])
        args, kwargs = Fit(self.pool(), self.rng, self.input_like).arguments(template)
        return template.name, args, kwargs

    def attempt(self, target, args, kwargs):
        """Runs the step; keeps it if it worked, and a few of those that eager refuses."""
        step = Step(self.name("v"), target, args, kwargs)
        try:
            error = self.machine.run(step)
        except Refused:
            self.replay()
            return False
        if error is None:
            self.program.steps.append(step)
            self.add_items(step)
            return True
        if self.rng.random() < 0.2 and tells(error):
            self.program.steps.append(step)
            self.machine.errors[step.name] = [type(error).__name__, str(error).split("\n")[0]]
            return True
        if writes(target) or LEAVES_BATCH.match(target):
            self.replay()
        return False

    def add_items(self, step):
        value = self.machine.values[step.name]
        if isinstance(value, list):
            for i, item in enumerate(value[:3]):
                if isinstance(item, torch.Tensor):
                    self.attempt("_operator.getitem", [Ref(step.name), i], {})

    def replay(self):
        """Forgets what a failed step did."""
        before = self.machine
        self.machine = Machine()
        for given in self.program.inputs:
            self.machine.add_input(given)
        for step in self.program.steps:
            if step.name in before.errors:
                self.machine.errors[step.name] = before.errors[step.name]
                self.machine.run(step)
            else:
                self.machine.run(step)


def tells(error):
    """Whether metadata decides the error."""
    words = f"{type(error).__name__}: {error}"
    return not isinstance(error, (TypeError, ValueError, MemoryError)) and not any(part in words for part in OF_DATA)


def writes(target):
    return not target.startswith(("_operator", "torch.")) and find_operator(target)._schema.is_mutable
