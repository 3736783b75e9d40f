"""Prints the paths of the plug-in and of torch, a line each, as the program asks for them; or why there are none (status 1)."""

import sys

from fakeprop_torch import find

if __name__ == "__main__":
    try:
        print(*find(), sep="\n")
    except LookupError as error:
        print(error)
        sys.exit(1)
