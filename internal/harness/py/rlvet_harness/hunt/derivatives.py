"""Compares what backward returns with the slope of forward, at inputs of the run.

Every autograd.Function of the program that was really applied is replayed on copies of
what it was applied to, when the run is over; so are the modules that settings name. The first
one that is wrong is told at once, as the event wrong-gradient. What is found stands in
derivatives.json: {"functions": [a row each]}; the fields of a row are made by :mod:`.rows`.

Several seeds share the work: each replays the call of a Function with the largest numbers, and
one of the others, so that an early and a late one are among them.

settings: modules, the names of modules to check too; loss, true to check the outermost
modules; libraries, true to check Functions of libraries too; record, true to write the
inputs at which a Function was wrong (:mod:`.record`), in at most max_record bytes; seeds, those that
share the work; clean, true to check nothing unless the run ended by itself; seconds, how long all of
it may take in this process, instead of a share of the program's own time.
"""

import inspect
import sys
import time

from ..instrument import Instrument
from ..patches import before_apply
from . import check, modules, record, recorded, replay, rows

SHARE = 0.6  # of the program's own time that all comparisons under all seeds may take
SHORT = 24.0  # seconds that the comparisons of a program may take which itself takes none,
LESS = 4.5  # so many fewer for each second that it takes
SECONDS_AT_TIMEOUT = 3.0
ASLEEP = 4  # times as much time as by the processor's clock may pass by the one on the wall
UNFINISHED = ("crash", "timeout", "failure")
ANONYMOUS = 16  # calls outside a module after which none is looked for


class Derivatives(Instrument):
    """Records calls while the program runs, and compares at its end."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.torch, self.own = None, None
        self.functions, self.modules = {}, {}
        self.judged = {}  # the verdict on each Function, or how it changes tensors
        self.known = {}  # whether a Function concerns us
        self.double = self.replaying = self.told = False  # whether the run differentiated a gradient; whether we replay, and told

    def imported(self, torch):
        self.torch = torch
        self.watch_functions(torch)
        self.watch_double_backward(torch)
        if self.settings.get("modules") or self.settings.get("loss"):
            self.watch_modules(torch)

    def watch_functions(self, torch):
        def look(cls, args):
            if not self.replaying and not self.broken and self.concerns(cls):
                self.guarded(self.applied, cls, args, torch.is_grad_enabled())

        self.own = before_apply(torch, look)

    def watch_double_backward(self, torch):
        for name in ("grad", "backward"):
            setattr(torch.autograd, name, self.noting(getattr(torch.autograd, name)))

    def noting(self, function):
        def note_double(*args, **kwargs):
            self.double = self.double or bool(kwargs.get("create_graph"))
            return function(*args, **kwargs)

        note_double.__name__, note_double.__wrapped__ = function.__name__, function
        return note_double

    def watch_modules(self, torch):
        call = torch.nn.Module.__call__

        def call_and_note(module, *args, **kwargs):
            if not self.replaying and not self.broken and torch.is_grad_enabled():
                self.guarded(self.called, module, args, kwargs)
            return call(module, *args, **kwargs)

        torch.nn.Module.__call__ = call_and_note

    def guarded(self, note, *args):
        """Notes a call; a mistake of ours must not be one of the program."""
        try:
            note(*args)
        except Exception as error:
            self.broken = True
            self.send("instrument-error", error="%s: %s" % (type(error).__name__, error), where=note.__name__)

    def concerns(self, cls):
        """Reports whether a Function is the program's, or asked for."""
        if cls not in self.known:
            code = getattr(inspect.unwrap(cls.forward), "__code__", None)
            own = code is not None and self.run.is_program(code.co_filename)
            self.known[cls] = own or bool(self.settings.get("libraries"))
        return self.known[cls]

    def applied(self, cls, args, with_gradients):
        calls = self.functions.get(cls) or self.functions.setdefault(cls, recorded.Calls(self.torch))
        if not calls.counts(args, with_gradients):
            return
        if calls.module is None and calls.count <= ANONYMOUS:
            calls.module = _calling_module(self.torch)
        with self.torch.no_grad():
            calls.add(args, self.run.steps, with_gradients)

    def called(self, module, args, kwargs):
        """Keeps the first and the last call of each module that was asked for."""
        path = modules.path_of(module)
        if path is None or not self.asked(module, path):
            return
        calls = self.modules.setdefault(path, {"module": module, "count": 0, "step": 0, "needed": set()})
        named = [("input %d" % i, a) for i, a in enumerate(args)] + list(kwargs.items())
        calls["needed"].update(n for n, a in named if isinstance(a, self.torch.Tensor) and a.requires_grad)
        calls["count"] += 1
        calls["module"], calls["step"] = module, self.run.steps
        calls["args"] = [a.detach().clone() if isinstance(a, self.torch.Tensor) else a for a in args]
        calls["kwargs"] = {k: v.detach().clone() if isinstance(v, self.torch.Tensor) else v for k, v in kwargs.items()}

    def asked(self, module, path):
        wanted = self.settings.get("modules") or ()
        return self.settings.get("loss") and modules.is_outermost(module) or any(("." + path).endswith("." + w) for w in wanted)

    # What the run came to.

    def end(self, status):
        if self.torch is None or self.run.name and not self.functions or self.settings.get("clean") and status in UNFINISHED:
            return
        self.seconds = SECONDS_AT_TIMEOUT if status == "timeout" else self.settings.get("seconds", self.budget(time.process_time()))
        self.begun = time.process_time(), time.monotonic()
        self.replaying, self.recorder = True, record.Recorder(self)
        randomness = replay.Randomness(self.torch)
        try:
            with randomness:
                found = self.own_functions()
                found += self.asked_modules()
        finally:
            self.replaying = False
        self.keep({"functions": found, "double_backward": self.double})

    def seeds(self):
        return self.settings.get("seeds") or [self.run.seed]

    def turn(self):
        """Returns the place of this run among those that share the work."""
        return self.seeds().index(self.run.seed) if self.run.seed in self.seeds() else 0

    def budget(self, own):
        """Returns the seconds of this process's comparisons, where the program took own."""
        return max(SHARE * own, SHORT - LESS * own) / len(self.seeds())

    def late(self):
        processor, wall = self.begun
        return time.process_time() - processor > self.seconds or time.monotonic() - wall > ASLEEP * self.seconds

    def no_time(self):
        return check.Result("untested", "its turn did not come within the time limit for gradients, %.2g s" % self.seconds)

    def own_functions(self):
        """Returns the rows of the Functions: of their derivatives, and of the derivatives of those
        where the run used them. Each has had a turn before one has another."""
        trials = [Trial(self, cls, calls, self.turn()) for cls, calls in list(self.functions.items())]
        for _ in range(max((len(t.waiting) for t in trials), default=0)):
            for trial in trials:
                if trial.waiting and not self.late():
                    trial.replay()
        return [row for trial in trials for row in trial.rows()]

    def tell(self, row):
        """Sends word of the first Function that is wrong."""
        if not self.told:
            self.told = True
            self.send("wrong-gradient", function=row["function"], filename=row["filename"], row=row["row"])

    def asked_modules(self):
        """Yields the rows of the modules that settings name."""
        for path, calls in self.modules.items():
            result = self.no_time()
            if not self.late():
                result = check.check_module(self.torch, calls["module"], calls["args"], calls["kwargs"], self.judged, calls["needed"], self.turn() == 0)
            yield rows.of_module(self.run, path, calls, result)
        for wanted in self.settings.get("modules") or ():
            if not any(("." + path).endswith("." + wanted) for path in self.modules):
                yield rows.unseen_module(wanted)


