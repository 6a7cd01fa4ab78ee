"""Runs a script under a seed as `rlvet hunt` does, so that every tool sees the same run.

The harness's own module pins threads, seeds the generators and rebases the seeds that the
script sets itself; RLVET_HARNESS names the folder that holds it.
"""

import argparse
import os
import runpy
import sys
import types

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy
import torch


def arguments(description):
    """Returns the seed, the script and its arguments, as the command line gives them."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pin", type=int, required=True, help="the seed of the run")
    parser.add_argument("script")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args()


def run(script, rest, seed):
    """Executes the script as __main__; raises whatever it raises, except for SystemExit."""
    sys.path.insert(0, os.environ["RLVET_HARNESS"])
    from rlvet_harness import seeds

    pinned = types.SimpleNamespace(seed=seed, entropy=seed, request={})
    seeds.seed_python(pinned)
    seeds.seed_numpy(numpy, pinned)
    seeds.seed_torch(torch, pinned)
    seeds.pass_seed_to_argparse(argparse, pinned)
    sys.argv = [script, *rest]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    try:
        runpy.run_path(os.path.abspath(script), run_name="__main__")
    except SystemExit:
        pass


def inside(folder, filename):
    """Reports whether a file is of the script's folder, and not of a library."""
    return os.path.realpath(filename).startswith(os.path.realpath(folder) + os.sep)
