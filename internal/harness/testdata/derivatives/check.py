"""Runs the programs of a folder, one after the other in this process, under
rlvet_harness.hunt.derivatives, and prints what it kept of each as JSON."""

import json
import os
import re
import runpy
import sys
import tempfile
import types

import torch

from rlvet_harness.hunt import derivatives, replay
from rlvet_harness.hunt.derivatives import Derivatives

torch.set_num_threads(1)
derivatives.SHORT = replay.SECONDS = 1e9  # what is found must not depend on how busy the machine is


def run_of(root, kept, notes):
    """Returns as much of a Run as the instrument asks for."""
    send = lambda event, **fields: None if event == "wrong-gradient" else notes.append(fields)
    return types.SimpleNamespace(
        name="", seed=0, steps=0, request={"kept": kept}, events=types.SimpleNamespace(send=send),
        is_program=lambda f: os.path.realpath(f).startswith(root + os.sep), shown=lambda f: os.path.relpath(os.path.realpath(f), root),
    )


def check(path, settings):
    root = os.path.dirname(os.path.realpath(path))
    with tempfile.TemporaryDirectory() as kept:
        notes = []
        instrument = Derivatives(settings, run_of(root, kept, notes))
        call = torch.nn.Module.__call__
        own, grad, backward = vars(torch.autograd.Function).get("apply"), torch.autograd.grad, torch.autograd.backward
        instrument.imported(torch)
        torch.manual_seed(0)
        state = None
        try:
            runpy.run_path(path, run_name="__main__")
            state = torch.get_rng_state()
            instrument.end("done")
        finally:
            torch.autograd.grad, torch.autograd.backward, torch.nn.Module.__call__ = grad, backward, call
            if own is None:
                del torch.autograd.Function.apply
            else:
                torch.autograd.Function.apply = own
        with open(os.path.join(kept, "derivatives.json"), encoding="utf-8") as file:
            found = json.load(file)
        found["disturbed"] = not torch.equal(state, torch.get_rng_state())
        found["notes"] = notes
        return found


if __name__ == "__main__":
    out = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "# torch: 2\n" in text and torch.__version__.startswith("1."):
            out[path] = None
            continue
        settings = re.match("# settings: (.*)", text)
        out[path] = check(path, json.loads(settings.group(1)) if settings else {})
    json.dump(out, sys.stdout)
