"""One run of the program under one seed: what probes may ask of it."""

import json
import os
import random
import sys
import threading
import time
import weakref
import zlib

from . import twin
from .budget import UNDER_WAY, Budget
from .descent import Descent
from .instrument import Instruments
from .joins import Joins
from .observe import parameters_of
from .probe import Probe
from .watch import Watch

DONE = 2  # Run.reported, after UNDER_WAY
FIRST_LOSSES = 64  # losses that are kept: they tell whether two runs are the same


class Run:
    """The optimizers, steps and losses of the program so far, and the watches.

    steps counts optimizer steps, losses holds the first values on which backward was
    called, nonfinite the first loss or parameter that was NaN or infinite. name is empty
    in the first process of the program; in each other it says which one that is.
    """

    def __init__(self, request, events):
        self.request, self.events = request, events
        self.root = os.path.realpath(request["root"])
        self.seed = self.entropy = request["seed"]
        self.name = ""
        self.steps = self.environment_steps = 0
        self.losses = []
        self.backwards = self.gradless = 0  # losses, and those of them that carry no gradient
        self.nonfinite = None
        self.owned = set()
        self.draws = 0  # random draws of actions, where a probe asks for them
        self.applied = {}  # the last arguments of each autograd.Function, where a probe asks
        self.before_backward = []  # called once each with the loss, when the next backward begins
        self.after_backward = []  # called once each, when the next backward is over
        self.optimizers = weakref.WeakSet()
        self.started = time.monotonic()
        self.lock, self.telling, self.reported = threading.RLock(), threading.RLock(), 0
        self.started_in, self.started_with = os.getcwd(), dict(os.environ)
        self.crash = None  # the last exception of which the probes were asked
        self.changes = 0  # values that were replaced, in a run that twin.py started
        self.digests = []  # of the parameters after the first steps, where a probe compares runs
        self.watches = {t["id"]: Watch(t, self) for t in request["targets"]}
        self.budget = Budget(request, self)
        self.descent = Descent(self)
        self.joins = Joins() if any(w.probe.joins for w in self.watches.values()) else None
        self.scoring = None  # set where all probes watch functions that score
        self.compared = any(w.probe.twin for w in self.watches.values())
        self.instruments = Instruments(self)
        self.steppers = [w.probe for w in self.watches.values() if type(w.probe).stepped is not Probe.stepped]
        self.players = [w.probe for w in self.watches.values() if type(w.probe).environment_stepped is not Probe.environment_stepped]

    def become_child(self, name):
        """Begins anew in another process of the program."""
        self.name, self.entropy = name, zlib.crc32(repr((self.seed, name)).encode())
        self.lock, self.telling, self.reported = threading.RLock(), threading.RLock(), 0
        self.losses, self.backwards, self.environment_steps, self.nonfinite = [], 0, 0, None
        self.events.become_child(name, self.entropy)
        self.descent.become_child()
        for watch in self.watches.values():
            watch.become_child()
        random.seed()  # Python draws a forked child's from the machine

    def is_program(self, filename):
        """Reports whether a file is of the program and not of a library."""
        return os.path.isabs(filename) and os.path.realpath(filename).startswith(self.root + os.sep)

    def frame(self):
        """Returns the innermost frame of the program that is running, None where there is
        none in this thread."""
        frame = sys._getframe(1)
        while frame is not None and not self.is_program(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def shown(self, filename):
        """Returns the path of a file of the program as seen from its root."""
        return os.path.relpath(os.path.realpath(filename), self.root)

    def owns(self, parameter):
        """Reports whether an optimizer of the program changes a parameter."""
        return id(parameter) in self.owned

    # What the program does, told by the patches of its libraries.

    def optimizer_made(self, optimizer):
        self.optimizers.add(optimizer)
        self.owned.update(map(id, parameters_of(optimizer)))

    def backward(self, loss):
        """Is told of each loss on which backward is called; looks at the first ones, and
        then at every sixteenth, since reading a number of a GPU waits for it."""
        self.backwards += 1
        self.instruments.tell("before_backward", loss)
        waiting, self.before_backward = self.before_backward, []
        with self.lock:
            for look in waiting:
                look(loss)
        self.gradless += not getattr(loss, "requires_grad", True)
        if self.backwards > FIRST_LOSSES and (self.nonfinite or self.backwards % 16):
            return
        try:
            value = float(loss.detach().double().mean())
        except (RuntimeError, TypeError):
            return
        if self.backwards <= FIRST_LOSSES:
            self.losses.append(value)
        if self.backwards == FIRST_LOSSES and self.request.get("outcome"):
            self.budget.stop("losses")
        if value - value != 0:
            self.note_nonfinite("the loss is %s" % value)

    def backward_done(self):
        waiting, self.after_backward = self.after_backward, []
        with self.lock:
            for look in waiting:
                look()
        self.instruments.tell("after_backward")

    def stepping(self, optimizer):
        self.descent.told(self.descent.stepping, optimizer)
        self.instruments.tell("stepping", optimizer)

    def environment_stepped(self, environment, out):
        self.environment_steps += 1
        for probe in self.players:
            probe.guarded(probe.environment_stepped, out)
        self.instruments.tell("environment_stepped", environment, out)
        self.budget.environment_stepped()

    def stepped(self, optimizer):
        self.descent.told(self.descent.stepped, optimizer)
        self.steps += 1
        if self.compared and len(self.digests) < FIRST_LOSSES:
            self.digests.append(twin.digest(optimizer))
        for probe in self.steppers:
            probe.guarded(probe.stepped, optimizer)
        if self.nonfinite is None and (self.steps <= 8 or self.steps % 8 == 0):
            self.check_parameters(optimizer)
        self.instruments.tell("stepped", optimizer)
        self.budget.stepped()

    def check_parameters(self, optimizer):
        torch = sys.modules["torch"]
        for p in parameters_of(optimizer):
            if p.is_floating_point() and not bool(torch.isfinite(p.detach()).all()):
                self.note_nonfinite("a parameter of shape %s is not finite after a step" % (tuple(p.shape),))
                return

    def note_nonfinite(self, what):
        if self.nonfinite is None:
            self.nonfinite = {"step": self.steps, "what": what}

    # What the parent is told.

    def crashed(self, error):
        """Asks the probes whether an exception is the doing of their finding."""
        if error is self.crash:
            return
        self.crash = error
        self.instruments.tell("crashed", error)
        frames = _frames(error)
        for watch in self.watches.values():
            for filename, line in frames:
                target = watch.target
                if os.path.realpath(filename) == os.path.realpath(target["file"]) and target["row"] <= line <= target["end_row"]:
                    watch.probe.hits += 1
                    reason = watch.probe.failed(error)
                    if reason:
                        watch.probe.confirm(reason, error="%s: %s" % (type(error).__name__, error))

    def altered(self, value):
        """Returns another value for one that a run of twin.py is to go on with."""
        if hasattr(value, "option_strings"):  # of argparse: what parsing yields is its default
            value.default = self.altered(value.default)
            return value
        other = twin.changed(value)
        self.changes += other is not value
        return other

    def finish(self, status):
        """Tells what every watch saw, and how the process ended; once."""
        with self.telling:
            if not self.reported and self.compares(status):
                twin.compare(self, time.monotonic() - self.started, status == "done")
            if not self.reported:  # the end of its time may have come meanwhile, and reported
                self.reported = UNDER_WAY
                self.tell(status)
                self.reported = DONE

    def compares(self, status):
        """Reports whether the program may run again with another value."""
        return status not in ("timeout", "crash") and not self.request.get("outcome")

    def is_concerned(self):
        """Reports whether anything happened in this process that is worth telling."""
        return self.backwards or self.environment_steps or any(w.probe.hits for w in self.watches.values())

    def tell(self, status):
        if self.request.get("outcome") and not self.name:
            with open(self.request["outcome"], "w", encoding="utf-8") as file:
                json.dump({**twin.outcome(self), "changes": self.changes}, file)
            return
        if self.name and not self.is_concerned():
            return
        self.descent.told(self.descent.end)
        self.instruments.tell("end", status)
        self.events.send("versions", **_versions())
        for watch in self.watches.values():
            if not self.name or watch.probe.hits:
                watch.send_evidence()
        self.events.send(
            "end", status=status, steps=self.steps, environment_steps=self.environment_steps,
            seconds=round(time.monotonic() - self.started, 3), losses=[float.hex(x) for x in self.losses],
            nonfinite=self.nonfinite, rss=_peak_memory(),
        )


def _frames(error):
    """Returns file and line of each frame that an exception went through."""
    out = []
    trace = error.__traceback__
    while trace is not None:
        out.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return out


def _versions():
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    fields = {}
    if numpy is not None:
        fields["numpy"] = getattr(numpy, "__version__", "")
    if torch is not None:
        fields["torch"] = str(getattr(torch, "__version__", ""))
        cuda = torch.cuda.is_available() and torch.cuda.is_initialized()
        fields["device"] = torch.cuda.get_device_name() if cuda else "cpu"
    return fields


def _peak_memory():
    """Returns the peak of resident memory in bytes, 0 where it is not known."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
