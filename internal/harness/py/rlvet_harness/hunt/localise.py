"""Runs the steps around a failure with everything watched, and names the operation, the
module and the line whose output or gradient is the first that is not finite.

What is watched: every operation of torch (``dispatch``), whose outputs that are not
finite leave records with their causes (``records``); the nodes of the graph in backward
(``backward``); the modules that run (``layers``). From the tensor that failed the records
lead back to the first. Where they lead to what was there before the steps that are looked
at, or to what came from outside torch, ``again`` says with which settings to look again.
"""

import sys

from ..instrument import Instrument
from ..observe import parameters_of
from . import backward, dispatch, environments, tensors
from .guards import is_numeric, place_of
from .layers import Layers
from .lines import Lines
from .records import Memory, chain, is_meant

HISTORY = 40  # steps before the failure of which norms are kept
BEYOND = 8  # steps after which a failure is not expected any more
LONGEST = 24  # records of a chain that are told


class Localise(Instrument):
    """Settings: from and to are numbers of optimizer steps between which to look; trace
    says whether to follow the lines of the program, too."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.first, self.last = settings.get("from", 0), settings.get("to", 0)
        self.torch = self.recorder = None
        self.memory = Memory()
        self.operations = dispatch.Operations(run, self.memory, self.first > 0)
        self.layers = Layers(run, max(0, self.last - HISTORY))
        self.lines = Lines(run) if settings.get("trace") else None
        self.failure = self.culprit = self.hooked = None
        self.backwards = 0
        self.outside = {}  # the first values that an environment returned and that are bad
        environments.watch_classes(run)

    def imported(self, torch):
        self.torch = torch
        self.layers.install(torch)
        if self.first == 0:
            self.begin()

    def begin(self):
        """Begins to look."""
        self.recorder = dispatch.recorder(self)
        self.recorder.__enter__()
        self.torch.autograd.set_detect_anomaly(True, check_nan=False)
        self.layers.tagging = True
        if self.lines is not None:
            self.lines.start()

    def computed(self, func, args, kwargs, out):
        if not self.broken:
            self.operations.module = self.layers.path()
            self.run.instruments.guarded(self, self.operations.computed, func, args, kwargs, out)

    # What the program does.

    def before_backward(self, loss):
        self.backwards += 1
        if self.recorder is None:
            return
        if tensors.is_bad(loss):
            self.fail("loss", "the loss is %s" % float(loss.detach().double().mean()), loss)
        self.layers.running.clear()
        self.operations.phase, self.operations.calling = "backward", self.run.frame()
        self.hooked = backward.watch(self.run, self.operations, loss)

    def after_backward(self):
        self.operations.phase, self.operations.calling, self.hooked = "forward", None, None

    def stepping(self, optimizer):
        if self.run.steps >= self.layers.since:
            self.layers.gradients()
        if self.recorder is None:
            return
        for p in parameters_of(optimizer):
            if p.grad is not None and tensors.is_bad(p.grad):
                self.fail("gradient", "a gradient has %s" % tensors.said(tensors.stats(p.grad)), p.grad)
        self.operations.phase = "optimizer"

    def stepped(self, optimizer):
        self.operations.phase = "forward"
        if self.recorder is None:
            if self.run.steps >= self.first:
                self.begin()
            return
        for p in parameters_of(optimizer):
            if tensors.is_bad(p):
                self.fail("parameter", "a parameter has %s after a step, and its gradient is finite" % tensors.said(tensors.stats(p)), p)
        if self.run.steps > self.last + BEYOND:
            self.stop("failure")

    def environment_stepped(self, environment, out):
        observation, reward = environments.parts(out)
        for what, value in (("observation", observation), ("reward", reward)):
            kind = tensors.numbers_bad(value)
            if kind and what not in self.outside:
                self.outside[what] = {"kind": kind, "step": self.run.steps}

    def crashed(self, error):
        if self.failure is None and is_numeric(error):
            self.failed("exception", "%s: %s" % (type(error).__name__, str(error)[:400]), None)
            file, row = place_of(self.run, error)
            self.failure.update(exception=type(error).__name__, filename=file, row=row)

    def fail(self, kind, detail, tensor):
        if self.scaled(kind):
            return
        self.failed(kind, detail, tensor)
        self.stop("failure")

    def scaled(self, kind):
        """Reports whether a GradScaler takes care of a failure: it skips the step."""
        return kind == "loss" and self.settings.get("scaler", False)

    def failed(self, kind, detail, tensor):
        if self.failure is None:
            self.failure = {"kind": kind, "step": self.run.steps, "backward": self.backwards, "detail": detail}
            self.culprit = self.record_of(tensor)

    def record_of(self, tensor):
        """Returns the record of the tensor that failed; after an exception the latest."""
        if tensor is not None:
            return self.memory.get(tensor, "nan" if tensors.has_nan(tensor) else "inf")
        latest = [r for r in self.memory.last.values() if not is_meant(r)]
        return max(latest, key=lambda r: (r.kind == "nan", r.number), default=None)

    # What is told.

    def end(self, status):
        self.stop_looking()
        records = chain(self.culprit) if self.culprit is not None else []
        again = self.again(records)
        first = _told_line(self.line_found(records)) if self.line_found(records) else _told(records[0]) if records else None
        if first is not None and self.outside and first["entered"]:
            first["phase"] = "environment"
            first["why"] = "the environment returned %s" % " and ".join("%s %s" % (_a(k), w) for w, k in self.observations_outside())
        self.keep({
            "reproduced": self.failure is not None, "failure": self.failure, "first_bad": first, "chain": [_step(r) for r in _distinct(records)][:LONGEST],
            "layers": self.layers.table(), "window": [self.first, self.run.steps], "again": again,
            "environment": self.outside, "operations": self.operations.count,
        })

    def observations_outside(self):
        return [(what, found["kind"]) for what, found in self.outside.items()]

    def stop_looking(self):
        if self.lines is not None:
            sys.settrace(None)
        if self.recorder is not None:
            self.torch.autograd.set_detect_anomaly(False)
            recorder, self.recorder = self.recorder, None
            recorder.__exit__(None, None, None)

    def again(self, records):
        """Returns the settings to look again with, or None."""
        if self.failure is None or self.first == 0 and (not records or not records[0].entered or self.lines is not None):
            return None
        step = self.failure["step"]
        if records and records[0].entered and self.lines is None:
            return {**self.settings, "from": self.first, "to": step, "trace": True}
        if self.first > 0 and (not records or records[0].earlier or records[0].entered and not self.line_found(records)):
            behind = max(4, 4 * (step - self.first))
            return {**self.settings, "from": max(0, step - behind), "to": step}
        return None

    def line_found(self, records):
        """Returns the line that made what the chain begins with, if it came from outside."""
        if self.lines is None or not records or not (records[0].entered or records[0].earlier):
            return None
        first = self.lines.first
        return first.get(records[0].kind) or first.get("inf" if records[0].kind == "nan" else "nan")


def _distinct(records):
    """Leaves out records of the line of the one before."""
    out = []
    for r in records:
        if not out or (r.place["filename"], r.place["row"], r.phase) != (out[-1].place["filename"], out[-1].place["row"], out[-1].phase):
            out.append(r)
    return out


def _step(record):
    return {"phase": record.phase, "op": record.op, "module": record.module, "filename": record.place["filename"], "row": record.place["row"], "source": record.text}


def _told(record):
    backward_found = record.phase == "backward"
    return {
        "phase": record.phase, "op": record.op, "module": record.module, "function": record.function, "filename": record.place["filename"],
        "row": record.place["row"], "column": record.place["column"], "in": record.place["in"], "source": record.text, "step": record.step,
        "inputs": [] if backward_found else record.inputs, "outputs": [] if backward_found else record.outputs,
        "gradient_in": _one(record.inputs) if backward_found else None, "gradient_out": _one(record.outputs) if backward_found else None,
        "why": _why(record), "entered": record.entered or record.earlier,
    }


def _one(stats):
    return stats[0] if stats else None


def _why(record):
    word = "NaN" if record.kind == "nan" else "infinity"
    if record.entered:
        return "%s entered torch here, from numbers or arrays of the program" % word
    if record.earlier:
        return "%s was there before the first step that was watched" % word
    if record.op.startswith("empty") or record.op.startswith("new_empty"):
        return "uninitialized memory holds %s" % word
    if record.phase == "backward":
        return "finite gradient in, %s out" % word
    if record.kind == "nan" and record.parents:
        return "infinite inputs, NaN out"
    if record.kind == "inf" and record.parents:
        return "a deliberate infinity was selected here"
    if not record.inputs:
        return "it wrote %s" % word
    return "finite inputs, %s in the output" % word


def _told_line(found):
    place = found["place"]
    return {
        "phase": "environment" if found["environment"] else "forward", "op": "", "module": None, "function": None, "filename": place["filename"], "row": place["row"],
        "column": 0, "in": place["in"], "source": found["text"], "step": None, "inputs": [], "outputs": [], "gradient_in": None, "gradient_out": None,
        "why": "%s is %s after this line" % (found["name"] or "the result", "NaN" if found["kind"] == "nan" else "infinite"), "entered": False,
    }


def _a(kind):
    return "a NaN" if kind == "nan" else "an infinite"
