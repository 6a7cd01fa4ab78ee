"""Runs the program once more with one value changed, to see whether anything depends on it.

That a coefficient or a reference has no effect cannot be seen at the place where it
stands. So the same program runs again under the same seed, as a process of its own, and
wherever the flagged expression yields a value the program goes on with another one
(:func:`changed`). Where all losses and all trained parameters come out the same to the
bit, nothing that is trained depends on the value. Where they differ, the program runs a
third time unchanged: only if that run is like the first one was it the value.

The other run ends after as many losses as the first one kept, so that it costs a
fraction of a long training.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import zlib

from .observe import parameters_of

PATIENCE = 60  # seconds that another run may take besides three times the first one's
FEWEST = 4  # losses that must be compared: a KL to a copy is 0 before the first step
SAMPLED = 65536  # elements of a parameter that are compared


def outcome(run):
    """Returns what is compared: the losses, and digests of the parameters after steps."""
    return {"losses": [float.hex(x) for x in run.losses], "parameters": run.digests}


def again(run, number=None, seconds=0.0):
    """Runs the program again, with the values of target ``number`` changed where it is
    given; returns the outcome, or None where the run came to none."""
    with tempfile.TemporaryDirectory() as folder:
        request, result = os.path.join(folder, "request.json"), os.path.join(folder, "outcome.json")
        with open(request, "w", encoding="utf-8") as file:
            json.dump({**run.request, "changed": number, "outcome": result}, file)
        try:
            subprocess.run(
                [sys.executable, "-m", "rlvet_harness", request], cwd=run.started_in, env={**run.started_with, "RLVET_EVENTS": os.devnull},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE + 3 * seconds,
            )
            with open(result, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return None


def compare(run, seconds, whole):
    """Lets each probe that asked for it know what another run came to; whole says whether
    the program ended by itself."""
    for number, watch in run.watches.items():
        probe = watch.probe
        if not probe.twin or probe.hits == 0 or probe.confirmed is not None or probe.doubt is not None:
            continue
        if run.name:
            probe.unsure("a child process evaluated it, and only the first process can run again")
            continue
        first = outcome(run)
        if len(first["losses"]) < FEWEST or len(set(first["parameters"])) < FEWEST - 1:
            probe.unsure("only %d losses, or parameters that never change: too few to compare" % len(first["losses"]))
            continue
        other = again(run, number, seconds)
        if other is None:
            probe.unsure("the run with another value did not finish")
        elif not other["changes"]:
            probe.unsure("this kind of value cannot be changed")
        elif equal(first, other, whole):
            probe.depends = False
        elif equal(first, again(run, None, seconds), whole):
            probe.depends = True
        else:
            probe.unsure("two runs of one seed differ anyway: make the script reproducible first")


def equal(first, other, whole):
    """Reports whether two runs came to the same. Other runs may go on for longer than a
    first one that was not ``whole``, and end at their last loss, before its step."""
    if other is None or not other["losses"]:
        return False
    losses = other["losses"] if whole else other["losses"][: len(first["losses"])]
    steps = min(len(first["parameters"]), len(other["parameters"]))
    return losses == first["losses"] and first["parameters"][:steps] == other["parameters"][:steps]


def digest(optimizer):
    """Returns a number that changes when a parameter of the optimizer does."""
    out = 0
    for p in parameters_of(optimizer):
        some = p.detach().reshape(-1)[:SAMPLED].float().cpu().numpy()
        out = zlib.crc32(some.tobytes(), out)
    return out


def changed(value):
    """Returns another value of the same kind, or the value itself where none is known.

    Elements change by different amounts: what is the same for all is lost again where
    rewards are centred.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor) and value.is_floating_point():
        wave = torch.arange(value.numel(), device=value.device, dtype=torch.float32).sin().reshape(value.shape)
        return value * 1.25 + (0.1 * wave).to(value.dtype)
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value * 2 if value and math.isfinite(value) else type(value)(1)
    if type(value) in (list, tuple):
        return type(value)(changed(v) for v in value)
    if type(value) is dict:
        return {k: changed(v) for k, v in value.items()}
    return value
