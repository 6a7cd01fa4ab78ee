"""Tells rlvet what happens, a line of JSON an event.

The lines go to a pipe of their own, since programs print; it has a path, so that all
processes of a program find it. A line is written by one call and is shorter than what a
pipe takes at once, so that lines of several processes do not mix and a crash leaves a
valid prefix.
"""

import errno
import json
import math
import os

LONGEST = 4000  # bytes of a line; POSIX lets pipes split what is longer than 4096
MOST = 20000  # events of a process


class Wire:
    """The way to rlvet."""

    def __init__(self, path):
        self.path = path
        self.descriptor = self.file = None  # file says which one the descriptor stands for
        self.sent = 0
        self.process = ""
        self.hello = None  # what a child says of itself, once it has anything to tell

    def become_child(self, name, seed):
        self.process, self.sent = name, 0
        self.hello = {"event": "hello", "seed": seed}

    def send(self, event, **fields):
        """Sends one event; what cannot be told is left out rather than raised."""
        self.sent += 1
        if self.sent > MOST and event not in ("confirm", "crash", "bye"):
            return
        hello, self.hello = self.hello, None
        if hello is not None and event != "hello":
            self.write(hello)
        self.write({"event": event, **fields})

    def write(self, fields):
        fields = {"pid": os.getpid(), "process": self.process, **fields}
        line = _line(fields)
        if len(line) > LONGEST:
            line = _line(_shortened(fields, LONGEST - 600))
        try:
            os.write(self.opened(), line)
        except OSError:  # rlvet is gone: so is the reason to go on
            pass

    def opened(self):
        """Returns the descriptor, after looking that it is ours still: a program may close
        all that it did not open, and open something else under the same number."""
        try:
            if self.descriptor is not None and _file(self.descriptor) == self.file:
                return self.descriptor
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
        # Without a reader, opening in earnest would wait for one.
        self.descriptor = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(self.descriptor, True)
        self.file = _file(self.descriptor)
        return self.descriptor


def _file(descriptor):
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino


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
            return {k: fields[k] for k in ("event", "pid", "process", "id", "status") if k in fields}
        longest = max(texts, key=lambda k: len(texts[k]))
        keep = len(fields[longest]) // 2
        # The end of a traceback says more than its beginning.
        fields[longest] = "... " + fields[longest][-keep:]
    return fields
