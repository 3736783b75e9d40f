"""Lets the scripts of this folder import those of tools/dev/truth."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "truth"))
