"""Learns of the environments that a program defines itself.

An environment is what has a method ``step`` and a method ``reset``: gymnasium's make is
watched by the harness already; classes of the program's own are, when they are made.
"""

import builtins
import functools


def watch_classes(run):
    """Tells the run of each step and reset of the environments that the program defines."""
    build = builtins.__build_class__

    def build_and_watch(function, name, *bases, **keywords):
        cls = build(function, name, *bases, **keywords)
        if run.is_program(function.__code__.co_filename):
            _watch(cls, run)
        return cls

    builtins.__build_class__ = build_and_watch


def _watch(cls, run):
    if not (callable(getattr(cls, "step", None)) and callable(getattr(cls, "reset", None))):
        return
    for name in ("step", "reset"):
        method = vars(cls).get(name)
        if callable(method):
            setattr(cls, name, _telling(method, name, run))


def _telling(method, name, run):
    @functools.wraps(method)
    def call(self, *args, **kwargs):
        out = method(self, *args, **kwargs)
        if name == "step":
            run.environment_stepped(self, out)
        else:
            run.instruments.tell("environment_reset", self, out)
        return out

    return call


def parts(out):
    """Returns observation and reward of what step returned, None for what is not there."""
    if isinstance(out, tuple) and len(out) >= 2:
        return out[0], out[1]
    return out, None
