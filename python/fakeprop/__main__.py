"""`python -m fakeprop ARGUMENTS` is `fakeprop ARGUMENTS`."""

import os
import sys

from fakeprop._program import UsageError, environment, find_program

if __name__ == "__main__":
    try:
        program = find_program()
    except UsageError as error:
        sys.exit(f"fakeprop: {error}")
    os.execve(program, [program, *sys.argv[1:]], environment())
