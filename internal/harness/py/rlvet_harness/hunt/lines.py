"""Follows the program line by line, for what turns bad outside torch: numbers of Python,
arrays of numpy. It is slow, and used only in the steps before a failure whose value came
into torch from outside."""

import sys

from . import places, tensors

LARGEST = 200000  # elements of an array that is looked at
LONGEST = 2000  # elements of a list


class Lines:
    """The first line after which a variable, an attribute or a result is not finite."""

    def __init__(self, run):
        self.run, self.first = run, {}  # by kind
        self.frames = {}  # the row at work in each frame, and the names that are bad already
        self.environments = set()

    def start(self):
        sys.settrace(self.call)
        frame = sys._getframe(1)
        while frame is not None:
            if self.run.is_program(frame.f_code.co_filename):
                frame.f_trace = self.line
                self.frames[id(frame)] = [frame.f_lineno, set(self.bad_names(frame))]
            frame = frame.f_back

    def call(self, frame, event, arg):
        if not self.run.is_program(frame.f_code.co_filename):
            return None
        self.frames[id(frame)] = [frame.f_lineno, set(self.bad_names(frame))]
        return self.line

    def line(self, frame, event, arg):
        state = self.frames.get(id(frame))
        if state is None or event == "exception":
            return self.line
        self.look(frame, state, arg if event == "return" else None)
        state[0] = frame.f_lineno
        if event == "return":
            self.frames.pop(id(frame), None)
        return self.line

    def look(self, frame, state, returned):
        for name, kind in self.bad_names(frame).items():
            if name not in state[1]:
                state[1].add(name)
                self.found(frame, state[0], name, kind)
        kind = _kind(returned)
        if kind:
            self.found(frame, state[0], "", kind)

    def bad_names(self, frame):
        """Returns the variables of a frame, and attributes of its self, that are not finite."""
        out = {}
        own = frame.f_locals.get("self")
        for prefix, values in (("", frame.f_locals), ("self.", getattr(own, "__dict__", None))):
            for name, value in list((values or {}).items()):
                kind = _kind(value)
                if kind:
                    out[prefix + name] = kind
        return out

    def found(self, frame, row, name, kind):
        place = {**places.of_frame(self.run, frame), "row": row, "column": 0}
        text = places.source(self.run, place)
        if kind in self.first or kind in text.lower():  # what a line names, it means
            return
        self.first[kind] = {"place": place, "name": name, "kind": kind, "text": text, "environment": _environment(frame)}


def _kind(value):
    if isinstance(value, float):
        return tensors.numbers_bad(value)
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind == "f" and getattr(value, "size", 0) <= LARGEST:
        return tensors.numbers_bad(value)
    if isinstance(value, (list, tuple)) and value and len(value) <= LONGEST and not hasattr(value[0], "is_floating_point"):
        return tensors.numbers_bad(value, depth=2)
    return ""


def _environment(frame):
    """Reports whether a frame is at work for a step or reset of an environment."""
    while frame is not None:
        own = frame.f_locals.get("self")
        if frame.f_code.co_name in ("step", "reset") and callable(getattr(own, "step", None)) and callable(getattr(own, "reset", None)):
            return True
        frame = frame.f_back
    return False
