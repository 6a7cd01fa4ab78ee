"""Runs a script under a seed as `rlvet hunt` does, so that every tool sees the same run.

The harness's own module pins threads, seeds the generators and rebases the seeds that the
script sets itself; RLVET_HARNESS names the folder that holds it.
"""

import argparse
import json
import os
import runpy
import sys
import traceback
import types

import numpy
import torch


def arguments(description):
    """Returns the seed, the script and its arguments, as the command line gives them."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pin", type=int, required=True, help="the seed of the run")
    parser.add_argument("script")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args()


def run(args):
    """Executes the script as __main__; raises whatever it raises, except for SystemExit."""
    sys.path.insert(0, os.environ["RLVET_HARNESS"])
    from rlvet_harness import seeds

    pinned = types.SimpleNamespace(seed=args.pin, entropy=args.pin, request={})
    seeds.seed_python(pinned)
    seeds.seed_numpy(numpy, pinned)
    seeds.seed_torch(torch, pinned)
    seeds.pass_seed_to_argparse(argparse, pinned)
    sys.argv = [args.script, *args.rest]
    sys.path[0] = folder_of(args)
    try:
        runpy.run_path(os.path.abspath(args.script), run_name="__main__")
    except SystemExit:
        pass


def folder_of(args):
    return os.path.dirname(os.path.abspath(args.script))


def last_frame(frames, args):
    """Returns the innermost file and row that are of the script's folder."""
    folder = os.path.realpath(folder_of(args)) + os.sep
    own = [(f, int(row)) for f, row in frames if os.path.realpath(f).startswith(folder)]
    return own[-1] if own else ("", 0)


def crash(error, args):
    """What the script's own traceback says: anybody has it without a tool, and it is counted for each."""
    frames = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    filename, row = last_frame(frames, args)
    return {"how": "crash", "filename": filename, "row": row, "end_row": row, "message": first_line(error)}


def first_line(error):
    return str(error).split("\n")[0][:200]


NOTHING = {"how": "", "filename": "", "row": 0, "end_row": 0, "message": ""}


def tell(said):
    """Prints what was said and leaves at once: torch 1.13 hangs now and then when it shuts down after an error in backward."""
    print("\n" + json.dumps(said), flush=True)
    os._exit(0)
