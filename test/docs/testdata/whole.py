"""Runs a block that is a whole program."""

import runpy
import sys

runpy.run_path(sys.argv.pop(1), run_name="__main__")
