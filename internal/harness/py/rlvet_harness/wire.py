"""Tells the parent process what happens, a line of JSON an event.

The lines go to a descriptor of their own, since programs print. A line is written by
one call and is shorter than what a pipe takes at once, so that lines of several
processes do not mix and a crash leaves a valid prefix.
"""

import json
import math
import os

LONGEST = 4000  # bytes of a line; POSIX lets pipes split what is longer than 4096
MOST = 20000  # events of a process


class Wire:
    """The way to the parent."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.sent = 0

    def send(self, event, **fields):
        """Sends one event; what cannot be told is left out rather than raised."""
        self.sent += 1
        if self.sent > MOST and event not in ("confirm", "crash", "bye"):
            return
        fields = {"event": event, "pid": os.getpid(), **fields}
        line = _line(fields)
        if len(line) > LONGEST:
            line = _line(_shortened(fields, LONGEST - 600))
        try:
            os.write(self.descriptor, line)
        except OSError:  # the parent is gone: so is the reason to go on
            pass


def _line(fields):
    return (json.dumps(fields, default=repr, allow_nan=False, ensure_ascii=True) + "\n").encode()


def plain(value):
    """Returns a value as JSON can carry it: non-finite numbers as strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def _shortened(fields, room):
    """Cuts the longest texts until the event fits."""
    fields = dict(fields)
    while len(_line(fields)) > room:
        texts = {k: v for k, v in fields.items() if isinstance(v, str) and len(v) > 100}
        if not texts:
            return {k: fields[k] for k in ("event", "pid", "id", "status") if k in fields}
        longest = max(texts, key=lambda k: len(texts[k]))
        keep = len(fields[longest]) // 2
        # The end of a traceback says more than its beginning.
        fields[longest] = "... " + fields[longest][-keep:]
    return fields
