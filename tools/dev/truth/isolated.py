"""Runs a function on many items in a child process; an item that ends the process costs its own answer alone."""

import os
import pickle
import resource
import signal
import struct

SECONDS = 20          # for one item
MEMORY = 12 << 30     # address space of the child


def run_isolated(function, items):
    """Yields (item, answer) in order; the answer of an item that crashed or took too long is None."""
    items, done = list(items), 0
    while done < len(items):
        for answer in answers_of_child(function, items[done:]):
            yield items[done], answer
            done += 1
        if done < len(items):  # the child died here
            yield items[done], None
            done += 1


def answers_of_child(function, items):
    """The answers that a child gives before it ends."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        run_child(function, items, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        while len(head := pipe.read(4)) == 4:
            body = pipe.read(struct.unpack("I", head)[0])
            try:
                yield pickle.loads(body)
            except (EOFError, pickle.UnpicklingError):
                break
    os.waitpid(child, 0)


def run_child(function, items, write_end):
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with os.fdopen(write_end, "wb") as pipe:
        for item in items:
            signal.alarm(SECONDS)
            body = pickle.dumps(function(item))
            pipe.write(struct.pack("I", len(body)) + body)
            pipe.flush()
    os._exit(0)
