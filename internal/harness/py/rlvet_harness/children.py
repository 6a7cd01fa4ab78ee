"""Watches the processes that a program starts, too.

A forked process has the probes already: it begins to count anew. A Python that is started
anew reads our sitecustomize.py and joins the run (:func:`join`): that is how spawn,
forkserver, subprocess and torchrun start theirs. A script that holds a target is then
started once more, by the harness, since nothing can come between Python and the text of
its main file.

A child tells what it saw when it ends: at the end of its program, by os._exit, as
multiprocessing ends its own, or by SIGTERM. One that is killed leaves its counts and what
it confirmed.

Children are numbered in the order in which their parent starts them: "2.1" is the first
child of the second. What a child draws without a seed of its own is determined by the
run's seed and that name. One that is started in a way that we do not see, as by
os.system, is the child "x". What it seeds itself is rebased as in the main process, since
ranks rely on drawing the same weights.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
import traceback

from . import patches, scoring
from .events import VERSION, Events, hello
from .load import RewrittenProgram
from .run import Run

REQUEST, NAME, RESUMED = "RLVET_REQUEST", "RLVET_CHILD", "RLVET_RESUMED"


def begin(request, name=""):
    """Makes a process one of a run, with its libraries patched; returns its run and its
    program. name is "" for the first."""
    events = Events(os.environ.get("RLVET_EVENTS", os.devnull))
    if request.get("protocol") != VERSION:  # rlvet learns our version, and says what is wrong
        events.send("hello", **hello(0))
        sys.exit("rlvet: the request is of version %s of the protocol, and this rlvet_harness speaks version %d" % (request.get("protocol"), VERSION))
    run = Run(request, events)
    if name:
        run.become_child(name)
    run.budget.watch_signals()
    patches.install(run)
    program = RewrittenProgram(run)
    program.install()
    if scoring.wanted(run):
        scoring.install(run, program)
    return run, program


def expect(run, path):
    """Prepares a process for the children that it may start; path is the request's."""
    os.environ[REQUEST], os.environ[NAME] = path, _owned(run.name)
    naming = Naming(run)
    os.register_at_fork(before=naming.next, after_in_child=naming.forked)
    naming.wrap(subprocess.Popen, "__init__")
    patches.AfterImport({"multiprocessing.util": [lambda util, run: naming.wrap(util, "spawnv_passfds")]}, run).install()
    _tell_at_exit(run)
    _hear_of_exceptions(run)


class Naming:
    """Gives each child its name: by the environment, where it is started anew."""

    def __init__(self, run):
        self.run, self.started = run, 0
        self.lock = threading.Lock()

    def next(self):
        self.started += 1
        return "%s%d" % (self.run.name and self.run.name + ".", self.started)

    def forked(self):
        self.run.become_child("%s%d" % (self.run.name and self.run.name + ".", self.started))
        self.started, self.lock = 0, threading.Lock()
        os.environ[NAME] = _owned(self.run.name)

    def wrap(self, owner, function):
        """Names what a function starts."""
        start = getattr(owner, function)

        def start_named(*args, **kwargs):
            with self.lock:
                name = os.environ[NAME] = self.next()
                if REQUEST in (kwargs.get("env") or ()):
                    kwargs["env"] = {**kwargs["env"], NAME: name}
                try:
                    return start(*args, **kwargs)
                finally:
                    os.environ[NAME] = _owned(self.run.name)

        start_named.__name__, start_named.__wrapped__ = function, start
        setattr(owner, function, start_named)


def _tell_at_exit(run):
    """Lets a process tell what it saw, however it ends."""
    leave = os._exit

    def _exit(status):
        run.finish("exit")
        leave(status)

    os._exit = _exit
    atexit.register(run.finish, "exit")


def _hear_of_exceptions(run):
    """Hears of exceptions that leave a child: whoever hands one on to the parent, or ends
    with it, writes its traceback first."""
    for owner, name in ((traceback, "print_exception"), (traceback, "format_exception"), (sys, "excepthook")):
        setattr(owner, name, _hearing(run, getattr(owner, name)))


def _hearing(run, write):
    def hear_and_write(*args, **kwargs):
        error = next((a for a in args if isinstance(a, BaseException)), None)
        if run.name and error is not None:
            run.crashed(error)
        return write(*args, **kwargs)

    hear_and_write.__name__, hear_and_write.__wrapped__ = write.__name__, write
    return hear_and_write


def join():
    """Joins the run in a Python that one of its processes has started."""
    path, name = os.environ[REQUEST], _own_name()
    if os.environ.pop(RESUMED, None):
        return
    try:
        with open(path, encoding="utf-8") as file:
            request = json.load(file)
    except (OSError, ValueError):  # the run is over
        return
    if _holds_target(request, sys.argv[0]):
        os.environ[RESUMED], os.environ[NAME] = "1", name
        flags = subprocess._args_from_interpreter_flags()
        os.execv(sys.executable, [sys.executable, *flags, "-m", "rlvet_harness", path, *sys.argv])
    try:
        run, _ = begin(request, name)
    except SystemExit:  # of another version: the program goes on without us
        return
    expect(run, path)


def _owned(name):
    """Returns a process's name as its own environment has it: with its number, so that a
    child which inherits it unchanged, as from os.system, does not take it for its own."""
    return "%s@%d" % (name, os.getpid())


def _own_name():
    """Returns the name of this process."""
    name, _, owner = os.environ[NAME].partition("@")
    return name if owner in ("", str(os.getpid())) else name + (".x" if name else "x")


def _holds_target(request, script):
    """Reports whether Python was started with a script that has targets."""
    script = os.path.realpath(script)
    return os.path.isfile(script) and any(os.path.realpath(t["file"]) == script for t in request["targets"])