class Trial:
    """The replays of one Function: the verdict is that of the call that says most against it."""

    def __init__(self, instrument, cls, calls, turn):
        self.instrument, self.cls, self.calls = instrument, cls, calls
        self.names = rows.parameters(cls, calls.first.args)
        self.waiting = _shared(calls, turn, len(instrument.seeds()))
        self.best, self.at, self.right = None, calls.last, set()

    def replay(self):
        """Replays the next call that waits; none waits behind a mistake that has a name. Further
        calls like one that is right are passed over, but for the first, the last and the largest."""
        call, instrument, calls = self.waiting.pop(0), self.instrument, self.calls
        if _shapes(call) in self.right and call.number not in (c.number for c in (calls.first, calls.last, calls.extreme) if c):
            return
        apply = instrument.own.__get__(None, self.cls)
        result = check.check(instrument.torch, apply, self.names, call.args, sorted(calls.needed))
        if result.verdict == "right":
            self.right.add(_shapes(call))
        if self.best is None or result.rank() > self.best.rank():
            self.best, self.at = result, call
        if self.best.verdict == "wrong":
            instrument.tell(rows.place(instrument.run, self.cls, self.at, self.best))
            if self.best.pattern:
                self.waiting = []

    def rows(self):
        """Yields the row of the derivative, and that of the derivative of it."""
        instrument, cls, calls = self.instrument, self.cls, self.calls
        best = self.best or instrument.no_time()
        row = rows.of_function(instrument.run, cls, calls, self.at, best, 1)
        instrument.judged[cls] = best.pattern if str(best.pattern).startswith(check.CHANGES) else best.verdict
        if best.verdict == "wrong":
            row["record"] = instrument.recorder.write(row, cls, self.names, best.args, sorted(calls.needed))
        yield row
        if instrument.double and best.verdict == "right" and not instrument.late():
            yield rows.of_function(instrument.run, cls, calls, self.at, check.check_second(best.case), 2)


def _shared(calls, turn, count):
    """Returns the calls that one of count runs replays, in their order: all where it is the
    only one, else the last, the first or another in turn, and the one with the largest numbers."""
    kept = calls.kept()
    if count == 1:
        return kept
    others = [kept[0], *kept[:0:-1]]
    mine = others[turn % len(others)]
    return [mine, *(c for c in kept if c is not mine and calls.extreme and c.number == calls.extreme.number)]


def _shapes(call):
    return tuple(getattr(a, "shape", None) for a in call.args)


def _calling_module(torch):
    """Returns the path of the innermost module in which a Function is being applied."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_locals.get("self")
        if isinstance(module, torch.nn.Module):
            return modules.path_of(module)
        frame = frame.f_back
    return None
