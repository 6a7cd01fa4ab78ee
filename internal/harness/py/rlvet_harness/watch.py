"""The functions that the rewritten code calls at one target."""

import builtins
import functools
import importlib.util
import os
import re
import sys
import threading

from . import names
from .probe import Hit, Probe


class Watch:
    """One target, its probe, and the functions through which its values pass."""

    def __init__(self, target, run):
        self.target, self.run = target, run
        self.probe = load_probe(target["probe"])(target, run)
        self.counted = 0  # evaluations that were sent
        self.parts = ()
        self.seen = threading.local()
        self.altered = run.request.get("changed") == target["id"]  # by twin.py

    def become_child(self):
        """Begins to count anew in another process."""
        probe, self.seen = self.probe, threading.local()
        probe.hits, probe.upholds, probe.confirmed, probe.shown, probe.points, self.counted = 0, 0, None, 0, {}, 0
        probe.become_child()

    def install(self, parts):
        """Makes the functions known to all modules, as builtins."""
        self.parts = parts
        number = self.target["id"]
        setattr(builtins, names.value(number), self.value)
        for name in parts:
            setattr(builtins, names.part(number, name), self.part(name))
        if self.probe.rounds:
            setattr(builtins, names.called(number), self.probe.called)
            for depth in range(self.target["loops"]):
                setattr(builtins, names.entered(number, depth), functools.partial(self.probe.entered, depth))
                setattr(builtins, names.round_of(number, depth), functools.partial(self.probe.round, depth))

    def part(self, name):
        """Returns the function through which a part's value passes.

        A part that is there already begins another evaluation: the one before it ended
        in an exception.
        """

        def pass_part(value):
            parts = getattr(self.seen, "parts", None)
            if parts is None or name in parts:
                parts = self.seen.parts = {}
            parts[name] = value
            return value

        return pass_part

    def value(self, value):
        """Passes the value of the flagged expression on, after the probe looked at it."""
        parts = getattr(self.seen, "parts", None)
        self.seen.parts = None
        with self.run.lock:
            self.look(value, parts or {})
        return self.run.altered(value) if self.altered else value

    def look(self, value, parts):
        probe, run = self.probe, self.run
        probe.hits += 1
        probe.guarded(probe.hit, Hit(value, spread(parts), probe.hits - 1, run.steps))
        if probe.hits > self.counted and probe.hits & (probe.hits - 1) == 0:
            self.counted = probe.hits
            run.events.send("hits", id=self.target["id"], hits=probe.hits, step=run.steps)
        if probe.hits >= run.request["max_hits"] and not self.altered:
            self.sleep()
        run.budget.hit()

    def sleep(self):
        """Lets values through without looking, from now on."""
        number = self.target["id"]
        for name in [names.value(number)] + [names.part(number, p) for p in self.parts]:
            setattr(builtins, name, _identity)
        self.run.budget.slept()

    def send_evidence(self):
        """Sends what the probe saw of this process, all in all."""
        probe, number = self.probe, self.target["id"]
        probe.guarded(probe.end)
        holds = None
        if probe.hits and probe.confirmed is None and probe.doubt is None:
            try:
                holds = str(probe.holds())
            except Exception as error:  # where it was evaluated too seldom there may be nothing to say
                if probe.hits >= probe.enough:
                    probe.failed_by(error)
        upheld = probe.upholds if probe.needs else probe.hits
        self.run.events.send("evidence", id=number, hits=probe.hits, upheld=upheld, required=probe.enough, needs=probe.needs, unsure=probe.doubt, holds=holds)
        for name, points in probe.plotted().items():
            self.run.events.send("series", id=number, name=name, points=points)


class Unwatched(Probe):
    """Counts the evaluations of a finding whose rule has no probe."""

    def hit(self, hit):
        self.unsure("the rule has no probe")


def spread(parts):
    """Returns parts with the arguments that stand for themselves in ``*star0`` and ``**stars0``. Where what is behind a star cannot be
    read without using it up, the arguments from there on have no known places."""
    if not any(_STAR.match(name) for name in parts):
        return parts
    out, place = {name: value for name, value in parts.items() if not _STAR.match(name) and not _ARGUMENT.match(name)}, 0
    known = True
    for i in range(1 + max([int(m.group(1)) for m in map(_PLACE.match, parts) if m], default=-1)):
        behind = parts.get("star%d" % i)
        if "arg%d" % i in parts:
            values = [parts["arg%d" % i]]
        elif isinstance(behind, (list, tuple)) or hasattr(behind, "shape") and getattr(behind, "ndim", 0) > 0:
            values = list(behind)[:64]
        else:
            known = False
        if known:
            out.update(("arg%d" % (place + n), value) for n, value in enumerate(values))
            place += len(values)
    for name, value in parts.items():
        if name.startswith("stars") and isinstance(value, dict):
            out.update((key, v) for key, v in list(value.items())[:64] if key not in out)
    return out


_STAR = re.compile(r"stars?\d+$")
_ARGUMENT = re.compile(r"arg\d+$")
_PLACE = re.compile(r"(?:arg|star)(\d+)$")


def _identity(value):
    return value


def load_probe(path):
    """Returns the Probe class that a rule's probe.py defines."""
    name = "rlvet_probe_" + os.path.splitext(os.path.basename(path))[0]
    module = sys.modules.get(name)
    if module is None:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    if not os.path.getsize(path):
        return Unwatched
    own = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Probe) and v.__module__ == name]
    if len(own) != 1:
        raise ImportError("%s must define exactly one Probe" % path)
    return own[0]
