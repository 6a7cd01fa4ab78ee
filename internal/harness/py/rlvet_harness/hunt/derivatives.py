"""Compares what backward returns with the slope of forward, at inputs of the run.

Every autograd.Function of the program that was really applied is replayed on copies of
what it was applied to, when the run is over; so are the modules that settings name. What is
found stands in derivatives.json: {"functions": [a row each]}; the fields of a row are made by
:func:`row`.

settings: modules, the names of modules to check too; loss, true to check the outermost
modules; libraries, true to check Functions of libraries too; record, true to write the
inputs at which a Function was wrong (:mod:`.record`), in at most max_record bytes; seconds, how
long all of it may take.
"""

import inspect
import sys
import time

from ..instrument import Instrument
from ..patches import before_apply
from . import check, modules, record, recorded, replay, rows

SECONDS = 60.0  # that all comparisons may take
SECONDS_AT_TIMEOUT = 3.0
ANONYMOUS = 16  # calls outside a module after which none is looked for


class Derivatives(Instrument):
    """Records calls while the program runs, and compares at its end."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.torch, self.own = None, None
        self.functions, self.modules = {}, {}
        self.judged = {}  # the verdict on each Function, or how it changes tensors
        self.known = {}  # whether a Function concerns us
        self.double = self.replaying = False  # whether the run differentiated a gradient; whether we replay

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
            with self.torch.no_grad():
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
        if calls.module is None and calls.count < ANONYMOUS:
            calls.module = _calling_module(self.torch)
        calls.add(args, self.run.steps, with_gradients)

    def called(self, module, args, kwargs):
        """Keeps the first and the last call of each module that was asked for."""
        path = modules.path_of(module)
        if path is None or not self.asked(module, path):
            return
        calls = self.modules.setdefault(path, {"module": module, "count": 0, "step": 0})
        calls["count"] += 1
        calls["module"], calls["step"] = module, self.run.steps
        calls["args"] = [a.detach().clone() if isinstance(a, self.torch.Tensor) else a for a in args]
        calls["kwargs"] = {k: v.detach().clone() if isinstance(v, self.torch.Tensor) else v for k, v in kwargs.items()}

    def asked(self, module, path):
        wanted = self.settings.get("modules") or ()
        return self.settings.get("loss") and modules.is_outermost(module) or any(("." + path).endswith("." + w) for w in wanted)

    # What the run came to.

    def end(self, status):
        if self.torch is None or self.run.name and not self.functions:
            return
        self.deadline = time.monotonic() + (SECONDS_AT_TIMEOUT if status == "timeout" else self.settings.get("seconds", SECONDS))
        self.replaying, self.recorder = True, record.Recorder(self)
        randomness = replay.Randomness(self.torch)
        try:
            with randomness:
                found = [r for cls, calls in list(self.functions.items()) for r in self.function(cls, calls)]
                found += self.asked_modules()
        finally:
            self.replaying = False
        self.keep({"functions": found, "double_backward": self.double})

    def late(self):
        return time.monotonic() > self.deadline

    def function(self, cls, calls):
        """Returns the rows of a Function: of its derivative, and of that one's derivative where
        the run used it."""
        names = rows.parameters(cls, calls.first.args)
        best, at = check.Result("untested", "no time was left"), calls.last
        for call in calls.kept():
            if self.late():
                break
            result = check.check(self.torch, self.own.__get__(None, cls), names, call.args, sorted(calls.needed))
            if at is calls.last and best.case is None or result.rank() > best.rank():
                best, at = result, call
            if best.verdict == "wrong" and best.pattern:
                break
        row = rows.of_function(self.run, cls, calls, at, best, 1)
        self.judged[cls] = best.pattern if str(best.pattern).startswith(check.CHANGES) else best.verdict
        if best.verdict == "wrong":
            row["record"] = self.recorder.write(row, cls, names, best.args, sorted(calls.needed))
        yield row
        if self.double and best.verdict == "right" and not self.late():
            yield rows.of_function(self.run, cls, calls, at, check.check_second(best.case), 2)

    def asked_modules(self):
        """Yields the rows of the modules that settings name."""
        for path, calls in self.modules.items():
            result = check.Result("untested", "no time was left")
            if not self.late():
                result = check.check_module(self.torch, calls["module"], calls["args"], calls["kwargs"], self.judged)
            yield rows.of_module(self.run, path, calls, result)
        for wanted in self.settings.get("modules") or ():
            if not any(("." + path).endswith("." + wanted) for path in self.modules):
                yield rows.unseen_module(wanted)


def _calling_module(torch):
    """Returns the path of the innermost module in which a Function is being applied."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_locals.get("self")
        if isinstance(module, torch.nn.Module):
            return modules.path_of(module)
        frame = frame.f_back
    return None
