"""Sends rlvet what was counted and seen, a line of JSON an event.

internal/harness/protocol/protocol.json defines the events. A verdict is none of them: what
counts and evidence mean is decided on the other side.

The lines go to a pipe of their own, since programs print; it has a path, so that all
processes of a program find it. A line is written by one call and is shorter than what a
pipe takes at once, so that lines of several processes do not mix and a crash leaves a
valid prefix.
"""

import errno
import json
import math
import os
import sys
import threading

VERSION = 1  # of the protocol
LONGEST = 4000  # bytes of a line; POSIX lets pipes split what is longer than 4096
MOST = 20000  # events of a process
DROPPED_FIRST = ("hits", "observation", "series", "not-recorded")  # of very many events


class Events:
    """The way to rlvet. A process says hello first, and nothing after its end."""

    def __init__(self, path):
        self.path = path
        self.descriptor = self.file = None  # file says which one the descriptor stands for
        self.sent = 0
        self.process = ""
        self.hello = None  # the fields of a child's hello, which it sends once it has anything to tell
        self.ended, self.lock = False, threading.RLock()

    def become_child(self, name, seed):
        self.process, self.sent = name, 0
        self.hello = hello(seed)
        self.ended, self.lock = False, threading.RLock()

    def send(self, event, **fields):
        """Sends one event; what cannot be told is left out rather than raised."""
        with self.lock:
            if self.ended:
                return
            self.sent += 1
            if self.sent > MOST and event in DROPPED_FIRST:
                return
            if self.hello is not None and event != "hello":
                self.write("hello", self.hello)
            self.hello = None  # now, since a signal may come before it is written, and end the process
            self.write(event, fields)
            self.ended = event == "end"

    def write(self, event, fields):
        fields = {"event": event, "pid": os.getpid(), "process": self.process, **plain(fields)}
        try:
            os.write(self.opened(), _line(_fitted(fields)))
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


def hello(seed):
    """Returns the fields of the first event of a process."""
    return {"protocol": VERSION, "python": sys.version.split()[0], "seed": seed}


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


def _fitted(fields):
    """Makes an event fit a line: numbers that are shown go first, then the longest text is
    cut to a half, and again."""
    if len(_line(fields)) <= LONGEST:
        return fields
    fields = dict(fields)
    if "seen" in fields:
        fields["seen"] = {"left_out": "what was seen is too long for an event"}
    while len(_line(fields)) > LONGEST:
        texts = [(len(v), k, None) for k, v in fields.items() if isinstance(v, str)]
        lists = [(len(str(v)), k, v) for k, v in fields.items() if isinstance(v, list)]
        length, name, items = max(texts + lists, key=lambda t: t[0])
        if length < 100:
            break  # it is the names that are too long
        if items is None:  # the end of a traceback says more than its beginning
            fields[name] = "... " + fields[name][-(length // 2) :]
        elif len(items) > 1:
            fields[name] = items[1::2]
        else:
            fields[name] = ["... " + items[0][-(length // 2) :]]
    return fields
