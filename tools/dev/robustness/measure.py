"""Runs a command and tells what it took."""

import dataclasses
import os
import pathlib
import subprocess
import time


@dataclasses.dataclass
class Result:
    status: int
    seconds: float
    cpu_seconds: float  # what counts where the machine is busy
    resident_mb: float  # at its peak
    read_mb: float      # by read calls, and pages of mapped files that were not in memory


def run(command, **options):
    start = time.monotonic()
    process = subprocess.Popen(command, **options)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its counters stay until it is waited for
    seconds = time.monotonic() - start
    counters = dict(line.split(": ") for line in pathlib.Path(f"/proc/{process.pid}/io").read_text().splitlines())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    read = int(counters["rchar"]) + usage.ru_majflt * os.sysconf("SC_PAGESIZE")
    return Result(process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, read / (1 << 20))
