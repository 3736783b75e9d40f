"""`python -m fakeprop ARGUMENTS` is `fakeprop ARGUMENTS`."""

import os
import subprocess
import sys

from fakeprop._program import UsageError, environment, find_program

if __name__ == "__main__":
    try:
        program = find_program()
    except UsageError as error:
        sys.exit(f"fakeprop: {error}")
    command = [program, *sys.argv[1:]]
    if sys.platform == "win32":  # where execve returns before the program ends, and loses its status
        sys.exit(subprocess.run(command, env=environment(), check=False).returncode)
    os.execve(program, command, environment())
