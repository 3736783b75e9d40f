"""Makes a program smaller while it still shows the same difference."""


def shrunken(program, shows):
    """The program without the steps and inputs that `shows(program)` does not need."""
    last = None
    while last != (size := len(program.steps) + len(program.inputs)):
        last = size
        program = without_parts(program, "steps", shows)
        program = without_parts(program, "inputs", shows)
    return plainer_inputs(program, shows)


def without_parts(program, kind, shows):
    chunk = max(1, len(getattr(program, kind)) // 2)
    while chunk:
        at = len(getattr(program, kind)) - chunk
        while at > -chunk:
            smaller = program.copy()
            del getattr(smaller, kind)[max(at, 0):at + chunk]
            if is_closed(smaller) and shows(smaller):
                program = smaller
            at -= chunk
        chunk //= 2
    return program


def is_closed(program):
    """Whether every value that is used is made before."""
    made = set()
    for given in program.inputs:
        if given.view_of and given.view_of not in made:
            return False
        made.add(given.name)
    for step in program.steps:
        if any(ref.name not in made for ref in step.refs()):
            return False
        made.add(step.name)
    return True


def plainer_inputs(program, shows):
    for i in range(len(program.inputs)):
        for change in (without_grad, contiguous):
            plainer = program.copy()
            change(plainer.inputs[i])
            if plainer.inputs[i] != program.inputs[i] and shows(plainer):
                program = plainer
    return program


def without_grad(given):
    given.requires_grad = False


def contiguous(given):
    if given.view_of:
        return
    step = 1
    for d in reversed(range(len(given.sizes))):
        given.strides[d] = step
        step *= max(given.sizes[d], 1)
    given.offset = 0
